package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"assay/internal/facts"
	"assay/internal/figure"
	"assay/internal/plan/train"
)

// trainResult is a plan with one option of each kind.
func trainResult() train.Result {
	usd := figure.Range{Low: 1800, Mid: 2100, High: 2900}
	o := train.Option{
		ID: "p5.48xlarge-x2-fsdp16", Verdict: train.May, Instance: "p5.48xlarge", Count: 2, GPUs: 16, GPU: train.GPU{Name: "H100", Usable: 79 << 30},
		Layout: train.Layout{DP: 1, FSDP: 16, TP: 1, PP: 1, EP: 1, Interleave: 1, MicroBatch: 2, Accumulation: 8, Recompute: train.Selective},
		Memory: train.Memory{Weights: 2 << 30, Gradients: 2 << 30, Optimizer: 4 << 30, Activations: 30 << 30, Logits: 10 << 30, Gather: 3 << 30, Overhead: 4 << 30, Total: 55 << 30, Usable: 79 << 30},
		Step: train.Step{
			Compute: figure.Range{Low: 6, Mid: 8, High: 10}, Shards: figure.Range{Low: 0.1, Mid: 0.2, High: 0.5},
			Total: figure.Range{Low: 6.1, Mid: 8.2, High: 10.5}, Transfers: 1,
		},
		Efficiency: figure.Range{Low: 0.33, Mid: 0.45, High: 0.61}, Rests: "published runs on chips of this kind",
		TokensPerS: figure.Range{Low: 100e3, Mid: 128e3, High: 172e3}, PerGPU: figure.Range{Low: 6250, Mid: 8000, High: 10750}, MFU: figure.Range{Low: 0.3, Mid: 0.42, High: 0.5},
		Seconds: figure.Range{Low: 60000, Mid: 79000, High: 105000}, USD: &usd,
		Phases: []train.Phase{
			{Name: "computation", Time: figure.Exactly(77000), Share: 0.97}, {Name: "data-parallel transfers that show", Time: figure.Exactly(2000), Share: 0.025},
			{Name: "pipeline bubble", Time: figure.Exactly(1), Share: 0.00001}, {Name: "checkpoints and failures", Time: figure.Exactly(400), Share: 0.005},
		},
		Price: &train.HourlyPrice{Kind: facts.OnDemand, PerHour: figure.Exactly(110.08), AsOf: "2026-07-06"},
		Checkpoint: train.Checkpoint{
			Bytes: 90 << 30, Write: figure.Exactly(48), Interval: 7000, Failures: figure.Exactly(11e6), Lost: figure.Range{Low: 0.002, Mid: 0.005, High: 0.01},
			Assumed: []string{"a node writes 1 GB/s"}, Where: "assay plan storage --use checkpoint",
		},
		Connect:  train.Connection{EFA: 32, Placement: "cluster", Zones: 1, HugePages: "5120Mi", Memory: "8000Mi", Why: "coupled nodes"},
		Capacity: train.Purchase{Advice: train.CapacityBlock, Why: "one interrupted node stops all", BlockDays: 2, Quota: &facts.VCPUQuota{Name: "Running On-Demand P instances", Code: "L-417A185B"}, VCPU: 384},
		Figures:  []figure.Figure{{Name: "step", Value: 8.2, Unit: "s", Kind: figure.Estimated, Formula: "the sum"}},
	}
	unpriced := o
	unpriced.ID, unpriced.Instance, unpriced.Verdict, unpriced.USD, unpriced.Price = "p5e.48xlarge-x2-fsdp16", "p5e.48xlarge", train.Unpriced, nil, nil
	return train.Result{
		Request: train.Asked{Method: train.Full, Tokens: 10e9, Sequence: 4096, GlobalBatch: 256, Steps: 9537, Precision: "bf16", Optimizer: "adamw"},
		Model:   train.ModelFacts{Name: "a-model", Parameters: 8e9, Trained: 8e9},
		Met:     true, Order: "cost", Options: []train.Option{o, unpriced},
		Rejected: []train.Rejection{{Instance: "g5.xlarge", Layout: "one GPU", Reason: "the smallest layout needs 150.0 GiB of a GPU's 22.1"}, {Instance: "g4dn.xlarge", Reason: "T4 computes no BF16"}},
		Network:  train.NetworkPlan{Environment: []facts.Setting{{Name: "NCCL_SOCKET_IFNAME", Value: "eth0", Advice: facts.Set}, {Name: "NCCL_ALGO", Advice: facts.LeaveOut}}},
		Remarks:  []string{"few runs are published"},
	}
}

func TestPlanTrain(t *testing.T) {
	for name, write := range map[string]func(*bytes.Buffer) error{
		"plan_train.text": func(b *bytes.Buffer) error { return PlanTrain(b, trainResult(), true, false, TextOptions{}) },
		"plan_train.md":   func(b *bytes.Buffer) error { return PlanTrainMarkdown(b, trainResult(), true, false) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), b.String()); diff != "" {
			t.Errorf("%s (-want +got; -update writes it):\n%s", name, diff)
		}
	}
}

func TestPlanTrainFitsATerminal(t *testing.T) {
	for _, width := range []int{60, 80, 100, 160} {
		var b bytes.Buffer
		if err := PlanTrain(&b, trainResult(), true, true, TextOptions{Width: width}); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(b.String(), "\n") {
			if n := utf8.RuneCountInString(line); n > width && !strings.Contains(line, "http") {
				t.Errorf("%d columns: %q has %d", width, line, n)
			}
		}
	}
}
