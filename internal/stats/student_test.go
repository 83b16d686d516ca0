package stats

import (
	"math"
	"testing"
)

func TestStudentQuantile(t *testing.T) {
	// Two-sided 95 % and 99 % from the tables of Student's distribution.
	for _, c := range []struct{ share, df, want float64 }{
		{0.95, 1, 12.7062}, {0.95, 2, 4.30265}, {0.95, 4, 2.77645}, {0.95, 10, 2.22814},
		{0.95, 30, 2.04227}, {0.95, 1000, 1.96234}, {0.99, 3, 5.84091}, {0.99, 20, 2.84534},
		{0.95, math.Inf(1), 1.95996},
	} {
		if got := StudentQuantile(c.share, c.df); math.Abs(got-c.want) > 1e-4 {
			t.Errorf("StudentQuantile(%g, %g) = %.5f, want %.5f", c.share, c.df, got, c.want)
		}
	}
}

func TestStudentTail(t *testing.T) {
	for _, c := range []struct{ t, df, want float64 }{
		{0, 5, 1},
		{1, 1, 0.5},                       // Cauchy: 1 - 2/pi atan(1)
		{-2, 2, 1 - 2/math.Sqrt(6)},       // closed form of two degrees
		{1.5, 2, 1 - 1.5/math.Sqrt(4.25)}, // the same
	} {
		if got := StudentTail(c.t, c.df); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("StudentTail(%g, %g) = %.15f, want %.15f", c.t, c.df, got, c.want)
		}
	}
}
