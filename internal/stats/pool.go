package stats

import (
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"
)

const (
	// exactUpTo is how many samples a Pool keeps one by one: 64 MiB of them.
	exactUpTo = 8 << 20
	// poolUnit is the resolution of a Pool's histogram in the samples' unit, and
	// poolMost the largest value that it tells apart.
	poolUnit = 1e-3
	poolMost = 1e7
	// poolDigits are the significant digits of its percentiles.
	poolDigits = 3
)

// Pool folds any number of samples, none below zero, in bounded memory. Up to
// some millions all is exact, and percentiles have bounds from the order in which
// the samples came. Beyond, mean, extremes and deviation still are exact, and
// percentiles hold to three digits, by an HDR histogram, without bounds.
type Pool struct {
	exact         []float64
	histogram     *hdrhistogram.Histogram
	n             int
	sum, squares  float64
	least, most   float64
	firstAsCentre float64
}

// Add takes one sample.
func (p *Pool) Add(x float64) {
	if math.IsNaN(x) {
		return
	}
	if p.histogram == nil && len(p.exact) < exactUpTo {
		p.exact = append(p.exact, x)
		return
	}
	if p.histogram == nil {
		p.spill()
	}
	p.record(x)
}

func (p *Pool) spill() {
	p.histogram = hdrhistogram.New(1, int64(poolMost/poolUnit), poolDigits)
	p.least, p.most, p.firstAsCentre = math.Inf(1), math.Inf(-1), p.exact[0]
	for _, x := range p.exact {
		p.record(x)
	}
	p.exact = nil
}

func (p *Pool) record(x float64) {
	p.n++
	d := x - p.firstAsCentre // squares of small numbers keep their digits
	p.sum, p.squares = p.sum+d, p.squares+d*d
	p.least, p.most = min(p.least, x), max(p.most, x)
	_ = p.histogram.RecordValue(int64(math.Round(min(max(x, 0), poolMost) / poolUnit))) // clamped to its range
}

// Dist is the distribution of what was added.
func (p *Pool) Dist() Dist {
	if p.histogram == nil {
		return SummarizeInOrder(p.exact)
	}
	n := float64(p.n)
	mean := p.firstAsCentre + p.sum/n
	std := math.Sqrt(max(0, (p.squares-p.sum*p.sum/n)/(n-1)))
	d := Dist{N: p.n, Mean: &mean, Std: &std, Min: &p.least, Max: &p.most}
	for _, q := range []struct {
		p  float64
		to **float64
	}{{50, &d.P50}, {90, &d.P90}, {95, &d.P95}, {99, &d.P99}} {
		v := min(p.most, float64(p.histogram.ValueAtPercentile(q.p))*poolUnit)
		*q.to = &v
	}
	return d
}
