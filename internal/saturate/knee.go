package saturate

import (
	"math"
)

const (
	// flat is the elasticity below which throughput no longer follows load: a
	// quarter of a percent more throughput for a percent more load.
	flat = 0.25
	// dropped is the share of the peak that throughput must lose to count as
	// falling.
	dropped = 0.05
	// apart is the least ratio of two loads between which an elasticity is
	// trusted to decide: with 3 % of noise on each it is known to +-0.16.
	apart = 1.3
	// floorError is the least relative standard error of a throughput. Runs
	// differ by more than the requests within one tell; 2 % is ours.
	floorError = 0.02
	// underAsked is the share of the asked rate below which an open loop's
	// achieved rate shows saturation.
	underAsked = 0.95
)

// elasticities are d ln X / d ln N between neighbours: 1 where throughput
// follows load, 0 on a plateau, below 0 where it falls.
func elasticities(n, x []float64) []float64 {
	var e []float64
	for i := 1; i < len(n); i++ {
		e = append(e, elasticity(n, x, i-1, i))
	}
	return e
}

func elasticity(n, x []float64, i, j int) float64 {
	return math.Log(x[j]/x[i]) / math.Log(n[j]/n[i])
}

// spaced are the indices of levels from the top down, each at least the ratio
// apart below the one before.
func spaced(n []float64) []int {
	var out []int
	for i := len(n) - 1; i >= 0; i-- {
		if len(out) == 0 || n[out[len(out)-1]]/n[i] >= apart {
			out = append(out, i)
		}
	}
	return out
}

// saturated says whether throughput has stopped growing by the last levels: the
// last two elasticities are flat, or the last one is and surely so, or
// throughput has dropped from its peak. relErr are the relative standard errors
// of x. An open loop is saturated too where the server no longer delivers the
// rate that was asked.
func saturated(c curve, relErr []float64, opt Options) bool {
	if len(c.n) < 3 {
		return false
	}
	last := len(c.n) - 1
	if peak := c.x[c.peak()]; c.x[last] < (1-dropped)*peak {
		return true
	}
	if opt.byRate() && c.x[last] < underAsked*c.n[last] {
		return true
	}
	s := spaced(c.n)
	if len(s) < 2 {
		return false
	}
	e := elasticity(c.n, c.x, s[1], s[0])
	if e >= flat {
		return false
	}
	if len(s) > 2 && elasticity(c.n, c.x, s[2], s[1]) < flat {
		return true
	}
	// One step of a coarse grid can span the whole bend: 20, 50, 100 around a
	// limit of 32. It decides alone when its upper 95 % bound is flat.
	se := math.Hypot(relErr[s[0]], relErr[s[1]]) / math.Log(c.n[s[0]]/c.n[s[1]])
	return e+1.645*se < flat
}

// asymptotic is the load at which the peak throughput would be reached if each
// request went as fast as alone: X_max / X(1), by Little's law (Denning and
// Buzen, 1978). Where load 1 was not measured, X(1) is scaled from the lowest
// level; ok is false when that level is already past proportional growth, since
// X(1) would be too low and the knee too high.
func asymptotic(n, x []float64) (v float64, ok bool) {
	if n[0] > 1 && (len(n) < 2 || elasticity(n, x, 0, 1) < 0.5) {
		return 0, false
	}
	top := x[0]
	for _, y := range x {
		top = max(top, y)
	}
	return top / (x[0] / n[0]), true
}

// stick is ln X = a + b min(ln N, k): a power law up to the load exp(k), then a
// plateau.
type stick struct {
	a, b, k float64
	sse     float64 // of ln X
}

func (s stick) knee() float64 { return math.Exp(s.k) }

// fitStick fits the stick by least squares, scanning k over the measured loads.
// b is between 0 and 1, as throughput cannot outgrow load: that is what fixes k
// when a single level lies below it. Of equally good k the smallest is taken.
func fitStick(n, x []float64) stick {
	ln, lx := logs(n), logs(x)
	first, last := ln[0], ln[len(ln)-1]
	const coarse = 80
	best := stick{sse: math.Inf(1)}
	try := func(k float64) {
		if s := stickAt(ln, lx, k); s.sse < best.sse-1e-12 {
			best = s
		}
	}
	step := (last - first) / coarse
	for i := 1; i <= coarse; i++ {
		try(first + float64(i)*step)
	}
	for i := -10; i <= 10; i++ { // one finer pass: a hundredth of a percent of load is enough
		if k := best.k + float64(i)*step/10; k > first && k <= last {
			try(k)
		}
	}
	return best
}

func stickAt(ln, lx []float64, k float64) stick {
	var su, sy, suu, suy float64
	m := float64(len(ln))
	for i, l := range ln {
		u := min(l, k)
		su, sy = su+u, sy+lx[i]
		suu, suy = suu+u*u, suy+u*lx[i]
	}
	b := 0.0
	if d := suu - su*su/m; d > 0 {
		b = min(max((suy-su*sy/m)/d, 0), 1)
	}
	s := stick{b: b, a: (sy - b*su) / m, k: k}
	for i, l := range ln {
		r := lx[i] - s.a - b*min(l, k)
		s.sse += r * r
	}
	return s
}

// kneedle is the load where the normalised curve is furthest above its chord
// (Satopää et al., 2011, with sensitivity 1), a measured level by construction;
// ok is false when the curve does not bend enough.
func kneedle(n, x []float64) (v float64, ok bool) {
	last := len(n) - 1
	low, high := x[0], x[0]
	for _, y := range x {
		low, high = min(low, y), max(high, y)
	}
	if last < 2 || high <= low {
		return 0, false
	}
	d := make([]float64, len(n))
	for i := range n {
		d[i] = (x[i]-low)/(high-low) - (n[i]-n[0])/(n[last]-n[0])
	}
	threshold := 1 / float64(last) // the mean step of the normalised load
	for i := 1; i < last; i++ {
		if d[i] < d[i-1] || d[i] <= d[i+1] {
			continue
		}
		for j := i + 1; j <= last && d[j] <= d[i]; j++ {
			if d[j] < d[i]-threshold {
				return n[i], true
			}
		}
	}
	return 0, false
}

func logs(v []float64) []float64 {
	out := make([]float64, len(v))
	for i, y := range v {
		out[i] = math.Log(y)
	}
	return out
}
