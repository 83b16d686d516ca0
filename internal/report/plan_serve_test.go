package report

import (
	"bytes"
	"strings"
	"testing"

	"assay/internal/facts"
	"assay/internal/figure"
	"assay/internal/plan"
	"assay/internal/spec"
)

// aPlan is a plan of round figures: two options and three rejections.
func aPlan() *plan.Result {
	price := func(v float64) *float64 { return &v }
	date := "2026-07-06"
	slo := spec.Criterion{Metric: "itl", Percentile: "p95", Limit: 50}
	first := plan.Option{
		ID: "g6e.xlarge-tp1-x2", Instance: "g6e.xlarge", Count: 2, TP: 1, PP: 1, DP: 1, EP: 1, Replicas: 2,
		GPU:  plan.GPU{Name: "L40S", Usable: 44 << 30, Weights: 15 << 30, Activation: 1 << 30, Graphs: 512 << 20, Other: 256 << 20, KV: 22 << 30},
		GPUs: 2, KVTokens: 180_000, MaxConcurrency: 21.97, KVBlocks: 11_250, BlockSize: 16,
		Load:      plan.Load{Concurrency: 16},
		Simulated: &plan.Simulated{KVPeak: 0.123, Batch: 15.9, Requests: 100, Span: 43.2},
		Predicted: plan.Predicted{TTFT: figure.Range{Low: 80, Mid: 120, High: 210}, ITL: figure.Range{Low: 20, Mid: 24, High: 31}, E2E: figure.Range{Low: 6100, Mid: 7300, High: 9500},
			Output: figure.Range{Low: 1010, Mid: 1315, High: 1574}, Requests: figure.Range{Low: 3.4, Mid: 4.4, High: 5.2},
			Knee: &plan.Knee{Low: 60, High: 90, Unit: "requests in flight", Output: figure.Exactly(2600)}},
		SLO: []plan.Judged{{Metric: "itl", Percentile: "p95", Limit: 50, Value: figure.Range{Low: 21, Mid: 26.9, High: 41}, Verdict: plan.Met, How: "predicted mean × 1.12"}}, Meets: plan.Met,
		Price:  plan.Price{OnDemand: price(3.722), PerInstance: price(1.861), AsOf: &date, AskSpot: "aws ec2 describe-spot-price-history --instance-types g6e.xlarge"},
		USD:    &figure.Range{Low: 0.66, Mid: 0.79, High: 1.02},
		AtKnee: &figure.Range{Low: 0.4, Mid: 0.4, High: 0.4},
		Spare:  &plan.Spare{Replicas: 3, Count: 3, OnDemand: price(5.583)},
		Flags:  []string{"--max-model-len=8192", "--max-num-seqs=256", "--gpu-memory-utilization=0.92"},
		Host:   plan.Host{VCPU: 8, Quota: "Running On-Demand G and VT instances", QuotaCode: "L-DB2E81BA", Memory: 32 << 30, LoadMemory: 19 << 30, Allocatable: 28 << 30, Pods: 58},
	}
	second := first
	second.ID, second.Instance, second.Count, second.TP, second.Replicas = "g6.12xlarge-tp4-x1", "g6.12xlarge", 1, 4, 1
	second.Price = plan.Price{OnDemand: price(4.6016), AsOf: &date}
	second.Predicted.ITL = figure.Range{Low: 15, Mid: 19, High: 26}
	second.Predicted.Knee, second.Meets = nil, plan.Undecided
	second.Simulated = nil
	return &plan.Result{
		Request: plan.Asked{Model: "llama-3.1-8b", Precision: "bf16", KVPrecision: "auto", Context: 8192, Concurrency: 32, ISL: 1000, OSL: 300,
			SLO: []spec.Criterion{slo}, Conditions: []string{slo.String()}, Region: "us-east-1", Capacity: plan.OnDemand, Engine: "vllm@0.32", Spare: 1, ReplicasMax: 64},
		Model:   plan.Model{Name: "llama-3.1-8b", Parameters: 8_030_261_248, Active: 7_504_924_672, Serve: "meta-llama/Llama-3.1-8B", Precision: "bf16", Context: 131072},
		Memory:  plan.Memory{Weights: 16_060_522_496, KVPerToken: 131072, KVFormat: "auto"},
		Verdict: plan.Verdict{Verdict: plan.Fits, Say: "g6e.xlarge-tp1-x2 is the cheapest that meets the SLO: 2 × g6e.xlarge with 2 replicas, for $3.72/h on demand", Also: []string{"its error bars lie within the limits"}, Sure: "g6e.xlarge-tp1-x2"},
		Options: []plan.Option{first, second},
		Rejected: []plan.Rejection{
			{Instance: "g4dn.xlarge", Layout: "tp1", Reason: "weights need 14.96 GiB of each GPU, and there are 13.39", Kind: "memory"},
			{Instance: "g5.xlarge", Layout: "tp1", Reason: "ITL p95 61.0 ms (50 to 80), not below 50, with 32 replicas\x1b[31m", Kind: "SLO"},
			{Instance: "g5.2xlarge", Layout: "tp1", Reason: "ITL p95 61.0 ms (50 to 80), not below 50, with 32 replicas", Kind: "SLO"},
		},
		Remarks:  []string{"no --context: 8192 tokens are planned for"},
		NotKnown: []string{"Spot prices"},
	}
}

func TestServePlan(t *testing.T) {
	works := aPlan()
	works.Options[0].Figures = []figure.Figure{{Name: "weights", Value: 15 << 30, Unit: "bytes", Kind: figure.Computed, Formula: "Σ parameters × bytes each",
		Inputs: []figure.Input{{Name: "parameters", Value: 8.03e9, Source: facts.Source{Title: "config.json", Date: "2026-11-30"}}}}}
	none := aPlan()
	nearest := none.Options[0]
	nearest.Simulated = &plan.Simulated{KVPeak: 1, Preemptions: 74, Batch: 167.6, Queued: 57.2, Wait: 5100, Requests: 467, Span: 93.3}
	none.Options = []plan.Option{}
	none.Verdict = plan.Verdict{Verdict: plan.OverBudget, Say: "nothing meets this for $2.00/h: the cheapest that does, g6e.xlarge-tp1-x2, costs $3.72/h",
		Nearest: &plan.Nearest{Option: &nearest, Misses: []string{"costs $1.72/h more than the budget"}, Relax: []string{"--budget 3.73$/h"}}}
	for name, r := range map[string]*plan.Result{"plan-serve": works, "plan-serve-none": none} {
		var text, page, site bytes.Buffer
		if err := ServePlan(&text, r, false, TextOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := ServePlanMarkdown(&page, r, false); err != nil {
			t.Fatal(err)
		}
		if err := ServePlanHTML(&site, r); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".txt", text.Bytes())
		golden(t, name+".md", page.Bytes())
		for _, out := range []string{text.String(), page.String(), site.String()} {
			if strings.ContainsRune(out, 0x1b) {
				t.Errorf("%s: a reason steers the terminal", name)
			}
		}
		for _, line := range strings.Split(text.String(), "\n") {
			if n := len([]rune(line)); n > 100 {
				t.Errorf("%s: a line of %d characters: %s", name, n, line)
			}
		}
	}
}

func TestServePlanHTMLIsOneFile(t *testing.T) {
	var b bytes.Buffer
	if err := ServePlanHTML(&b, aPlan()); err != nil {
		t.Fatal(err)
	}
	page := strings.ReplaceAll(b.String(), "http://www.w3.org/2000/svg", "")
	for _, want := range []string{"<title>Assay: a plan for llama-3.1-8b</title>", "ITL against cost", "g6.12xlarge-tp4-x1", "--max-num-seqs=256", "28.0 GiB"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	for _, not := range []string{"<script", "http://", "<link", "src="} {
		if strings.Contains(page, not) {
			t.Errorf("%q in the page", not)
		}
	}
}

func TestAllListsEveryLayout(t *testing.T) {
	var short, long bytes.Buffer
	if err := ServePlan(&short, aPlan(), false, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := ServePlan(&long, aPlan(), true, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if strings.Count(short.String(), "ITL p95 61.0") != 1 || strings.Count(long.String(), "ITL p95 61.0") != 2 {
		t.Errorf("reasons are grouped without --all and listed with it:\n%s\n%s", short.String(), long.String())
	}
}
