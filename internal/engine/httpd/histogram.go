package httpd

// Buckets of vLLM 0.32, as its /metrics showed them.
var (
	iterationBuckets  = []float64{1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384}
	paramsNBuckets    = []float64{1, 2, 5, 10, 20}
	preemptionBuckets = []float64{1, 2, 3, 4, 5, 10, 20}
	ttftBuckets       = []float64{.001, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560}
	itlBuckets        = []float64{.01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80}
	requestBuckets    = []float64{.3, .5, .8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680}
)

// tokenBuckets are 1, 2, 5 times powers of ten up to max_model_len.
func tokenBuckets(maxModelLen int) []float64 {
	var b []float64
	for ten := 1; ; ten *= 10 {
		for _, k := range []int{1, 2, 5} {
			if k*ten > maxModelLen {
				return b
			}
			b = append(b, float64(k*ten))
		}
	}
}

// histogram counts as Prometheus does; counts are not yet cumulative.
type histogram struct {
	bounds []float64
	counts []uint64 // one more than bounds
	sum    float64
	n      uint64
}

func newHistogram(bounds []float64) *histogram {
	return &histogram{bounds: bounds, counts: make([]uint64, len(bounds)+1)}
}

func (h *histogram) observe(v float64) {
	i := 0
	for i < len(h.bounds) && v > h.bounds[i] {
		i++
	}
	h.counts[i]++
	h.sum += v
	h.n++
}
