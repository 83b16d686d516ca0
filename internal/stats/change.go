package stats

import "math"

// Estimate is a figure and how far off it may be: its standard error and the
// degrees of freedom that the error itself rests on.
type Estimate struct {
	Value, Error, DF float64
}

// Spread makes an estimate of a figure and of what its resamples gave. The
// standard error is widened by sqrt(k/(k-1)), k the number of blocks, for
// blocks are drawn around their own mean; ok is false for fewer than two blocks
// or where more than one resample in ten gave nothing.
func (u Units) Spread(value float64, resamples []float64) (e Estimate, ok bool) {
	made := make([]float64, 0, len(resamples))
	for _, r := range resamples {
		if !math.IsNaN(r) && !math.IsInf(r, 0) {
			made = append(made, r)
		}
	}
	k := float64(u.N) / float64(u.Block)
	if k < 2 || len(made) < 20 || 10*(len(resamples)-len(made)) > len(resamples) {
		return Estimate{}, false
	}
	_, std := MeanStd(made)
	return Estimate{Value: value, Error: std * math.Sqrt(k/(k-1)), DF: k - 1}, true
}

// Repeats makes an estimate of what one figure came to in several runs: their
// mean, with the error that the runs' own spread gives. It takes two values.
func Repeats(values []float64) Estimate {
	mean, std := MeanStd(values)
	n := float64(len(values))
	return Estimate{Value: mean, Error: std / math.Sqrt(n), DF: n - 1}
}

// Change is a difference between two estimates, new - base, with a two-sided
// interval and the probability of one as large where there is none.
type Change struct {
	Value, Low, High, P float64
}

// Differ compares two independent estimates after Welch: the errors need not be
// equal, and the degrees of freedom are Satterthwaite's. share is the
// interval's, 0.95 say. Estimates of logarithms give the logarithm of a ratio.
func Differ(base, next Estimate, share float64) Change {
	d := next.Value - base.Value
	vb, vn := base.Error*base.Error, next.Error*next.Error
	v := vb + vn
	if v == 0 {
		c := Change{Value: d, Low: d, High: d}
		if d == 0 {
			c.P = 1
		}
		return c
	}
	df := v * v / (vb*vb/base.DF + vn*vn/next.DF)
	half := StudentQuantile(share, df) * math.Sqrt(v)
	return Change{Value: d, Low: d - half, High: d + half, P: StudentTail(d/math.Sqrt(v), df)}
}
