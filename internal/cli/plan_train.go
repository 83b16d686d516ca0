package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"assay/internal/figure"
	"assay/internal/plan/train"
	"assay/internal/price"
	"assay/internal/report"
)

// planTrainFlags are the flags of plan train as written.
type planTrainFlags struct {
	train.Request
	method, recompute        string
	tokens, budget, deadline string
	dp, fsdp, tp, pp, ep     string
	failures, writeRate      string
	output                   string
	explain, all             bool
}

func newPlanTrain(env *Env) *cobra.Command {
	f := &planTrainFlags{}
	cmd := &cobra.Command{
		Use:   "train --model MODEL --tokens N",
		Short: "Say on which instances a model is trained, how it is laid out, how long it takes and costs",
		Long: `Say on which EC2 instances a model is trained or fine-tuned, and how: memory of a
GPU by part; the layout (data parallel, FSDP, tensor, pipeline and expert parallel,
micro-batch, activation checkpointing) that is fastest on each; time of a step with
what transfers show of it, wall time and cost with error bars; how often to write a
checkpoint; how the nodes are bought, placed and connected.

Efficiency is fitted on published training runs; assay plan validate replays them.

The exit code is 1 when nothing does as asked; what is nearest is printed then.`,
		Example: `  assay plan train --model llama-3.1-8b --tokens 10B
  assay plan train --model llama-3.3-70b --tokens 200M --method lora --deadline 1d
  assay plan train --model ./config.json --tokens 100B --precision fp8 --instance p5.48xlarge --count 16 --explain
  assay plan train --model llama-3.3-70b --tokens 1T --budget 2000000 -o json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return planTrain(env, f) },
	}
	f.add(cmd)
	return cmd
}

func (f *planTrainFlags) add(cmd *cobra.Command) {
	p := cmd.Flags()
	p.SortFlags = false
	p.StringVar(&f.Ref, "model", "", "config.json, its folder, a .safetensors or .gguf file, a known model's name, or a count such as 30B")
	p.StringVar(&f.tokens, "tokens", "", "tokens to train on, such as 200M, 10B or 1.5T")
	p.StringVar(&f.method, "method", "full", "full, lora or qlora")
	p.IntVar(&f.Sequence, "seq", 0, "tokens of a sequence (default 4096, at most the model's context)")
	p.IntVar(&f.GlobalBatch, "global-batch", 0, "sequences of a step (default 128; 1 million tokens from 1B tokens on, 4 million from 100B)")
	p.IntVar(&f.MicroBatch, "micro-batch", 0, "sequences that a GPU takes at once (default: chosen)")
	p.StringVar(&f.Precision, "precision", "bf16", "of the matrix products: bf16 or fp8")
	p.StringVar(&f.Optimizer, "optimizer", "adamw", "adamw, adamw8bit, adafactor, lion or sgd (with momentum)")
	p.StringVar(&f.recompute, "checkpointing", "auto", "of activations: none, selective, full or auto")
	p.BoolVar(&f.ChunkedLoss, "chunked-loss", false, "the loss is fused or computed in chunks, so that logits are never whole (Liger, torchtune)")
	p.StringVar(&f.dp, "dp", "auto", "copies of the model, or auto")
	p.StringVar(&f.fsdp, "fsdp", "auto", "GPUs over which a copy is sharded, or auto")
	p.StringVar(&f.tp, "tp", "auto", "GPUs that share each matrix product, or auto")
	p.StringVar(&f.pp, "pp", "auto", "stages of layers, or auto")
	p.StringVar(&f.ep, "ep", "auto", "GPUs over which experts are spread, or auto")
	p.IntVar(&f.Adapters.Rank, "lora-rank", 16, "rank of adapters")
	p.StringSliceVar(&f.Adapters.Targets, "lora-targets", []string{"all"}, "matrices with adapters: "+strings.Join(train.TargetNames, ", "))
	p.StringSliceVar(&f.Types, "instance", nil, "instance types to choose from (default any: all accelerated ones)")
	p.IntVar(&f.Count, "count", 0, "instances (default: chosen)")
	p.StringVar(&f.Region, "region", "", "AWS region of the prices (default "+price.Home+")")
	p.StringVar(&f.Capacity, "capacity", "any", "on-demand, spot, capacity-block, or any for what suits")
	p.StringVar(&f.budget, "budget", "", "the most that it may cost: 5000 in all, or 40$/h")
	p.StringVar(&f.deadline, "deadline", "", "the longest that it may take, such as 7d or 12h")
	p.StringSliceVar(&f.PriceFiles, "price-file", nil, "prices of other regions, of Spot or Capacity Blocks")
	p.StringVar(&f.failures, "mtbf", "", "time between failures of one GPU, such as 50000h (default: Meta's with H100)")
	p.StringVar(&f.writeRate, "checkpoint-rate", "", "what one node writes to the checkpoints' storage, such as 2GB/s (default: 1GB/s assumed)")
	p.BoolVar(&f.explain, "explain", false, "show the formula, inputs and source of each number")
	p.BoolVar(&f.all, "all", false, "show every option")
	p.StringVarP(&f.output, "output", "o", "text", "text, json, yaml or markdown")
}

func planTrain(env *Env, f *planTrainFlags) error {
	if err := checkPlanForm(f.output); err != nil {
		return err
	}
	request, err := f.request()
	if err != nil {
		return usage(err)
	}
	result, err := train.Plan(request)
	if err != nil {
		return usage(err)
	}
	text := func(w io.Writer, o report.TextOptions) error { return report.PlanTrain(w, result, f.explain, f.all, o) }
	markdown := func(w io.Writer) error { return report.PlanTrainMarkdown(w, result, f.explain, f.all) }
	if err := printAnswer(env, f.output, result, text, markdown); err != nil {
		return err
	}
	if !result.Met {
		return silent(exitNo)
	}
	return nil
}

// request is what the flags ask.
func (f *planTrainFlags) request() (train.Request, error) {
	r := f.Request
	r.Method = train.Method(f.method)
	if f.recompute != "auto" {
		r.Recompute = train.Recompute(f.recompute)
	}
	var err error
	if r.Tokens, err = figure.ParseCount(f.tokens); err != nil {
		return r, fmt.Errorf("--tokens: %w", err)
	}
	for _, d := range []struct {
		flag, value string
		to          *int
	}{{"--dp", f.dp, &r.DP}, {"--fsdp", f.fsdp, &r.FSDP}, {"--tp", f.tp, &r.TP}, {"--pp", f.pp, &r.PP}, {"--ep", f.ep, &r.EP}} {
		if d.value == "auto" || d.value == "" {
			continue
		}
		if *d.to, err = strconv.Atoi(d.value); err != nil || *d.to < 1 {
			return r, fmt.Errorf("%s %s: want auto or a number above 0", d.flag, d.value)
		}
	}
	if f.budget != "" {
		if r.Budget, r.Hourly, err = train.ParseBudget(f.budget); err != nil {
			return r, fmt.Errorf("--budget: %w", err)
		}
	}
	if f.deadline != "" {
		if r.Deadline, err = figure.ParseSpan(f.deadline); err != nil {
			return r, fmt.Errorf("--deadline: %w", err)
		}
	}
	if f.failures != "" {
		span, err := figure.ParseSpan(f.failures)
		if err != nil {
			return r, fmt.Errorf("--mtbf: %w", err)
		}
		r.FailureHours = span.Hours()
	}
	if f.writeRate != "" {
		if r.CheckpointRate, err = figure.ParseRate(f.writeRate); err != nil {
			return r, fmt.Errorf("--checkpoint-rate: %w", err)
		}
	}
	return r, nil
}
