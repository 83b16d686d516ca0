package engine

import (
	"math"
	"time"
)

// batch is what one step computes, as the time model sees it.
type batch struct {
	Pass
	tokens int // new tokens, prefill and decode
}

// timer turns a batch into a duration by the step model, stretched by noise.
type timer struct {
	cfg   Config
	steps StepModel
	noise uint64
}

func newTimer(c Config) *timer {
	clock := c.Throttle.clock()
	chip := c.Chip
	chip.Bandwidth *= c.BandwidthScale * min(1, clock/bandwidthClock)
	for _, rate := range []*float64{&chip.BF16, &chip.FP16, &chip.FP8, &chip.FP4, &chip.INT8} {
		*rate *= c.ComputeScale * clock
	}
	chip.Link *= c.LinkScale
	k := c.Coefficients
	k.Step, k.Sequence = c.Overheads.Step.Seconds(), c.Overheads.Sequence.Seconds()
	k.Layer = c.Overheads.Layer.Seconds() / clock
	k.ExpertLayer, k.StateLayer = k.ExpertLayer/clock, k.StateLayer/clock
	k.AllReduce, k.Dispatch = k.AllReduce/c.LinkScale, k.Dispatch/c.LinkScale
	shape := Shape{Model: c.Model, Format: c.Format, KVWidth: c.KVWidth, Chip: chip, TP: c.TP, DP: c.DP, EP: c.EP}
	return &timer{cfg: c, steps: NewStepModel(shape, k), noise: mix(c.Seed ^ 0x51e9)}
}

// of is how long a step takes, and what for.
func (t *timer) of(b batch) (time.Duration, Work) {
	c := t.steps.Of(b.Pass)
	stretch := 1.0
	if t.cfg.Jitter > 0 {
		stretch = math.Exp(t.cfg.Jitter*t.normal() - t.cfg.Jitter*t.cfg.Jitter/2) // mean 1
	}
	d := max(time.Duration(stretch*c.Seconds()*float64(time.Second)), time.Nanosecond)
	part := func(seconds float64) time.Duration { return time.Duration(stretch * seconds * float64(time.Second)) }
	w := Work{
		Compute: part(c.Attention), Memory: part(c.KV), Collective: part(c.Collective), Launch: part(c.Launch),
		FLOPs: c.FLOPs, Read: c.Read, Written: c.Written, Linked: c.Linked,
	}
	if c.Products > c.Weights {
		w.Compute += part(c.larger())
	} else {
		w.Memory += part(c.larger())
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
