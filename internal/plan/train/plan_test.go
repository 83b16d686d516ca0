package train

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/facts"
	"assay/internal/figure"
	"assay/internal/price"
)

func ask(t testing.TB, model string, change func(*Request)) Request {
	t.Helper()
	r := Request{Model: arch(t, model), Tokens: 10e9, Adapters: Adapters{Rank: 16, Targets: []string{"all"}}, Prices: price.Embedded()}
	if change != nil {
		change(&r)
	}
	return r
}

func planned(t testing.TB, r Request) Result {
	t.Helper()
	out, err := Plan(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestOptionsHoldTogether(t *testing.T) {
	out := planned(t, ask(t, "llama-3.1-8b", nil))
	if !out.Met || len(out.Options) < 20 {
		t.Fatalf("met %v with %d options", out.Met, len(out.Options))
	}
	ids := map[string]bool{}
	for i, o := range out.Options {
		instance, err := facts.InstanceNamed(o.Instance)
		if err != nil {
			t.Fatal(err)
		}
		if o.GPUs != o.Count*instance.Count || o.Layout.GPUs() != o.GPUs {
			t.Errorf("%s: %d GPUs, layout %d, instances %d × %d", o.ID, o.GPUs, o.Layout.GPUs(), o.Count, instance.Count)
		}
		if !o.Memory.Fits() {
			t.Errorf("%s does not fit: %+v", o.ID, o.Memory)
		}
		if got := o.Layout.DP * o.Layout.FSDP * o.Layout.MicroBatch * o.Layout.Accumulation; got != out.Request.GlobalBatch {
			t.Errorf("%s takes %d sequences a step of %d", o.ID, got, out.Request.GlobalBatch)
		}
		if o.MFU.High > 0.95 || o.MFU.Low <= 0 {
			t.Errorf("%s: MFU %v", o.ID, o.MFU)
		}
		if o.USD != nil && math.Abs(o.USD.Mid-o.Seconds.Mid/3600*o.Price.PerHour.Mid) > 0.01 {
			t.Errorf("%s: %g USD for %g s at %g an hour", o.ID, o.USD.Mid, o.Seconds.Mid, o.Price.PerHour.Mid)
		}
		share := 0.0
		for _, p := range o.Phases {
			share += p.Share
		}
		if math.Abs(share-1) > 1e-6 {
			t.Errorf("%s: phases make %g of the time", o.ID, share)
		}
		if len(o.Sources) == 0 || len(o.Figures) < 15 {
			t.Errorf("%s: %d figures of %d sources", o.ID, len(o.Figures), len(o.Sources))
		}
		if ids[o.ID] {
			t.Errorf("%s twice", o.ID)
		}
		ids[o.ID] = true
		if before := max(0, i-1); o.USD != nil && out.Options[before].USD != nil && out.Options[before].USD.Mid > o.USD.Mid {
			t.Errorf("%s costs less than what stands before it", o.ID)
		}
	}
	if n := len(out.Options) + len(out.Rejected); n != len(facts.Instances()) {
		t.Errorf("%d of %d types are answered", n, len(facts.Instances()))
	}
}

// 6.6e9 active parameters of 8B and 10B tokens are 4.8e20 FLOP: 8 H100 at the
// efficiency of the published runs take two to three days.
func TestLlama8BOnH100(t *testing.T) {
	out := planned(t, ask(t, "llama-3.1-8b", func(r *Request) { r.Types, r.Count = []string{"p5.48xlarge"}, 1 }))
	o := out.Options[0]
	if d := o.Seconds.Mid / 86400; d < 1 || d > 2.2 {
		t.Errorf("%.2f days", d)
	}
	if o.MFU.Mid < 0.35 || o.MFU.Mid > 0.55 {
		t.Errorf("MFU %.2f", o.MFU.Mid)
	}
	if o.Connect.Placement != "none" || o.Capacity.Advice == CapacityBlock {
		t.Errorf("one node is placed %s and bought as %s", o.Connect.Placement, o.Capacity.Advice)
	}
}

func TestDeadlineTakesMoreNodes(t *testing.T) {
	r := ask(t, "llama-3.1-8b", func(r *Request) { r.Types = []string{"p5.48xlarge"} })
	slow := planned(t, r).Options[0]
	r.Deadline = 6 * time.Hour
	fast := planned(t, r).Options[0]
	if fast.Count <= slow.Count || fast.Seconds.High > r.Deadline.Seconds() || fast.Verdict != Meets {
		t.Errorf("%d nodes take %v s, of which %s; without a deadline %d", fast.Count, fast.Seconds, fast.Verdict, slow.Count)
	}
	if fast.Connect.EFA != 32 || fast.Connect.Placement != "cluster" || fast.Capacity.Advice != CapacityBlock || fast.Capacity.BlockDays != 1 {
		t.Errorf("coupled nodes: %+v, %+v", fast.Connect, fast.Capacity)
	}
	if fast.Capacity.VCPU != 192*fast.Count {
		t.Errorf("a quota of %d vCPU for %d nodes", fast.Capacity.VCPU, fast.Count)
	}
}

func TestBudgetBuysTime(t *testing.T) {
	r := ask(t, "llama-3.1-8b", func(r *Request) { r.Types = []string{"p5.48xlarge"} })
	cheapest := planned(t, r).Options[0]
	r.Budget = cheapest.USD.High * 1.3
	out := planned(t, r)
	if o := out.Options[0]; out.Order != "time" || o.Seconds.Mid >= cheapest.Seconds.Mid || o.USD.High > r.Budget {
		t.Errorf("%s in %g s for %v, without a budget %s in %g s", o.ID, o.Seconds.Mid, *o.USD, cheapest.ID, cheapest.Seconds.Mid)
	}
	r.Budget = cheapest.USD.Low / 2
	if out := planned(t, r); out.Met || !strings.Contains(out.Nearest, "the cheapest") {
		t.Errorf("half the cheapest: met %v, %q", out.Met, out.Nearest)
	}
}

// A budget cannot be kept by what has no price, and says nothing of what comes first.
func TestWhatHasNoPriceDoesNotKeepABudget(t *testing.T) {
	out := planned(t, ask(t, "llama-3.1-8b", func(r *Request) { r.Types, r.Budget = []string{"p5e.48xlarge", "p5.48xlarge"}, 1e6 }))
	if out.Options[0].Instance != "p5.48xlarge" || out.Options[1].Verdict != Unpriced || out.Options[1].USD != nil {
		t.Errorf("%s %s, then %s %s", out.Options[0].ID, out.Options[0].Verdict, out.Options[1].ID, out.Options[1].Verdict)
	}
	if out = planned(t, ask(t, "llama-3.1-8b", func(r *Request) { r.Types, r.Budget = []string{"p5e.48xlarge"}, 1e6 })); out.Met {
		t.Error("a budget is met at a price that is not known")
	}
}

// Cost is of what was asked to be bought, a range where prices are one.
func TestCapacityDecidesThePrice(t *testing.T) {
	book, err := price.Read("prices", []byte("region: us-east-1\nas_of: 2026-11-01\ncapacity_block: {p5.48xlarge: 31.5}\nspot: {p5.48xlarge: {low: 20, high: 40}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	prices := price.Embedded()
	prices.Merge(book)
	for capacity, want := range map[string]figure.Range{"any": figure.Exactly(55.04), facts.Spot: {Low: 20, Mid: 30, High: 40}, CapacityBlock: figure.Exactly(31.5)} {
		o := planned(t, ask(t, "llama-3.1-8b", func(r *Request) {
			r.Types, r.Count, r.Prices, r.Capacity = []string{"p5.48xlarge"}, 1, prices, capacity
		})).Options[0]
		if o.Price.PerHour != want || math.Abs(o.USD.High-o.Seconds.High/3600*want.High) > 0.01 || math.Abs(o.USD.Low-o.Seconds.Low/3600*want.Low) > 0.01 {
			t.Errorf("%s: %v an hour, want %v; cost %v", capacity, o.Price.PerHour, want, *o.USD)
		}
	}
	o := planned(t, ask(t, "llama-3.1-8b", func(r *Request) { r.Types, r.Count, r.Capacity = []string{"p5.48xlarge"}, 2, facts.Spot })).Options[0]
	if o.USD != nil || !strings.Contains(strings.Join(o.Capacity.Remarks, " "), "Spot was asked for") {
		t.Errorf("Spot without prices costs %v; remarks %q", o.USD, o.Capacity.Remarks)
	}
}

// Neuron's libraries shard no weights, and NCCL's settings are not theirs.
func TestTrainium(t *testing.T) {
	out := planned(t, ask(t, "llama-3.1-8b", func(r *Request) { r.Types = []string{"trn1.32xlarge"} }))
	o := out.Options[0]
	if o.Layout.FSDP != 1 || len(o.Remarks) == 0 || o.MFU.Mid > 0.4 {
		t.Errorf("%s, MFU %v, remarks %q", o.ID, o.MFU, o.Remarks)
	}
	out = planned(t, ask(t, "llama-3.1-8b", func(r *Request) { r.Types, r.Method = []string{"trn1.32xlarge"}, QLoRA }))
	if len(out.Options) != 0 || !strings.Contains(out.Rejected[0].Reason, "CUDA") {
		t.Errorf("QLoRA on Trainium: %+v", out.Rejected)
	}
}

// Nodes without EFA are coupled only where one does not do.
func TestOneNodeWithoutEFAStaysAlone(t *testing.T) {
	r := ask(t, "llama-3.1-8b", func(r *Request) {
		r.Method, r.Tokens, r.Types, r.ChunkedLoss, r.Sequence = LoRA, 50e6, []string{"g5.xlarge"}, true, 2048
	})
	if o := planned(t, r).Options[0]; o.Count != 1 {
		t.Errorf("%s", o.ID)
	}
	r.Deadline = 8 * time.Hour
	if o := planned(t, r).Options[0]; o.Count == 1 || o.Connect.EFA != 0 || !strings.Contains(o.Connect.Why, "TCP") {
		t.Errorf("within 8 hours: %s, %+v", o.ID, o.Connect)
	}
}

func TestOneNodeOfAdaptersMayBeSpot(t *testing.T) {
	out := planned(t, ask(t, "llama-3.1-8b", func(r *Request) {
		r.Method, r.Tokens, r.Types, r.Count = LoRA, 100e6, []string{"g6e.12xlarge"}, 1
	}))
	if o := out.Options[0]; o.Capacity.Advice != facts.Spot {
		t.Errorf("%s: %s", o.ID, o.Capacity.Advice)
	}
	if out.Model.Trained != 41_943_040 {
		t.Errorf("%d parameters trained", out.Model.Trained)
	}
}

func TestRejected(t *testing.T) {
	for instance, want := range map[string]string{
		"g5.xlarge": "the smallest layout needs", "g4dn.12xlarge": "no BF16", "inf2.48xlarge": "does not train", "dl2q.24xlarge": "no training framework",
	} {
		out := planned(t, ask(t, "llama-3.3-70b", func(r *Request) { r.Types, r.Count = []string{instance}, 1 }))
		if out.Met || len(out.Rejected) != 1 || !strings.Contains(out.Rejected[0].Reason, want) {
			t.Errorf("%s: met %v, %+v; want %q", instance, out.Met, out.Rejected, want)
		}
		if out.Nearest == "" {
			t.Errorf("%s: nothing is said of what would do", instance)
		}
	}
	out := planned(t, ask(t, "llama-3.1-8b", func(r *Request) { r.Precision = "fp8" }))
	for _, o := range out.Options {
		if c, _ := facts.ChipNamed(o.GPU.Name); c.FP8 == 0 {
			t.Errorf("FP8 on %s", o.GPU.Name)
		}
	}
}

func TestMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Request)
		want   string
	}{
		"no tokens":        {func(r *Request) { r.Tokens = 0 }, "0 tokens"},
		"too many tokens":  {func(r *Request) { r.Tokens = 1e18 }, "from 1 to"},
		"tp":               {func(r *Request) { r.TP = 6 }, "tp 6 does not divide the 32 attention heads of llama-3.1-8b: the nearest that do are 4 and 8"},
		"pp":               {func(r *Request) { r.PP = 5 }, "the nearest that do are 4 and 8"},
		"pp and fsdp":      {func(r *Request) { r.PP, r.FSDP = 4, 8 }, "use --dp"},
		"experts":          {func(r *Request) { r.EP = 4 }, "has no experts"},
		"method":           {func(r *Request) { r.Method = "dora" }, "full, lora and qlora"},
		"rank":             {func(r *Request) { r.Method, r.Adapters.Rank = LoRA, 0 }, "rank 0"},
		"target":           {func(r *Request) { r.Method, r.Adapters.Targets = LoRA, []string{"wq"} }, `unknown target of adapters "wq"`},
		"optimizer":        {func(r *Request) { r.Optimizer = "adam" }, "known are adamw"},
		"precision":        {func(r *Request) { r.Precision = "fp4" }, "bf16 or fp8"},
		"fp8 qlora":        {func(r *Request) { r.Method, r.Precision = QLoRA, "fp8" }, "NF4"},
		"checkpointing":    {func(r *Request) { r.Recompute = "some" }, "none, selective and full"},
		"micro-batch":      {func(r *Request) { r.MicroBatch, r.GlobalBatch = 64, 8 }, "more than the global batch"},
		"sequence":         {func(r *Request) { r.Sequence = -1 }, "sequence -1"},
		"instance":         {func(r *Request) { r.Types = []string{"p5.xlarge"} }, "p5.4xlarge"},
		"part of a GPU":    {func(r *Request) { r.Types = []string{"g6f.xlarge"} }, "fraction"},
		"capacity":         {func(r *Request) { r.Capacity = "reserved" }, "capacity-block"},
		"too many":         {func(r *Request) { r.Count = 5000 }, "more than 512"},
		"unknown model":    {func(r *Request) { r.Model.Layers, r.Ref = nil, "no-such-model" }, "no-such-model"},
		"no model":         {func(r *Request) { r.Model.Layers = nil }, "no model"},
		"negative failure": {func(r *Request) { r.FailureHours = -1 }, "-1 hours between failures"},
		"no end":           {func(r *Request) { r.FailureHours = 1e-9 }, "must be 100 or more"},
		"checkpoint rate":  {func(r *Request) { r.CheckpointRate = 1 }, "must be 1 MB/s or more"},
		"huge batch":       {func(r *Request) { r.GlobalBatch = math.MaxInt }, "more than the 1e+10 tokens"},
		"region":           {func(r *Request) { r.Region = "us-east-1 " }, `"us-east-1 " is no AWS region`},
	} {
		_, err := Plan(ask(t, "llama-3.1-8b", c.change))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}

// Experts shard over the GPUs that share the batch; all layouts of a model with them
// divide its experts.
func TestExpertsAreSpread(t *testing.T) {
	out := planned(t, ask(t, "mixtral-8x7b", func(r *Request) { r.Types = []string{"p5.48xlarge"} }))
	o := out.Options[0]
	if o.Layout.EP < 2 || 8%o.Layout.EP != 0 {
		t.Errorf("%s", o.ID)
	}
	if w := o.Seconds.High / o.Seconds.Low; w < 3 {
		t.Errorf("the range of a model with experts is a factor of %.1f, more than is known", w)
	}
	if !slices.ContainsFunc(out.Remarks, func(s string) bool { return strings.Contains(s, "experts") }) {
		t.Errorf("remarks: %q", out.Remarks)
	}
}

// A count alone is planned as a known model, and says so.
func TestACountIsMarked(t *testing.T) {
	out := planned(t, Request{Ref: "30B", Tokens: 1e9, Types: []string{"p5.48xlarge"}})
	if !slices.ContainsFunc(out.Remarks, func(s string) bool { return strings.Contains(s, "30B says only how many") }) {
		t.Errorf("remarks: %q", out.Remarks)
	}
	if !strings.HasPrefix(out.Model.Name, "30B (as ") {
		t.Errorf("the model is called %q, as if it were known", out.Model.Name)
	}
}

func BenchmarkPlan(b *testing.B) {
	r := ask(b, "deepseek-v3", func(r *Request) { r.Tokens = 1e12 })
	for b.Loop() {
		if _, err := Plan(r); err != nil {
			b.Fatal(err)
		}
	}
}
