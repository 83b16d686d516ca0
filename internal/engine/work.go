package engine

import "time"

// Work is what the time of steps went to, and what was done in it. The times add
// up to the steps' durations; FLOPs and bytes of memory are over all GPUs.
type Work struct {
	Compute    time.Duration // matrix products, where they take longer than reading their operands
	Memory     time.Duration // reading weights and KV
	Collective time.Duration // all-reduces: bytes on the links, and waiting for one another
	Launch     time.Duration // between the kernels of one forward pass
	Host       time.Duration // scheduling, sampling, preparing a batch: the GPUs idle

	FLOPs   float64 // of matrix products and prefill attention
	Read    float64 // bytes of weights and KV
	Written float64 // bytes of KV
	Linked  float64 // bytes that one GPU sent to the others; it received as many
}

// Busy is the time in which kernels were under way.
func (w Work) Busy() time.Duration { return w.Compute + w.Memory + w.Collective + w.Launch }

func (w *Work) add(o Work) {
	w.Compute += o.Compute
	w.Memory += o.Memory
	w.Collective += o.Collective
	w.Launch += o.Launch
	w.Host += o.Host
	w.FLOPs += o.FLOPs
	w.Read += o.Read
	w.Written += o.Written
	w.Linked += o.Linked
}

// Minus is the work since an earlier account.
func (w Work) Minus(o Work) Work {
	return Work{
		Compute: w.Compute - o.Compute, Memory: w.Memory - o.Memory, Collective: w.Collective - o.Collective,
		Launch: w.Launch - o.Launch, Host: w.Host - o.Host,
		FLOPs: w.FLOPs - o.FLOPs, Read: w.Read - o.Read, Written: w.Written - o.Written, Linked: w.Linked - o.Linked,
	}
}
