package train

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"assay/internal/figure"
)

var p5 = fabric{node: 8, link: 450e9, nvlink: true, network: 400e9, efa: true}

func TestRings(t *testing.T) {
	near := func(got, want float64) bool { return math.Abs(got/want-1) < 0.01 }
	// 7 of 8 parts over NVLink at 0.8 of its rate.
	if got, want := p5.gather(8e9, 8, 1), 8e9*7/8/(0.8*450e9); !near(got, want) {
		t.Errorf("8 GPUs of a node: %g s, want %g", got, want)
	}
	// 3 of 4 parts enter a node over all its cards, which are slower than NVLink here.
	slow := p5
	slow.network = 50e9
	if got, want := slow.gather(80e9, 32, 1), 80e9*3/4/(0.85*50e9); !near(got, want) {
		t.Errorf("4 nodes: %g s, want %g", got, want)
	}
	// One GPU of each of 4 nodes: 8 such rings share the node's cards.
	if got, want := p5.gather(10e9, 4, 8), 8*10e9*3/4/(0.85*400e9); !near(got, want) {
		t.Errorf("8 rings side by side: %g s, want %g", got, want)
	}
	if got := p5.gather(1e9, 1, 1); got != 0 {
		t.Errorf("one GPU: %g s", got)
	}
	tcp := slow
	tcp.efa = false
	if tcp.gather(80e9, 32, 1) <= slow.gather(80e9, 32, 1) {
		t.Error("TCP is not slower than EFA")
	}
}

// A token that goes to 8 experts on 8 nodes visits 5.25 of them on average, and its
// own needs no network.
func TestExchangeSendsATokenOnceToANode(t *testing.T) {
	got := p5.exchange(1e9, 8, 64, 1)
	visited := 8 * (1 - math.Pow(7.0/8, 8))
	if want := 1e9 * visited * 7 / 8 * 8 / (0.85 * 400e9); math.Abs(got/want-1) > 0.01 {
		t.Errorf("%g s, want %g", got, want)
	}
}

func TestWhatIsHiddenShows(t *testing.T) {
	_, _, got, _ := transfers{shards: 1}.shown(100)
	if want := (figure.Range{Low: 0.05, Mid: 0.2, High: 0.5}); math.Abs(got.Low-want.Low)+math.Abs(got.Mid-want.Mid)+math.Abs(got.High-want.High) > 1e-9 {
		t.Errorf("behind long computation %v, want %v", got, want)
	}
	// Computation of one second cannot hide ten, whatever they are of.
	tensor, experts, shards, stages := transfers{3, 3, 2, 2}.shown(1)
	if sum := tensor.Plus(experts).Plus(shards).Plus(stages); sum.Low < 9 || sum.High > 10 {
		t.Errorf("ten seconds behind one: %v", sum)
	}
}

func TestBubble(t *testing.T) {
	if got := bubble(Layout{PP: 8, Accumulation: 28, Interleave: 1}); got != 0.25 {
		t.Errorf("7 of 28: %g", got)
	}
	if got := bubble(Layout{PP: 8, Accumulation: 28, Interleave: 2}); got != 0.125 {
		t.Errorf("with two chunks: %g", got)
	}
	if got := bubble(Layout{PP: 1, Accumulation: 1}); got != 0 {
		t.Errorf("without a pipeline: %g", got)
	}
}

// No step is faster than the peak, and its parts make its total.
func TestStepsKeepTheRoofline(t *testing.T) {
	s := sized(t, "llama-3.3-70b", Full)
	c := rates{989e12, 989e12}
	rapid.Check(t, func(t *rapid.T) {
		l := Layout{
			DP: 1 << rapid.IntRange(0, 4).Draw(t, "dp"), FSDP: 1 << rapid.IntRange(0, 6).Draw(t, "fsdp"), TP: 1 << rapid.IntRange(0, 3).Draw(t, "tp"), PP: 1, EP: 1,
			Interleave: 1, MicroBatch: rapid.IntRange(1, 8).Draw(t, "micro"), Accumulation: rapid.IntRange(1, 32).Draw(t, "accumulation"), Recompute: rapid.SampledFrom(Recomputes).Draw(t, "recompute"),
		}
		if rapid.Bool().Draw(t, "pipeline") {
			l.PP, l.FSDP = 8, 1
		}
		step := s.step(l, c, figure.Range{Low: 0.3, Mid: 0.4, High: 0.6}, p5)
		least := s.modelFLOPs(Full) * float64(l.MicroBatch*l.Accumulation*s.sequence) / float64(l.TP*l.PP) / c.bf16
		if step.Total.Low < least {
			t.Errorf("a step of %g s is faster than the peak allows, %g", step.Total.Low, least)
		}
		if !(step.Total.Low <= step.Total.Mid && step.Total.Mid <= step.Total.High) || !step.Total.Known() {
			t.Errorf("range %v", step.Total)
		}
		sum := step.Compute.Mid + step.Tensor.Mid + step.Shards.Mid + step.Experts.Mid + step.Stages.Mid + step.Bubble.Mid
		if math.Abs(sum/step.Total.Mid-1) > 1e-9 {
			t.Errorf("parts make %g of %g", sum, step.Total.Mid)
		}
	})
}

// Daly's interval loses no more than any other.
func TestIntervalOfCheckpointsIsTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mean := rapid.Float64Range(3600, 1e6).Draw(t, "between failures")
		write := rapid.Float64Range(1, mean/20).Draw(t, "write")
		best := lost(write, daly(write, mean), 0, mean)
		for _, k := range []float64{0.3, 0.5, 0.7, 1.5, 2, 3} {
			if other := lost(write, k*daly(write, mean), 0, mean); other < best*0.995 {
				t.Errorf("every %g times Daly's interval loses %g, his loses %g", k, other, best)
			}
		}
	})
}

// Meta kept over 90 % effective training time with failures every 3 hours.
func TestTimeLostAgainstLlama3(t *testing.T) {
	s := sized(t, "llama-3.1-405b", Full)
	c := Request{}.checkpoint(s.state(), "p5.48xlarge", 2048, 16384)
	if h := c.Failures.Mid / 3600; math.Abs(h-54*24/419.0) > 0.01 {
		t.Errorf("a failure every %.2f h, want 3.09", h)
	}
	if c.Lost.Mid > 0.12 || c.Lost.Low > 0.1 {
		t.Errorf("lost %v of the time, Meta under a tenth", c.Lost)
	}
}
