package saturate

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/internal/record"
	"assay/internal/stats"
)

// queue is a server of c slots that serve in order of arrival, each for an
// exponential time of mean 1 s, under Poisson arrivals of that utilisation.
func queue(rng *rand.Rand, c int, utilisation, seconds float64) []Served {
	rate := utilisation * float64(c)
	free := make([]float64, c)
	var out []Served
	for at := rng.ExpFloat64() / rate; at < seconds; at += rng.ExpFloat64() / rate {
		k := slices.Index(free, slices.Min(free))
		begin := max(at, free[k])
		free[k] = begin + rng.ExpFloat64()
		out = append(out, Served{SentS: at, EndS: free[k], TTFT: 1000 * (begin - at + 0.05), E2E: 1000 * (free[k] - at)})
	}
	return out
}

func oversaturatedShare(c int, utilisation, seconds float64) float64 {
	rng := rand.New(rand.NewPCG(11, 13))
	const levels = 400
	n := 0.0
	for range levels {
		if Growth(queue(rng, c, utilisation, seconds), 0, seconds).Verdict == record.Oversaturated {
			n++
		}
	}
	return n / levels
}

func TestGrowthTellsOverloadFromLoad(t *testing.T) {
	for _, tc := range []struct {
		slots                int
		utilisation, seconds float64
		low, high            float64 // share of levels called oversaturated
	}{
		{10, 0.5, 60, 0, 0.01},
		{10, 0.8, 60, 0, 0.02},
		{20, 0.95, 60, 0, 0.1}, // a queue near its limit wanders
		{20, 0.8, 15, 0, 0.04}, // blocks hardly longer than an answer
		{10, 1.2, 60, 0.9, 1},
		{20, 1.5, 30, 0.97, 1},
		{50, 1.2, 60, 0.99, 1},
	} {
		if got := oversaturatedShare(tc.slots, tc.utilisation, tc.seconds); got < tc.low || got > tc.high {
			t.Errorf("%d slots at %g for %g s: %.3f are called oversaturated, want %g to %g", tc.slots, tc.utilisation, tc.seconds, got, tc.low, tc.high)
		}
	}
}

func TestGrowthIsMeasured(t *testing.T) {
	// 10 arrivals a second, 8 served: the queue grows by 2 a second, the wait by
	// a quarter of a second each.
	var requests []Served
	for i := range 600 {
		sent, end := float64(i)/10, 1+float64(i)/8
		requests = append(requests, Served{SentS: sent, EndS: end, TTFT: 1000 * (end - sent), E2E: 1000 * (end - sent)})
	}
	o := Growth(requests, 0, 60)
	if o.Verdict != record.Oversaturated || math.Abs(o.InFlight.PerS-2) > 0.05 || math.Abs(o.TTFT.PerS-250) > 1 || math.Abs(*o.PiledUp-0.2) > 0.01 {
		t.Errorf("got %+v, in flight %+v, TTFT %+v", o, o.InFlight, o.TTFT)
	}
	if !strings.Contains(o.Why, "20 % of the arrivals") {
		t.Errorf("why: %q", o.Why)
	}
}

func TestFillingAnEmptyServerIsNoGrowth(t *testing.T) {
	// Each answer takes 10 s: in flight rises to 100 in the first tenth.
	var requests []Served
	for i := range 1000 {
		sent := float64(i) / 10
		requests = append(requests, Served{SentS: sent, EndS: sent + 10, TTFT: 50 + float64(i%7), E2E: 10_000})
	}
	if o := Growth(requests, 0, 100); o.Verdict != record.Steady {
		t.Errorf("got %+v, in flight %+v", o, o.InFlight)
	}
}

func TestGrowthOfTooLittleIsNotKnown(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, requests := range [][]Served{nil, queue(rng, 2, 2, 20), queue(rng, 100, 2, 5)} {
		end := 0.0
		if len(requests) > 0 {
			end = requests[len(requests)-1].SentS
		}
		if o := Growth(requests, 0, end); o.Verdict != record.NotKnown || o.Why == "" || o.InFlight != nil {
			t.Errorf("%d requests in %.1f s: %+v", len(requests), end, o)
		}
	}
}

// By the table of Student's distribution 3.35539 for eight degrees of freedom,
// two-sided 99 %.
func TestMarginOfASlope(t *testing.T) {
	blocks := []float64{0, 2, 1, 3, 5, 4, 7, 6, 8, 10}
	x := make([]float64, len(blocks))
	for i := range x {
		x[i] = float64(i)
	}
	_, se := stats.Line(x, blocks)
	if got := slope(blocks, growthBlocks).Margin; math.Abs(got-3.35539*se) > 1e-4 {
		t.Errorf("margin %.5f, want %.5f", got, 3.35539*se)
	}
}
