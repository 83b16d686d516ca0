package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestPercentileErrorIsTheSpreadOverSamples(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const levels, n = 600, 400
	for _, p := range []float64{50, 90, 95} {
		var values, errors []float64
		for range levels {
			x := make([]float64, n)
			for i := range x {
				x[i] = rng.ExpFloat64()
			}
			_, sorted := Order(x)
			values, errors = append(values, Percentile(sorted, p)), append(errors, PercentileError(x, p))
		}
		_, truth := MeanStd(values)
		if got := Median(errors); got < 0.8*truth || got > 1.35*truth {
			t.Errorf("p%g: error %.4f, its spread over levels is %.4f", p, got, truth)
		}
	}
	if got := PercentileError([]float64{1, 2, 3}, 95); !math.IsNaN(got) {
		t.Errorf("p95 of three samples has an error of %v", got)
	}
}

func TestNormalQuantile(t *testing.T) {
	for share, want := range map[float64]float64{0.5: 0, 0.975: 1.959964, 0.99: 2.326348, 0.01: -2.326348} {
		if got := NormalQuantile(share); math.Abs(got-want) > 1e-5 {
			t.Errorf("NormalQuantile(%g) = %v, want %v", share, got, want)
		}
	}
}
