package saturate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"assay/internal/record"
	"assay/internal/stats"
)

// Merged is the levels that held one load, as one: each figure is the median of
// the valid repeats, so that one run of three that went wrong moves nothing.
type Merged struct {
	record.Level
	// At is the index of the repeat that stands for the others where there is
	// no median: its id, its requests, its validity. Its throughput is the
	// median, the lower of two.
	At int
	// Between is the relative standard error of the median throughput by the
	// spread of the repeats; 0 for fewer than three.
	Between float64
}

// Merge puts the repeats of each load together, in order of first appearance. A
// level without repeats stays as it is.
func Merge(levels []record.Level) []Merged {
	var order []string
	of := map[string][]int{}
	for i := range levels {
		key := levels[i].Base()
		if levels[i].Repeat == 0 {
			key = fmt.Sprintf("#%d", i) // itself alone
		}
		if of[key] == nil {
			order = append(order, key)
		}
		of[key] = append(of[key], i)
	}
	out := make([]Merged, 0, len(order))
	for _, key := range order {
		out = append(out, merge(levels, of[key]))
	}
	return out
}

func merge(levels []record.Level, at []int) Merged {
	counting := countingRepeats(levels, at)
	slices.SortStableFunc(counting, func(a, b int) int {
		return cmp.Compare(throughputOf(&levels[a]), throughputOf(&levels[b]))
	})
	middle := counting[(len(counting)-1)/2]
	m := Merged{Level: levels[middle], At: middle}
	if len(counting) < 2 {
		return m
	}
	all := make([]*record.Level, len(counting))
	for i, k := range counting {
		all[i] = &levels[k]
	}
	m.takeMedians(all)
	if len(all) > 2 {
		x := each(all, throughputOf)
		mean, std := stats.MeanStd(x)
		if mean > 0 {
			// The median of a normal sample has sqrt(pi/2) times the mean's error.
			m.Between = math.Sqrt(math.Pi/2) * std / mean / math.Sqrt(float64(len(x)))
		}
	}
	return m
}

// countingRepeats are the valid ones, or where they are no majority the others:
// a load that is mostly not valid is not valid.
func countingRepeats(levels []record.Level, at []int) []int {
	var valid, others []int
	for _, i := range at {
		if levels[i].Validity.Verdict == record.Valid {
			valid = append(valid, i)
		} else {
			others = append(others, i)
		}
	}
	if 2*len(valid) > len(at) || len(others) == 0 {
		return valid
	}
	return others
}

// throughputOf orders repeats: tokens arrive more evenly than requests end.
func throughputOf(l *record.Level) float64 {
	if l.Throughput.OutputTokensPerS > 0 {
		return l.Throughput.OutputTokensPerS
	}
	return l.Throughput.RequestsPerS
}

func each(levels []*record.Level, of func(*record.Level) float64) []float64 {
	out := make([]float64, len(levels))
	for i, l := range levels {
		out[i] = of(l)
	}
	return out
}

// takeMedians puts the medians in place of the middle repeat's own figures.
func (m *Merged) takeMedians(all []*record.Level) {
	median := func(of func(*record.Level) float64) float64 { return stats.Median(each(all, of)) }
	m.Throughput = record.Throughput{
		RequestsPerS:     median(func(l *record.Level) float64 { return l.Throughput.RequestsPerS }),
		OutputTokensPerS: median(func(l *record.Level) float64 { return l.Throughput.OutputTokensPerS }),
		TotalTokensPerS:  median(func(l *record.Level) float64 { return l.Throughput.TotalTokensPerS }),
	}
	m.Client.InFlight.Mean = median(func(l *record.Level) float64 { return l.Client.InFlight.Mean })
	m.Goodput = medianKnown(all, func(l *record.Level) *float64 { return l.Goodput })
	m.USDPerM = medianKnown(all, func(l *record.Level) *float64 { return l.USDPerM })
	for _, d := range []func(*record.Level) *stats.Dist{
		func(l *record.Level) *stats.Dist { return &l.TTFT }, func(l *record.Level) *stats.Dist { return &l.TTFO },
		func(l *record.Level) *stats.Dist { return &l.ITL }, func(l *record.Level) *stats.Dist { return &l.ICL },
		func(l *record.Level) *stats.Dist { return &l.E2E },
	} {
		medianDist(d(&m.Level), all, d)
	}
	m.SLO = medianCriteria(m.SLO, all)
}

// medianDist takes the medians of mean and percentiles, and of their bounds.
func medianDist(to *stats.Dist, all []*record.Level, of func(*record.Level) *stats.Dist) {
	for _, field := range []func(*stats.Dist) **float64{
		func(d *stats.Dist) **float64 { return &d.Mean }, func(d *stats.Dist) **float64 { return &d.P50 },
		func(d *stats.Dist) **float64 { return &d.P90 }, func(d *stats.Dist) **float64 { return &d.P95 },
		func(d *stats.Dist) **float64 { return &d.P99 },
	} {
		*field(to) = medianKnown(all, func(l *record.Level) *float64 { return *field(of(l)) })
	}
	if to.Bounds == nil {
		return
	}
	bounds := *to.Bounds
	for _, field := range []func(*stats.Bounds) **float64{
		func(b *stats.Bounds) **float64 { return &b.P50 }, func(b *stats.Bounds) **float64 { return &b.P90 },
		func(b *stats.Bounds) **float64 { return &b.P95 }, func(b *stats.Bounds) **float64 { return &b.P99 },
	} {
		*field(&bounds) = medianKnown(all, func(l *record.Level) *float64 {
			if b := of(l).Bounds; b != nil {
				return *field(b)
			}
			return nil
		})
	}
	to.Bounds = &bounds
}

// medianKnown is the median of a figure; nil where a repeat does not give it.
func medianKnown(all []*record.Level, of func(*record.Level) *float64) *float64 {
	var known []float64
	for _, l := range all {
		v := of(l)
		if v == nil {
			return nil
		}
		known = append(known, *v)
	}
	m := stats.Median(known)
	return &m
}

// medianCriteria judges each condition by the median of its values, or where a
// repeat has none by the middle one of their verdicts, the worse of two.
func medianCriteria(like []record.Criterion, all []*record.Level) []record.Criterion {
	out := slices.Clone(like)
	for i, c := range out {
		out[i].Value = medianKnown(all, func(l *record.Level) *float64 { return criterionOf(l, c).Value })
		if v := out[i].Value; v != nil {
			out[i].Verdict = record.Missed
			if *v < c.Limit {
				out[i].Verdict = record.Met
			}
			continue
		}
		rank := map[string]int{record.Met: 0, record.Undecided: 1, record.Missed: 2}
		var verdicts []string
		for _, l := range all {
			verdicts = append(verdicts, criterionOf(l, c).Verdict)
		}
		slices.SortFunc(verdicts, func(a, b string) int { return cmp.Compare(rank[a], rank[b]) })
		out[i].Verdict = verdicts[len(verdicts)/2]
	}
	return out
}

func criterionOf(l *record.Level, like record.Criterion) record.Criterion {
	for _, c := range l.SLO {
		if same(c, like) {
			return c
		}
	}
	like.Value, like.Verdict = nil, record.Undecided
	return like
}
