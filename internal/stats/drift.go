package stats

import (
	"math"
)

const (
	// DriftWindows is into how many equal spans of time a level is cut to look
	// for drift: enough for a rank test at 1 %, few enough to average waves out.
	DriftWindows = 10
	// MaterialDrift is the relative change over a level below which a trend is
	// not worth a word, however sure: a fifth. Ours.
	MaterialDrift = 0.2
	// driftP is the level of the rank test, two-sided.
	driftP = 0.01
)

// Trend is how a series of windows changed from its first to its last.
type Trend struct {
	Change float64 // along the Theil-Sen line, relative to the line's middle; -0.3: fell by 30 %
	P      float64 // two-sided, of the Mann-Kendall test against "no trend"
	Drifts bool    // both sure and material
}

// Drift tests whether a series over equal windows, such as throughput or mean
// latency in each tenth of a level, has a trend: Mann-Kendall at 1 %, which
// takes no distribution for granted and forgives outliers, and a change by
// Theil and Sen of at least MaterialDrift. NaN windows (nothing ended there)
// are left out; fewer than eight give no verdict, with P = 1.
//
// Mann-Kendall takes windows as independent. Latencies of an open loop near
// saturation are not: prefer throughput, or latencies per token, there.
func Drift(windows []float64) Trend {
	var x, y []float64
	for i, w := range windows {
		if !math.IsNaN(w) {
			x, y = append(x, float64(i)), append(y, w)
		}
	}
	if len(y) < 8 {
		return Trend{P: 1}
	}
	slope, intercept := theilSen(x, y)
	middle := intercept + slope*float64(len(windows)-1)/2
	t := Trend{P: mannKendall(y)}
	if middle > 0 {
		t.Change = slope * float64(len(windows)-1) / middle
	}
	t.Drifts = t.P < driftP && math.Abs(t.Change) >= MaterialDrift
	return t
}

// mannKendall is the two-sided p-value of the Mann-Kendall test for a monotone
// trend, by the normal approximation with continuity and tie corrections, which
// is good from eight values on.
func mannKendall(y []float64) float64 {
	n := float64(len(y))
	s := 0.0
	for i := range y {
		for j := i + 1; j < len(y); j++ {
			switch {
			case y[j] > y[i]:
				s++
			case y[j] < y[i]:
				s--
			}
		}
	}
	variance := n * (n - 1) * (2*n + 5)
	ties := map[float64]float64{}
	for _, v := range y {
		ties[v]++
	}
	for _, t := range ties {
		variance -= t * (t - 1) * (2*t + 5)
	}
	if variance <= 0 {
		return 1
	}
	z := max(math.Abs(s)-1, 0) / math.Sqrt(variance/18)
	return math.Erfc(z / math.Sqrt2)
}

// theilSen fits a line robustly: the slope is the median of the slopes of all
// pairs, so that up to 29 % of wild points do not move it far; the intercept is
// the median of what is left. The time is quadratic.
func theilSen(x, y []float64) (slope, intercept float64) {
	var slopes []float64
	for i := range x {
		for j := i + 1; j < len(x); j++ {
			if x[i] != x[j] {
				slopes = append(slopes, (y[j]-y[i])/(x[j]-x[i]))
			}
		}
	}
	if len(slopes) == 0 {
		return 0, Median(y)
	}
	slope = Median(slopes)
	rest := make([]float64, len(x))
	for i := range x {
		rest[i] = y[i] - slope*x[i]
	}
	return slope, Median(rest)
}

// RateWindows is the rate of events in each of k equal windows of [start, end):
// the sum of their weights per unit of time.
func RateWindows(at, weight []float64, start, end float64, k int) []float64 {
	out := make([]float64, k)
	width := (end - start) / float64(k)
	for i, t := range at {
		if w, ok := window(t, start, end, k); ok {
			out[w] += weight[i] / width
		}
	}
	return out
}

// MeanWindows is the mean of the values in each of k equal windows of
// [start, end), by the time of each; NaN where there is none.
func MeanWindows(at, values []float64, start, end float64, k int) []float64 {
	out, n := make([]float64, k), make([]float64, k)
	for i, t := range at {
		if w, ok := window(t, start, end, k); ok && !math.IsNaN(values[i]) {
			out[w] += values[i]
			n[w]++
		}
	}
	for w := range out {
		out[w] /= n[w] // 0/0 is NaN
	}
	return out
}

func window(t, start, end float64, k int) (int, bool) {
	if !(t >= start && t < end) {
		return 0, false
	}
	return min(int((t-start)/(end-start)*float64(k)), k-1), true
}
