package saturate

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"assay/internal/stats"
)

// resamples of each bootstrap. Percentile intervals at 95 % are stable to a few
// percent of their width with 300.
const resamples = 300

// bootstrap gives resampled throughputs, one row for each resample, one column
// for each level; nil when a level has too few completions to be resampled.
// The same seed gives the same rows.
func bootstrap(c curve, opt Options) [][]float64 {
	const least = 10 // completions
	for _, l := range c.levels {
		if len(l.Completions) < least {
			return nil
		}
	}
	rows := make([][]float64, resamples)
	for b := range rows {
		rows[b] = make([]float64, len(c.levels))
	}
	for i, l := range c.levels {
		rng := stats.NewRand(opt.Seed, math.Float64bits(l.Load))
		r := newResampler(l, opt)
		for b := range rows {
			rows[b][i] = c.x[i] * r.factor(rng) * math.Exp(l.Between*rng.NormFloat64())
		}
	}
	return rows
}

// relativeErrors are the bootstrap's standard errors of the throughputs, at
// least floorError.
func relativeErrors(c curve, rows [][]float64) []float64 {
	out := make([]float64, len(c.n))
	column := make([]float64, len(rows))
	for i := range out {
		for b, row := range rows {
			column[b] = row[i] / c.x[i]
		}
		_, std := stats.MeanStd(column)
		out[i] = max(std, floorError)
	}
	return out
}

// resampler draws by how much a level's throughput could have been different.
type resampler struct {
	done  []Completion // in order of their end
	work  func(Completion) float64
	cost  func(i int) float64
	ratio float64 // work over cost, as measured
}

// newResampler chooses what is resampled. In a closed loop throughput is N
// times the work of a request over its latency (Little's law), and the pairs of
// both are resampled: counts per unit of time would take the waves in which
// equal requests end for noise. Elsewhere the gaps between ends stand for the
// latencies.
func newResampler(l Level, opt Options) resampler {
	done := slices.Clone(l.Completions)
	slices.SortFunc(done, func(a, b Completion) int {
		return cmp.Or(cmp.Compare(a.EndS, b.EndS), cmp.Compare(a.LatencyS, b.LatencyS), cmp.Compare(a.Tokens, b.Tokens))
	})
	r := resampler{done: done, work: func(Completion) float64 { return 1 }}
	if !opt.byRate() && !slices.ContainsFunc(done, func(d Completion) bool { return d.Tokens <= 0 }) {
		r.work = func(d Completion) float64 { return d.Tokens }
	}
	if !opt.byRate() && !slices.ContainsFunc(done, func(d Completion) bool { return d.LatencyS <= 0 }) {
		r.cost = func(i int) float64 { return done[i].LatencyS }
	} else {
		// The first end has no gap before it: the mean gap stands in.
		mean := (done[len(done)-1].EndS - done[0].EndS) / float64(len(done)-1)
		r.cost = func(i int) float64 {
			if i == 0 {
				return mean
			}
			return done[i].EndS - done[i-1].EndS
		}
	}
	var work, cost float64
	for i, d := range done {
		work, cost = work+r.work(d), cost+r.cost(i)
	}
	r.ratio = work / cost
	return r
}

func (r resampler) factor(rng *rand.Rand) float64 {
	var work, cost float64
	stats.Resample(rng, len(r.done), stats.BlockLength(len(r.done)), func(i int) {
		work, cost = work+r.work(r.done[i]), cost+r.cost(i)
	})
	if cost <= 0 || !(r.ratio > 0) || math.IsInf(r.ratio, 0) {
		return 1
	}
	return work / cost / r.ratio
}
