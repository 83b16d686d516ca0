package stats

import (
	"math"
	"sort"
)

// Curve is a function through points, linear between them in the logarithm of
// both axes: a power law in each piece, which is what throughput and latency
// over load are nearly. X is ascending; all values are positive.
type Curve struct{ X, Y []float64 }

// At is the curve's value. Outside its points it goes on level: it makes no
// claim beyond what was measured. NaN for no points.
func (c Curve) At(x float64) float64 {
	n := len(c.X)
	switch {
	case n == 0:
		return math.NaN()
	case x <= c.X[0]:
		return c.Y[0]
	case x >= c.X[n-1]:
		return c.Y[n-1]
	}
	i := sort.SearchFloat64s(c.X, x) // c.X[i-1] < x <= c.X[i]
	return LogInterpolate(c.X[i-1], c.Y[i-1], c.X[i], c.Y[i], x)
}

// FirstReaching is the smallest x at which the curve reaches y from below;
// ok is false when it never does, or already has at its first point.
func (c Curve) FirstReaching(y float64) (x float64, ok bool) {
	if len(c.Y) > 0 && c.Y[0] >= y {
		return 0, false
	}
	for i := 1; i < len(c.X); i++ {
		if c.Y[i] >= y {
			return LogInterpolate(c.Y[i-1], c.X[i-1], c.Y[i], c.X[i], y), true
		}
	}
	return 0, false
}

// LogInterpolate is the value at x of the power law through two points.
func LogInterpolate(x0, y0, x1, y1, x float64) float64 {
	if x0 == x1 {
		return y0
	}
	t := math.Log(x/x0) / math.Log(x1/x0)
	return y0 * math.Pow(y1/y0, t)
}
