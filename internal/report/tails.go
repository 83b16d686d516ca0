package report

import (
	"strings"

	"assay/internal/record"
	"assay/internal/stats"
)

// boundOn is the upper bound of the percentile that a column shows; nil where
// there is none.
func boundOn(d stats.Dist, p string) *float64 {
	b := d.Bounds
	if b == nil {
		return nil
	}
	switch p {
	case "p50":
		return b.P50
	case "p90":
		return b.P90
	case "p95":
		return b.P95
	case "p99":
		return b.P99
	}
	return nil
}

// atMost is a bound as it stands beside its percentile.
func atMost(bound float64) string { return "≤ " + num(bound) }

// boundNote explains the bounds under a table that shows some.
const boundNote = "≤: the true percentile lies above this in at most 1 % of such levels, whatever the distribution; requests that are slow together count as fewer."

// columnBound is the bound of a column's number at a level; empty for none.
func columnBound(c column, l record.Level) string {
	if c.Bound == nil {
		return ""
	}
	if b := c.Bound(l); b != nil {
		return atMost(*b)
	}
	return ""
}

// tailRemark says how far the tail of the level that the verdict rests on is
// known; empty where no percentile has a bound.
func tailRemark(run record.Run) string {
	g, l, ok := verdictLevel(run)
	if !ok {
		return ""
	}
	var parts []string
	for _, m := range []struct {
		name string
		d    stats.Dist
	}{{"TTFT", l.TTFT}, {"ITL", l.ITL}, {"E2E", l.E2E}} {
		for _, p := range []struct {
			name  string
			value *float64
		}{{"p99", m.d.P99}, {"p95", m.d.P95}, {"p90", m.d.P90}, {"p50", m.d.P50}} {
			if bound := boundOn(m.d, p.name); p.value != nil && bound != nil {
				parts = append(parts, m.name+" "+p.name+" "+millis(*p.value)+", "+atMost(*bound))
				break
			}
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "Tails at 99 % confidence, " + g.name(l) + ": " + strings.Join(parts, "; ") + "."
}

// verdictLevel is the level that the verdict rests on: of a curve the highest
// valid one up to the operating point, else the last one with results.
func verdictLevel(run record.Run) (g group, l record.Level, ok bool) {
	s := run.Saturation
	for _, each := range groups(run.Levels) {
		for _, level := range each.Levels {
			if level.Requests.Completed == 0 {
				continue
			}
			if s != nil && (level.Scenario != s.Scenario || level.Validity.Verdict != record.Valid ||
				ok && s.OperatingPoint != nil && level.Load.Value > pointLoad(*s)) {
				continue
			}
			g, l, ok = each, level, true
		}
	}
	return g, l, ok
}
