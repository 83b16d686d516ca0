package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/record"
)

func TestAGPUThatIsHeldBackIsSaidWhateverTheVerdict(t *testing.T) {
	v := func(x float64) *float64 { return &x }
	level := func(thermal, brake *float64, clock float64) record.Level {
		return record.Level{GPU: &record.GPU{ThermalShare: thermal, BrakeShare: brake, SMClockMHz: &clock, SMClockMaxMHz: v(1980)}}
	}
	for _, c := range []struct {
		name, verdict string
		levels        []record.Level
		want          []string
	}{
		{"hot in one of two", record.BoundNotSaturated, []record.Level{level(v(0), v(0), 1980), level(v(1), v(0), 1188), {}},
			[]string{"Heat held a GPU's clock back in 1 of 2 levels, at worst at 1,188 of 1,980 MHz: these are not the figures of a healthy one."}},
		{"the power brake", record.BoundAdmission, []record.Level{level(nil, v(0.6), 990)},
			[]string{"The power brake held a GPU's clock back in 1 of 1 level, at worst at 990 of 1,980 MHz: these are not the figures of a healthy one."}},
		{"the verdict says it", record.BoundThrottled, []record.Level{level(v(1), v(0), 1188)}, nil},
		{"well", record.BoundCompute, []record.Level{level(v(0), v(0), 1980)}, nil},
		{"not known", record.BoundCompute, []record.Level{level(nil, nil, 900), {}}, nil},
	} {
		run := record.Run{Levels: c.levels, Bound: record.Bound{Verdict: c.verdict}}
		if diff := cmp.Diff(c.want, hotWarnings(run)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
