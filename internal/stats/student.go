package stats

import "math"

// StudentTail is the two-sided tail of Student's distribution with df degrees
// of freedom (df > 0, not always whole): P(|T| >= |t|).
func StudentTail(t, df float64) float64 {
	if math.IsInf(df, 1) {
		return math.Erfc(math.Abs(t) / math.Sqrt2)
	}
	return betaShare(df/(df+t*t), df/2, 0.5)
}

// StudentQuantile is the t that |T| stays within with the given probability
// (0 < share < 1): 1.96 for 0.95 and many degrees of freedom, 12.7 for one.
func StudentQuantile(share, df float64) float64 {
	low, high := 0.0, 1.0
	for StudentTail(high, df) > 1-share && high < 1e300 {
		low, high = high, 2*high
	}
	for range 200 {
		mid := low + (high-low)/2
		if mid == low || mid == high {
			break
		}
		if StudentTail(mid, df) > 1-share {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// betaShare is the regularised incomplete beta function I_x(a, b), by its
// continued fraction in Lentz's form (DLMF 8.17.22), taken on the side on which
// it converges quickly.
func betaShare(x, a, b float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2):
		return 1 - betaShare(1-x, b, a)
	}
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	front := math.Exp(a*math.Log(x)+b*math.Log1p(-x)+lab-la-lb) / a
	return front / betaFraction(x, a, b)
}

func betaFraction(x, a, b float64) float64 {
	const tiny = 1e-300
	away := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	f, c, d := 1.0, 1.0, 0.0
	for i := 1; i <= 400; i++ {
		m := float64(i / 2)
		term := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		if i%2 == 1 {
			term = -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		}
		d = 1 / away(1+term*d)
		c = away(1 + term/c)
		f *= c * d
		if math.Abs(c*d-1) < 1e-15 {
			break
		}
	}
	return f
}
