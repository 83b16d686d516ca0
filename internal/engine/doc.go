// Package engine is a serving engine that behaves like vLLM's V1, as a step
// loop in virtual time: continuous batching under a token budget, chunked
// prefill, a paged KV cache with hash-chained prefix reuse, preemption by
// recomputation. How long a step takes follows from the hardware by a roofline
// with overheads, whose coefficients are fitted to published measurements
// (docs/prediction.md).
//
// It does no I/O and reads no clock: the caller says when a request arrives and
// when a step begins, and a step returns its duration and its outputs. The same
// seed and the same arrivals give the same times.
//
// Units: time.Duration since the engine's own zero; tokens; blocks.
//
//	cfg, err := engine.Preset("H100", "llama-3.1-8b")
//	done, err := engine.Simulate(cfg, arrivals)
package engine
