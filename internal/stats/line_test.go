package stats

import (
	"math"
	"testing"
)

func TestLine(t *testing.T) {
	// Anscombe's first set: slope 0.5001, standard error 0.1179.
	x := []float64{10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5}
	y := []float64{8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68}
	slope, se := Line(x, y)
	if math.Abs(slope-0.50009) > 1e-4 || math.Abs(se-0.11791) > 1e-4 {
		t.Errorf("slope %.5f ± %.5f, want 0.50009 ± 0.11791", slope, se)
	}
	if slope, se := Line([]float64{0, 1, 2}, []float64{5, 3, 1}); slope != -2 || se != 0 {
		t.Errorf("an exact line: slope %v ± %v, want -2 ± 0", slope, se)
	}
}
