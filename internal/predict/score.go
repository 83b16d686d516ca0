package predict

import (
	"math"
	"slices"

	"assay/internal/stats"
)

// Score is how far predictions of a set of measurements were off.
type Score struct {
	N    int    `json:"n"`
	ITL  Errors `json:"itl"`
	TTFT Errors `json:"ttft"`
}

// Errors are of one quantity: absolute, as shares of what was measured.
type Errors struct {
	Mean   float64 `json:"mean"`
	Median float64 `json:"median"`
	Worst  float64 `json:"worst"`
	Inside float64 `json:"inside"` // share of measurements within their range
	Width  float64 `json:"width"`  // median of high over low
}

// comparison is one quantity of one measurement, predicted.
type comparison struct{ low, mid, high, measured float64 }

func errorsOf(cs []comparison) Errors {
	var e Errors
	if len(cs) == 0 {
		return e
	}
	var off, widths []float64
	for _, c := range cs {
		off = append(off, math.Abs(c.mid/c.measured-1))
		widths = append(widths, c.high/c.low)
		if c.low <= c.measured && c.measured <= c.high {
			e.Inside += 1 / float64(len(cs))
		}
	}
	for _, v := range off {
		e.Mean += v / float64(len(off))
	}
	e.Median, e.Worst, e.Width = stats.Median(off), slices.Max(off), stats.Median(widths)
	return e
}

// Summary is the score of one protocol, together and by what was measured.
type Summary struct {
	Protocol string           `json:"protocol"`
	All      Score            `json:"all"`
	By       map[string]Score `json:"by"` // "engine vllm", "model …", "chip …"
}

// Summaries score cross-validation. The ranges are those of the other folds' bars:
// each trial's width comes from the trials outside its fold.
func Summaries(trials map[string][]Trial) []Summary {
	var out []Summary
	for _, p := range Protocols {
		ts := trials[p.Name]
		s := Summary{Protocol: p.Name, By: map[string]Score{}}
		ranges := outside(ts, p.tails())
		groups := map[string][]int{}
		for i, t := range ts {
			for _, g := range []string{"engine " + t.point.key.Engine, "model " + t.point.site.Model.Name, "chip " + t.point.key.Chip} {
				groups[g] = append(groups[g], i)
			}
		}
		every := make([]int, len(ts))
		for i := range every {
			every[i] = i
		}
		s.All = scoreOf(ts, ranges, every)
		for g, at := range groups {
			s.By[g] = scoreOf(ts, ranges, at)
		}
		out = append(out, s)
	}
	return out
}

// outside are the widths for each trial from those of other folds.
func outside(ts []Trial, beyond tails) []Width {
	const folds = 5
	out := make([]Width, len(ts))
	for f := range folds {
		var others []Trial
		for _, t := range ts {
			if fold(t.Label, folds) != f {
				others = append(others, t)
			}
		}
		s := spreadOf(others, beyond)
		for i, t := range ts {
			if fold(t.Label, folds) == f {
				b := Bars{Seen: s}
				out[i] = b.of(t.point.key, true)
			}
		}
	}
	return out
}

func scoreOf(ts []Trial, ranges []Width, at []int) Score {
	var itl, ttft []comparison
	for _, i := range at {
		t := ts[i]
		itl = append(itl, compared(t.ITL, t.ITLSD, t.point.itl, ranges[i].ITL))
		ttft = append(ttft, compared(t.TTFT, t.TTFTSD, t.point.ttft, ranges[i].TTFT))
	}
	return Score{N: len(at), ITL: errorsOf(itl), TTFT: errorsOf(ttft)}
}

func compared(off, sd, measured float64, width [2]float64) comparison {
	r := ranged(math.Exp(measured+off), said{sd: sd}, width, 0)
	return comparison{r.Low, r.Mid, r.High, math.Exp(measured)}
}
