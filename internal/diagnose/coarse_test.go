package diagnose

import (
	"slices"
	"testing"

	"assay/internal/record"
)

// Means of GPUs are missed where the verdict looks, not at some other level.
func TestCoarseGPUMetricsAreMissedAtTheTop(t *testing.T) {
	const why = "collected once"
	coarse, fine := &record.GPU{Coarse: why}, &record.GPU{SMActive: p(0.5)}
	for _, c := range []struct {
		below, top *record.GPU
		want       bool
	}{{coarse, fine, false}, {fine, coarse, true}, {coarse, nil, true}, {fine, nil, false}} {
		in := run(true, full(), full())
		for i := range in.Levels {
			switch in.Levels[i].Load.Value {
			case 50:
				in.Levels[i].GPU = c.below
			case 100:
				in.Levels[i].GPU = c.top
			}
		}
		if got := slices.Contains(Bound(in).Missing, why); got != c.want {
			t.Errorf("below %+v, top %+v: said to be missing %v, want %v", c.below, c.top, got, c.want)
		}
	}
}
