// Package contract holds one suite of tests that a real vLLM and the simulated
// engine both pass: status codes, bodies, the chunks of streams and the metrics
// are those recorded from the real server in testdata. Where the two differ,
// the simulated engine is wrong.
//
// To record again, from a vLLM that test/vllm/vllm.sh has started:
//
//	ASSAY_VLLM_URL=http://127.0.0.1:8000 go test ./test/contract -run VLLM -record
package contract
