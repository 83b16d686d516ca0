package rules

import (
	"slices"
	"strings"

	"github.com/prometheus/prometheus/promql/parser"

	"assay/internal/lint"
	"assay/internal/spelling"
	"assay/internal/telemetry"
)

func promqlSyntax(p *lint.Pass, o *lint.Object) {
	for _, q := range queries(o) {
		if q.err == nil {
			continue
		}
		message, at := q.err.Error(), q.at
		if errs, ok := q.err.(parser.ParseErrors); ok && len(errs) > 0 {
			message = errs[0].Err.Error()
		}
		p.Fail(at, "%s does not parse: %s", clip(q.text), message)
	}
}

// clip keeps a message on a line.
func clip(text string) string {
	const most = 80
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// renamed are metrics whose place another took, in the exact sense that an expression
// goes on to mean the same with the new name.
var renamed = map[string]string{
	"vllm:gpu_cache_usage_perc":                 "vllm:kv_cache_usage_perc",
	"vllm:gpu_prefix_cache_queries_total":       "vllm:prefix_cache_queries_total",
	"vllm:gpu_prefix_cache_hits_total":          "vllm:prefix_cache_hits_total",
	"vllm:time_per_output_token_seconds":        "vllm:inter_token_latency_seconds",
	"vllm:time_per_output_token_seconds_bucket": "vllm:inter_token_latency_seconds_bucket",
	"vllm:time_per_output_token_seconds_sum":    "vllm:inter_token_latency_seconds_sum",
	"vllm:time_per_output_token_seconds_count":  "vllm:inter_token_latency_seconds_count",
}

func metricRemoved(p *lint.Pass, o *lint.Object) {
	for _, q := range queries(o) {
		q.selectors(func(s *parser.VectorSelector, _ []parser.Node) {
			e, name, ok := telemetry.Lookup(s.Name)
			if !ok || name.Removed == "" || readsBoth(q, s.Name, e) {
				return
			}
			at := q.of(s)
			f := p.Fail(at, "%s is gone since %s %s%s", s.Name, name.Engine, name.Removed, instead(s.Name, e, name))
			if to := renamed[s.Name]; to != "" {
				f.Edits = p.Replace(at, s.Name, to)
			}
		})
	}
}

// readsBoth says that the expression has the newer name beside the old one, for a fleet
// of several versions.
func readsBoth(q query, old string, e telemetry.Entry) bool {
	found := false
	q.selectors(func(s *parser.VectorSelector, _ []parser.Node) {
		if other, name, ok := telemetry.Lookup(s.Name); ok && s.Name != old && other.Quantity == e.Quantity && name.Removed == "" {
			found = true
		}
	})
	return found
}

func instead(written string, e telemetry.Entry, name telemetry.Name) string {
	if name.Instead != "" {
		return ": " + name.Instead
	}
	if to := renamed[written]; to != "" {
		return ": read " + to
	}
	for _, n := range e.Names {
		if n.Engine == name.Engine && n.Removed == "" {
			return ": read " + n.Metric
		}
	}
	return ""
}

func metricMisspelt(p *lint.Pass, o *lint.Object) {
	for _, q := range queries(o) {
		q.selectors(func(s *parser.VectorSelector, _ []parser.Node) {
			if near := misspelt(s.Name); near != "" {
				at := q.of(s)
				p.Fail(at, "nobody publishes %s; it is %s", s.Name, near).Edits = p.Replace(at, s.Name, near)
			}
		})
	}
}

// misspelt is the name that was meant, where a metric of vLLM or DCGM is not known and
// another is at most two letters away.
func misspelt(name string) string {
	if !strings.HasPrefix(name, "vllm:") && !strings.HasPrefix(name, "DCGM_") {
		return ""
	}
	if _, _, ok := telemetry.Lookup(name); ok {
		return ""
	}
	suffix := ""
	for _, s := range []string{"_bucket", "_sum", "_count"} {
		if b, cut := strings.CutSuffix(name, s); cut {
			name, suffix = b, s
			break
		}
	}
	best, least := "", 3
	for _, e := range telemetry.Catalogue {
		for _, n := range e.Names {
			if n.Removed != "" || (suffix != "") != (e.Kind == telemetry.Histogram || e.Kind == telemetry.Summary) {
				continue
			}
			if d := spelling.Distance(name, n.Metric); d < least {
				best, least = n.Metric+suffix, d
			}
		}
	}
	return best
}

// alertWithoutCounter looks at alerts on fields that dcgm-exporter's own list leaves
// out, and at the lists that are at hand.
func alertWithoutCounter(p *lint.Pass, x *lint.Index) {
	for _, a := range x.Counted {
		switch {
		case slices.ContainsFunc(x.Counters, func(c lint.Counters) bool { return overlap(c.Fields, a.Names) }):
		case len(x.Counters) > 0:
			p.FailAt(a.At, "%s is not in the counter list of %s", a.Field, x.Counters[0].At.Object.Name)
		default:
			p.UnknownAt(a.At, "%s is not in dcgm-exporter's own counter list, and no other list is among what was read", a.Field)
		}
	}
}

func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool { return slices.Contains(b, x) })
}
