package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// NewRand is the generator that resampling uses: the same seed and stream give
// the same numbers on every machine.
func NewRand(seed, stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }

// BlockLength is the length of the blocks in which n samples in order of time
// are resampled: n^(1/3), the order that minimises the error of a block
// bootstrap's variance (Hall, Horowitz and Jing, 1995).
func BlockLength(n int) int { return max(1, int(math.Round(math.Cbrt(float64(n))))) }

// Resample draws n indices out of n in circular blocks of the given length and
// hands each to visit. Blocks keep the dependence between neighbours in time,
// such as the requests of one wave.
func Resample(rng *rand.Rand, n, block int, visit func(i int)) {
	for drawn := 0; drawn < n; {
		start := rng.IntN(n)
		for k := 0; k < block && drawn < n; k++ {
			visit((start + k) % n)
			drawn++
		}
	}
}

// PercentileInterval is the bootstrap's percentile interval: the range that
// holds the middle share (0.95, say) of the resampled estimates. NaN stands for
// an estimate that could not be made; ok is false when more than one in ten
// could not, or there are fewer than 20.
func PercentileInterval(estimates []float64, share float64) (low, high float64, ok bool) {
	made := make([]float64, 0, len(estimates))
	for _, e := range estimates {
		if !math.IsNaN(e) {
			made = append(made, e)
		}
	}
	if len(made) < 20 || 10*(len(estimates)-len(made)) > len(estimates) {
		return 0, 0, false
	}
	slices.Sort(made)
	tail := 50 * (1 - share)
	return Percentile(made, tail), Percentile(made, 100-tail), true
}
