package stats

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestCurve(t *testing.T) {
	c := Curve{X: []float64{1, 10, 100}, Y: []float64{2, 20, 20}}
	for _, k := range []struct{ x, want float64 }{
		{0.5, 2}, {1, 2}, {5, 10}, {10, 20}, {50, 20}, {1000, 20},
	} {
		if got := c.At(k.x); math.Abs(got-k.want) > 1e-9 {
			t.Errorf("At(%v) = %v, want %v", k.x, got, k.want)
		}
	}
	if x, ok := c.FirstReaching(10); !ok || math.Abs(x-5) > 1e-9 {
		t.Errorf("FirstReaching(10) = %v, %v; want 5", x, ok)
	}
	for _, y := range []float64{1, 2, 21} {
		if x, ok := c.FirstReaching(y); ok {
			t.Errorf("FirstReaching(%v) = %v, want none", y, x)
		}
	}
	dips := Curve{X: []float64{1, 10, 100}, Y: []float64{9, 3, 20}}
	if x, ok := dips.FirstReaching(8); ok {
		t.Errorf("FirstReaching(8) = %v of a curve that begins at 9, want none", x)
	}
	if !math.IsNaN((Curve{}).At(1)) {
		t.Error("a curve without points has a value")
	}
}

func TestCurveInverts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Curve{}
		x, y := 1.0, 1.0
		for range rapid.IntRange(2, 8).Draw(t, "points") {
			c.X, c.Y = append(c.X, x), append(c.Y, y)
			x *= rapid.Float64Range(1.1, 5).Draw(t, "dx")
			y *= rapid.Float64Range(1.05, 5).Draw(t, "dy")
		}
		at := rapid.Float64Range(c.X[0]*1.001, c.X[len(c.X)-1]).Draw(t, "x")
		back, ok := c.FirstReaching(c.At(at))
		if !ok || math.Abs(back/at-1) > 1e-6 {
			t.Fatalf("FirstReaching(At(%v)) = %v, %v", at, back, ok)
		}
	})
}
