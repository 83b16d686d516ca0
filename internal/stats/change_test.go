package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// ar1 is n latencies of lognormal shape whose neighbours are correlated by phi.
func ar1(rng *rand.Rand, n int, phi float64) []float64 {
	out := make([]float64, n)
	x := rng.NormFloat64()
	for i := range out {
		out[i] = math.Exp(0.3 * x)
		x = phi*x + math.Sqrt(1-phi*phi)*rng.NormFloat64()
	}
	return out
}

// logs gives the estimates of ln(mean), ln(p50) and ln(p95) of a series.
func logs(t *testing.T, series []float64, rng *rand.Rand) []Estimate {
	t.Helper()
	u := Units{N: len(series), Block: AutoBlock(series)}
	ones := make([]float64, len(series))
	owned := make([]Owned, len(series))
	for i, x := range series {
		ones[i], owned[i] = 1, Owned{x, int32(i)}
	}
	ps := []float64{50, 95}
	rows := append([][]float64{u.Ratio(series, ones, 100, rng)}, u.Percentiles(owned, ps, 100, rng)...)
	sorted := slices.Sorted(slices.Values(series))
	mean, _ := MeanStd(series)
	values := []float64{mean, Percentile(sorted, 50), Percentile(sorted, 95)}
	out := make([]Estimate, len(rows))
	for i, row := range rows {
		for b := range row {
			row[b] = math.Log(row[b])
		}
		var ok bool
		if out[i], ok = u.Spread(math.Log(values[i]), row); !ok {
			t.Fatal("no estimate from", len(series), "samples")
		}
	}
	return out
}

// TestNoDifferenceIsSeldomShown holds the share of 95 % intervals that leave
// out a change that does not exist. 200 pairs scatter by 1.5 points around 5 %;
// resampling single samples is wrong in half of them at phi = 0.8.
func TestNoDifferenceIsSeldomShown(t *testing.T) {
	for _, c := range []struct {
		n          int
		phi, share float64
	}{{400, 0, 0.09}, {400, 0.6, 0.1}, {400, 0.8, 0.12}, {1500, 0.8, 0.1}} {
		rng := NewRand(11, math.Float64bits(c.phi)+uint64(c.n))
		const pairs = 200
		wrong := make([]int, 3)
		for range pairs {
			base, next := logs(t, ar1(rng, c.n, c.phi), rng), logs(t, ar1(rng, c.n, c.phi), rng)
			for i := range wrong {
				if ch := Differ(base[i], next[i], 0.95); ch.Low > 0 || ch.High < 0 {
					wrong[i]++
				}
			}
		}
		t.Logf("n=%d phi=%g: mean, p50, p95 wrong in %d of %d", c.n, c.phi, wrong, pairs)
		for i, w := range wrong {
			if got := float64(w) / pairs; got > c.share || got == 0 {
				t.Errorf("n=%d phi=%g figure %d: %.3f of the intervals leave out 0, want at most %g and some", c.n, c.phi, i, got, c.share)
			}
		}
	}
}

func TestAFifthIsShown(t *testing.T) {
	rng := NewRand(3, 3)
	shown := make([]int, 3)
	const pairs = 60
	for range pairs {
		slower := ar1(rng, 500, 0.6)
		for i := range slower {
			slower[i] *= 1.2
		}
		base, next := logs(t, ar1(rng, 500, 0.6), rng), logs(t, slower, rng)
		for i := range shown {
			if Differ(base[i], next[i], 0.95).Low > 0 {
				shown[i]++
			}
		}
	}
	t.Log("shown", shown, "of", pairs)
	for i, n := range shown {
		if n < pairs*3/4 {
			t.Errorf("figure %d: a shift of 20 %% is shown in %d of %d, want three quarters at least", i, n, pairs)
		}
	}
}

func TestAutoBlockGrowsWithCorrelation(t *testing.T) {
	rng := NewRand(5, 5)
	var before int
	for _, phi := range []float64{0, 0.6, 0.9} {
		sum := 0
		for range 20 {
			sum += AutoBlock(ar1(rng, 1000, phi))
		}
		if sum <= before {
			t.Errorf("phi=%g: blocks of %d in the mean, want more than %d", phi, sum/20, before/20)
		}
		before = sum
	}
	rapid.Check(t, func(t *rapid.T) {
		series := rapid.SliceOfN(rapid.Float64Range(0, 1e6), 1, 300).Draw(t, "series")
		if b := AutoBlock(series); b < 1 || b > max(1, len(series)/fewestBlocks) {
			t.Fatalf("block of %d for %d samples", b, len(series))
		}
	})
}

// TestPercentilesOfWholeUnits holds the weighted walk to sorting what was drawn.
func TestPercentilesOfWholeUnits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		groups := rapid.SliceOfN(rapid.SliceOfN(rapid.Float64Range(0, 100), 1, 4), 1, 20).Draw(t, "units")
		u := Units{N: len(groups), Block: rapid.IntRange(1, 5).Draw(t, "block")}
		var owned []Owned
		for i, g := range groups {
			for _, x := range g {
				owned = append(owned, Owned{x, int32(i)})
			}
		}
		ps := []float64{50, 90, 99}
		got := u.Percentiles(owned, ps, 5, NewRand(1, 1))
		rng := NewRand(1, 1)
		for b := range 5 {
			var drawn []float64
			Resample(rng, u.N, u.Block, func(i int) { drawn = append(drawn, groups[i]...) })
			slices.Sort(drawn)
			for i, p := range ps {
				if want := Percentile(drawn, p); got[i][b] != want {
					t.Fatalf("resample %d p%g = %g, want %g", b, p, got[i][b], want)
				}
			}
		}
	})
}

func TestDifferOfRepeats(t *testing.T) {
	// Welch's test of 3 against 4 values: d = 7, v = 1/3 + 1.25/3, df = 4.95.
	c := Differ(Repeats([]float64{9, 10, 11}), Repeats([]float64{16, 17.5, 17.5, 17}), 0.95)
	if c.Value != 7 || !(c.Low > 4.9 && c.Low < 5.3) || !(c.P > 0.001 && c.P < 0.0011) {
		t.Errorf("got %+v", c)
	}
	if same := Differ(Repeats([]float64{1, 1}), Repeats([]float64{1, 1}), 0.95); same != (Change{P: 1}) {
		t.Errorf("equal constants give %+v", same)
	}
}

func TestDiscoveries(t *testing.T) {
	// The example of Benjamini and Hochberg (1995): four of fifteen at 5 %.
	p := []float64{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1}
	want := make([]bool, len(p))
	for i := range 4 {
		want[i] = true
	}
	if diff := cmp.Diff(want, Discoveries(p, 0.05)); diff != "" {
		t.Error(diff)
	}
	if got := Discoveries(nil, 0.05); len(got) != 0 {
		t.Errorf("none gives %v", got)
	}
}
