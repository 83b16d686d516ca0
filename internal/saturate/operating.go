package saturate

import (
	"fmt"
	"math"
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

// crossing is where the SLO stops being met.
type crossing struct {
	load        float64 // the largest load that meets it
	limits      bool    // a higher level is not met
	below, over int     // the levels on both sides, when limits
	why         string  // no load meets it, in words
}

// sloCrossing takes the levels below the first missed one. Latency grows with
// load, so a level that is met speaks for lower ones that are undecided, and
// one that is met above a missed one does not count.
func (a *analysis) sloCrossing() crossing {
	met, missed, given := -1, len(a.levels), false
	for i, l := range a.levels {
		given = given || len(l.Criteria) > 0
		switch verdict(l.Criteria) {
		case record.Met:
			met = i
		case record.Missed:
			missed = i
		}
		if missed < len(a.levels) {
			break
		}
	}
	switch {
	case !given:
		return crossing{}
	case met < 0 && missed < len(a.levels):
		l := a.levels[missed]
		return crossing{why: fmt.Sprintf("the SLO is missed at %s already, and met at no lower level: %s", number(l.Load), describe(l.Criteria, record.Missed))}
	case met < 0:
		return crossing{why: "the SLO is undecided at every level: measure more requests"}
	case met == len(a.levels)-1:
		return crossing{load: a.n[met]}
	}
	return crossing{load: a.between(met, met+1), limits: true, below: met, over: met + 1}
}

// between is the load between two neighbouring levels, the lower one met, at
// which the first criterion reaches its limit. Without a value on both sides,
// or with one that is undecided though below the limit, nothing is claimed
// beyond the lower level.
func (a *analysis) between(low, high int) float64 {
	load := a.n[high]
	for _, c := range a.levels[high].Criteria {
		if c.Verdict == record.Met {
			continue
		}
		cross := a.n[low]
		before := valueOf(a.levels[low].Criteria, c)
		if before != nil && c.Value != nil && *before > 0 && *before < c.Limit && *c.Value >= c.Limit {
			cross = stats.LogInterpolate(*before, a.n[low], *c.Value, a.n[high], c.Limit)
		}
		load = min(load, cross)
	}
	return load
}

func valueOf(criteria []record.Criterion, like record.Criterion) *float64 {
	for _, c := range criteria {
		if c.Metric == like.Metric && c.Percentile == like.Percentile && c.Limit == like.Limit {
			return c.Value
		}
	}
	return nil
}

// verdict is that of all criteria together.
func verdict(criteria []record.Criterion) string {
	if len(criteria) == 0 {
		return record.Undecided
	}
	v := record.Met
	for _, c := range criteria {
		switch c.Verdict {
		case record.Missed:
			return record.Missed
		case record.Met:
		default:
			v = record.Undecided
		}
	}
	return v
}

func describe(criteria []record.Criterion, verdict string) string {
	var parts []string
	for _, c := range criteria {
		if c.Verdict != verdict {
			continue
		}
		value := "too few samples for a value"
		if c.Value != nil {
			value = fmt.Sprintf("%.4g ms", *c.Value)
		}
		parts = append(parts, fmt.Sprintf("%s.%s is to be below %g ms, and is %s", c.Metric, c.Percentile, c.Limit, value))
	}
	return strings.Join(parts, "; ")
}
