package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Units are what a figure is made of, in order of time: requests, or slices of
// time. They are resampled in blocks, so that what neighbours share is kept.
type Units struct {
	N     int // how many
	Block int // length of a block, see AutoBlock
}

// Ratio resamples sum(num) / sum(den), one pair for each unit: a mean (den 1),
// a share, or work over time. NaN where a resample's denominator is 0.
func (u Units) Ratio(num, den []float64, resamples int, rng *rand.Rand) []float64 {
	out := make([]float64, resamples)
	for b := range out {
		var top, bottom float64
		Resample(rng, u.N, u.Block, func(i int) { top, bottom = top+num[i], bottom+den[i] })
		if bottom == 0 {
			out[b] = math.NaN()
			continue
		}
		out[b] = top / bottom
	}
	return out
}

// Owned is one sample and the unit that it came with: a request has one TTFT
// and many gaps between chunks.
type Owned struct {
	Value float64
	Unit  int32
}

// Percentiles resamples percentiles (each by nearest rank, see Percentile) of
// the samples, whole units at a time. The result has a row for each percentile,
// which must rise. The samples are sorted in place.
func (u Units) Percentiles(samples []Owned, ps []float64, resamples int, rng *rand.Rand) [][]float64 {
	slices.SortFunc(samples, func(a, b Owned) int { return cmp.Compare(a.Value, b.Value) })
	out := make([][]float64, len(ps))
	for i := range out {
		out[i] = make([]float64, resamples)
	}
	size := make([]int, u.N) // samples of each unit
	for _, s := range samples {
		size[s.Unit]++
	}
	drawn := make([]int, u.N) // how often each unit is in the resample
	ranks := make([]int, len(ps))
	for b := range resamples {
		clear(drawn)
		total := 0
		Resample(rng, u.N, u.Block, func(i int) { drawn[i]++; total += size[i] })
		for i, p := range ps {
			ranks[i] = int(math.Ceil(p*float64(total)/100 - 1e-9))
		}
		walkRanks(samples, drawn, ranks, func(i int, value float64) { out[i][b] = value })
	}
	return out
}

// walkRanks gives the sample at each rank, where a sample counts as often as
// its unit was drawn; NaN where there are none.
func walkRanks(samples []Owned, drawn, ranks []int, give func(i int, value float64)) {
	seen, next := 0, 0
	for _, s := range samples {
		if seen += drawn[s.Unit]; seen == 0 {
			continue
		}
		for next < len(ranks) && seen >= ranks[next] {
			give(next, s.Value)
			next++
		}
		if next == len(ranks) {
			return
		}
	}
	for ; next < len(ranks); next++ {
		give(next, math.NaN())
	}
}
