package bench

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/internal/record"
	"assay/internal/spec"
	"assay/internal/stats"
)

// judge compares a level with each condition of the SLO. A percentile that the
// level supports is compared with the limit; one that it is too short for is
// judged by a one-sided 99 % binomial bound over its samples, which may leave
// it undecided.
func judge(measured []*record.Request, chunks *perChunk, l record.Level, slo []spec.Criterion) []record.Criterion {
	out := make([]record.Criterion, 0, len(slo))
	for i, c := range slo {
		j := record.Criterion{Metric: c.Metric, Percentile: c.Percentile, Limit: c.Limit, Value: valueOf(c, l)}
		over, n := overLimit(c, measured)
		if c.Metric == "icl" {
			over, n = chunks.over[i], l.ICL.N
		}
		switch p, isPercentile := percentile(c.Percentile); {
		case n == 0:
			j.Verdict, j.Basis = record.Undecided, "no samples"
		case j.Value != nil:
			j.Verdict, j.Basis = compare(*j.Value, c.Limit), fmt.Sprintf("n=%d", n)
		case isPercentile:
			j.Verdict = string(stats.JudgeShare(over, n, p))
			j.Basis = fmt.Sprintf("%d of %d at or above the limit, by a binomial bound (99 %%); %s needs n=%d",
				over, n, c.Percentile, stats.SupportedAt(p))
		}
		out = append(out, j)
	}
	return out
}

// overLimit counts the samples of a condition's metric over the requests that
// succeeded, and those at or above its limit.
func overLimit(c spec.Criterion, measured []*record.Request) (over, n int) {
	for _, r := range measured {
		if !r.OK() {
			continue
		}
		r.Each(c.Metric, func(ms float64) {
			n++
			if ms >= c.Limit {
				over++
			}
		})
	}
	return over, n
}

func compare(value, limit float64) string {
	if value < limit {
		return record.Met
	}
	return record.Missed
}

// percentile is the number in p95; false for mean.
func percentile(name string) (float64, bool) {
	p, err := strconv.ParseFloat(strings.TrimPrefix(name, "p"), 64)
	return p, err == nil
}

// valueOf is what the level gives for a condition, nil where unsupported.
func valueOf(c spec.Criterion, l record.Level) *float64 {
	d := l.Metric(c.Metric)
	switch c.Percentile {
	case "p50":
		return d.P50
	case "p90":
		return d.P90
	case "p95":
		return d.P95
	case "p99":
		return d.P99
	default:
		return d.Mean
	}
}

// levelSLO is the verdict over all of a level's conditions: missed when one
// is, else undecided when one is.
func levelSLO(l record.Level) string {
	has := func(verdict string) bool {
		return slices.ContainsFunc(l.SLO, func(c record.Criterion) bool { return c.Verdict == verdict })
	}
	switch {
	case has(record.Missed):
		return record.Missed
	case has(record.Undecided) || len(l.SLO) == 0:
		return record.Undecided
	}
	return record.Met
}
