package compare

import (
	"strings"
	"testing"
)

func TestGates(t *testing.T) {
	slower := plainServer
	slower.slower = 1.3
	base, next := pairOf(3, plainServer, slower, 500)
	spoilt := next
	spoilt.Run.Levels = append(spoilt.Run.Levels[:0:0], next.Run.Levels...)
	spoilt.Run.Levels[0].Validity.Verdict = "client-limited"
	few := pairNew(3, slower, 60)
	for _, c := range []struct {
		gate    string
		next    Side
		verdict string
		why     string
	}{
		{"ttft.p50>+10%", next, Failed, "95 % interval of the change"},
		{"ttft.p50>+60%", next, Held, ""},
		{"ttft.p50>+29%", next, Undecided, ""},
		{"throughput<-10%", next, Failed, ""},
		{"throughput<-60%", next, Held, ""},
		{"throughput<-23%", next, Undecided, ""},
		{"errors>+5%", next, Held, "points"},
		{"cost>+5%", next, Failed, ""},
		{"ttft.p50>1ms", next, Failed, "ms"},
		{"ttft.p50>10s", next, Held, ""},
		{"throughput<1", next, Held, "tokens/s"},
		{"throughput<1000000", next, Failed, ""},
		{"ttft.p50>+10%@c8", next, Failed, ""},
		{"ttft.p50>+10%@saturation", next, Failed, ""},
		{"ttft.p50>+10%@8", next, Undecided, "no level that both runs held is 8"},
		{"ttft.p50>+10%", spoilt, Undecided, "client-limited"},
		{"ttft.p50>1ms", spoilt, Undecided, "client-limited"},
		{"ttft.p99>+10%", next, Undecided, "p99 needs 662 samples"},
		// 60 samples do not support p95: the samples above the limit decide.
		{"ttft.p95>1ms", few, Failed, "60 of 60 at or above"},
		{"ttft.p95>900ms", few, Undecided, "0 of 60 at or above"},
	} {
		got := runs(t, base, c.next, c.gate).Gates
		if len(got) != 1 || got[0].Verdict != c.verdict || !strings.Contains(got[0].Why, c.why) {
			t.Errorf("%s: %+v, want %s", c.gate, got, c.verdict)
		}
	}
}

func pairNew(seed uint64, s server, n int) Side {
	_, next := pairOf(seed, plainServer, s, n)
	return next
}

func TestGateResult(t *testing.T) {
	c := Comparison{Gates: []Outcome{{Gate: "a", Verdict: Held}, {Gate: "b", Verdict: Undecided, Level: "s-c1", Why: "too short"}}}
	if r := c.Gate(false); r.Fails || len(r.Lines) != 1 || !strings.Contains(r.Lines[0], "passes") {
		t.Errorf("undecided: %+v", r)
	}
	if r := c.Gate(true); !r.Fails {
		t.Error("strict lets an undecided gate pass")
	}
	c.Gates = append(c.Gates, Outcome{Gate: "c", Verdict: Failed, Level: "s-c5"})
	if r := c.Gate(false); !r.Fails || len(r.Lines) != 2 || !strings.Contains(r.Lines[1], "s-c5") {
		t.Errorf("failed: %+v", r)
	}
}
