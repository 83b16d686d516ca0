package saturate

import (
	"math"

	"assay/internal/record"
)

// fitUSL fits Gunther's universal scalability law
//
//	X(N) = lambda N / (1 + sigma (N-1) + kappa N (N-1))
//
// as N/X = c0 + c1 (N-1) + c2 N (N-1) by least squares with weights (X/N)^2,
// that is on relative errors, and without negative coefficients: every subset
// of the terms is tried and the best admissible one taken. sse is of ln X. ok
// is false below four levels.
func fitUSL(n, x []float64) (u record.USL, sse float64, ok bool) {
	if len(n) < 4 {
		return u, 0, false
	}
	sse = math.Inf(1)
	for _, terms := range [][]int{{0}, {0, 1}, {0, 2}, {0, 1, 2}} {
		c, fits := solveUSL(n, x, terms)
		if !fits {
			continue
		}
		candidate := record.USL{Lambda: 1 / c[0], Sigma: c[1] / c[0], Kappa: c[2] / c[0]}
		if e := errorUSL(n, x, candidate); e < sse {
			u, sse, ok = candidate, e, true
		}
	}
	return u, sse, ok
}

// peakUSL is N* = sqrt((1-sigma)/kappa), where the law's throughput is highest.
func peakUSL(u record.USL) (v float64, ok bool) {
	if u.Kappa <= 0 || u.Sigma >= 1 {
		return 0, false
	}
	return math.Sqrt((1 - u.Sigma) / u.Kappa), true
}

func errorUSL(n, x []float64, u record.USL) float64 {
	var sse float64
	for i := range n {
		fit := u.Lambda * n[i] / (1 + u.Sigma*(n[i]-1) + u.Kappa*n[i]*(n[i]-1))
		r := math.Log(x[i] / fit)
		sse += r * r
	}
	return sse
}

// solveUSL solves the normal equations over the given terms; ok is false when
// they are singular or a coefficient is negative.
func solveUSL(n, x []float64, terms []int) (c [3]float64, ok bool) {
	m := len(terms)
	var a [3][4]float64
	for i := range n {
		w := x[i] / n[i]
		basis := [3]float64{w, w * (n[i] - 1), w * n[i] * (n[i] - 1)}
		for p := range m {
			for q := range m {
				a[p][q] += basis[terms[p]] * basis[terms[q]]
			}
			a[p][m] += basis[terms[p]] // the target is (N/X) w = 1
		}
	}
	for p := range m {
		pivot := p
		for q := p + 1; q < m; q++ {
			if math.Abs(a[q][p]) > math.Abs(a[pivot][p]) {
				pivot = q
			}
		}
		a[p], a[pivot] = a[pivot], a[p]
		if a[p][p] == 0 {
			return c, false
		}
		for q := p + 1; q < m; q++ {
			f := a[q][p] / a[p][p]
			for r := p; r <= m; r++ {
				a[q][r] -= f * a[p][r]
			}
		}
	}
	for p := m - 1; p >= 0; p-- {
		v := a[p][m]
		for q := p + 1; q < m; q++ {
			v -= a[p][q] * c[terms[q]]
		}
		c[terms[p]] = v / a[p][p]
		if c[terms[p]] < 0 {
			return c, false
		}
	}
	return c, c[0] > 0
}
