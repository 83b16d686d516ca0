package bench

import (
	"strings"
	"testing"
	"time"

	"assay/internal/load"
	"assay/internal/record"
	"assay/internal/saturate"
	"assay/internal/spec"
)

// openLoop is a recorded open loop: a request each gapUS for n requests, which
// one after the other take the server serviceUS once they have been there for
// 100 ms. With serviceUS above gapUS it falls behind.
func openLoop(n int, gapUS, serviceUS int64) Recorded {
	rec := Recorded{
		RunStart: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC), SLO: spec.DefaultSLO(),
		Plan: PlannedLevel{ID: "l", Scenario: spec.Scenario{Name: "rates", RequestRate: []float64{1, 2, 3}},
			Load: record.Load{Kind: record.ByRate, Value: 1e6 / float64(gapUS)}},
	}
	free := int64(0)
	for i := range n {
		at := int64(i) * gapUS
		end := max(at+100_000, free) + serviceUS
		free = end
		rec.Requests = append(rec.Requests, record.Request{
			Level: "l", Phase: record.Measured, IntendedUS: at, SentUS: at, EndUS: end, ChunkUS: []int64{end - at - 2000, end - at - 1000, end - at},
			PromptTokens: ptr(20), OutputTokens: ptr(3), TokensFrom: record.FromUsage,
		})
	}
	return rec
}

func TestALevelThatTheServerFallsBehindSaysSo(t *testing.T) {
	l := Fold(openLoop(600, 50_000, 65_000))
	if l.Oversaturated == nil || l.Oversaturated.Verdict != record.Oversaturated {
		t.Fatalf("oversaturated = %+v", l.Oversaturated)
	}
	near(t, "in flight per second", l.Oversaturated.InFlight.PerS, 20-1/0.065, 0.2)
	if l.Validity.Verdict != record.Unstable || len(l.Validity.Reasons) != 1 || !strings.Contains(l.Validity.Reasons[0], "than the server keeps up with") {
		t.Errorf("validity = %+v", l.Validity)
	}
	l = Fold(openLoop(600, 50_000, 45_000))
	if l.Oversaturated.Verdict != record.Steady || l.Validity.Verdict != record.Valid {
		t.Errorf("a rate that is kept up with: %+v, %+v", l.Oversaturated, l.Validity)
	}
	trace := openLoop(600, 50_000, 65_000)
	trace.Plan.Load.Arrival = record.ArrivalTrace
	if o := Fold(trace).Oversaturated; o == nil || o.Verdict != record.NotKnown || o.InFlight != nil {
		t.Errorf("a trace's own arrivals are judged: %+v", o)
	}
	if l := Fold(closedLoop(10, 200)); l.Oversaturated != nil {
		t.Errorf("a closed loop is judged: %+v", l.Oversaturated)
	}
}

func TestOverloadedLevelsShowThroughputAndNoLatency(t *testing.T) {
	s := spec.Scenario{Name: "rates", RequestRate: []float64{5, 10, 20}}
	var recorded []Recorded
	var levels []record.Level
	for _, gapUS := range []int64{200_000, 100_000, 50_000} {
		rec := openLoop(600, gapUS, 65_000)
		rec.Plan.Scenario = s
		rec.SLO = []spec.Criterion{{Metric: "ttft", Percentile: "p50", Limit: 1e7}}
		l := Fold(rec)
		l.Scenario = s.Name
		recorded, levels = append(recorded, rec), append(levels, l)
	}
	curve, opt := curveOf(mergeRepeats(recorded, levels), s, 1)
	if last := curve[2]; !last.Valid || last.Criteria[0].Verdict != record.Undecided {
		t.Errorf("the overloaded level: valid %v, %+v; its throughput counts, a met SLO does not", last.Valid, last.Criteria)
	}
	if curve[0].Criteria[0].Verdict != record.Met {
		t.Errorf("the lowest level: %+v", curve[0].Criteria)
	}
	if sat := saturate.Analyse(curve, opt); !sat.Saturated {
		t.Errorf("a server that gives 15 of 20 requests/s is not saturated: %+v", sat)
	}
	l := levels[2]
	if got := trusted(l, record.Missed); got != record.Missed {
		t.Errorf("an SLO missed under overload is %s", got)
	}
	if got := trusted(l, record.Met); got != record.Undecided {
		t.Errorf("an SLO met under overload is %s", got)
	}
}

// watched feeds a level second by second to the watch, as if it ran, and gives
// the second in which it was to be ended; 0 for never.
func watched(rec Recorded, p PlannedLevel) int {
	o := newOverload(p)
	if o == nil {
		return 0
	}
	next := 0
	for s := 1; s <= 200; s++ {
		now := int64(s) * 1e6
		open, sent := 0, 0
		for i := range rec.Requests {
			r := &rec.Requests[i]
			if r.SentUS <= now && r.EndUS > now {
				open++
			}
			if r.SentUS <= now && r.SentUS > now-1e6 {
				sent++
			}
		}
		for ; next < len(rec.Requests) && rec.Requests[next].EndUS <= now; next++ {
			o.request(&rec.Requests[next])
		}
		o.sample(record.ClientSample{AtUS: now, InFlight: open, Sent: sent})
		select {
		case <-o.channel():
			return s
		default:
		}
	}
	return 0
}

func TestARunningLevelIsEndedWhenOverloaded(t *testing.T) {
	plan := func(choice string, exact bool) PlannedLevel {
		return PlannedLevel{Load: record.Load{Kind: record.ByRate, Value: 20}, Scenario: spec.Scenario{StopOversaturated: choice, Exact: exact}}
	}
	overloaded, kept := openLoop(4000, 50_000, 65_000), openLoop(4000, 50_000, 45_000)
	for _, tc := range []struct {
		name      string
		rec       Recorded
		plan      PlannedLevel
		low, high int
	}{
		{"overloaded", overloaded, plan("", false), 31, 60},
		{"kept up with", kept, plan("", false), 0, 0},
		{"overloaded, of a length that was given", overloaded, plan("", true), 0, 0},
		{"overloaded, of a length that was given, always", overloaded, plan(spec.Always, true), 31, 60},
		{"overloaded, never", overloaded, plan(spec.Never, false), 0, 0},
		{"a trace's own times", overloaded, PlannedLevel{Load: record.Load{Kind: record.ByRate, Value: 20, Arrival: record.ArrivalTrace}}, 0, 0},
		{"a closed loop", overloaded, PlannedLevel{Load: record.Load{Kind: record.ByConcurrency, Value: 20}}, 0, 0},
	} {
		if got := watched(tc.rec, tc.plan); got < tc.low || got > tc.high {
			t.Errorf("%s: ended in second %d, want %d to %d", tc.name, got, tc.low, tc.high)
		}
	}
}

func TestALevelEndedForOverloadIsRecordedAndComplete(t *testing.T) {
	rec := openLoop(600, 50_000, 65_000)
	rec.CutBy = load.CutOversaturated
	l := Fold(rec)
	if l.CutBy != load.CutOversaturated || l.Validity.Verdict != record.Unstable {
		t.Errorf("cut by %q, %+v", l.CutBy, l.Validity)
	}
}

// An SLO that the lowest rate misses for the server falls behind is missed, and
// not undecided.
func TestAnSLOThatAnOverloadedCurveMissesIsMissed(t *testing.T) {
	over := func(id string, rate float64) record.Level {
		ms := 9000.0
		return record.Level{ID: id, Scenario: "s", Pass: record.PassGrid, Load: record.Load{Kind: record.ByRate, Value: rate}, Requests: record.Requests{Completed: 500},
			Validity:      record.Validity{Verdict: record.Unstable, Reasons: []string{"more was asked"}},
			Oversaturated: &record.Oversaturation{Verdict: record.Oversaturated},
			SLO:           []record.Criterion{{Metric: "ttft", Percentile: "p95", Limit: 500, Value: &ms, Verdict: record.Missed}}}
	}
	run := &record.Run{SLO: record.SLO{Given: true}, Saturation: &record.Saturation{Scenario: "s", Unit: "requests/s"},
		Levels: []record.Level{over("s-r100", 100), over("s-r200", 200)}}
	run.SLO = sloOf(run, []spec.Criterion{{Metric: "ttft", Percentile: "p95", Limit: 500}})
	if run.SLO.Met == nil || *run.SLO.Met || run.SLO.Criteria[0].Verdict != record.Missed {
		t.Errorf("SLO: %+v", run.SLO)
	}
	if got := ExitCode(run); got != exitSLOMissed {
		t.Errorf("exit %d, want %d", got, exitSLOMissed)
	}
}
