package report

import "math"

// scale maps values to pixels, linearly or by logarithm.
type scale struct {
	Log    bool
	D0, D1 float64 // domain
	R0, R1 float64 // pixels
	Ticks  []float64
}

// Values that a chart can show. What lies beyond is no latency, rate or count
// of any service, but damage: 1e15 ms are 30,000 years.
const (
	leastShown = 1e-12
	mostShown  = 1e15
	mostTicks  = 64 // of one axis, whatever is asked
)

// drawable reports whether a value can have a place in a chart.
func drawable(v float64) bool {
	a := math.Abs(v)
	return a == 0 || a >= leastShown && a <= mostShown
}

// bounded is v where it is drawable, else the end of what is that lies nearer.
func bounded(v float64) float64 {
	switch {
	case math.IsNaN(v) || v < leastShown:
		return leastShown
	default:
		return min(v, mostShown)
	}
}

// at is finite whatever v is: beyond the axis it goes no further than the
// axis is long.
func (s scale) at(v float64) float64 {
	d0, d1 := s.D0, s.D1
	if s.Log {
		v, d0, d1 = math.Log(max(v, s.D0/10)), math.Log(d0), math.Log(d1)
	}
	if d1 == d0 || math.IsNaN(v) {
		return (s.R0 + s.R1) / 2
	}
	return s.R0 + max(-1, min((v-d0)/(d1-d0), 2))*(s.R1-s.R0)
}

// linear starts at 0 and ends at a nice number at or above high; about n steps.
func linear(high, r0, r1 float64, n int) scale {
	if !(high > 0) {
		high = 1
	}
	high = bounded(high)
	step := niceStep(high / float64(n))
	steps := min(int(math.Ceil(high/step-1e-9)), mostTicks)
	s := scale{D1: step * float64(steps), R0: r0, R1: r1}
	for i := range steps + 1 {
		s.Ticks = append(s.Ticks, float64(i)*step)
	}
	return s
}

// niceStep is the smallest of 1, 2, 2.5 and 5 times a power of ten that is at
// least v.
func niceStep(v float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 2.5, 5} {
		if m*p >= v*(1-1e-9) {
			return m * p
		}
	}
	return 10 * p
}

// logarithmic spans low to high with a margin, and has ticks at nice parts of
// each decade, at most most of them; even steps where the span is short.
func logarithmic(low, high, r0, r1 float64, most int) scale {
	if !(low > 0) {
		low = 1
	}
	low = bounded(low)
	high = max(bounded(high), low)
	margin := max(math.Pow(high/low, 0.07), 1.1)
	s := scale{Log: true, D0: low / margin, D1: high * margin, R0: r0, R1: r1}
	if s.D1/s.D0 < 8 {
		s.Ticks = evenTicks(s.D0, s.D1, most)
		return s
	}
	for _, steps := range [][]float64{{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 3, 5, 7}, {1, 2, 5}, {1, 3}} {
		s.Ticks = decadeTicks(s.D0, s.D1, steps, 1)
		if len(s.Ticks) <= most {
			return s
		}
	}
	for every := 1; every <= mostTicks; every++ {
		s.Ticks = decadeTicks(s.D0, s.D1, []float64{1}, every)
		if len(s.Ticks) <= most {
			break
		}
	}
	return s
}

func evenTicks(d0, d1 float64, most int) []float64 {
	var out []float64
	step := niceStep((d1 - d0) / float64(most))
	first := math.Ceil(d0 / step)
	for i := range mostTicks {
		v := (first + float64(i)) * step
		if v > d1 {
			break
		}
		out = append(out, v)
	}
	return out
}

// decadeTicks are steps times each every-th power of ten within the domain.
func decadeTicks(d0, d1 float64, steps []float64, every int) []float64 {
	var out []float64
	first, last := int(math.Floor(math.Log10(d0))), int(math.Ceil(math.Log10(d1)))
	for e := first; e <= last; e += every {
		for _, m := range steps {
			if v := m * math.Pow(10, float64(e)); v >= d0*(1-1e-9) && v <= d1*(1+1e-9) {
				out = append(out, v)
			}
		}
	}
	return out
}
