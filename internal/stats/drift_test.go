package stats

import (
	"container/heap"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// completions simulates a closed loop of n requests in flight on c servers:
// when each ended and how long it took. slow multiplies the mean service time
// at a share of the way, 0 to 1; cv is its coefficient of variation (1:
// exponential).
func completions(seed uint64, n, c, requests int, cv float64, slow func(share float64) float64) (at, latency []float64) {
	rng := NewRand(seed, 11)
	service := func() float64 {
		mean := slow(float64(len(at)) / float64(requests))
		return mean * ((1 - cv) + cv*rng.ExpFloat64())
	}
	type job struct{ sent, ends float64 }
	var running floats
	ends := map[float64]job{}
	var queue []float64
	now := 0.0
	start := func(sent float64) {
		e := now + service()
		ends[e] = job{sent, e}
		heap.Push(&running, e)
	}
	warm := 2 * n // the first waves are warm-up
	for range n {
		if running.Len() < c {
			start(now)
		} else {
			queue = append(queue, now)
		}
	}
	for len(at) < requests {
		now = heap.Pop(&running).(float64)
		j := ends[now]
		delete(ends, now)
		if warm > 0 {
			warm--
		} else {
			at, latency = append(at, now), append(latency, now-j.sent)
		}
		queue = append(queue, now)
		start(queue[0])
		queue = queue[1:]
	}
	return at, latency
}

type floats []float64

func (f floats) Len() int           { return len(f) }
func (f floats) Less(i, j int) bool { return f[i] < f[j] }
func (f floats) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (f *floats) Push(x any)        { *f = append(*f, x.(float64)) }
func (f *floats) Pop() any {
	old := *f
	x := old[len(old)-1]
	*f = old[:len(old)-1]
	return x
}

// How often a level is called drifting: rarely when it is steady, nearly always
// when service slows down by 30 % within it.
func TestDriftOnQueues(t *testing.T) {
	steady := func(float64) float64 { return 1 }
	slower := func(share float64) float64 { return 1 + 0.3/0.7*share }      // the rate falls by 30 %
	faster := func(share float64) float64 { return 1.4 - 0.4*share }        // a server that warms up
	blip := func(share float64) float64 { return 1 + math.Floor(share+.1) } // only the last tenth
	for _, c := range []struct {
		name        string
		n, c, count int
		cv          float64
		slow        func(float64) float64
		least, most float64
	}{
		{"steady, below saturation", 16, 16, 500, 1, steady, 0, 0.02},
		{"steady, with a queue", 32, 16, 500, 1, steady, 0, 0.02},
		{"steady, equal lengths in waves", 50, 50, 500, 0.1, steady, 0, 0.02},
		{"steady, few requests", 5, 5, 100, 0.3, steady, 0, 0.02},
		{"slower by 30 %", 32, 16, 1000, 0.3, slower, 0.9, 1},
		{"slower by 30 %, below saturation", 16, 16, 500, 0.2, slower, 0.9, 1},
		{"faster by 29 %", 32, 16, 1000, 0.3, faster, 0.9, 1},
		{"one slow tenth is no trend", 16, 16, 500, 0.3, blip, 0, 0.1},
	} {
		t.Run(c.name, func(t *testing.T) {
			const runs = 300
			var rate, latency int
			for seed := range uint64(runs) {
				at, took := completions(seed, c.n, c.c, c.count, c.cv, c.slow)
				start, end := at[0], at[len(at)-1]
				ones := make([]float64, len(at))
				for i := range ones {
					ones[i] = 1
				}
				if Drift(RateWindows(at, ones, start, end, DriftWindows)).Drifts {
					rate++
				}
				if Drift(MeanWindows(at, took, start, end, DriftWindows)).Drifts {
					latency++
				}
			}
			t.Logf("drifting by throughput in %.1f %%, by latency in %.1f %%", 100*float64(rate)/runs, 100*float64(latency)/runs)
			if c.least > 0 {
				if best := float64(max(rate, latency)) / runs; best < c.least {
					t.Errorf("found in %.1f %% of runs, want %.0f %%", 100*best, 100*c.least)
				}
				return
			}
			for _, got := range []int{rate, latency} {
				if share := float64(got) / runs; share > c.most {
					t.Errorf("called drifting in %.1f %% of runs, want at most %.0f %%", 100*share, 100*c.most)
				}
			}
		})
	}
}

func TestMannKendall(t *testing.T) {
	up := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	// S = 45, variance 125: z = 44/11.18 = 3.935.
	if got := mannKendall(up); math.Abs(got-8.303e-5) > 1e-7 {
		t.Errorf("rising: p = %v, want 8.303e-5", got)
	}
	if got := mannKendall(make([]float64, 10)); got != 1 {
		t.Errorf("constant: p = %v, want 1", got)
	}
}

func TestTheilSenForgivesOutliers(t *testing.T) {
	x := []float64{0, 1, 2, 3, 4, 5, 6, 7}
	y := []float64{3, 5, 7, 900, 11, 13, -500, 17}
	slope, intercept := theilSen(x, y)
	if math.Abs(slope-2) > 0.5 || math.Abs(intercept-3) > 2 {
		t.Errorf("theilSen = %v x + %v, want about 2 x + 3", slope, intercept)
	}
	if slope, intercept := theilSen([]float64{1, 1}, []float64{2, 4}); slope != 0 || intercept != 3 {
		t.Errorf("without a spread in x: %v, %v; want 0, 3", slope, intercept)
	}
}

func TestWindows(t *testing.T) {
	at := []float64{-1, 0, 0.5, 1, 3.9, 4}
	if d := cmp.Diff([]float64{5, 4, 0, 5}, RateWindows(at, []float64{9, 2, 3, 4, 5, 9}, 0, 4, 4)); d != "" {
		t.Errorf("RateWindows: -want +got\n%s", d)
	}
	want := []float64{2.5, 4, math.NaN(), math.NaN()}
	if d := cmp.Diff(want, MeanWindows(at, []float64{9, 2, 3, 4, math.NaN(), 9}, 0, 4, 4), cmpopts.EquateNaNs()); d != "" {
		t.Errorf("MeanWindows: -want +got\n%s", d)
	}
	if got := Drift([]float64{1, 2, 3, 4, 5, 6, 7}); got.Drifts || got.P != 1 {
		t.Errorf("seven windows decide: %+v", got)
	}
}
