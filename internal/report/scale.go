package report

import "math"

// scale maps values to pixels, linearly or by logarithm.
type scale struct {
	Log    bool
	D0, D1 float64 // domain
	R0, R1 float64 // pixels
	Ticks  []float64
}

func (s scale) at(v float64) float64 {
	d0, d1 := s.D0, s.D1
	if s.Log {
		v, d0, d1 = math.Log(max(v, s.D0/10)), math.Log(d0), math.Log(d1)
	}
	if d1 == d0 {
		return (s.R0 + s.R1) / 2
	}
	return s.R0 + (v-d0)/(d1-d0)*(s.R1-s.R0)
}

// linear starts at 0 and ends at a nice number at or above high; about n steps.
func linear(high, r0, r1 float64, n int) scale {
	if !(high > 0) {
		high = 1
	}
	step := niceStep(high / float64(n))
	s := scale{D1: step * math.Ceil(high/step-1e-9), R0: r0, R1: r1}
	for i := 0; float64(i)*step <= s.D1*(1+1e-9); i++ {
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
	high = max(high, low)
	margin := max(math.Pow(high/low, 0.07), 1.1)
	s := scale{Log: true, D0: low / margin, D1: high * margin, R0: r0, R1: r1}
	if s.D1/s.D0 < 8 {
		s.Ticks = evenTicks(s.D0, s.D1, most)
		return s
	}
	for _, steps := range [][]float64{{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 3, 5, 7}, {1, 2, 5}, {1, 3}, {1}} {
		s.Ticks = decadeTicks(s.D0, s.D1, steps)
		if len(s.Ticks) <= most {
			return s
		}
	}
	return s
}

func evenTicks(d0, d1 float64, most int) []float64 {
	var out []float64
	step := niceStep((d1 - d0) / float64(most))
	for k := math.Ceil(d0 / step); k*step <= d1; k++ {
		out = append(out, k*step)
	}
	return out
}

func decadeTicks(d0, d1 float64, steps []float64) []float64 {
	var out []float64
	for e := math.Floor(math.Log10(d0)); e <= math.Ceil(math.Log10(d1)); e++ {
		for _, m := range steps {
			if v := m * math.Pow(10, e); v >= d0*(1-1e-9) && v <= d1*(1+1e-9) {
				out = append(out, v)
			}
		}
	}
	return out
}
