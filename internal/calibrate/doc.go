// Package calibrate replaces a plan's estimates by what was measured: the memory
// and the start-up times of an engine's own log, and the latencies of a run.
//
// A calibration says of which model, chip and layout it is, and what of it holds
// for another. One that beats the roofline, weights read faster than the memory
// allows or more KV cache than the GPU has, is refused with both numbers: it was
// measured on something else, or is none.
//
// Units: bytes, seconds in logs, milliseconds in runs.
//
//	c, err := calibrate.Read("vllm.log")
//	b, err := c.For(arch, format)
//	account, measured, err := b.Memory(config) // as memory.Of, with what was measured
package calibrate
