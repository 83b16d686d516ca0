package train

import (
	"math"
	"strings"
	"sync"

	"assay/internal/facts"
	"assay/internal/figure"
	"assay/internal/stats"
)

// class is what computation is alike in: the chip's generation, its precision, and
// whether it is the part for training, with links and fast memory of its own.
type class struct {
	architecture, precision string
	linked                  bool
}

func classOf(c facts.Chip, precision string) class { return class{c.Architecture, precision, c.NVLink} }

// neuron says whether the chips are AWS's own, whose compiler is another world.
func (c class) neuron() bool { return strings.HasPrefix(c.architecture, "neuron") }

// Efficiency is the share of the peak rates that the computation of a step reaches,
// apart from transfers that show and from the pipeline's bubble.
type Efficiency struct {
	figure.Range
	Runs int    // published runs of this very class
	From string // what it rests on
}

// ratesOf are a chip's peak rates in a precision.
func ratesOf(c facts.Chip, precision string) rates {
	r := rates{linear: c.BF16, bf16: c.BF16}
	if precision == "fp8" && c.FP8 > 0 {
		r.linear = c.FP8
	}
	return r
}

// reached is the efficiency of computation that a published run shows: what is left
// of its step when the transfers that show and the bubble are taken off.
func (r Run) reached() float64 {
	t := r.sizing.transfers(r.Layout, r.fabric)
	ideal := r.sizing.ideal(r.Layout, ratesOf(r.Chip, r.Precision))
	step := r.seconds()
	compute := step
	for range 30 { // the transfers hide behind the computation, so it is found by repetition
		tensor, experts, shards, stages := t.shown(compute)
		busy := (step-shards.Mid-stages.Mid)/(1+bubble(r.Layout)) - tensor.Mid - experts.Mid
		compute = math.Max(busy, 0.05*step)
	}
	return ideal / compute
}

// Bounds of an efficiency: its smallest relative error bar, and the most that any
// computation of a step reached.
const (
	leastSpread = 0.12
	most        = 0.8
)

// fitted are the efficiencies that published runs reached, as logarithms: by class
// for models without experts, and for those with experts as shares of what their
// class reaches without.
type fitted struct {
	dense   map[class][]float64
	experts []float64
}

func fit(runs []Run) fitted {
	f := fitted{dense: map[class][]float64{}}
	for _, r := range runs {
		if c := classOf(r.Chip, r.Precision); r.sizing.experts == 0 {
			f.dense[c] = append(f.dense[c], math.Log(r.reached()))
		}
	}
	for _, r := range runs {
		if r.sizing.experts > 0 {
			f.experts = append(f.experts, math.Log(r.reached()/f.of(classOf(r.Chip, r.Precision), false).Mid))
		}
	}
	return f
}

// of is the efficiency of a class: the geometric mean over its runs, with the range
// that 9 in 10 further runs would fall into.
func (f fitted) of(c class, experts bool) Efficiency {
	e := f.without(c)
	if !experts || len(f.experts) == 0 {
		return e
	}
	share := spread(f.experts, 1)
	low, high := e.Mid, e.Mid
	if e.Runs < 2 { // neither the chip nor its experts were seen
		low, high = e.Low, e.High
	}
	return Efficiency{
		Range: figure.Range{Low: low * share.Low, Mid: e.Mid * share.Mid, High: math.Min(most, high*share.High)},
		Runs:  len(f.experts), From: "published runs with experts, on any chip; " + e.From,
	}
}

// without is the efficiency of a class for models without experts. A class with fewer
// than two runs takes the least efficient of its neighbours, those of its precision
// where there are, and a range twice as wide.
func (f fitted) without(c class) Efficiency {
	if logs := f.dense[c]; len(logs) >= 2 {
		return Efficiency{Range: spread(logs, 1), Runs: len(logs), From: "published runs on chips of this kind"}
	}
	logs := f.least(func(other class) bool { return other.neuron() == c.neuron() && other.precision == c.precision })
	if logs == nil {
		logs = f.least(func(other class) bool { return other.neuron() == c.neuron() })
	}
	return Efficiency{Range: spread(logs, 2), Runs: len(f.dense[c]), From: "published runs on other chips, so that the range is twice as wide"}
}

// least are the runs of the least efficient class of some, of those with two or more.
func (f fitted) least(of func(class) bool) []float64 {
	var least []float64
	for c, logs := range f.dense {
		if of(c) && len(logs) >= 2 && (least == nil || mean(logs) < mean(least)) {
			least = logs
		}
	}
	return least
}

// spread is the geometric mean of some efficiencies with the range of the next one
// (Student's prediction interval, 9 in 10), widened.
func spread(logs []float64, widen float64) figure.Range {
	n := float64(len(logs))
	mean, std := stats.MeanStd(logs)
	half := widen * math.Max(leastSpread, stats.StudentQuantile(0.9, math.Max(1, n-1))*std*math.Sqrt(1+1/n))
	return figure.Range{Low: math.Exp(mean - half), Mid: math.Exp(mean), High: math.Min(most, math.Exp(mean+half))}
}

func mean(x []float64) float64 {
	m, _ := stats.MeanStd(x)
	return m
}

var published = sync.OnceValue(func() fitted { return fit(runs()) })
