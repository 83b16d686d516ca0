package saturate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/internal/record"
	"assay/internal/stats"
)

// headroom is the share of the knee's throughput that the operating point may
// use: queues grow without bound as the share goes to 1, and an arrival rate
// varies.
const headroom = 0.8

// What limited an operating point.
const (
	LimitedBySLO  = "slo"
	LimitedByKnee = "knee"
	LimitedByGrid = "grid" // the highest load measured met everything
)

func (a *analysis) operatingPoint() (*record.OperatingPoint, string) {
	load, by, why := a.operatingLoad()
	if why != "" {
		return nil, why
	}
	p := a.point(load)
	op := &record.OperatingPoint{Concurrency: load, RequestsPerS: p.RequestsPerS, OutputTokensPerS: p.OutputTokensPerS, LimitedBy: by}
	if a.opt.byRate() {
		op.Concurrency = at(a.along(func(l Level) float64 { return l.InFlight }), load)
	}
	return op, ""
}

// operatingLoad is the largest load that meets the SLO, gives at most headroom
// of the throughput at the knee's lower end, and was within the measured grid.
func (a *analysis) operatingLoad() (load float64, by, why string) {
	slo := a.sloCrossing()
	if slo.why != "" {
		return 0, "", slo.why
	}
	load, by = a.n[len(a.n)-1], LimitedByGrid
	if a.knee != nil {
		k, why := a.kneeLoad()
		if why != "" {
			return 0, "", why
		}
		load, by = k, LimitedByKnee
	}
	if slo.limits && slo.load < load {
		load, by = slo.load, LimitedBySLO
	}
	if !a.opt.byRate() {
		load = math.Floor(load + 1e-6) // requests in flight are whole
	}
	return load, by, ""
}

func (a *analysis) kneeLoad() (load float64, why string) {
	x := a.throughput()
	target := headroom * x.At(a.knee.Low)
	if load, ok := x.FirstReaching(target); ok {
		return load, ""
	}
	if a.n[0] <= 1 && !a.opt.byRate() {
		return 0, "a single request in flight already takes more than 0.8 of the throughput at the knee"
	}
	return 0, fmt.Sprintf("0.8 of the throughput at the knee lies below the lowest level, %s: measure lower loads", number(a.n[0]))
}

// crossing is where the SLO, or one of its criteria, stops being met. Its zero
// value: nowhere among the levels.
type crossing struct {
	limits      bool    // it is met at one level and not at the next
	load        float64 // the largest load that meets it, when limits
	below, over int     // the levels on both sides, when limits
	why         string  // no load meets it, in words
}

// sloCrossing is the lowest crossing of all criteria. Each is judged by itself:
// a level may be too short for one and long enough for another.
func (a *analysis) sloCrossing() crossing {
	var lowest crossing
	for _, c := range a.criteria() {
		next := a.criterionCrossing(c)
		if next.why != "" {
			return next
		}
		if next.limits && (!lowest.limits || next.load < lowest.load) {
			lowest = next
		}
	}
	return lowest
}

// criteria are the conditions of the SLO, each once, as the levels name them.
func (a *analysis) criteria() []record.Criterion {
	var all []record.Criterion
	for _, l := range a.levels {
		for _, c := range l.Criteria {
			if !slices.ContainsFunc(all, func(other record.Criterion) bool { return same(c, other) }) {
				all = append(all, c)
			}
		}
	}
	return all
}

func same(a, b record.Criterion) bool {
	return a.Metric == b.Metric && a.Percentile == b.Percentile && a.Limit == b.Limit
}

// criterionCrossing takes the levels below the first that misses c. Latency
// grows with load, so a level that is met speaks for lower ones that are
// undecided, and one that is met above a missed one does not count: the load of
// a service passes through all lower ones.
func (a *analysis) criterionCrossing(c record.Criterion) crossing {
	met, missed := -1, len(a.levels)
	for i := 0; i < missed; i++ {
		switch a.judged(i, c).Verdict {
		case record.Met:
			met = i
		case record.Missed:
			missed = i
		}
	}
	switch {
	case met < 0 && missed < len(a.levels):
		return crossing{why: fmt.Sprintf("the SLO is missed at %s already, and met at no lower level: %s", number(a.n[missed]), describe(a.judged(missed, c)))}
	case met < 0:
		return crossing{why: fmt.Sprintf("the SLO is undecided at every level (%s.%s): measure more requests", c.Metric, c.Percentile)}
	case met == len(a.levels)-1:
		return crossing{}
	}
	return crossing{load: a.between(met, c), limits: true, below: met, over: met + 1}
}

// judged is how a level fared by a criterion; undecided where it was not asked.
func (a *analysis) judged(level int, like record.Criterion) record.Criterion {
	for _, c := range a.levels[level].Criteria {
		if same(c, like) {
			return c
		}
	}
	like.Value, like.Verdict = nil, record.Undecided
	return like
}

// between is the load between a level that meets a criterion and the next, at
// which its limit is reached. Without a value on both sides, or where the next
// is undecided though below the limit, nothing is claimed beyond the level.
func (a *analysis) between(low int, c record.Criterion) float64 {
	before, after := a.judged(low, c).Value, a.judged(low+1, c).Value
	if before == nil || after == nil || *before <= 0 || *before >= c.Limit || *after < c.Limit {
		return a.n[low]
	}
	return stats.LogInterpolate(*before, a.n[low], *after, a.n[low+1], c.Limit)
}

// metAgain says which criteria are met above a level that misses them.
func (a *analysis) metAgain() []string {
	var out []string
	for _, c := range a.criteria() {
		missed := ""
		var met []string
		for i, l := range a.levels {
			switch verdict := a.judged(i, c).Verdict; {
			case verdict == record.Missed:
				missed = cmp.Or(missed, number(l.Load))
			case verdict == record.Met && missed != "":
				met = append(met, number(l.Load))
			}
		}
		if met != nil {
			out = append(out, fmt.Sprintf("%s.%s is missed at %s and met again at %s, which does not count: the load of a service passes through the lower ones",
				c.Metric, c.Percentile, missed, strings.Join(met, ", ")))
		}
	}
	return out
}

func describe(c record.Criterion) string {
	value := "too few samples for a value"
	if c.Value != nil {
		value = fmt.Sprintf("%.4g ms", *c.Value)
	}
	return fmt.Sprintf("%s.%s is to be below %g ms, and is %s", c.Metric, c.Percentile, c.Limit, value)
}
