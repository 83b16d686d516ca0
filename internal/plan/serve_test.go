package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func ids(options []Option) []string {
	var out []string
	for _, o := range options {
		out = append(out, o.ID)
	}
	return out
}

func TestOptionsAreInOrderOfCost(t *testing.T) {
	p := asked(t, func(r *Request) { r.SLO = slo(t, "itl.p95<60ms", "ttft.p95<2s") })
	r := p.answer(false)
	if len(r.Options) < 20 || r.Verdict.Verdict != Fits {
		t.Fatalf("%d options, verdict %+v", len(r.Options), r.Verdict)
	}
	last := 0.0
	seen := map[string]bool{}
	for _, o := range r.Options {
		if o.Price.OnDemand == nil {
			last = math.Inf(1) // those without a price come last
			continue
		}
		if *o.Price.OnDemand < last {
			t.Errorf("%s for %g stands behind one for %g", o.ID, *o.Price.OnDemand, last)
		}
		last = *o.Price.OnDemand
		if want := fmt.Sprintf("%s-tp%d", o.Instance, o.TP); !strings.HasPrefix(o.ID, want) || seen[o.ID] {
			t.Errorf("id %q of %s, TP %d, or twice", o.ID, o.Instance, o.TP)
		}
		seen[o.ID] = true
		if o.Meets == Missed || excess(o.SLO) > 1 {
			t.Errorf("%s is an option and misses: %+v", o.ID, o.SLO)
		}
		if sum := o.GPU.Weights + o.GPU.Activation + o.GPU.Graphs + o.GPU.Other + o.GPU.KV; sum > o.GPU.Usable {
			t.Errorf("%s puts %d bytes into a GPU of %d", o.ID, sum, o.GPU.Usable)
		}
	}
}

// TestReplicasAreTheFewest holds the search against trying each number.
func TestReplicasAreTheFewest(t *testing.T) {
	for _, load := range []func(*Request){
		func(r *Request) { r.SLO = slo(t, "itl.p95<60ms", "ttft.p95<1s"); r.ReplicasMax = 40 },
		func(r *Request) { r.ReplicasMax = 12 },
		func(r *Request) { r.Concurrency, r.Rate = 0, 9; r.SLO = slo(t, "ttft.p95<1s"); r.ReplicasMax = 20 },
	} {
		p := asked(t, load)
		fit, _ := p.candidates()
		for _, c := range fit {
			most := p.mostReplicas(c)
			want := 0
			for n := 1; n <= most && want == 0; n++ {
				if s, err := p.with(c, n); err == nil && p.bears(s) {
					want = n
				}
			}
			s, ok, err := p.size(c, most)
			if ok != (want > 0) || ok && s.replicas != want {
				t.Errorf("%s %s: %d replicas (%v, %v), want %d", c.instance.Name, c.layout, s.replicas, ok, err, want)
			}
		}
	}
}

// TestBudgetPrunesExactly holds what a budget leaves against all options, of which
// those above it are struck out.
func TestBudgetPrunesExactly(t *testing.T) {
	conditions := slo(t, "itl.p95<60ms", "ttft.p95<1s")
	all := asked(t, func(r *Request) { r.SLO = conditions }).look()
	for _, budget := range []float64{0.5, 1.5, 4, 12, 50, 1000} {
		p := asked(t, func(r *Request) { r.SLO = conditions; r.Budget = &budget })
		var want, got []string
		for _, f := range all.options {
			if f.hourly <= budget {
				want = append(want, f.option.ID)
			}
		}
		for _, f := range p.look().options {
			got = append(got, f.option.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("for %g dollars an hour (-all, +pruned):\n%s", budget, diff)
		}
	}
}

func TestTheBudgetBelowTheCheapest(t *testing.T) {
	budget := 0.3
	r := asked(t, func(r *Request) { r.Budget = &budget; r.SLO = slo(t, "itl.p95<60ms") }).answer(false)
	n := r.Verdict.Nearest
	if r.Verdict.Verdict != OverBudget || n == nil || n.Option == nil || len(r.Options) != 0 {
		t.Fatalf("verdict %+v with %d options", r.Verdict, len(r.Options))
	}
	free := asked(t, func(r *Request) { r.SLO = slo(t, "itl.p95<60ms") }).answer(false)
	if n.Option.ID != free.Options[0].ID {
		t.Errorf("the cheapest is %s, not %s", free.Options[0].ID, n.Option.ID)
	}
	if want := fmt.Sprintf("--budget %.2f$/h", *free.Options[0].Price.OnDemand); !slices.Contains(n.Relax, want) {
		t.Errorf("relax %q, want %q", n.Relax, want)
	}
}

func TestAnSLOThatNothingMeets(t *testing.T) {
	r := asked(t, func(r *Request) { r.SLO = slo(t, "itl.p95<0.3ms") }).answer(false)
	n := r.Verdict.Nearest
	if r.Verdict.Verdict != MeetsNone || n == nil || n.Option == nil || len(n.Misses) != 1 {
		t.Fatalf("verdict %+v", r.Verdict)
	}
	for _, j := range r.Rejected {
		if j.Kind == notFast && !strings.Contains(j.Reason, "ITL p95") {
			t.Errorf("%s %s is rejected for %q", j.Instance, j.Layout, j.Reason)
		}
	}
	// What it says to ask instead does work.
	i := slices.IndexFunc(n.Relax, func(s string) bool { return strings.HasPrefix(s, "--slo '") })
	if i < 0 {
		t.Fatalf("no SLO to ask instead in %q", n.Relax)
	}
	instead := strings.Trim(strings.TrimPrefix(n.Relax[i], "--slo "), "'")
	if again := asked(t, func(r *Request) { r.SLO = slo(t, instead) }).answer(false); !slices.ContainsFunc(again.Options, func(o Option) bool { return o.Instance == n.Option.Instance && o.TP == n.Option.TP }) {
		t.Errorf("%s is not met by %s either: %v", instead, n.Option.ID, again.Verdict)
	}
}

func TestAModelThatFitsNowhere(t *testing.T) {
	r := asked(t, func(r *Request) { r.Model, r.Precision, r.Instances = "70B", "fp16", []string{"g5.12xlarge"} }).answer(false)
	if len(r.Options) > 0 || r.Verdict.Verdict != TooLarge {
		t.Errorf("140 GB on g5.12xlarge: %v, %+v", ids(r.Options), r.Verdict)
	}
	for _, j := range r.Rejected {
		if j.Kind != tooSmall || !strings.Contains(j.Reason, "70B (as ") {
			t.Errorf("%s is rejected for %q", j.Layout, j.Reason)
		}
	}
	one := asked(t, func(r *Request) { r.Model, r.Instances = "llama-3.1-405b", []string{"g5.2xlarge"} }).answer(false)
	n := one.Verdict.Nearest
	if one.Verdict.Verdict != TooLarge || n == nil || n.Option == nil {
		t.Fatalf("verdict %+v", one.Verdict)
	}
	if !slices.Contains(n.Relax, "--instance "+n.Option.Instance) {
		t.Errorf("relax %q does not name %s", n.Relax, n.Option.Instance)
	}
}

func TestAPipelineGoesOverTheLargestInstances(t *testing.T) {
	r := asked(t, func(r *Request) {
		r.Model, r.Concurrency, r.Instances = "llama-3.1-405b", 4, []string{"p5.48xlarge", "p5.4xlarge"}
		r.Precision = "bf16"
	}).answer(false)
	if len(r.Options) == 0 {
		t.Fatalf("verdict %+v", r.Verdict)
	}
	for _, o := range r.Options {
		if o.Instance != "p5.48xlarge" || o.PP != 2 || o.TP != 8 || o.Count != 2 || o.ID != "p5.48xlarge-tp8-pp2-x1" {
			t.Errorf("%s: %d × %s, TP %d, PP %d", o.ID, o.Count, o.Instance, o.TP, o.PP)
		}
	}
}

func TestRequestsThatCannotBePlanned(t *testing.T) {
	budget := -1.0
	for name, c := range map[string]struct {
		change func(*Request)
		say    string
	}{
		"both loads":      {func(r *Request) { r.Rate = 2 }, "both --concurrency 64 and --request-rate 2"},
		"no load":         {func(r *Request) { r.Concurrency = 0 }, "no load"},
		"negative":        {func(r *Request) { r.Context = -1 }, "--context -1"},
		"lengths":         {func(r *Request) { r.ISL = 9000 }, "do not fit in a context of 8192"},
		"no answer":       {func(r *Request) { r.OSL = 0 }, "--osl 0"},
		"beyond model":    {func(r *Request) { r.Context = 200_000 }, "attends to 131072"},
		"budget":          {func(r *Request) { r.Budget = &budget }, "--budget -1"},
		"capacity":        {func(r *Request) { r.Capacity = "cheap" }, `"cheap"`},
		"precision":       {func(r *Request) { r.Precision = "fp7" }, `"fp7"`},
		"kv":              {func(r *Request) { r.KVPrecision = "fp7" }, `"fp7"`},
		"engine":          {func(r *Request) { r.Engine = "triton" }, `"triton"`},
		"instance":        {func(r *Request) { r.Instances = []string{"g5.13xlarge"} }, "g5.12xlarge"},
		"fraction":        {func(r *Request) { r.Instances = []string{"g6f.xlarge"} }, "fraction"},
		"NaN":             {func(r *Request) { r.Rate, r.Concurrency = math.NaN(), 0 }, "--request-rate NaN"},
		"huge":            {func(r *Request) { r.Concurrency = 1e9 }, "--concurrency 1000000000"},
		"metric":          {func(r *Request) { r.SLO = slo(t, "icl.p95<5ms") }, "not icl"},
		"model":           {func(r *Request) { r.Model = "no-such-model" }, "no-such-model"},
		"no model":        {func(r *Request) { r.Model = "" }, "no model"},
		"budget unpriced": {func(r *Request) { r.Region = "eu-west-1"; b := 5.0; r.Budget = &b }, "no on-demand prices of eu-west-1"},
		"utilization":     {func(r *Request) { r.Utilization = 1.5 }, "1.5"},
		"seldom":          {func(r *Request) { r.Rate, r.Concurrency = 5e-324, 0 }, "--request-rate 5e-324"},
		"block":           {func(r *Request) { r.BlockSize = math.MaxInt }, "--block-size 9223372036854775807"},
		"seqs":            {func(r *Request) { r.MaxNumSeqs = 1e9 }, "--max-num-seqs 1000000000"},
		"batched":         {func(r *Request) { r.MaxBatchedTokens = 1e9 }, "--max-num-batched-tokens 1000000000"},
		"region":          {func(r *Request) { r.Region = "us-east-1 " }, `--region "us-east-1 " is no AWS region`},
	} {
		_, err := Serve(request(c.change))
		if err == nil || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %v, want %q", name, err, c.say)
		}
	}
}

// A KV cache of one's own size is taken as it is: where the GPU has no room for it
// beside the weights, the engine would not start.
func TestAKVCacheOfOnesOwnSizeMustFit(t *testing.T) {
	r := asked(t, func(r *Request) {
		r.Instances, r.KVBytes, r.Concurrency = []string{"g6e.xlarge", "p5.4xlarge"}, 40<<30, 4
	}).answer(false)
	if got := ids(r.Options); len(got) != 1 || !strings.HasPrefix(got[0], "p5.4xlarge-tp1-") {
		t.Errorf("40 GiB beside 15 of weights: %v", got)
	}
	for _, j := range r.Rejected {
		if j.Instance == "g6e.xlarge" && (j.Kind != tooSmall || !strings.Contains(j.Reason, "--kv-cache-memory-bytes 42949672960 is more than the ")) {
			t.Errorf("%s is rejected as %v for %q", j.Layout, j.Kind, j.Reason)
		}
	}
	if r := asked(t, func(r *Request) { r.KVBytes = math.MaxInt64 }).answer(false); len(r.Options) > 0 {
		t.Errorf("eight exbibytes fit in %v", ids(r.Options))
	}
}

func TestFlagsSayTheLayout(t *testing.T) {
	p := asked(t, func(r *Request) {
		r.Model, r.Instances = "mixtral-8x7b", []string{"g6e.12xlarge"}
		r.KVPrecision, r.BlockSize, r.KVBytes, r.MaxNumSeqs, r.Precision = "fp8", 32, 8<<30, 48, "fp8"
	})
	r := p.answer(false)
	i := slices.IndexFunc(r.Options, func(o Option) bool { return o.TP == 4 && o.EP == 4 })
	if i < 0 {
		t.Fatalf("no expert parallel among %v", ids(r.Options))
	}
	want := []string{"--tensor-parallel-size=4", "--enable-expert-parallel", "--max-model-len=8192", "--max-num-seqs=48", "--max-num-batched-tokens=2048",
		"--kv-cache-memory-bytes=8589934592", "--block-size=32", "--kv-cache-dtype=fp8", "--quantization=fp8"}
	if diff := cmp.Diff(want, r.Options[i].Flags); diff != "" {
		t.Errorf("flags (-want +got):\n%s", diff)
	}
	if r.Options[i].GPU.KV != 8<<30 {
		t.Errorf("a KV cache of %d bytes, asked for 8 GiB", r.Options[i].GPU.KV)
	}
}

func TestACountAttendsToWhatIsAsked(t *testing.T) {
	for _, context := range []int{0, 300_000} {
		r := asked(t, func(r *Request) { r.Model, r.Context, r.ISL, r.Concurrency = "0.5B", context, 200_000, 1 }).answer(false)
		if len(r.Options) == 0 || r.Request.Context < 200_300 {
			t.Errorf("context %d: %+v, planned for %d", context, r.Verdict, r.Request.Context)
		}
	}
}

func TestABareCountIsARange(t *testing.T) {
	r := asked(t, func(r *Request) {
		r.Model, r.Precision, r.Concurrency, r.Instances = "30B", "fp16", 8, []string{"g5.12xlarge"}
	}).answer(false)
	if !r.Model.Assumed || len(r.Model.Candidates) < 2 || r.Model.Parameters != 30e9 {
		t.Fatalf("model %+v", r.Model)
	}
	if got := float64(r.Memory.Weights); math.Abs(got/60e9-1) > 0.001 {
		t.Errorf("30B in 16 bits take %g bytes", got)
	}
	k := r.Memory.KVRange
	if k == nil || !(k.Low < k.High) || k.Mid != float64(r.Memory.KVPerToken) {
		t.Errorf("KV bytes a token %v", k)
	}
	if len(r.Options) == 0 || r.Options[0].TP != 4 {
		t.Fatalf("options %v: 30B in fp16 takes all four GPUs of a g5.12xlarge", ids(r.Options))
	}
	if o := r.Options[0]; o.KVTokensRange == nil || o.KVTokensRange.Low > float64(o.KVTokens) || o.KVTokensRange.High < float64(o.KVTokens) {
		t.Errorf("KV tokens %d, range %v", o.KVTokens, o.KVTokensRange)
	}
}

func TestAnUnknownRegionHasNoPrice(t *testing.T) {
	r := asked(t, func(r *Request) { r.Region = "eu-west-1" }).answer(false)
	if len(r.Options) == 0 || r.Options[0].Price.OnDemand != nil || r.Options[0].USD != nil {
		t.Fatalf("options %v with a price", ids(r.Options)[:1])
	}
	if !strings.Contains(r.Verdict.Say, "what it costs in eu-west-1 is not known") {
		t.Errorf("verdict %q", r.Verdict.Say)
	}
	home := asked(t, nil).answer(false)
	if diff := cmp.Diff(ids(home.Options)[:10], ids(r.Options)[:10]); diff != "" {
		t.Errorf("not in the order of us-east-1:\n%s", diff)
	}
	if !strings.Contains(strings.Join(r.NotKnown, "\n"), "eu-west-1") {
		t.Errorf("not known: %q", r.NotKnown)
	}
}
