package predict

import "math"

// Where throughput stops growing: its elasticity, d ln X / d ln N, falls from 1,
// where it follows load, to 0 on a plateau. The knee lies between a half and a
// quarter, the latter as package saturate has it for measured levels.
const (
	bends = 0.5
	flat  = 0.25
)

// Loads of a curve: each so much more than the one before, until it is flat.
const (
	spacing    = 1.35
	mostPoints = 48
)

// CurveOf predicts throughput and latency against concurrency, up to past the knee.
func CurveOf(s System, isl, osl int) (Curve, error) {
	if err := (Load{Concurrency: 1, ISL: isl, OSL: osl}).check(); err != nil {
		return Curve{}, err
	}
	at, err := siteOf(s)
	if err != nil {
		return Curve{}, err
	}
	at.ISL, at.OSL = isl, osl
	c := Curve{ISL: isl, OSL: osl}
	past := 0
	for n := 1; len(c.Points) < mostPoints && n <= maxConcurrency && past < 3; n = max(n+1, int(math.Round(float64(n)*spacing))) {
		at.Concurrency = n
		p := current().predict(at)
		p.Figures = nil
		c.Points = append(c.Points, Point{n, p})
		if i := len(c.Points) - 1; i > 0 && c.elasticity(i) < flat {
			past++
		}
	}
	c.Knee = c.knee().within(at.atOnce())
	return c, nil
}

// elasticity of throughput between a point and the one before.
func (c *Curve) elasticity(i int) float64 {
	a, b := c.Points[i-1], c.Points[i]
	return math.Log(b.OutputTPS.Mid/a.OutputTPS.Mid) / math.Log(float64(b.Concurrency)/float64(a.Concurrency))
}

// knee is between the last load at which throughput still grew well and the first
// from which it hardly does.
func (c *Curve) knee() Knee {
	var k Knee
	for i := len(c.Points) - 1; i > 0 && k.Low == 0; i-- {
		e := c.elasticity(i)
		if e < flat {
			k.High = float64(c.Points[i].Concurrency)
		}
		if e >= bends {
			k.Low = float64(c.Points[i].Concurrency)
		}
	}
	if k.High == 0 {
		return Knee{}
	}
	k.Low = max(min(k.Low, k.High), 1)
	return k
}

// within cuts a knee to what runs at once: more only wait.
func (k Knee) within(most float64) Knee {
	return Knee{Low: min(k.Low, most), High: min(k.High, most)}
}

// atOnce is how many requests of the whole length run at once: the KV cache holds
// them to their last token, and the scheduler takes them.
func (s *site) atOnce() float64 {
	tokens := float64(s.KVTokens)
	if tokens == 0 {
		tokens = s.kvTokens(s.kvWidth())
	}
	most := math.Floor(tokens / float64(s.ISL+s.OSL))
	if s.MaxNumSeqs > 0 {
		most = min(most, float64(s.MaxNumSeqs))
	}
	return max(most, 1) * float64(max(s.DP, 1))
}
