package load

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Pacer is an arrival process: it draws the time between two arrivals.
type Pacer interface {
	// Gap is the time to the next arrival in seconds.
	Gap(rng *rand.Rand) float64
}

// ConstantPacer sends at even intervals.
type ConstantPacer struct{ Rate float64 } // per second

// PoissonPacer sends independently of what was sent before: exponential gaps,
// coefficient of variation 1.
type PoissonPacer struct{ Rate float64 } // per second

// GammaPacer draws gaps from a gamma distribution of the given shape and mean
// 1/Rate. Their coefficient of variation is 1/sqrt(Shape): below a shape of 1
// traffic is burstier than Poisson, above it smoother.
type GammaPacer struct {
	Rate  float64 // per second
	Shape float64
}

var (
	_ Pacer = ConstantPacer{}
	_ Pacer = PoissonPacer{}
	_ Pacer = GammaPacer{}
)

func (p ConstantPacer) Gap(*rand.Rand) float64    { return 1 / p.Rate }
func (p PoissonPacer) Gap(rng *rand.Rand) float64 { return rng.ExpFloat64() / p.Rate }
func (p GammaPacer) Gap(rng *rand.Rand) float64 {
	return gammaVariate(rng, p.Shape) / (p.Shape * p.Rate)
}

// gammaVariate draws from a gamma distribution of scale 1 by the method of
// Marsaglia and Tsang, "A simple method for generating gamma variables" (2000).
// For shapes below 1 it uses their boost: Gamma(a) = Gamma(a+1) * U^(1/a).
func gammaVariate(rng *rand.Rand, shape float64) float64 {
	if shape < 1 {
		u := 1 - rng.Float64() // in (0, 1]
		return gammaVariate(rng, shape+1) * math.Pow(u, 1/shape)
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := rng.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v *= v * v
		u := 1 - rng.Float64()
		if math.Log(u) < 0.5*x*x+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

// pacer is the arrival process of an open loop, nil for a closed one and for one
// that replays.
func (l Level) pacer() (Pacer, error) {
	if l.closed() || l.Replay {
		return nil, nil
	}
	switch l.Arrival {
	case Constant:
		return ConstantPacer{l.Rate}, nil
	case Poisson, "":
		return PoissonPacer{l.Rate}, nil
	case Gamma:
		if l.Burstiness == 0 {
			return PoissonPacer{l.Rate}, nil
		}
		if !(l.Burstiness > 0) {
			return nil, fmt.Errorf("burstiness %g: must be above 0 (1 is Poisson)", l.Burstiness)
		}
		return GammaPacer{Rate: l.Rate, Shape: l.Burstiness}, nil
	}
	return nil, fmt.Errorf("arrival %q: must be %s, %s or %s", l.Arrival, Constant, Poisson, Gamma)
}
