package peers

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"assay/internal/bench"
	"assay/internal/record"
	"assay/internal/spec"
	"assay/internal/stats"
)

// scenario is what a level of another tool is called: one load, held.
const scenario = "fixed"

// mostErrors is the share of failures above which a level stands for nothing,
// the default of assay bench.
const mostErrors = 0.1

// held is a load as a level's plan has it.
func held(kind string, value float64, requests int) record.Load {
	return record.Load{Kind: kind, Value: value, Requests: requests}
}

// levelID names a level by its load, as Assay names its own, where it is known.
func levelID(load record.Load) string {
	if load.Value == 0 {
		return scenario
	}
	mark := "c"
	if load.Kind == record.ByRate {
		mark = "r"
	}
	return scenario + "-" + mark + strconv.FormatFloat(load.Value, 'g', -1, 64)
}

// fold gives a level of requests in Assay's definitions, by the code that folds
// Assay's own. gaps says that the requests know each chunk's arrival; where they
// do not, there is no ICL.
func fold(load record.Load, start time.Time, requests []record.Request, gaps bool) record.Level {
	id := levelID(load)
	for i := range requests {
		requests[i].Level, requests[i].Seq = id, i
	}
	l := bench.Fold(bench.Recorded{
		Plan:     bench.PlannedLevel{ID: id, Pass: record.PassGrid, Load: load, Scenario: spec.Scenario{Name: scenario}},
		RunStart: start, Requests: requests, MaxErrors: mostErrors,
	})
	l.Reuse, l.Cache = "", nil // what the prompts share by intent is not known
	if !gaps {
		l.ICL = stats.Summarize(nil)
	}
	return l
}

// aggregate is a level that the file describes by aggregates alone.
func aggregate(load record.Load, completed, failed int, start time.Time, seconds float64) record.Level {
	l := record.Level{
		ID: levelID(load), Scenario: scenario, Pass: record.PassGrid, Load: load,
		Start: start, End: start.Add(time.Duration(seconds * float64(time.Second))), DurationS: seconds,
		Requests: record.Requests{Completed: completed, Failed: failed}, Errors: map[string]int{},
		Validity: record.Validity{Verdict: record.NotJudged, Reasons: []string{"the file holds aggregates alone: whether the load was held and the service was steady cannot be told"}},
		Quoted:   map[string]float64{},
	}
	if failed > 0 {
		l.Errors[kindFailed] = failed
	}
	switch {
	case completed == 0:
		l.Validity = record.Validity{Verdict: record.Invalid, Reasons: []string{"no request succeeded"}}
	case float64(failed) > mostErrors*float64(completed+failed):
		l.Validity = record.Validity{Verdict: record.Invalid, Reasons: []string{fmt.Sprintf("%d of %d requests failed, too many for the rest to stand for the service", failed, completed+failed)}}
	}
	for _, d := range []*stats.Dist{&l.TTFT, &l.TTFO, &l.ITL, &l.ICL, &l.E2E, &l.TPSRequest, &l.FromIntent.TTFT, &l.FromIntent.E2E, &l.Client.Lag, &l.Client.SchedDelay} {
		*d = stats.Summarize(nil)
	}
	return l
}

// kindFailed is the kind of a failure of which a file says no more than that.
const kindFailed = "failed"

// summary is a distribution as a file gives it, in the file's unit; nil is not
// given.
type summary struct {
	n                                       int
	mean, std, min, max, p50, p90, p95, p99 *float64
}

// dist takes a summary over into a level, times unit. A percentile that n
// cannot support stays out of the distribution and is kept as quoted.
func (s summary) dist(l *record.Level, metric string, unit float64) stats.Dist {
	if s.n <= 0 || s.mean == nil {
		return stats.Summarize(nil)
	}
	d := stats.Dist{N: s.n, Mean: scaled(s.mean, unit), Std: scaled(s.std, unit), Min: scaled(s.min, unit), Max: scaled(s.max, unit)}
	for _, q := range []struct {
		p    float64
		from *float64
		to   **float64
	}{{50, s.p50, &d.P50}, {90, s.p90, &d.P90}, {95, s.p95, &d.P95}, {99, s.p99, &d.P99}} {
		switch {
		case s.n < stats.SupportedAt(q.p):
			d.Unsupported = append(d.Unsupported, stats.Name(q.p))
			if q.from != nil {
				l.Quoted[metric+"."+stats.Name(q.p)] = *q.from * unit
			}
		default:
			*q.to = scaled(q.from, unit)
		}
	}
	return d
}

func scaled(x *float64, by float64) *float64 {
	if x == nil {
		return nil
	}
	v := *x * by
	return &v
}

// micros is a time in seconds as microseconds.
func micros(seconds float64) int64 { return int64(math.Round(seconds * 1e6)) }

// arrivals are cumulative sums of gaps after a first, microseconds: the moments
// of a request's chunks after its send.
func arrivals(first float64, gaps []float64) []int64 {
	out := make([]int64, 0, len(gaps)+1)
	at := first
	out = append(out, micros(at))
	for _, g := range gaps {
		at += g
		out = append(out, micros(at))
	}
	return out
}

// count is a pointer to a number of tokens.
func tokens(n float64) *int {
	v := int(math.Round(n))
	return &v
}
