package httpd

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// metricsType is the content type that vLLM's /metrics has.
const metricsType = "text/plain; version=1.0.0; charset=utf-8"

// exposition writes Prometheus text the way prometheus_client does in Python:
// counters end in _total, and counters and histograms have a _created gauge.
type exposition struct {
	bytes.Buffer
	created string // seconds since 1970, of all series
	labels  string // of the engine: engine="0",model_name="..."
}

func (x *exposition) head(name, kind, help string) {
	fmt.Fprintf(x, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

func (x *exposition) sample(name, labels string, value float64) {
	x.WriteString(name)
	if labels != "" {
		x.WriteString("{" + labels + "}")
	}
	x.WriteString(" " + number(value) + "\n")
}

// number is a float as Python prints it: never without a point.
func number(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "+Inf"
	case v == math.Trunc(v) && math.Abs(v) < 1e16:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

func (x *exposition) gauge(name, help, labels string, value float64) {
	x.head(name, "gauge", help)
	x.sample(name, labels, value)
}

// labelled is one series of a family with a label of its own.
type labelled struct {
	labels string
	value  float64
}

func (x *exposition) gauges(name, help string, series ...labelled) {
	x.head(name, "gauge", help)
	for _, s := range series {
		x.sample(name, s.labels, s.value)
	}
}

// counters writes a family; base is its name without _total.
func (x *exposition) counters(base, help string, series ...labelled) {
	x.head(base+"_total", "counter", help)
	for _, s := range series {
		x.sample(base+"_total", s.labels, s.value)
	}
	x.head(base+"_created", "gauge", help)
	for _, s := range series {
		fmt.Fprintf(x, "%s_created{%s} %s\n", base, s.labels, x.created)
	}
}

func (x *exposition) counter(base, help string, value float64) {
	x.counters(base, help, labelled{x.labels, value})
}

func (x *exposition) histogram(name, help string, h *histogram) {
	x.head(name, "histogram", help)
	sum := uint64(0)
	for i, c := range h.counts {
		sum += c
		bound := math.Inf(1)
		if i < len(h.bounds) {
			bound = h.bounds[i]
		}
		// Labels are in alphabetical order: engine, le, model_name.
		x.sample(name+"_bucket", `engine="0",le="`+number(bound)+`",`+x.labels[len(`engine="0",`):], float64(sum))
	}
	x.sample(name+"_count", x.labels, float64(h.n))
	x.sample(name+"_sum", x.labels, h.sum)
	fmt.Fprintf(x, "# HELP %s_created %s\n# TYPE %s_created gauge\n%s_created{%s} %s\n", name, help, name, name, x.labels, x.created)
}

func (x *exposition) with(label, value string) string {
	all := []string{`engine="0"`, label + `="` + value + `"`, x.labels[len(`engine="0",`):]}
	slices.Sort(all)
	return all[0] + "," + all[1] + "," + all[2]
}

func (x *exposition) by(label string, values []string, of map[string]float64) []labelled {
	series := make([]labelled, len(values))
	for i, v := range values {
		series[i] = labelled{x.with(label, v), of[v]}
	}
	return series
}
