package engine

import (
	"math"
	"time"

	"assay/internal/model"
)

// Latency of one all-reduce inside a host, beside the bytes on the link: launch,
// synchronisation, and waiting for the slowest GPU.
const (
	// Fitted: what measured TPOT of Llama-3.1-70B FP8 at concurrency 4 (vLLM on
	// H100 and H200, tensor parallel 2, 4 and 8, 160 all-reduces a step) lies above
	// this model without collectives, 12 to 17 µs each. Ours, of 2026-11.
	allReduceNVLink = 15 * time.Microsecond
	allReducePCIe   = 40 * time.Microsecond // an estimate: NCCL over PCIe, small messages
	// Megatron's layout: one after attention, one after the MLP.
	allReducesPerLayer = 2
	activationWidth    = 2 // bytes, BF16
)

// batch is what one step computes, as the time model sees it.
type batch struct {
	sequences      int
	tokens         int     // new tokens, prefill and decode
	sampled        int     // positions that yield a token
	context        float64 // tokens of KV read, summed over sequences
	attentionFLOPs float64 // of prefill chunks; decode attention is bound by its reads
}

// timer turns a batch into a duration: the matrix products at their roofline,
// attention at its own, overheads and collectives on top. Costs are seconds.
type timer struct {
	cfg        Config
	bandwidth  float64 // bytes per second over all GPUs, as reached
	flops      float64 // FLOP/s over all GPUs, as reached
	experts    bool    // what is read depends on the tokens
	denseRead  float64 // seconds to read the weights of a dense model
	perToken   float64 // seconds of matrix products for a token
	perHead    float64 // seconds of the output projection for a sampled position
	perContext float64 // seconds to read one token's KV
	launch     float64 // seconds of launches in a step
	fixed      float64 // seconds of the host in a step, and launches
	perSeq     float64
	reduce     float64 // seconds of collectives in a step, beside bytes
	perByte    float64 // seconds of collectives for each token
	linked     float64 // bytes that one GPU sends for each token
	noise      uint64
}

func newTimer(c Config) *timer {
	gpus := float64(c.TP)
	clock := c.Throttle.clock()
	t := &timer{
		cfg:       c,
		bandwidth: gpus * c.Chip.Bandwidth * c.BandwidthEfficiency * c.BandwidthScale * min(1, clock/bandwidthClock),
		flops:     gpus * c.peak() * c.ComputeEfficiency * c.ComputeScale * clock,
		noise:     mix(c.Seed ^ 0x51e9),
	}
	t.experts = c.Model.MoE()
	t.denseRead = c.Model.ReadBytes(1, c.Format) / t.bandwidth
	t.perToken = c.Model.FLOPsPerToken() / t.flops
	t.perHead = c.Model.HeadFLOPs() / t.flops
	t.perContext = c.kvBytesPerToken() / t.bandwidth
	t.launch = float64(len(c.Model.Layers)) * c.Overheads.Layer.Seconds() / clock
	t.fixed = c.Overheads.Step.Seconds() + t.launch
	t.perSeq = c.Overheads.Sequence.Seconds()
	if c.TP > 1 {
		latency := allReducePCIe
		if c.Chip.NVLink {
			latency = allReduceNVLink
		}
		count := float64(allReducesPerLayer * len(c.Model.Layers))
		t.reduce = count * latency.Seconds() / c.LinkScale
		// A ring moves 2(n-1)/n of the message over each link.
		t.linked = count * 2 * (gpus - 1) / gpus * float64(c.Model.Hidden*activationWidth)
		t.perByte = t.linked / c.Chip.Link / c.LinkScale
	}
	return t
}

// peak is one GPU's dense FLOP/s at the width of the weights.
func (c Config) peak() float64 {
	if c.Format.Compute != model.BF16 && c.Chip.FP8 > 0 {
		return c.Chip.FP8
	}
	return c.Chip.BF16
}

// of is how long a step takes, and what for.
func (t *timer) of(b batch) (time.Duration, Work) {
	bytes, read := 0.0, t.denseRead
	if t.experts {
		bytes = t.cfg.Model.ReadBytes(b.tokens, t.cfg.Format)
		read = bytes / t.bandwidth
	} else {
		bytes = t.denseRead * t.bandwidth
	}
	products := float64(b.tokens)*t.perToken + float64(b.sampled)*t.perHead
	attention := b.context*t.perContext + b.attentionFLOPs/t.flops
	s := max(read, products) + attention + t.fixed + float64(b.sequences)*t.perSeq + t.reduce + float64(b.tokens)*t.perByte
	stretch := 1.0
	if t.cfg.Jitter > 0 {
		stretch = math.Exp(t.cfg.Jitter*t.normal() - t.cfg.Jitter*t.cfg.Jitter/2) // mean 1
		s *= stretch
	}
	d := max(time.Duration(s*float64(time.Second)), time.Nanosecond)
	part := func(seconds float64) time.Duration { return time.Duration(stretch * seconds * float64(time.Second)) }
	w := Work{
		Compute: part(b.attentionFLOPs / t.flops), Memory: part(b.context * t.perContext),
		Collective: part(t.reduce + float64(b.tokens)*t.perByte), Launch: part(t.launch),
		FLOPs:   products*t.flops + b.attentionFLOPs,
		Read:    bytes + b.context*t.perContext*t.bandwidth,
		Written: float64(b.tokens) * t.perContext * t.bandwidth,
		Linked:  float64(b.tokens) * t.linked,
	}
	if products > read {
		w.Compute += part(products)
	} else {
		w.Memory += part(read)
	}
	w.Host = max(d-w.Busy(), 0)
	return d, w
}

// normal draws from the standard normal distribution (Box and Muller 1958).
func (t *timer) normal() float64 {
	t.noise += golden
	u := (float64(mix(t.noise)>>11) + 0.5) / (1 << 53)
	t.noise += golden
	v := float64(mix(t.noise)>>11) / (1 << 53)
	return math.Sqrt(-2*math.Log(u)) * math.Cos(2*math.Pi*v)
}
