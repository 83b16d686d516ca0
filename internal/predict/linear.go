package predict

import "math"

// newSquare is a lower triangle: row i has i+1 columns.
func newSquare(n int) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, i+1)
	}
	return out
}

// cholesky replaces a positive definite matrix's lower triangle by its factor. It
// reports whether the matrix is one.
func cholesky(a [][]float64) bool {
	for i := range a {
		for j := range i + 1 {
			s := a[i][j] - dot(a[i][:j], a[j][:j])
			if i > j {
				a[i][j] = s / a[j][j]
				continue
			}
			if !(s > 0) {
				return false
			}
			a[i][i] = math.Sqrt(s)
		}
	}
	return true
}

func dot(a, b []float64) float64 {
	b = b[:len(a)]
	s, t := 0.0, 0.0
	i := 0
	for ; i+1 < len(a); i += 2 {
		s += a[i] * b[i]
		t += a[i+1] * b[i+1]
	}
	if i < len(a) {
		s += a[i] * b[i]
	}
	return s + t
}

// forward replaces b by L⁻¹b.
func forward(l [][]float64, b []float64) {
	for i := range b {
		b[i] = (b[i] - dot(l[i][:i], b[:i])) / l[i][i]
	}
}

// solve replaces b by (LLᵀ)⁻¹b.
func solve(l [][]float64, b []float64) {
	forward(l, b)
	for i := len(b) - 1; i >= 0; i-- {
		b[i] /= l[i][i]
		for j := range i {
			b[j] -= l[i][j] * b[i]
		}
	}
}
