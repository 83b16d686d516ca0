package compare

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/record"
	"assay/internal/spec"
	"assay/internal/stats"
)

// lv writes a level as scenario/id/load, with the asked prompt and repeat.
func lv(scenario, id string, value, prompt float64, repeat int) record.Level {
	return record.Level{Scenario: scenario, ID: id, Load: record.Load{Kind: record.ByConcurrency, Value: value},
		Asked: record.Tokens{Prompt: &prompt}, Repeat: repeat}
}

func poisson(l record.Level, burstiness float64) record.Level {
	l.Load.Kind, l.Load.Arrival = record.ByRate, "poisson"
	if burstiness > 0 {
		l.Load.Arrival, l.Load.Burstiness = "gamma", burstiness
	}
	return l
}

// replay is a level that replayed a trace, which came to that rate.
func replay(id string, rate, speed float64) record.Level {
	l := lv("d", id, rate, 64, 0)
	l.Load.Kind, l.Load.Arrival, l.Load.Speed = record.ByRate, record.ArrivalTrace, speed
	return l
}

func inSessions(l record.Level) record.Level {
	l.Load.Sessions = true
	return l
}

func TestPairing(t *testing.T) {
	const choice = "levels of the other run held this load too, and nothing tells which of them is its partner"
	for _, c := range []struct {
		name       string
		base, next []record.Level
		any        bool
		want       []string // pairs, and what has no partner
	}{
		{"the same loads", []record.Level{lv("s", "s-c1", 1, 64, 0), lv("s", "s-c5", 5, 64, 0)}, []record.Level{lv("s", "s-c5", 5, 64, 0), lv("s", "s-c1", 1, 64, 0)}, false,
			[]string{"s-c1+s-c1", "s-c5+s-c5"}},
		{"near loads are not equal", []record.Level{lv("s", "s-c20", 20, 64, 0)}, []record.Level{lv("s", "s-c21", 21, 64, 0)}, false,
			[]string{"base s-c20: the other run held 21, which is near but not the same load", "new s-c21: the other run held 20, which is near but not the same load"}},
		{"another scenario", []record.Level{lv("s", "s-c1", 1, 64, 0)}, []record.Level{lv("b", "b-c1", 1, 64, 0)}, false,
			[]string{"base s-c1: the other run did not hold this load", "new b-c1: the other run did not hold this load"}},
		{"another tool knows no scenarios", []record.Level{lv("s", "s-c1", 1, 64, 0)}, []record.Level{lv("vllm", "vllm-1", 1, 64, 0)}, true,
			[]string{"s-c1+vllm-1"}},
		{"a level for each prompt length", []record.Level{lv("l", "l-c1-in1000", 1, 1000, 0), lv("l", "l-c1-in8000", 1, 8000, 0)},
			[]record.Level{lv("l", "l-c1-in8000", 1, 8010, 0), lv("l", "l-c1-in1000", 1, 990, 0)}, false,
			[]string{"l-c1-in1000+l-c1-in1000", "l-c1-in8000+l-c1-in8000"}},
		{"a choice is not made", []record.Level{lv("l", "a", 1, 1000, 0)}, []record.Level{lv("l", "b", 1, 3000, 0), lv("l", "c", 1, 5000, 0)}, false,
			[]string{"base a: " + choice, "new b: " + choice, "new c: " + choice}},
		{"other arrivals", []record.Level{poisson(lv("s", "s-r4", 4, 64, 0), 0)}, []record.Level{poisson(lv("s", "s-r4", 4, 64, 0), 0.5)}, false,
			[]string{"base s-r4: the other run held this rate with other arrivals (poisson and gamma 0.5)", "new s-r4: the other run held this rate with other arrivals (gamma 0.5 and poisson)"}},
		{"replays by their speed", []record.Level{replay("x1", 4.01, 1), replay("x2", 8.02, 2)}, []record.Level{replay("x2", 7.99, 2), replay("x1", 4, 1)}, false,
			[]string{"x1+x1", "x2+x2"}},
		{"sessions and requests", []record.Level{lv("s", "s-c4", 4, 64, 0)}, []record.Level{inSessions(lv("s", "s-c4", 4, 64, 0))}, false,
			[]string{"base s-c4: the other run held this load of sessions, and not of requests", "new s-c4: the other run held this load of requests, and not of sessions"}},
		{"repeats", []record.Level{lv("s", "s-c1-rep1", 1, 64, 1), lv("s", "s-c5-rep1", 5, 64, 1), lv("s", "s-c1-rep2", 1, 64, 2), lv("s", "s-c5-rep2", 5, 64, 2)},
			[]record.Level{lv("s", "s-c1", 1, 64, 0), lv("s", "s-c5", 5, 64, 0)}, false,
			[]string{"s-c1-rep1 s-c1-rep2+s-c1", "s-c5-rep1 s-c5-rep2+s-c5"}},
	} {
		pairs, alone := pairUp(groups(&record.Run{Levels: c.base}), groups(&record.Run{Levels: c.next}), c.any)
		var got []string
		for _, p := range pairs {
			got = append(got, ids(p.base)+"+"+ids(p.next))
		}
		for _, u := range alone {
			got = append(got, u.Side+" "+u.Level+": "+u.Why)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func ids(g group) string {
	var out []string
	for _, l := range g {
		out = append(out, l.ID)
	}
	return strings.Join(out, " ")
}

// repeated is a side that held 8 in flight several times, each time on a server
// that was as many times slower.
func repeated(name string, seed uint64, slower ...float64) Side {
	var levels []level
	for i, factor := range slower {
		s := plainServer
		s.slower = factor
		id := "saturation-c8"
		if len(slower) > 1 {
			id = record.RepeatID(id, i+1)
		}
		l := s.closed(stats.NewRand(seed, uint64(i)), id, 8, 150)
		_, l.Repeat = record.CutRepeat(id)
		levels = append(levels, l)
	}
	return sideWith(name, levels...)
}

// TestRunToRunVariationDecides takes a server that one run in three is half as
// fast again, with no change to it (as 84k and 123k tokens/s on the same nodes
// were). Single runs differ, and it is said what they cannot know; repeats do not.
func TestRunToRunVariationDecides(t *testing.T) {
	slow := 123.0 / 84
	single := runs(t, repeated("base", 1, 1), repeated("new", 2, slow))
	if m := get(t, single, "ttft.p50"); m.Verdict != Worse {
		t.Errorf("a single slow run: %s", m.Verdict)
	}
	if !strings.Contains(strings.Join(single.Remarks, "\n"), "each side is one run") {
		t.Errorf("remarks %q do not say what one run cannot know", single.Remarks)
	}
	several := runs(t, repeated("base", 3, 1, slow, 1), repeated("new", 4, slow, 1, 1.02))
	for _, m := range several.Metrics {
		if m.Verdict == Better || m.Verdict == Worse {
			t.Errorf("repeats: %s is %s, %+v", m.Name, m.Verdict, m.CI)
		}
	}
	if strings.Contains(strings.Join(several.Remarks, "\n"), "each side is one run") {
		t.Error("repeats are told to be one run")
	}
	if m := get(t, several, "ttft.p50"); !strings.Contains(m.Basis, "3 repeats") {
		t.Errorf("basis %q", m.Basis)
	}
	// One run beside three that vary is not known better than they are.
	if m := get(t, runs(t, repeated("base", 3, 1, slow, 1), repeated("new", 6, slow)), "ttft.p50"); m.Verdict != NoDifference || !strings.Contains(m.Basis, "the other side's repeats") {
		t.Errorf("one against three: %s on %s", m.Verdict, m.Basis)
	}
	steady := runs(t, repeated("base", 3, 1, 1.01, 0.99, 1), repeated("new", 4, 1.3, 1.31, 1.29, 1.3))
	if m := get(t, steady, spec.OutputTokensPerS); m.Verdict != Worse {
		t.Errorf("four steady repeats of a slower server: %s, %+v", m.Verdict, m.CI)
	}
	// Of two repeats the value is their mean, and what is within them the error.
	if m := get(t, runs(t, repeated("base", 3, 1, 1), repeated("new", 4, 1, 1)), "ttft.p50"); m.CI == nil || !strings.Contains(m.Basis, "2 repeats, 150 requests") {
		t.Errorf("two repeats: %+v on %s", m.CI, m.Basis)
	}
}

// TestRepeatsOfZero: chunks may come in one read, and then half of the gaps are 0.
func TestRepeatsOfZero(t *testing.T) {
	base, next := repeated("base", 1, 1, 1, 1), repeated("new", 2, 1, 1, 1)
	for i := range base.Run.Levels {
		*base.Run.Levels[i].ICL.P50 = 0
	}
	c := runs(t, base, next)
	if m := get(t, c, "icl.p50"); m.Verdict != NoDifference || *m.Base != 0 || m.DeltaPct != nil || !strings.Contains(m.Why, "BASE is 0") {
		t.Errorf("got %+v", m)
	}
	if _, err := json.Marshal(c); err != nil {
		t.Error(err)
	}
}

func TestKnee(t *testing.T) {
	knee := func(low, high float64, op *record.OperatingPoint) *record.Saturation {
		s := &record.Saturation{Scenario: "saturation", Unit: "concurrency", Saturated: true, OperatingPoint: op, WhyNoPoint: "the SLO is missed"}
		if low > 0 {
			s.Knee = &record.Interval{Low: low, High: high}
		}
		return s
	}
	op := &record.OperatingPoint{Concurrency: 20, OutputTokensPerS: 1000}
	for _, c := range []struct {
		base, next *record.Saturation
		verdict    string
		why        string
		points     int // rows
	}{
		{knee(20, 30, op), knee(40, 50, op), Better, "", 3},
		{knee(40, 50, op), knee(20, 30, op), Worse, "", 3},
		{knee(20, 30, op), knee(25, 50, op), NoDifference, "", 3},
		{knee(20, 30, nil), knee(0, 0, nil), NotComparable, "NEW located no knee", 1},
		{knee(20, 30, op), knee(20, 30, nil), NoDifference, "", 3},
	} {
		got := saturation(record.Run{Saturation: c.base}, record.Run{Saturation: c.next}, "")
		if len(got) != c.points || got[0].Verdict != c.verdict || got[0].Why != c.why {
			t.Errorf("%v to %v: %d rows, %s because %q", c.base.Knee, c.next.Knee, len(got), got[0].Verdict, got[0].Why)
		}
		if got[0].CI != nil && !(got[0].CI.Low < *got[0].DeltaPct && *got[0].DeltaPct < got[0].CI.High) {
			t.Errorf("%v to %v: %g %% in %+v", c.base.Knee, c.next.Knee, *got[0].DeltaPct, got[0].CI)
		}
	}
	lost := saturation(record.Run{Saturation: knee(20, 30, op)}, record.Run{Saturation: knee(20, 30, nil)}, "")
	if m := lost[1]; m.Verdict != NotComparable || m.Why != "NEW has no operating point: the SLO is missed" || m.New != nil {
		t.Errorf("a lost operating point: %+v", m)
	}
	huge := saturation(record.Run{Saturation: knee(1e-300, 1e-300, op)}, record.Run{Saturation: knee(1e300, 1e300, op)}, "")
	if d := huge[0].DeltaPct; d != nil && math.IsInf(*d, 0) {
		t.Errorf("a change of %g", *d)
	}
}

// One failure in each of three runs, and none in the three before, is not shown
// by their being alike.
func TestEqualCountsOfFewFailuresShowNothing(t *testing.T) {
	side := func(name string, failures int) Side {
		var levels []level
		for i := range 3 {
			l := plainServer.closed(stats.NewRand(5, uint64(i)), record.RepeatID("saturation-c8", i+1), 8, 200)
			for k := range failures {
				r := &l.requests[50+k]
				r.Error, r.ChunkUS, r.OutputTokens = "reset", nil, nil
			}
			again := fold(l.ID, l.Load, l.requests)
			again.Repeat = i + 1
			levels = append(levels, again)
		}
		return sideWith(name, levels...)
	}
	if m := get(t, runs(t, side("base", 0), side("new", 1)), spec.ErrorShare); m.Verdict != NoDifference || m.CI == nil || m.CI.Low >= 0 {
		t.Errorf("one failure of 200 in each run against none: %s, %+v", m.Verdict, m.CI)
	}
	if m := get(t, runs(t, side("base", 0), side("new", 60)), spec.ErrorShare); m.Verdict != Worse {
		t.Errorf("60 failures of 200 in each run against none: %s, %+v", m.Verdict, m.CI)
	}
}

func TestLoadsThatNoOneKnowsAreNotTheSame(t *testing.T) {
	l := lv("fixed", "fixed", 0, 64, 0)
	if why := unlike(pair{group{&l}, group{&l}}); !strings.Contains(why, "which load") {
		t.Errorf("two unknown loads: %q", why)
	}
}
