package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Metrics and percentiles that a condition may name. Aliases are other tools'
// words for the same.
var (
	conditionMetrics = []string{"ttft", "ttfo", "itl", "icl", "e2e"}
	metricAliases    = map[string]string{
		"tpot": "itl", "inter_token_latency": "itl", "time_per_output_token": "itl",
		"time_to_first_token": "ttft", "time_to_first_output_token": "ttfo", "inter_chunk_latency": "icl",
		"e2el": "e2e", "request_latency": "e2e", "latency": "e2e",
	}
	percentiles = []string{"p50", "p90", "p95", "p99", "mean"}
)

// DefaultSLO holds where the user gives none: first token within 500 ms and a
// reading pace of 20 tokens a second, each at p95. Both are ours.
func DefaultSLO() []Criterion {
	return []Criterion{{"ttft", "p95", 500}, {"itl", "p95", 50}}
}

// ParseCondition reads a condition such as ttft.p95<500ms. ttft.p95=500ms and
// ttft.p95<=500ms mean the same; the percentile is p95 where none is given; a
// number without a unit is milliseconds.
func ParseCondition(s string) (Criterion, error) {
	fail := func(why string) (Criterion, error) {
		return Criterion{}, fmt.Errorf("condition %q: %s; write it as ttft.p95<500ms", s, why)
	}
	left, right, ok := cutAny(s, "<=", "<", "=", ":")
	if !ok {
		return fail("no < or = in it")
	}
	metric, percentile, ok := strings.Cut(strings.ToLower(strings.TrimSpace(left)), ".")
	if !ok {
		percentile = "p95"
	}
	if alias, ok := metricAliases[metric]; ok {
		metric = alias
	}
	if !slices.Contains(conditionMetrics, metric) {
		return fail(fmt.Sprintf("metric %q is not one of %s", metric, strings.Join(conditionMetrics, ", ")))
	}
	if percentile == "median" {
		percentile = "p50"
	}
	if !slices.Contains(percentiles, percentile) {
		return fail(fmt.Sprintf("percentile %q is not one of %s", percentile, strings.Join(percentiles, ", ")))
	}
	limit, err := parseMillis(strings.TrimSpace(right))
	if err != nil {
		return fail(err.Error())
	}
	return Criterion{metric, percentile, limit}, nil
}

func cutAny(s string, seps ...string) (left, right string, ok bool) {
	for _, sep := range seps {
		if left, right, ok = strings.Cut(s, sep); ok {
			return left, right, true
		}
	}
	return "", "", false
}

func parseMillis(s string) (float64, error) {
	ms, err := strconv.ParseFloat(s, 64)
	if err != nil {
		d, derr := time.ParseDuration(s)
		if derr != nil {
			return 0, fmt.Errorf("limit %q is not a time", s)
		}
		ms = float64(d) / float64(time.Millisecond)
	}
	if !(ms >= shortest) || ms > 1e9 {
		return 0, fmt.Errorf("limit %q is not a positive time", s)
	}
	return ms, nil
}

// shortest is the least limit, a nanosecond, in milliseconds.
const shortest = 1e-6

// milliseconds prints a time as the grammar reads it, which knows no exponents.
func milliseconds(ms float64) string { return strconv.FormatFloat(ms, 'f', -1, 64) + "ms" }

// ParseConditions reads conditions that commas or spaces part.
func ParseConditions(list []string) ([]Criterion, error) {
	var out []Criterion
	for _, s := range list {
		for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' }) {
			c, err := ParseCondition(part)
			if err != nil {
				return nil, err
			}
			if i := slices.IndexFunc(out, func(o Criterion) bool {
				return o.Metric == c.Metric && o.Percentile == c.Percentile
			}); i >= 0 && out[i].Limit != c.Limit {
				return nil, fmt.Errorf("conditions give two limits for %s.%s: %s and %s", c.Metric, c.Percentile, milliseconds(out[i].Limit), milliseconds(c.Limit))
			} else if i >= 0 {
				continue
			}
			out = append(out, c)
		}
	}
	return out, nil
}

// String is the condition in the grammar of ParseCondition.
func (c Criterion) String() string {
	return fmt.Sprintf("%s.%s<%s", c.Metric, c.Percentile, milliseconds(c.Limit))
}
