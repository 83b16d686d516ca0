package calibrate

import (
	"fmt"
	"math"

	"assay/internal/facts"
	"assay/internal/figure"
	"assay/internal/model"
	"assay/internal/predict"
)

// Factors are measured over predicted, over the levels of a run.
type Factors struct {
	TTFT, ITL figure.Range // of one level's factor: lowest, geometric mean, highest
	Levels    int
}

// leastSpread is how far a prediction stays open on either side, whatever the
// levels agree on: the next load is not one of them. With one level, which shows
// no spread, it is wider.
const (
	leastSpread     = 0.05
	spreadOfOne     = 0.15
	mostFactor      = 20 // beyond it prediction and run are not of the same system
	implausibleHint = "The platform, the model or its precision is not that of the run"
)

// system is the replica that the run measured.
func (b *Bound) system() predict.System {
	return predict.System{
		Model: b.arch, Format: b.format, Chip: b.Platform.Chip, TP: b.Platform.TP, PP: b.Platform.PP,
		Engine: engineOf(b.Engine), Version: b.Version,
	}
}

// engineOf is whose predictions an engine is held against: the simulated one is vLLM's.
func engineOf(name string) string {
	if name == "" || name == "assay-sim" {
		return "vllm"
	}
	return name
}

// replicas that shared the load.
func (b *Bound) replicas() int { return max(b.Platform.Count/b.Platform.TP, 1) }

// share is one replica's part of a load.
func (b *Bound) share(l predict.Load) predict.Load {
	n := b.replicas()
	if l.Concurrency > 0 {
		l.Concurrency = max(int(math.Round(float64(l.Concurrency)/float64(n))), 1)
	}
	l.Rate /= float64(n)
	return l
}

// fit holds each level against its prediction.
func (b *Bound) fit(at predictor) (*Factors, error) {
	var ttft, itl []float64
	for _, p := range b.Points {
		got, err := at(b.system(), b.share(p.Load))
		if err != nil {
			return nil, fmt.Errorf("%s, level %s: %w", b.Path, p.Level, err)
		}
		itl = append(itl, p.ITL/got.ITL.Mid)
		if p.Cached > 0.05 || p.Shared {
			b.remark("level %s: prompts came from a prefix cache: its TTFT calibrates nothing", p.Level)
			continue
		}
		ttft = append(ttft, p.TTFT/got.TTFT.Mid)
	}
	f := &Factors{Levels: len(b.Points), TTFT: figure.Exactly(1), ITL: spread(itl)}
	if len(ttft) > 0 {
		f.TTFT = spread(ttft)
	}
	for name, r := range map[string]figure.Range{"TTFT": f.TTFT, "ITL": f.ITL} {
		if !r.Known() || r.Mid > mostFactor || r.Mid < 1.0/mostFactor {
			return nil, fmt.Errorf("%s: measured %s is %.3g times what is predicted for %s on %d x %s. %s", b.Path, name, r.Mid, b.arch.Name, b.Platform.TP, b.Platform.Chip.Name, implausibleHint)
		}
	}
	return f, nil
}

// spread is the range of factors, at least as wide as leastSpread.
func spread(x []float64) figure.Range {
	low, high, sum := math.Inf(1), 0.0, 0.0
	for _, v := range x {
		low, high, sum = math.Min(low, v), math.Max(high, v), sum+math.Log(v)
	}
	mid := math.Exp(sum / float64(len(x)))
	least := leastSpread
	if len(x) == 1 {
		least = spreadOfOne
	}
	return figure.Range{Low: math.Min(low, mid*(1-least)), Mid: mid, High: math.Max(high, mid*(1+least))}
}

// Carry says how much of a run's factors holds for a system.
type Carry int

// How a calibration carries over.
const (
	Nothing Carry = iota
	Factor        // same chip, other layout: the factor, with the prediction's own range
	Whole         // same chip and layout: the factor and its spread
)

// Carries says what holds for a system.
func (b *Bound) Carries(s predict.System) Carry {
	switch {
	case b.factors == nil || s.Chip.Name != b.Platform.Chip.Name || engineOf(s.Engine) != engineOf(b.Engine):
		return Nothing
	case max(s.TP, 1) != b.Platform.TP || max(s.PP, 1) != max(b.Platform.PP, 1) || s.DP > 1:
		return Factor
	}
	return Whole
}

// Adjust is a prediction with the run's factors, for the load that it was made for.
func (b *Bound) Adjust(s predict.System, l predict.Load, p predict.Prediction) predict.Prediction {
	carry := b.Carries(s)
	if carry == Nothing {
		return p
	}
	if carry == Whole && !b.near(l, p.Concurrency) {
		carry = Factor
	}
	was := p.E2E.Mid
	ttft, itl := p.TTFT.Mid, p.ITL.Mid
	p.TTFT, p.ITL = adjusted(p.TTFT, b.factors.TTFT, carry), adjusted(p.ITL, b.factors.ITL, carry)
	p.E2E = p.TTFT.Plus(p.ITL.Scale(float64(max(l.OSL-1, 0))))
	if l.Concurrency > 0 && p.E2E.Mid > 0 && was > 0 {
		// A closed loop has as many requests in flight as before: throughput is theirs over E2E.
		p.OutputTPS = p.E2E.Inverse(p.OutputTPS.Mid * was)
		p.RequestsPerSecond = p.E2E.Inverse(p.RequestsPerSecond.Mid * was)
	}
	p.Figures = append(p.Figures, b.figure("TTFT", ttft, p.TTFT, b.factors.TTFT), b.figure("ITL", itl, p.ITL, b.factors.ITL))
	return p
}

// mostBeyond is how far past the measured loads and lengths the spread of their
// factors is taken to hold; further out the prediction keeps its own range.
const mostBeyond = 2

// near says whether a load of so many requests in flight lies by those measured.
func (b *Bound) near(l predict.Load, inFlight float64) bool {
	within := func(x float64, of func(Point) float64) bool {
		low, high := math.Inf(1), 0.0
		for _, p := range b.Points {
			low, high = math.Min(low, of(p)), math.Max(high, of(p))
		}
		return x >= low/mostBeyond && x <= high*mostBeyond
	}
	n := float64(b.replicas())
	return within(float64(l.ISL), func(p Point) float64 { return float64(p.Load.ISL) }) &&
		within(float64(l.OSL), func(p Point) float64 { return float64(p.Load.OSL) }) &&
		within(inFlight, func(p Point) float64 { return p.inFlight() / n })
}

func adjusted(r, factor figure.Range, carry Carry) figure.Range {
	if carry == Whole {
		return factor.Scale(r.Mid)
	}
	return r.Scale(factor.Mid)
}

func (b *Bound) figure(name string, was float64, now, factor figure.Range) figure.Figure {
	return figure.Figure{
		Name: name + ", calibrated", Value: now.Mid, Unit: "ms", Range: &now, Kind: b.kind(),
		Formula: "predicted x (measured / predicted at the run's levels)",
		Inputs:  []figure.Input{{Name: "predicted", Value: was, Unit: "ms"}, {Name: "factor", Value: factor.Mid}, {Name: "levels", Value: float64(b.factors.Levels)}},
		Source:  b.source(),
	}
}

// slack is what clocks and rounding may add to a bound before it counts as beaten.
const slack = 1.02

// roofline refuses a run whose tokens came faster than the weights can be read,
// or with more products than the chips do.
func (b *Bound) roofline() error {
	chip, gpus := b.Platform.Chip, float64(b.Platform.TP*max(b.Platform.PP, 1))
	read := b.arch.ReadBytes(1, b.format) // of a larger batch no less
	for _, p := range b.Points {
		seconds := p.ITL / 1000
		if rate := read / float64(b.Platform.TP) / seconds; rate > slack*chip.Bandwidth {
			return &RooflineError{b.Path, fmt.Sprintf("level %s: an ITL of %.3g ms reads the weights at a rate, each GPU,", p.Level, p.ITL), rate, chip.Bandwidth, "bytes/s",
				"Speculative decoding yields several tokens a step; else the model, its precision or the platform is another"}
		}
		peak := peakOf(chip, b.format) * gpus * float64(b.replicas())
		if p.Shared || peak == 0 {
			continue
		}
		flops := p.PromptPerSecond*b.arch.FLOPsPerToken() + p.OutputPerSecond*(b.arch.FLOPsPerToken()+b.arch.HeadFLOPs())
		if flops > slack*peak {
			return &RooflineError{b.Path, "level " + p.Level + ": products", flops, peak, "FLOP/s", "A prefix cache may have served the prompts; else the model or the platform is another"}
		}
		if least := float64(p.Load.ISL) * (1 - p.Cached) * b.arch.FLOPsPerToken() / (peakOf(chip, b.format) * gpus); least > slack*p.TTFT/1000 {
			return &RooflineError{b.Path, "level " + p.Level + ": a prompt's products within its TTFT, each second,", least / (p.TTFT / 1000) * peakOf(chip, b.format) * gpus, peakOf(chip, b.format) * gpus, "FLOP/s",
				"A prefix cache may have served the prompts; else the model or the platform is another"}
		}
	}
	return nil
}

// peakOf is the highest rate of a chip's products for weights in a format: where
// the chip lacks the arithmetic, weights are unpacked into 16 bits.
func peakOf(c facts.Chip, f model.Format) float64 {
	var rate float64
	switch f.Compute {
	case model.FP8:
		rate = c.FP8
	case model.FP4:
		rate = math.Max(c.FP4, c.FP8)
	case model.INT8:
		rate = c.INT8
	}
	return math.Max(rate, c.Half())
}
