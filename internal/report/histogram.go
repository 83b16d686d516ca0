package report

import "math"

// Bins of a histogram: each 2 % wider than the one before, from a microsecond
// to half an hour in milliseconds, so that memory is bounded and a quantile is
// within 1 % whatever the number of requests. It serves drawings only: the
// percentiles in words come from the record, exact.
const (
	histogramLow    = 0.001
	histogramGrowth = 1.02
	histogramBins   = 1100
)

type histogram struct {
	n    int
	bins []uint32
}

func (h *histogram) add(ms float64) {
	if math.IsNaN(ms) || ms < 0 {
		return
	}
	if h.bins == nil {
		h.bins = make([]uint32, histogramBins)
	}
	i := 0
	if ms > histogramLow {
		i = int(min(math.Log(ms/histogramLow)/math.Log(histogramGrowth), histogramBins-1))
	}
	h.bins[i]++
	h.n++
}

// middle is the value that stands for bin i.
func middle(i int) float64 { return histogramLow * math.Pow(histogramGrowth, float64(i)+0.5) }

// quantile is about the value that the share q of samples does not exceed.
func (h *histogram) quantile(q float64) float64 {
	rank := uint32(max(math.Ceil(q*float64(h.n)), 1))
	seen := uint32(0)
	for i, c := range h.bins {
		if seen += c; seen >= rank {
			return middle(i)
		}
	}
	return math.NaN()
}
