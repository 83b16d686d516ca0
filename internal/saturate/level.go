package saturate

import (
	"cmp"
	"fmt"
	"slices"

	"assay/internal/record"
	"assay/internal/stats"
)

// Level is one fixed load and what it gave.
type Level struct {
	ID           string
	Load         float64
	Pass         string // record.PassGrid or record.PassRefine
	RequestsPerS float64
	TokensPerS   float64 // output tokens
	InFlight     float64 // mean open requests; 0: not known
	WindowS      float64 // length of the window that throughput is taken over
	Valid        bool
	Why          string // not valid, in words
	Completions  []Completion
	Between      float64 // relative standard error of throughput between repeats; 0: held once
	Criteria     []record.Criterion
}

// Completion is one request that ended within the window.
type Completion struct {
	EndS     float64 // since any one origin
	LatencyS float64 // from being sent to its end; 0: not known
	Tokens   float64 // output
}

// Options of an analysis. The zero value is a closed loop.
type Options struct {
	Scenario  string
	Unit      string // record.ByConcurrency or record.ByRate
	Seed      uint64 // of the bootstrap
	MaxRefine int    // levels that Next may add; 0: DefaultRefine
}

// DefaultRefine is how many levels Next adds at most: six levels of a grid
// become three good ones around the knee.
const DefaultRefine = 3

func (o Options) byRate() bool { return o.Unit == record.ByRate }

func (o Options) unit() string {
	if o.byRate() {
		return "requests/s"
	}
	return record.ByConcurrency
}

// curve is the valid levels in order of load, and their throughput in the
// quantity that the knee is sought in.
type curve struct {
	levels []Level
	n, x   []float64 // load and throughput, all positive
	remark []string
}

// newCurve leaves out what cannot count, and says so.
func newCurve(levels []Level, opt Options) curve {
	sorted := slices.Clone(levels)
	slices.SortFunc(sorted, func(a, b Level) int {
		return cmp.Or(cmp.Compare(a.Load, b.Load), cmp.Compare(b.WindowS, a.WindowS), cmp.Compare(a.ID, b.ID))
	})
	var c curve
	for _, l := range sorted {
		switch {
		case !l.Valid:
			c.remark = append(c.remark, fmt.Sprintf("level %s is left out: %s", l.ID, cmp.Or(l.Why, "not valid")))
		case l.RequestsPerS <= 0 || l.Load <= 0:
			c.remark = append(c.remark, fmt.Sprintf("level %s is left out: it completed nothing", l.ID))
		case len(c.levels) > 0 && c.levels[len(c.levels)-1].Load == l.Load:
			c.remark = append(c.remark, fmt.Sprintf("level %s is left out: %s held the same load for longer", l.ID, c.levels[len(c.levels)-1].ID))
		default:
			c.levels = append(c.levels, l)
		}
	}
	// Tokens arrive more evenly than requests end, and do not change where
	// output lengths differ between levels. An open loop asks for requests.
	tokens := !opt.byRate() && !slices.ContainsFunc(c.levels, func(l Level) bool { return l.TokensPerS <= 0 })
	for _, l := range c.levels {
		c.n = append(c.n, l.Load)
		if tokens {
			c.x = append(c.x, l.TokensPerS)
		} else {
			c.x = append(c.x, l.RequestsPerS)
		}
	}
	return c
}

// along is a quantity of the levels over load.
func (c curve) along(of func(Level) float64) stats.Curve {
	out := stats.Curve{}
	for _, l := range c.levels {
		if y := of(l); y > 0 {
			out.X, out.Y = append(out.X, l.Load), append(out.Y, y)
		}
	}
	return out
}

func (c curve) throughput() stats.Curve { return stats.Curve{X: c.n, Y: c.x} }

func (c curve) point(load float64) record.Point {
	return record.Point{
		Load:             load,
		RequestsPerS:     at(c.along(func(l Level) float64 { return l.RequestsPerS }), load),
		OutputTokensPerS: at(c.along(func(l Level) float64 { return l.TokensPerS }), load),
	}
}

// peak is the index of the highest throughput.
func (c curve) peak() int {
	best := 0
	for i, x := range c.x {
		if x > c.x[best] {
			best = i
		}
	}
	return best
}

// at is a curve's value, 0 where nothing was measured.
func at(c stats.Curve, load float64) float64 {
	if len(c.X) == 0 {
		return 0
	}
	return c.At(load)
}
