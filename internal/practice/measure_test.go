package practice

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/record"
	"assay/internal/stats"
)

func ms(v float64) *float64 { return &v }

func level(load float64, e2e stats.Dist) record.Level {
	return record.Level{
		Load: record.Load{Kind: record.ByConcurrency, Value: load}, Validity: record.Validity{Verdict: record.Valid},
		E2E: e2e, TTFT: stats.Dist{Max: ms(900)}, ICL: stats.Dist{Max: ms(1500)},
	}
}

func TestMeasuredOf(t *testing.T) {
	run := &record.Run{
		Target: record.Target{Model: "tiny"},
		Levels: []record.Level{
			level(8, stats.Dist{P90: ms(9_000), P95: ms(10_000), P99: ms(12_000), Max: ms(15_000)}),
			level(16, stats.Dist{P90: ms(38_000), P95: ms(40_000), Max: ms(50_000)}),
			level(64, stats.Dist{P90: ms(1e6), P95: ms(1e6), P99: ms(1e6), Max: ms(1e6)}),
		},
		Saturation: &record.Saturation{Unit: record.ByConcurrency, OperatingPoint: &record.OperatingPoint{Concurrency: 16}, Knee: &record.Interval{Low: 20}},
	}
	want := &Measured{
		Run: "r", Model: "tiny", Response: 40 * time.Second, ResponseName: "p95",
		Longest: 50 * time.Second, Silence: 1500 * time.Millisecond, Operating: 16, KneeLow: 20,
	}
	if d := cmp.Diff(want, MeasuredOf(run, "r")); d != "" {
		t.Errorf("up to the operating point (-want +got):\n%s", d)
	}
	run.Levels = run.Levels[:2]
	run.Levels[1].E2E = stats.Dist{P50: ms(20_000), Max: ms(50_000)}
	if got := MeasuredOf(run, "r"); got.Response != 12*time.Second || got.ResponseName != "p99" {
		t.Errorf("one level with percentiles: %s %s, want its p99 of 12s", got.ResponseName, got.Response)
	}
	for i := range run.Levels {
		run.Levels[i].E2E = stats.Dist{P50: ms(1), Max: ms(30_000)}
	}
	if got := MeasuredOf(run, "r"); got.Response != 30*time.Second || got.ResponseName != "maximum" {
		t.Errorf("few requests: %s %s, want the maximum of 30s", got.ResponseName, got.Response)
	}
	run.Levels[0].Server = &record.Server{Engines: 2}
	if got := MeasuredOf(run, "r"); got.Operating != 0 || got.KneeLow != 0 {
		t.Errorf("two servers: operating point %g, knee %g; want those of one, which is not known", got.Operating, got.KneeLow)
	}
	run.Levels[1].Validity.Verdict = record.Unstable
	run.Levels[0].Validity.Verdict = record.ClientLimited
	if got := MeasuredOf(run, "r"); got.Response != 0 || got.ResponseName != "" || got.Silence != 0 {
		t.Errorf("no valid level: %+v, want nothing known", got)
	}
}
