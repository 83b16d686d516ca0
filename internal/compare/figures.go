package compare

import (
	"math"

	"assay/internal/record"
	"assay/internal/spec"
	"assay/internal/stats"
)

// figure is one number of a level that is compared.
type figure struct {
	name, unit string
	latency    string  // its key, such as ttft; empty for what is no latency
	percentile float64 // 0: the mean
	higher     bool    // is better
	value      func(*record.Level) *float64
}

var latencies = []string{"ttft", "ttfo", "itl", "icl", "e2e"}

var percentiles = []float64{50, 90, 95, 99}

// figures are all that may be compared, in the order in which they are shown.
func figures() []figure {
	var out []figure
	for _, key := range latencies {
		out = append(out, figure{name: key + ".mean", unit: "ms", latency: key,
			value: func(l *record.Level) *float64 { return l.Metric(key).Mean }})
		for _, p := range percentiles {
			out = append(out, figure{name: key + "." + stats.Name(p), unit: "ms", latency: key, percentile: p,
				value: func(l *record.Level) *float64 { return percentileOf(l.Metric(key), p) }})
		}
	}
	rate := func(name, unit string, of func(*record.Level) *float64) figure {
		return figure{name: name, unit: unit, higher: true, value: of}
	}
	return append(out,
		rate(spec.RequestsPerS, "requests/s", func(l *record.Level) *float64 { return positive(l.Throughput.RequestsPerS) }),
		rate(spec.OutputTokensPerS, "tokens/s", func(l *record.Level) *float64 { return positive(l.Throughput.OutputTokensPerS) }),
		rate(spec.GoodputPerS, "requests/s", goodput),
		figure{name: spec.ErrorShare, unit: "share", value: errorShare},
		rate(spec.CachedShare, "share", cachedShare),
		figure{name: spec.CostPerMillion, unit: "USD", value: func(l *record.Level) *float64 { return l.USDPerM }},
	)
}

func percentileOf(d stats.Dist, p float64) *float64 {
	switch p {
	case 50:
		return d.P50
	case 90:
		return d.P90
	case 95:
		return d.P95
	}
	return d.P99
}

// positive is nil for a throughput of 0, which a level without a window has.
func positive(v float64) *float64 {
	if v > 0 {
		return &v
	}
	return nil
}

// goodput is nil where no condition says what is good.
func goodput(l *record.Level) *float64 {
	if len(l.SLO) == 0 {
		return nil
	}
	return l.Goodput
}

func errorShare(l *record.Level) *float64 {
	if n := l.Requests.Completed + l.Requests.Failed; n > 0 {
		v := float64(l.Requests.Failed) / float64(n)
		return &v
	}
	return nil
}

// cachedShare is the share of prompt tokens that a prefix cache served.
func cachedShare(l *record.Level) *float64 {
	if l.Cached == nil || l.Got.Prompt == nil || l.Requests.Completed == 0 || *l.Got.Prompt <= 0 {
		return nil
	}
	v := float64(*l.Cached) / (*l.Got.Prompt * float64(l.Requests.Completed))
	return &v
}

// share reports a figure whose change is in points.
func (f figure) share() bool { return spec.IsShare(f.name) }

// scale is where changes of the figure are differences: the logarithm, so that
// they are ratios, and for a share itself. NaN for a value that has none.
func (f figure) scale(v float64) float64 {
	switch {
	case f.share():
		return v
	case v > 0:
		return math.Log(v)
	}
	return math.NaN()
}

// unscale is the inverse of scale.
func (f figure) unscale(v float64) float64 {
	if f.share() {
		return v
	}
	return math.Exp(v)
}

// per cent of a difference on the figure's scale.
func (f figure) percent(d float64) float64 {
	if f.share() {
		return 100 * d
	}
	return 100 * math.Expm1(d)
}
