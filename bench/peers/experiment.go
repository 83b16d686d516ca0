package main

import "time"

// experiment is one load that each client is given.
type experiment struct {
	name      string
	Streams   int // requests under way at once
	Requests  int
	itl       time.Duration // of the null server; its first token comes after serverTTFT
	failEvery int           // every n-th answer dies half-way; 0: none
	memory    bool
	peerRuns  int  // the most repeats of what is not ours: the peers take long to start; 0: as many as asked
	vllm      bool // against the real vLLM, not the null server
}

// What is asked of every client in every experiment.
const (
	serverTTFT   = 50 * time.Millisecond
	promptTokens = 200
	outputTokens = 64
	modelName    = "nullmodel" // not "null", which is nothing in YAML
	tokenText    = " the"      // one token of the tokenizer that the clients are given
)

// The names by which the tables ask for results.
const (
	one      = "1"
	few      = "64"
	many     = "256"
	crowd    = "1024"
	failing  = "failing"
	realVLLM = "vllm"
)

// experiments in the order in which they are done. At 1,024 streams tokens come
// more slowly, so that the server itself can keep its moments.
func experiments(quick bool) []experiment {
	all := []experiment{
		{name: one, Streams: 1, Requests: 10, itl: 10 * time.Millisecond, peerRuns: 1},
		{name: few, Streams: 64, Requests: 256, itl: 10 * time.Millisecond, peerRuns: 1},
		{name: many, Streams: 256, Requests: 1536, itl: 10 * time.Millisecond, memory: true, peerRuns: 2},
		{name: crowd, Streams: 1024, Requests: 3072, itl: 40 * time.Millisecond, peerRuns: 2},
		{name: failing, Streams: 50, Requests: 200, itl: 10 * time.Millisecond, failEvery: 3, peerRuns: 1},
		{name: realVLLM, Streams: 16, Requests: 256, vllm: true, peerRuns: 1},
	}
	if quick {
		for i := range all {
			all[i].Requests = max(4, min(all[i].Requests/8, 32))
			all[i].Streams = min(all[i].Streams, 8)
		}
	}
	return all
}
