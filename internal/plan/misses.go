package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/internal/spec"
)

// unboundReplicas is how many may be tried whatever they cost.
func (p *planner) unboundReplicas() int {
	if p.asked.Concurrency > 0 {
		return min(p.asked.ReplicasMax, p.asked.Concurrency)
	}
	return p.asked.ReplicasMax
}

// whyNot says what a candidate misses with the most replicas that were tried.
func (p *planner) whyNot(s sized, most int) string {
	with := p.withMost(most)
	if len(missed(s.judged)) == 0 {
		if p.asked.Rate > 0 {
			return fmt.Sprintf("%s requests wait without end: %.3g requests/s each, and one does %.3g", with, s.load.Rate, s.predicted.RequestsPerSecond.Mid)
		}
		return fmt.Sprintf("%s requests wait for room in the KV cache of %d tokens", with, s.account.KVTokens)
	}
	var parts []string
	for _, j := range missed(s.judged) {
		parts = append(parts, j.said())
	}
	return strings.Join(parts, "; ") + ", " + with
}

// withMost names the most replicas that were tried.
func (p *planner) withMost(most int) string {
	if most < p.unboundReplicas() {
		return "with the " + replicas(most) + " that the budget pays"
	}
	return "with " + replicas(most)
}

func replicas(n int) string {
	if n == 1 {
		return "1 replica"
	}
	return fmt.Sprintf("%d replicas", n)
}

// missed are the conditions whose middle lies beyond the limit.
func missed(judged []Judged) []Judged {
	var out []Judged
	for _, j := range judged {
		if j.Value.Mid > j.Limit {
			out = append(out, j)
		}
	}
	return out
}

// said is a condition with the value that it was held against.
func (j Judged) said() string {
	return fmt.Sprintf("%s %s %.3g ms (%.3g to %.3g), not below %g", metricWord(j.Metric), j.Percentile, j.Value.Mid, j.Value.Low, j.Value.High, j.Limit)
}

func metricWord(metric string) string { return strings.ToUpper(metric) }

// sortMisses puts first what misses least, and of those the cheapest.
func sortMisses(list []found) {
	slices.SortFunc(list, func(a, b found) int {
		x, y := excess(a.sized.judged), excess(b.sized.judged)
		if x < 1.02*y && y < 1.02*x { // as good as the same
			x, y = 0, 0
		}
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a.hourly, b.hourly), cmp.Compare(a.option.ID, b.option.ID))
	})
}

// relaxed is an SLO that an option meets: of each condition its own limit where it
// holds, else one that does.
func relaxed(judged []Judged) string {
	var out []string
	for _, j := range judged {
		c := spec.Criterion{Metric: j.Metric, Percentile: j.Percentile, Limit: j.Limit}
		if j.Value.Mid > j.Limit {
			c.Limit = roundUp(j.Value.Mid)
		}
		out = append(out, c.String())
	}
	return fmt.Sprintf("--slo '%s'", strings.Join(out, ","))
}

// roundUp is the next number of two digits above v.
func roundUp(v float64) float64 {
	unit := 1.0
	for v/unit >= 100 {
		unit *= 10
	}
	for v/unit < 10 {
		unit /= 10
	}
	n := float64(int(v/unit) + 1)
	return n * unit
}
