package engine

import (
	"math"
	"time"
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
	denseRead  float64 // seconds to read the weights of a dense model
	perToken   float64 // seconds of matrix products for a token
	perHead    float64 // seconds of the output projection for a sampled position
	perContext float64 // seconds to read one token's KV
	fixed      float64
	perSeq     float64
	reduce     float64 // seconds of collectives in a step, beside bytes
	perByte    float64 // seconds of collectives for each token
	noise      uint64
}

func newTimer(c Config) *timer {
	gpus := float64(c.TP)
	peak := c.Chip.BF16
	if c.WeightWidth <= 1 && c.Chip.FP8 > 0 {
		peak = c.Chip.FP8
	}
	t := &timer{
		cfg:       c,
		bandwidth: gpus * c.Chip.Bandwidth * c.BandwidthEfficiency * c.BandwidthScale,
		flops:     gpus * peak * c.ComputeEfficiency * c.ComputeScale,
		noise:     mix(c.Seed ^ 0x51e9),
	}
	t.denseRead = c.Model.ReadBytes(1, c.WeightWidth) / t.bandwidth
	t.perToken = c.Model.FLOPsPerToken() / t.flops
	t.perHead = c.Model.HeadFLOPs() / t.flops
	t.perContext = c.kvBytesPerToken() / t.bandwidth
	t.fixed = c.Overheads.Step.Seconds() + float64(c.Model.Layers)*c.Overheads.Layer.Seconds()
	t.perSeq = c.Overheads.Sequence.Seconds()
	if c.TP > 1 {
		latency := allReducePCIe
		if c.Chip.NVLink {
			latency = allReduceNVLink
		}
		count := float64(allReducesPerLayer * c.Model.Layers)
		t.reduce = count * latency.Seconds()
		// A ring moves 2(n-1)/n of the message over each link.
		t.perByte = count * 2 * (gpus - 1) / gpus * float64(c.Model.Hidden*activationWidth) / c.Chip.Link
	}
	return t
}

func (t *timer) of(b batch) time.Duration {
	read := t.denseRead
	if t.cfg.Model.Experts > 0 {
		read = t.cfg.Model.ReadBytes(b.tokens, t.cfg.WeightWidth) / t.bandwidth
	}
	products := float64(b.tokens)*t.perToken + float64(b.sampled)*t.perHead
	attention := b.context*t.perContext + b.attentionFLOPs/t.flops
	s := max(read, products) + attention + t.fixed + float64(b.sequences)*t.perSeq + t.reduce + float64(b.tokens)*t.perByte
	if t.cfg.Jitter > 0 {
		s *= math.Exp(t.cfg.Jitter*t.normal() - t.cfg.Jitter*t.cfg.Jitter/2) // mean 1
	}
	return max(time.Duration(s*float64(time.Second)), time.Nanosecond)
}

// normal draws from the standard normal distribution (Box and Muller 1958).
func (t *timer) normal() float64 {
	t.noise += golden
	u := (float64(mix(t.noise)>>11) + 0.5) / (1 << 53)
	t.noise += golden
	v := float64(mix(t.noise)>>11) / (1 << 53)
	return math.Sqrt(-2*math.Log(u)) * math.Cos(2*math.Pi*v)
}
