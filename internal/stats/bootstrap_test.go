package stats

import (
	"math"
	"testing"
)

func TestResampleDrawsN(t *testing.T) {
	for _, c := range []struct{ n, block int }{{1, 1}, {7, 3}, {100, 5}, {3, 10}} {
		rng, drawn := NewRand(1, 2), 0
		Resample(rng, c.n, c.block, func(i int) {
			if i < 0 || i >= c.n {
				t.Fatalf("n = %d: index %d", c.n, i)
			}
			drawn++
		})
		if drawn != c.n {
			t.Errorf("n = %d, block %d: drew %d", c.n, c.block, drawn)
		}
	}
}

// The interval of a mean holds the truth in about 95 % of runs, also when
// neighbours depend on each other.
func TestBootstrapCovers(t *testing.T) {
	for _, c := range []struct {
		name  string
		carry float64 // autoregression between neighbours
	}{{"independent", 0}, {"dependent", 0.4}} {
		covered := 0
		const runs, n = 300, 300
		for run := range runs {
			rng := NewRand(uint64(run), 7)
			s := make([]float64, n)
			last := 0.0
			for i := range s {
				last = c.carry*last + rng.NormFloat64()
				s[i] = last
			}
			est := make([]float64, 300)
			for b := range est {
				sum := 0.0
				Resample(rng, n, BlockLength(n), func(i int) { sum += s[i] })
				est[b] = sum / n
			}
			low, high, ok := PercentileInterval(est, 0.95)
			if !ok {
				t.Fatal("no interval")
			}
			if low <= 0 && 0 <= high {
				covered++
			}
		}
		if share := float64(covered) / runs; share < 0.86 || share > 0.99 {
			t.Errorf("%s: the 95 %% interval covered in %.1f %% of runs", c.name, 100*share)
		}
	}
}

func TestPercentileIntervalNeedsEstimates(t *testing.T) {
	few := make([]float64, 19)
	if _, _, ok := PercentileInterval(few, 0.95); ok {
		t.Error("an interval from 19 estimates")
	}
	gaps := make([]float64, 100)
	for i := range 11 {
		gaps[i] = math.NaN()
	}
	if _, _, ok := PercentileInterval(gaps, 0.95); ok {
		t.Error("an interval where 11 % of estimates could not be made")
	}
}
