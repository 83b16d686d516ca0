package spec

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Gate is a condition on the comparison of two runs, under which it fails:
// ttft.p95>+10% when the new run is shown to be more than 10 % above the base,
// ttft.p95>500ms when the new run itself is.
type Gate struct {
	Metric string  // as a comparison names it: ttft.p95, throughput.output_tokens_per_s
	Above  bool    // fails above the limit, else below it
	Limit  float64 // a change in per cent (points for a share), or in the metric's unit: ms, per second, share of 1, US dollars
	Change bool    // Limit is a change from the base
	At     string  // the levels it is for: a level's id, the end of one, or a scenario; empty: all
}

// Measures of a comparison that are no latency.
const (
	RequestsPerS     = "throughput.requests_per_s"
	OutputTokensPerS = "throughput.output_tokens_per_s"
	GoodputPerS      = "goodput.requests_per_s"
	ErrorShare       = "errors.share"
	CachedShare      = "cached.share"
	CostPerMillion   = "cost.usd_per_million_output_tokens"
)

// gateNames are the measures that are no latency, by what a user may write.
var gateNames = map[string]string{
	RequestsPerS: RequestsPerS, OutputTokensPerS: OutputTokensPerS, GoodputPerS: GoodputPerS,
	ErrorShare: ErrorShare, CachedShare: CachedShare, CostPerMillion: CostPerMillion,
	"throughput": OutputTokensPerS, "output_tokens_per_s": OutputTokensPerS, "requests_per_s": RequestsPerS,
	"request_throughput": RequestsPerS, "output_throughput": OutputTokensPerS,
	"goodput": GoodputPerS, "errors": ErrorShare, "error_rate": ErrorShare, "cached": CachedShare, "cost": CostPerMillion,
}

// IsShare reports a measure that is a share of 1, whose change is in points.
func IsShare(metric string) bool { return metric == ErrorShare || metric == CachedShare }

const gateExample = "write it as ttft.p95>+10%, throughput<-5%, errors>+1% (points) or ttft.p95>500ms, with @c10 behind it for one level"

// ParseGate reads the condition of a gate. A limit with a sign and % is a change
// from the base, one without a sign is the new run's own. The percentile of a
// latency is p95 where none is given, as in ParseCondition.
func ParseGate(s string) (Gate, error) {
	fail := func(format string, args ...any) (Gate, error) {
		return Gate{}, fmt.Errorf("gate %q: %s; %s", s, fmt.Sprintf(format, args...), gateExample)
	}
	text, at, _ := strings.Cut(strings.TrimSpace(s), "@")
	i := strings.IndexAny(text, "<>")
	if i < 0 {
		return fail("no > or < in it")
	}
	g := Gate{Above: text[i] == '>', At: strings.TrimSpace(at)}
	var err error
	if g.Metric, err = gateMetric(strings.ToLower(strings.TrimSpace(text[:i]))); err != nil {
		return fail("%v", err)
	}
	limit := strings.TrimSpace(strings.TrimPrefix(text[i+1:], "="))
	g.Change = strings.HasPrefix(limit, "+") || strings.HasPrefix(limit, "-")
	if g.Limit, err = gateLimit(g, limit); err != nil {
		return fail("%v", err)
	}
	return g, nil
}

func gateMetric(s string) (string, error) {
	if full, ok := gateNames[s]; ok {
		return full, nil
	}
	metric, percentile, ok := strings.Cut(s, ".")
	if !ok {
		percentile = "p95"
	}
	if alias, ok := metricAliases[metric]; ok {
		metric = alias
	}
	if !slices.Contains(conditionMetrics, metric) {
		return "", fmt.Errorf("metric %q is not one of %s, throughput, requests_per_s, goodput, errors, cached, cost", metric, strings.Join(conditionMetrics, ", "))
	}
	if percentile == "median" {
		percentile = "p50"
	}
	if !slices.Contains(percentiles, percentile) {
		return "", fmt.Errorf("percentile %q is not one of %s", percentile, strings.Join(percentiles, ", "))
	}
	return metric + "." + percentile, nil
}

func gateLimit(g Gate, limit string) (float64, error) {
	number, isPercent := strings.CutSuffix(limit, "%")
	switch {
	case g.Change && !isPercent:
		return 0, fmt.Errorf("a change such as %q is in per cent", limit)
	case g.Change:
		return gateNumber(number, limit)
	case IsShare(g.Metric):
		v, err := gateNumber(number, limit)
		if isPercent {
			v /= 100
		}
		if err == nil && (v < 0 || v > 1) {
			err = fmt.Errorf("limit %q is not a share between 0 and 100 %%", limit)
		}
		return v, err
	case isPercent:
		return 0, fmt.Errorf("%q has neither + nor -: is it a change?", limit)
	case slices.Contains(conditionMetrics, strings.SplitN(g.Metric, ".", 2)[0]):
		return parseMillis(limit)
	}
	return gateNumber(number, limit)
}

func gateNumber(s, limit string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(v) || math.Abs(v) > 1e12 {
		return 0, fmt.Errorf("limit %q is not a number", limit)
	}
	return v, nil
}

// String is the gate in the grammar of ParseGate.
func (g Gate) String() string {
	sign := "<"
	if g.Above {
		sign = ">"
	}
	limit := strconv.FormatFloat(g.Limit, 'g', -1, 64)
	switch {
	case g.Change:
		limit = fmt.Sprintf("%+g%%", g.Limit)
	case IsShare(g.Metric):
		limit = strconv.FormatFloat(100*g.Limit, 'g', 6, 64) + "%"
	case slices.Contains(conditionMetrics, strings.SplitN(g.Metric, ".", 2)[0]):
		limit = milliseconds(g.Limit)
	}
	if g.At != "" {
		limit += "@" + g.At
	}
	return g.Metric + sign + limit
}
