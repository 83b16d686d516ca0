package saturate

import (
	"fmt"
	"math"

	"assay/internal/record"
	"assay/internal/stats"
)

// confidence of the bootstrap's intervals.
const confidence = 0.95

// disagree is the ratio of two methods' knees from which on it is said: each is
// known to a tenth or two on six levels. Ours.
const disagree = 1.5

// Methods of the knee, as they stand in run.json.
const (
	MethodAsymptotic  = "X_max/X(1)"
	MethodBrokenStick = "broken stick"
	MethodUSL         = "USL peak"
	MethodKneedle     = "Kneedle"
)

// Analyse says what the levels of one scenario show together: whether the
// server saturated, where its knee lies, and the operating point.
//
// The knee is the interval from X_max/X(1) to the break of the broken stick,
// whichever is lower first, each widened to its bootstrap interval. The USL and
// Kneedle are cross-checks only: on six levels Kneedle names a level of the
// grid, and the USL is right only where throughput falls again.
func Analyse(levels []Level, opt Options) record.Saturation {
	return newAnalysis(levels, opt).saturation()
}

// analysis is what Analyse and Next both need.
type analysis struct {
	curve
	opt       Options
	rows      [][]float64
	saturated bool
	knee      *record.Interval
	estimates []record.KneeEstimate
}

func newAnalysis(levels []Level, opt Options) *analysis {
	a := &analysis{curve: newCurve(levels, opt), opt: opt}
	if len(a.n) < 3 {
		return a
	}
	a.rows = bootstrap(a.curve, opt)
	a.saturated = saturated(a.curve, relativeErrors(a.curve, a.rows), opt)
	if a.saturated {
		a.findKnee()
	}
	return a
}

func (a *analysis) saturation() record.Saturation {
	s := record.Saturation{
		Scenario:  a.opt.Scenario,
		Unit:      a.opt.unit(),
		Saturated: a.saturated,
		Knee:      a.knee,
		Estimates: a.estimates,
		Remarks:   a.remark,
	}
	if len(a.n) == 0 {
		s.WhyNoPoint = "no level is valid"
		return s
	}
	s.Elasticities = elasticities(a.n, a.x)
	top := a.point(a.n[a.peak()])
	s.Peak = &top
	if a.knee != nil && a.rows != nil {
		s.KneeLevel = confidence
	}
	if a.knee != nil {
		rate := a.point(a.knee.Low).RequestsPerS
		s.KneeRate = &rate
	}
	a.crossCheck(&s)
	s.Remarks = append(s.Remarks, a.shape()...)
	s.Remarks = append(s.Remarks, a.metAgain()...)
	s.OperatingPoint, s.WhyNoPoint = a.operatingPoint()
	return s
}

// shape says in words what the curve does at its end.
func (a *analysis) shape() []string {
	last := len(a.n) - 1
	top := a.peak()
	var out []string
	switch {
	case len(a.n) < 3:
		out = append(out, fmt.Sprintf("%d valid levels do not show a knee: it takes three", len(a.n)))
	case !a.saturated:
		out = append(out, fmt.Sprintf("the knee was not reached: it is at least %s; throughput grew by %.2f %% for each %% of load in the last step", number(a.n[last]), elasticity(a.n, a.x, last-1, last)))
	case a.x[last] < (1-dropped)*a.x[top]:
		out = append(out, fmt.Sprintf("throughput falls past %s: %.0f %% less at %s", number(a.n[top]), 100*(1-a.x[last]/a.x[top]), number(a.n[last])))
	}
	if len(a.estimates) == 2 {
		if x, y := *a.estimates[0].Value, *a.estimates[1].Value; max(x, y) > disagree*min(x, y) {
			out = append(out, fmt.Sprintf("the methods disagree on the knee: %s says %s, %s says %s", a.estimates[0].Method, number(x), a.estimates[1].Method, number(y)))
		}
	}
	if a.saturated && a.rows == nil {
		out = append(out, "too few completions in a level for a bootstrap: the knee's interval is that of the two methods alone")
	}
	return out
}

func (a *analysis) findKnee() {
	stickKnee := fitStick(a.n, a.x).knee()
	broken := a.estimate(MethodBrokenStick, stickKnee, func(x []float64) float64 { return fitStick(a.n, x).knee() })
	low, high := bounds(broken)
	if v, ok := asymptotic(a.n, a.x); ok {
		e := a.estimate(MethodAsymptotic, v, func(x []float64) float64 {
			if v, ok := asymptotic(a.n, x); ok {
				return v
			}
			return math.NaN()
		})
		if a.n[0] != 1 {
			e.Note = fmt.Sprintf("load 1 was not measured: X(1) is scaled from %s, so the estimate is an upper one", number(a.n[0]))
		}
		l, h := bounds(e)
		low, high = min(low, l), max(high, h)
		a.estimates = append(a.estimates, e)
	} else {
		broken.Note = "the other method is left out: the lowest level is too near the knee to stand for load 1"
	}
	a.estimates = append(a.estimates, broken)
	last := a.n[len(a.n)-1]
	a.knee = &record.Interval{Low: min(low, last), High: min(high, last)}
}

// estimate adds the bootstrap's interval to a method's value.
func (a *analysis) estimate(method string, value float64, of func(x []float64) float64) record.KneeEstimate {
	e := record.KneeEstimate{Method: method, Value: &value}
	if low, high, ok := a.interval(of); ok {
		// A percentile interval of a biased estimate can miss its own value.
		low, high = min(low, value), max(high, value)
		e.Low, e.High = &low, &high
	}
	return e
}

func (a *analysis) interval(of func(x []float64) float64) (low, high float64, ok bool) {
	estimates := make([]float64, len(a.rows))
	for b, x := range a.rows {
		estimates[b] = of(x)
	}
	return stats.PercentileInterval(estimates, confidence)
}

func bounds(e record.KneeEstimate) (low, high float64) {
	if e.Low != nil {
		return *e.Low, *e.High
	}
	return *e.Value, *e.Value
}

// crossCheck adds the methods that readers know by name. They do not move the
// knee. The USL is a law of concurrency and says nothing of rates.
func (a *analysis) crossCheck(s *record.Saturation) {
	if v, ok := kneedle(a.n, a.x); ok && a.saturated {
		s.Estimates = append(s.Estimates, record.KneeEstimate{Method: MethodKneedle, Value: &v,
			Note: "cross-check: always a measured level, and moves when the grid is extended"})
	}
	if a.opt.byRate() {
		return
	}
	u, sse, ok := fitUSL(a.n, a.x)
	if !ok {
		return
	}
	s.USL = &u
	peak, ok := peakUSL(u)
	if !ok || !a.saturated {
		return
	}
	lowKappa, _, ok := a.interval(func(x []float64) float64 {
		if v, _, ok := fitUSL(a.n, x); ok {
			return v.Kappa
		}
		return math.NaN()
	})
	if !ok || lowKappa <= 0 {
		return
	}
	e := a.estimate(MethodUSL, peak, func(x []float64) float64 {
		if v, _, ok := fitUSL(a.n, x); ok {
			if p, ok := peakUSL(v); ok {
				return p
			}
		}
		return math.NaN()
	})
	e.Note = "cross-check: where throughput would be highest before it falls"
	if fitStick(a.n, a.x).sse < sse {
		e.Note = "cross-check: the broken stick fits better, so this is no knee"
	}
	s.Estimates = append(s.Estimates, e)
}

func number(v float64) string { return fmt.Sprintf("%.4g", v) }
