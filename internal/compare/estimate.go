package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"assay/internal/record"
	"assay/internal/spec"
	"assay/internal/stats"
)

const (
	// resamples of each figure: they give a standard error, which 300 know to
	// within 4 %.
	resamples = 300
	// fewest requests from which an error can be told.
	fewest = 10
)

// estimate is one figure of one level with its error, on the figure's scale,
// and what it rests on in words.
type estimate struct {
	stats.Estimate
	basis string
}

// estimates gives each figure of a level that can be resampled, by name.
func (t *tally) estimates(seed uint64) map[string]estimate {
	e := estimator{t: t, seed: seed, out: map[string]estimate{}}
	for i, key := range latencies {
		e.latency(key, i)
	}
	e.rates()
	e.shares()
	if tokens, ok := e.out[spec.OutputTokensPerS]; ok {
		e.out[spec.CostPerMillion] = tokens // a price over it: on a logarithmic scale the same error
	}
	return e.out
}

type estimator struct {
	t    *tally
	seed uint64
	out  map[string]estimate
}

// series is one figure's units in order of time: sum(num)/sum(den) is the figure.
type series struct {
	num, den []float64
	what     string // the units, in the plural
}

func (s *series) add(num, den float64) { s.num, s.den = append(s.num, num), append(s.den, den) }

// units are the series' units, in blocks as long as their own correlation asks.
func (s *series) units() stats.Units {
	each := make([]float64, len(s.num))
	for i := range each {
		each[i] = s.num[i] / s.den[i]
	}
	return stats.Units{N: len(each), Block: stats.AutoBlock(each)}
}

func (s *series) basis(u stats.Units) string {
	return fmt.Sprintf("%d %s in blocks of %d", u.N, s.what, u.Block)
}

// spread keeps what resampling said of a figure, with its value on the scale.
func (e *estimator) spread(name string, u stats.Units, made []float64, basis string, scale func(float64) float64, value float64) {
	for i := range made {
		made[i] = scale(made[i])
	}
	if got, ok := u.Spread(value, made); ok && !math.IsNaN(value) {
		e.out[name] = estimate{got, basis}
	}
}

// latency estimates the mean and the percentiles of one latency over requests
// in the order in which they were sent.
func (e *estimator) latency(key string, at int) {
	s := series{what: "requests"}
	place := make([]int32, len(e.t.units)) // of each unit in the series
	var samples []stats.Owned
	for i, u := range e.t.units {
		place[i] = int32(len(s.num))
		switch {
		case math.IsNaN(u.latency[at]):
			continue
		case key == "icl":
			s.add(u.gapSum, u.gapCount)
			continue
		}
		samples = append(samples, stats.Owned{Value: u.latency[at], Unit: place[i]})
		s.add(u.latency[at], 1)
	}
	if len(s.num) < fewest {
		return
	}
	if key == "icl" {
		for _, g := range e.t.gaps {
			samples = append(samples, stats.Owned{Value: g.ms, Unit: place[g.unit]})
		}
	}
	u, d := s.units(), e.t.level.Metric(key)
	basis := s.basis(u)
	rng := stats.NewRand(e.seed, uint64(at))
	e.spread(key+".mean", u, u.Ratio(s.num, s.den, resamples, rng), basis, math.Log, logOf(d.Mean))
	for i, row := range u.Percentiles(samples, percentiles, resamples, rng) {
		e.spread(key+"."+stats.Name(percentiles[i]), u, row, basis, math.Log, logOf(percentileOf(d, percentiles[i])))
	}
}

// logOf is NaN where there is no logarithm.
func logOf(v *float64) float64 {
	if v == nil || *v <= 0 {
		return math.NaN()
	}
	return math.Log(*v)
}

// rates estimates throughput and goodput. In a closed loop a rate is the number
// in flight times the work of a request over its latency (Little's law), and
// pairs of both are resampled: counts per second would take the waves in which
// equal requests end for noise. In an open loop slices of the window are.
func (e *estimator) rates() {
	var requests, tokens, good series
	if e.t.level.Load.Kind == record.ByRate {
		requests.what = "slices of time"
		for _, s := range e.t.slices {
			requests.add(s.requests, 1)
			tokens.add(s.tokens, 1)
			good.add(s.good, 1)
		}
	} else {
		requests.what = "requests"
		ended := slices.Clone(e.t.units)
		slices.SortStableFunc(ended, func(a, b unit) int { return cmp.Or(cmp.Compare(a.endUS, b.endUS), sent(a, b)) })
		for _, u := range ended {
			seconds := float64(u.endUS-u.sentUS) / 1e6
			if !u.inWindow || seconds <= 0 {
				continue
			}
			requests.add(1, seconds)
			tokens.add(u.tokens, seconds)
			met := 0.0
			if u.good {
				met = 1
			}
			good.add(met, seconds)
		}
	}
	tokens.what, good.what = requests.what, requests.what
	l := e.t.level
	e.rate(spec.RequestsPerS, requests, &l.Throughput.RequestsPerS, 10)
	e.rate(spec.OutputTokensPerS, tokens, &l.Throughput.OutputTokensPerS, 11)
	e.rate(spec.GoodputPerS, good, l.Goodput, 12)
}

func (e *estimator) rate(name string, s series, value *float64, stream uint64) {
	if len(s.num) < fewest {
		return
	}
	u := s.units()
	e.spread(name, u, u.Ratio(s.num, s.den, resamples, stats.NewRand(e.seed, stream)), s.basis(u), math.Log, logOf(value))
}

// shares estimates the share of errors and of cached prompt tokens.
func (e *estimator) shares() {
	failed, cached := series{what: "requests"}, series{what: "requests"}
	for _, u := range e.t.units {
		one := 0.0
		if !u.ok {
			one = 1
		}
		failed.add(one, 1)
		if u.prompt > 0 {
			cached.add(u.cached, u.prompt)
		}
	}
	e.share(spec.ErrorShare, failed, errorShare(e.t.level), 20)
	e.share(spec.CachedShare, cached, cachedShare(e.t.level), 21)
	if got, ok := e.out[spec.ErrorShare]; ok {
		got.Error = max(got.Error, oneMore(failed))
		e.out[spec.ErrorShare] = got
	}
}

func (e *estimator) share(name string, s series, value *float64, stream uint64) {
	if len(s.num) < fewest || value == nil {
		return
	}
	u := s.units()
	same := func(v float64) float64 { return v }
	e.spread(name, u, u.Ratio(s.num, s.den, resamples, stats.NewRand(e.seed, stream)), s.basis(u), same, *value)
}

// oneMore is the standard error of a share with one failure and one success
// added (Agresti and Caffo, 2000): no failure among 100 does not show that none
// will come.
func oneMore(s series) float64 {
	n, failed := float64(len(s.num)), 0.0
	for _, x := range s.num {
		failed += x
	}
	p := (failed + 1) / (n + 2)
	return math.Sqrt(p * (1 - p) / (n + 2))
}
