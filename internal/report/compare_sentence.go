package report

import (
	"math"
	"slices"
	"strings"

	"assay/internal/compare"
	"assay/internal/spec"
)

// family is a group of figures that say much the same, of which one is shown:
// the first that can be had.
type family struct {
	name    string
	figures []string
	// like is the family that this one follows where there is nothing of its
	// own to it: it is left out where both changed the same way.
	like string
}

// families in the order in which a reader asks for them.
var families = []family{
	{"TTFT", []string{"ttft.p95", "ttft.p99", "ttft.p90", "ttft.p50", "ttft.mean"}, ""},
	{"ITL", []string{"itl.p95", "itl.p99", "itl.p90", "itl.p50", "itl.mean"}, ""},
	{"throughput", []string{spec.OutputTokensPerS, spec.RequestsPerS}, ""},
	{"E2E", []string{"e2e.p95", "e2e.p99", "e2e.p90", "e2e.p50", "e2e.mean"}, ""},
	{"goodput", []string{spec.GoodputPerS}, "throughput"},
	{"failed requests", []string{spec.ErrorShare}, ""},
	{"cached prompt tokens", []string{spec.CachedShare}, ""},
	{"ICL", []string{"icl.p99", "icl.p95", "icl.p90", "icl.mean", "icl.p50"}, "ITL"},
	{"TTFO", []string{"ttfo.p95", "ttfo.p99", "ttfo.p90", "ttfo.p50", "ttfo.mean"}, "TTFT"},
	{"the knee", []string{compare.KneeLoad}, ""},
}

// mostNamed bounds how many changes a sentence names.
const mostNamed = 4

// comparedSentence is what the comparison says, in one sentence or two.
func comparedSentence(c *compare.Comparison) string {
	n := scenariosOf(c)
	worse, better, same := spoken(c.Metrics, compare.Worse), spoken(c.Metrics, compare.Better), unchanged(c)
	var s string
	switch {
	case len(c.Metrics) == 0:
		return "The runs have no load in common: there is nothing to compare."
	case c.Verdict == compare.NotComparable:
		return "The runs cannot be compared: " + strings.TrimSuffix(plain(mostlyWhy(c)), ".") + "."
	case len(worse) > 0 && len(better) > 0:
		s = "NEW is worse in " + namedChanges(worse, n) + ", and better in " + namedChanges(better, n)
	case len(worse) > 0:
		s = "NEW is " + degree(worse, "slower", "worse") + ": " + namedChanges(worse, n)
	case len(better) > 0:
		s = "NEW is " + degree(better, "faster", "better") + ": " + namedChanges(better, n)
	default:
		return "No difference is shown. " + mostTelling(c, n)
	}
	if len(same) > 0 {
		s += "; no difference shown in " + list(same)
	}
	return s + "."
}

// spoken is for each family with that verdict its largest change.
func spoken(ms []compare.Metric, verdict string) []compare.Metric {
	var out []compare.Metric
	has := map[string]bool{}
	for _, f := range families {
		m, ok := largest(ms, f.figures, verdict)
		if has[f.name] = ok; ok && !has[f.like] {
			out = append(out, m)
		}
	}
	return out
}

// largest is the largest change of the first figure that has the verdict at
// some level.
func largest(ms []compare.Metric, figures []string, verdict string) (compare.Metric, bool) {
	for _, name := range figures {
		var best *compare.Metric
		for i := range ms {
			m := &ms[i]
			if m.Name == name && m.Verdict == verdict && (best == nil || size(*m) > size(*best)) {
				best = m
			}
		}
		if best != nil {
			return *best, true
		}
	}
	return compare.Metric{}, false
}

func size(m compare.Metric) float64 {
	if m.DeltaPct == nil {
		return 0
	}
	return math.Abs(*m.DeltaPct)
}

// unchanged are the families of which some figure was compared and none changed.
func unchanged(c *compare.Comparison) []string {
	var out []string
	for _, f := range families {
		compared, moved := false, false // at some level
		for _, m := range c.Metrics {
			if slices.Contains(f.figures, m.Name) {
				compared = compared || m.Verdict == compare.NoDifference && m.CI != nil
				moved = moved || m.Verdict == compare.Better || m.Verdict == compare.Worse
			}
		}
		if compared && !moved && f.like == "" {
			out = append(out, f.name)
		}
	}
	return out
}

func namedChanges(ms []compare.Metric, scenarios int) string {
	var parts []string
	for i, m := range ms {
		if i == mostNamed {
			parts = append(parts, count(len(ms)-i)+" more")
			break
		}
		parts = append(parts, changed(m, scenarios))
	}
	return list(parts)
}

// degree says slower or faster where all that changed is time or throughput.
func degree(ms []compare.Metric, speed, other string) string {
	for _, m := range ms {
		if m.Points || m.Unit == "USD" || m.Level == "" {
			return other
		}
	}
	return speed
}

// mostTelling says how large a change could have stayed unseen.
func mostTelling(c *compare.Comparison, scenarios int) string {
	var parts []string
	for _, f := range families {
		if f.name != "TTFT" && f.name != "throughput" {
			continue
		}
		if m, ok := widest(c, f.figures); ok {
			parts = append(parts, changed(m, scenarios))
		}
	}
	if len(parts) == 0 {
		return "No interval could be made: " + strings.TrimSuffix(plain(mostlyWhy(c)), ".") + "."
	}
	return "The widest intervals: " + list(parts) + "."
}

// widest is the widest interval of the first of the figures that has one.
func widest(c *compare.Comparison, figures []string) (compare.Metric, bool) {
	for _, name := range figures {
		var best *compare.Metric
		for i := range c.Metrics {
			m := &c.Metrics[i]
			if m.Name == name && m.CI != nil && (best == nil || m.CI.High-m.CI.Low > best.CI.High-best.CI.Low) {
				best = m
			}
		}
		if best != nil {
			return *best, true
		}
	}
	return compare.Metric{}, false
}

// mostlyWhy is the reason that stands at most figures.
func mostlyWhy(c *compare.Comparison) string {
	n, best := map[string]int{}, ""
	for _, m := range c.Metrics {
		if m.Why == "" {
			continue
		}
		if n[m.Why]++; n[m.Why] > n[best] {
			best = m.Why
		}
	}
	return best
}

func scenariosOf(c *compare.Comparison) int {
	seen := map[string]bool{}
	for _, m := range c.Metrics {
		seen[m.Scenario] = true
	}
	return len(seen)
}
