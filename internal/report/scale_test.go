package report

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func TestTicks(t *testing.T) {
	for _, tt := range []struct {
		name string
		got  []float64
		want []float64
	}{
		{"linear", linear(97, 0, 1, 5).Ticks, []float64{0, 20, 40, 60, 80, 100}},
		{"linear of nothing", linear(0, 0, 1, 4).Ticks, []float64{0, 0.25, 0.5, 0.75, 1}},
		{"decades", logarithmic(1, 1000, 0, 1, 4).Ticks, []float64{1, 10, 100, 1000}},
		{"a few per decade", logarithmic(10, 200, 0, 1, 6).Ticks, []float64{10, 20, 50, 100, 200}},
		{"less than a decade", logarithmic(7, 14, 0, 1, 5).Ticks, []float64{8, 10, 12, 14}},
	} {
		if d := cmp.Diff(tt.want, tt.got, cmpopts.EquateApprox(1e-9, 0)); d != "" {
			t.Errorf("%s: -want +got:\n%s", tt.name, d)
		}
	}
}

func TestScaleKeepsOrderAndDomain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(1e-3, 1e3).Draw(t, "low")
		high := low * rapid.Float64Range(1, 1e4).Draw(t, "ratio")
		most := rapid.IntRange(3, 12).Draw(t, "most")
		for _, s := range []scale{logarithmic(low, high, 10, 500, most), linear(high, 10, 500, most)} {
			if a, b := s.at(low), s.at(high); !(a <= b && a >= 10-1e-6 && b <= 500+1e-6) {
				t.Fatalf("%g..%g map to %g..%g, outside 10..500 or out of order", low, high, a, b)
			}
			for _, tick := range s.Ticks {
				if x := s.at(tick); math.IsNaN(x) || x < 10-1e-6 || x > 500+1e-6 {
					t.Fatalf("tick %g of %g..%g lies at %g", tick, low, high, x)
				}
			}
			if len(s.Ticks) > most+2 {
				t.Fatalf("%d ticks, asked for about %d", len(s.Ticks), most)
			}
		}
	})
}

// Whatever a record holds, an axis is finite and has few ticks.
func TestScalesAreBounded(t *testing.T) {
	odd := []float64{0, 5e-324, 1e-300, 1, 1e15, 1e300, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN(), -1}
	for _, low := range odd {
		for _, high := range odd {
			for name, s := range map[string]scale{"log": logarithmic(low, high, 10, 500, 5), "linear": linear(high, 10, 500, 5)} {
				if n := len(s.Ticks); n == 0 || n > 9 {
					t.Errorf("%s %g..%g: %d ticks", name, low, high, n)
				}
				for _, v := range append(odd, s.Ticks...) {
					if x := s.at(v); !(x >= -480 && x <= 990) {
						t.Errorf("%s %g..%g: %g lies at %g", name, low, high, v, x)
					}
				}
			}
		}
	}
	if n := len(proportional(5e-324, 1, 1e300)); n > 200 {
		t.Errorf("a line of %d points", n)
	}
}

func TestHistogramQuantileIsWithinABin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0.01, 1e6), 1, 200).Draw(t, "values")
		var h histogram
		least, most := math.Inf(1), 0.0
		for _, v := range values {
			h.add(v)
			least, most = min(least, v), max(most, v)
		}
		last := 0.0
		for _, q := range []float64{0, 0.25, 0.5, 0.9, 1} {
			v := h.quantile(q)
			if v < last || v < least/histogramGrowth || v > most*histogramGrowth {
				t.Fatalf("quantile %g is %g; values lie in %g..%g, the one before was %g", q, v, least, most, last)
			}
			last = v
		}
	})
}

func TestInterpolate(t *testing.T) {
	xs, ys := []float64{1, 10, 100}, []float64{2, 20, 20}
	for _, tt := range []struct{ x, want float64 }{{0.5, 2}, {1, 2}, {math.Sqrt(10), 2 * math.Sqrt(10)}, {10, 20}, {50, 20}, {500, 20}} {
		if got := interpolate(xs, ys, tt.x); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("interpolate at %g: got %g, want %g", tt.x, got, tt.want)
		}
	}
}

func TestPlacerKeepsLabelsApart(t *testing.T) {
	pl := &placer{x0: 0, x1: 400, y0: 0, y1: 300}
	for range 12 {
		pl.place(xy{200, 150}, "label", 10)
	}
	for i, a := range pl.taken {
		for _, b := range pl.taken[:i] {
			if a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3] {
				t.Fatalf("labels %v and %v overlap", a, b)
			}
		}
	}
	if len(pl.taken) == 0 {
		t.Error("no label was placed in an empty area")
	}
}
