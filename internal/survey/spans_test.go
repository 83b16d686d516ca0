package survey

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"assay/internal/record"
	"assay/internal/telemetry"
)

func TestSpansFollowTheLoad(t *testing.T) {
	low, s := steady(t, 0, 60, 4, 0, 100, sample{})
	high, s := steady(t, 60, 60, 30, 10, 300, s)
	again, _ := steady(t, 120, 30, 4, 0, 100, s)
	parts, restarts := segments(append(append(low, high...), again...))
	if len(parts) != 1 || restarts != nil {
		t.Fatalf("%d parts, restarts %v", len(parts), restarts)
	}
	levels := levelsOf("r", parts, exporters{})
	var low4, high40 *record.Level
	for i, l := range levels {
		switch {
		case math.Abs(l.Load.Value-4) < 0.5:
			low4 = &levels[i]
		case math.Abs(l.Load.Value-40) < 1:
			high40 = &levels[i]
		}
	}
	if low4 == nil || high40 == nil {
		t.Fatalf("levels %v, want one at load 4 and one at 40", loads(levels))
	}
	if d := low4.DurationS; d < 40 || d > 62 {
		t.Errorf("the level of load 4 lasts %g s: the longer of the two spans, some 60 s, should stand for it", d)
	}
	for _, c := range []struct {
		l    *record.Level
		want float64
	}{{low4, 100}, {high40, 300}} {
		if got := c.l.Throughput.OutputTokensPerS; math.Abs(got-c.want) > 0.01*c.want {
			t.Errorf("load %g: %g tokens/s, want %g", c.l.Load.Value, got, c.want)
		}
	}
	sat := saturationOf(levels)
	if sat == nil || len(sat.Elasticities) != len(levels)-1 {
		t.Fatalf("saturation %+v", sat)
	}
	sum := 0.0 // elasticities weighted by their steps give the whole
	for i, e := range sat.Elasticities {
		sum += e * math.Log(levels[i+1].Load.Value/levels[i].Load.Value)
	}
	if want := math.Log(3); math.Abs(sum-want) > 0.02 {
		t.Errorf("throughput grew by e^%g, want 3 times", sum)
	}
}

func TestElasticityNeedsSpread(t *testing.T) {
	level := func(load, rate float64) record.Level {
		return record.Level{Load: record.Load{Value: load}, Throughput: record.Throughput{OutputTokensPerS: rate}}
	}
	if s := saturationOf([]record.Level{level(10, 100), level(19, 190)}); s != nil {
		t.Errorf("loads less than twice apart: %+v", s)
	}
	if s := saturationOf([]record.Level{level(10, 100), level(20, 101)}); s == nil || !s.Saturated {
		t.Errorf("throughput that stopped growing: %+v", s)
	}
	if s := saturationOf([]record.Level{level(10, 100), level(20, 190)}); s == nil || s.Saturated {
		t.Errorf("throughput that grows: %+v", s)
	}
	if s := saturationOf([]record.Level{level(10, 0), level(20, 0)}); s != nil {
		t.Errorf("an engine that counts nothing: %+v", s)
	}
}

// Across a restart nothing is subtracted, and both sides count.
func TestRestartCutsTheWindow(t *testing.T) {
	before, _ := steady(t, 0, 30, 8, 0, 100, sample{tokens: 50_000, start: 100})
	after, _ := steady(t, 30, 40, 8, 0, 50, sample{start: 1_000})
	parts, restarts := segments(append(before, after...))
	if len(parts) != 2 || len(restarts) != 1 || !restarts[0].At.Equal(epoch.Add(30*time.Second)) || !strings.Contains(restarts[0].Why, "100 to 1000") {
		t.Fatalf("%d parts, restarts %+v", len(parts), restarts)
	}
	for _, l := range levelsOf("r", parts, exporters{}) {
		if l.Server.Changed != "" || l.Throughput.OutputTokensPerS < 49 || l.Throughput.OutputTokensPerS > 101 {
			t.Errorf("level %s: %q, %g tokens/s", l.ID, l.Server.Changed, l.Throughput.OutputTokensPerS)
		}
	}
	i := instanceOf(seen{name: "r", snapshots: append(before, after...)}, Options{}, nil)
	if i.Server == nil || i.Server.Changed != "" || *i.Server.OutputTokens != 50*39 {
		t.Errorf("the account is %+v, want that of the longer part", i.Server)
	}
}

// Whatever the load does, the spans of a segment lie end to end, and the growth
// of a counter over them is the growth over the segment.
func TestSpansLoseNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 400).Draw(rt, "samples")
		var segment []telemetry.Snapshot
		s := sample{}
		for i := range n {
			if i == 0 || rapid.IntRange(0, 9).Draw(rt, "changes") == 0 {
				s.running = rapid.Float64Range(0, 300).Draw(rt, "running")
			}
			segment = append(segment, s.at(t, i))
			s.tokens += rapid.Float64Range(0, 1000).Draw(rt, "tokens")
		}
		spans := spansOf(segment)
		grown := 0.0
		for i, span := range spans {
			if i > 0 && !span[0].At.Equal(spans[i-1][len(spans[i-1])-1].At) {
				rt.Fatalf("span %d begins at %v, the one before ends at %v", i, span[0].At, spans[i-1][len(spans[i-1])-1].At)
			}
			v, _ := telemetry.Delta(span[0], span[len(span)-1]).Counter(telemetry.OutputTokens)
			grown += v
		}
		want, _ := telemetry.Delta(segment[0], segment[n-1]).Counter(telemetry.OutputTokens)
		if !spans[0][0].At.Equal(segment[0].At) || !spans[len(spans)-1][len(spans[len(spans)-1])-1].At.Equal(segment[n-1].At) || math.Abs(grown-want) > 1e-6*max(1, want) {
			rt.Fatalf("spans hold %g of %g tokens", grown, want)
		}
	})
}

func TestIdleSpansAreLeftOut(t *testing.T) {
	quiet, s := steady(t, 0, 40, 0, 0, 0, sample{})
	busy, _ := steady(t, 40, 40, 12, 0, 500, s)
	parts, _ := segments(append(quiet, busy...))
	for _, l := range levelsOf("r", parts, exporters{}) {
		if l.Load.Value == 0 {
			t.Errorf("levels %v hold the idle part", loads(levelsOf("r", parts, exporters{})))
		}
	}
	parts, _ = segments(quiet)
	if levels := levelsOf("r", parts, exporters{}); len(levels) != 1 || !idle(levels[0]) {
		t.Errorf("an idle window has the levels %v, want the idle one", loads(levels))
	}
}

func loads(levels []record.Level) []float64 {
	var all []float64
	for _, l := range levels {
		all = append(all, l.Load.Value)
	}
	return all
}

func TestExportersAroundASpan(t *testing.T) {
	var all []telemetry.Snapshot
	for i := range 10 {
		all = append(all, telemetry.Snapshot{At: epoch.Add(time.Duration(30*i) * time.Second)})
	}
	got := around(all, epoch.Add(70*time.Second), epoch.Add(100*time.Second))
	if len(got) != 3 || !got[0].At.Equal(epoch.Add(60*time.Second)) || !got[2].At.Equal(epoch.Add(120*time.Second)) {
		t.Errorf("%d samples from %v: want those at 60, 90 and 120 s", len(got), got[0].At)
	}
	if got := around(nil, epoch, epoch); len(got) != 0 {
		t.Error(got)
	}
	if got := around(all, epoch.Add(time.Hour), epoch.Add(2*time.Hour)); len(got) != 1 {
		t.Errorf("%d samples after the last one", len(got))
	}
}
