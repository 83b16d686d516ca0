package stats

import "math"

// Line fits y = a + b x by least squares and gives the slope b and its standard
// error, which has len(x)-2 degrees of freedom. It takes at least three points
// of different x.
func Line(x, y []float64) (slope, standardError float64) {
	mx, _ := MeanStd(x)
	my, _ := MeanStd(y)
	var sxx, sxy float64
	for i := range x {
		sxx += (x[i] - mx) * (x[i] - mx)
		sxy += (x[i] - mx) * (y[i] - my)
	}
	slope = sxy / sxx
	var rest float64
	for i := range x {
		r := y[i] - my - slope*(x[i]-mx)
		rest += r * r
	}
	return slope, math.Sqrt(rest / float64(len(x)-2) / sxx)
}
