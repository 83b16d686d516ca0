// Package memory knows what lies in the memory of one GPU that serves a model:
// its share of the weights, the peak of activations, CUDA graphs, what CUDA and
// NCCL take, and the KV cache in blocks, as a given engine in a given version
// divides and counts them.
//
// It does not know how fast anything is, nor what it costs.
//
// Units: bytes of one GPU, unless said otherwise; tokens; blocks.
//
//	engine, err := memory.EngineNamed("vllm@0.32")
//	account, err := memory.Of(memory.Config{Model: arch, Chip: chip, Engine: engine})
//	account.KVTokens // as vLLM's "GPU KV cache size" says it
package memory
