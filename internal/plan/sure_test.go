package plan

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// TestTheCheapestThatIsSure holds the search against trying each number of replicas.
func TestTheCheapestThatIsSure(t *testing.T) {
	for _, conditions := range [][]string{{"itl.p95<60ms", "ttft.p95<1s"}, {"itl.p95<20ms"}, {"ttft.p95<400ms"}} {
		change := func(r *Request) { r.SLO, r.ReplicasMax = slo(t, conditions...), 24 }
		p := asked(t, change)
		fit, _ := p.candidates()
		want := math.Inf(1)
		for _, c := range fit {
			each, priced := p.order(c.instance)
			for n := 1; priced && n <= p.mostReplicas(c); n++ {
				if s, err := p.with(c, n); err == nil && p.bears(s) && overall(s.judged) == Met {
					want = min(want, each*float64(c.instances(n)))
					break
				}
			}
		}
		r := asked(t, change).answer(false)
		i := slices.IndexFunc(r.Options, func(o Option) bool { return o.ID == r.Verdict.Sure })
		if i < 0 {
			t.Fatalf("%v: sure is %q, not among %d options", conditions, r.Verdict.Sure, len(r.Options))
		}
		o := r.Options[i]
		if o.Meets != Met || math.Abs(*o.Price.OnDemand-want) > 1e-9 {
			t.Errorf("%v: sure is %s for %g, %s; want one for %g", conditions, o.ID, *o.Price.OnDemand, o.Meets, want)
		}
		if i > 0 && !strings.Contains(strings.Join(r.Verdict.Also, "\n"), o.ID) {
			t.Errorf("%v: %q does not name %s", conditions, r.Verdict.Also, o.ID)
		}
	}
}

// TestNothingIsSure says so where no error bars lie within the limits.
func TestNothingIsSure(t *testing.T) {
	p := asked(t, func(r *Request) {
		r.SLO = slo(t, "itl.p95<60ms")
		r.Instances = []string{"g6e.xlarge"}
		r.ReplicasMax = 1
	})
	f := p.look().options
	if len(f) != 1 {
		t.Fatalf("%d options", len(f))
	}
	limit := f[0].option.SLO[0].Value.Mid * 1.01
	p = asked(t, func(r *Request) {
		r.SLO = slo(t, "itl.p95<60ms")
		r.Instances = []string{"g6e.xlarge"}
		r.ReplicasMax = 1
	})
	p.asked.SLO[0].Limit = limit
	r := p.answer(false)
	if r.Verdict.Verdict != Fits || r.Verdict.Sure != "" || len(r.Verdict.Also) != 1 || !strings.Contains(r.Verdict.Also[0], "nor do those of any other") {
		t.Errorf("verdict %+v", r.Verdict)
	}
}

// TestNeuronHasFlagsOfItsOwn: ranks are NeuronCores, and no flag of a GPU's memory.
func TestNeuronHasFlagsOfItsOwn(t *testing.T) {
	for instance, want := range map[string][]string{
		"inf2.xlarge":   {"--tensor-parallel-size=2", "--max-model-len=8192", "--max-num-seqs=64"},
		"trn2.48xlarge": {"--tensor-parallel-size=4", "--max-model-len=8192", "--max-num-seqs=64"},
	} {
		r := asked(t, func(r *Request) { r.Instances = []string{instance}; r.Concurrency = 64 }).answer(true)
		i := slices.IndexFunc(r.Options, func(o Option) bool { return o.TP == 1 && o.Replicas == 1 })
		if i < 0 {
			t.Fatalf("%s: %v", instance, ids(r.Options))
		}
		o := r.Options[i]
		if !slices.Equal(o.Flags, want) {
			t.Errorf("%s: flags %q, want %q", instance, o.Flags, want)
		}
		for _, f := range o.Figures {
			if strings.HasPrefix(f.Name, "CUDA") || strings.Contains(f.Formula, "CUDA graphs") {
				t.Errorf("%s: figure %q = %q has words of CUDA", instance, f.Name, f.Formula)
			}
		}
	}
}

// TestOnlyVLLMRunsOnNeuron: other engines have no plugin for it.
func TestOnlyVLLMRunsOnNeuron(t *testing.T) {
	for _, engine := range []string{"sglang", "trtllm"} {
		r := asked(t, func(r *Request) { r.Engine = engine }).answer(false)
		for _, o := range r.Options {
			if o.GPU.Vendor == neuronVendor {
				t.Errorf("%s is offered on %s", engine, o.Instance)
			}
		}
		if !slices.ContainsFunc(r.Rejected, func(j Rejection) bool { return j.Instance == "inf2.xlarge" && j.Kind == notRun }) {
			t.Errorf("%s: inf2.xlarge is not rejected", engine)
		}
	}
}

// TestTheCheapestOnGPUs is named where the first option is not on GPUs.
func TestTheCheapestOnGPUs(t *testing.T) {
	r := asked(t, func(r *Request) { r.Instances = []string{"inf2.8xlarge", "g6e.2xlarge"}; r.Concurrency = 8 }).answer(false)
	if r.Options[0].GPU.Vendor != neuronVendor || !strings.Contains(strings.Join(r.Verdict.Also, "\n"), "the cheapest on GPUs is g6e.2xlarge-tp1-x1, for $2.24/h on demand") {
		t.Errorf("first %s, also %q", r.Options[0].ID, r.Verdict.Also)
	}
}

// TestSpotThatIsNotKnown is not called by its price on demand.
func TestSpotThatIsNotKnown(t *testing.T) {
	say := asked(t, func(r *Request) { r.Capacity = Spot; r.Instances = []string{"g6e.xlarge"} }).answer(false).Verdict.Say
	if strings.Contains(say, "$") || !strings.Contains(say, "on Spot in us-east-1 is not known") {
		t.Errorf("verdict %q", say)
	}
}

// TestNeuronServesTheModelsOfItsList, and a count, of which no family is known.
func TestNeuronServesTheModelsOfItsList(t *testing.T) {
	for name, want := range map[string]bool{"llama-3.1-8b": true, "qwen3-8b": true, "llama-4-scout": true, "mistral-7b": false, "deepseek-v3": false, "7B": true} {
		r := asked(t, func(r *Request) { r.Model, r.Concurrency, r.Instances = name, 1, []string{"trn2.48xlarge"} }).answer(false)
		refused := slices.ContainsFunc(r.Rejected, func(j Rejection) bool { return j.Kind == notRun && strings.Contains(j.Reason, "is none of them") })
		if got := len(r.Options) > 0; got != want || refused == want {
			t.Errorf("%s: options %v, rejected %+v", name, ids(r.Options), r.Rejected)
		}
	}
}
