package load

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestGapsHaveTheMeanAndSpreadAsked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Float64Range(0.01, 10_000).Draw(t, "rate")
		shape := rapid.Float64Range(0.2, 20).Draw(t, "shape")
		seed := rapid.Uint64().Draw(t, "seed")
		for _, c := range []struct {
			pacer Pacer
			cv    float64
		}{
			{ConstantPacer{rate}, 0},
			{PoissonPacer{rate}, 1},
			{GammaPacer{rate, 1}, 1},
			{GammaPacer{rate, shape}, 1 / math.Sqrt(shape)},
		} {
			const n = 40_000
			rng := rand.New(rand.NewPCG(seed, 0))
			var sum, squares float64
			for range n {
				g := c.pacer.Gap(rng) * rate
				if g < 0 || math.IsNaN(g) || math.IsInf(g, 0) {
					t.Fatalf("%+v: gap %g", c.pacer, g)
				}
				sum += g
				squares += g * g
			}
			mean := sum / n
			cv := math.Sqrt(max(0, squares/n-mean*mean)) / mean
			// Six standard errors of the mean; the CV of the burstiest has the
			// widest of its own.
			if math.Abs(mean-1) > 1e-9+6*c.cv/math.Sqrt(n) {
				t.Errorf("%+v: mean gap %g of 1/rate, want 1", c.pacer, mean)
			}
			if math.Abs(cv-c.cv) > 1e-6+0.08*c.cv {
				t.Errorf("%+v: coefficient of variation %g, want %g", c.pacer, cv, c.cv)
			}
		}
	})
}

func TestArrivalsRepeatBySeed(t *testing.T) {
	draw := func(seed uint64) [8]float64 {
		rng := rand.New(rand.NewPCG(seed, arrivalStream))
		var g [8]float64
		for i := range g {
			g[i] = GammaPacer{3, 0.5}.Gap(rng)
		}
		return g
	}
	if draw(1) != draw(1) || draw(1) == draw(2) {
		t.Error("gaps must be a function of the seed")
	}
}
