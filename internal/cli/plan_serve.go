package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"assay/internal/plan"
	"assay/internal/report"
	"assay/internal/spec"
)

// planServeFlags are the flags of `assay plan serve`.
type planServeFlags struct {
	plan.Request
	slo                  []string
	budget, output, file string
	from                 string
	all                  bool
}

func newPlanServe(env *Env) *cobra.Command {
	f := &planServeFlags{}
	cmd := &cobra.Command{
		Use:   "serve --model MODEL (--concurrency N | --request-rate N) --isl N --osl N",
		Short: "Say on which instances a model is served at an SLO, how it is laid out, and what that costs",
		Long: `Say on which EC2 instances a model is served at an SLO: memory by part and by GPU;
the layouts that fit, in order of cost; for each the predicted TTFT, ITL,
throughput and knee with error bars, the KV cache, the price on demand and on Spot,
the flags to start the engine with; and why the others would not do.

MODEL is a config.json, its folder, a .safetensors or .gguf file, a known model's
name, or a count such as 30B, of which what depends on the architecture is a range.

Prices on demand in us-east-1 ship with the tool, with their date. --price-file adds
others: of any region, and of Spot (docs/plan.md). Spot prices are never made up.

The exit code is 1 when nothing meets what was asked; the nearest thing that works is
printed then.`,
		Example: `  assay plan serve --model llama-3.1-8b --context 8192 --concurrency 32 --isl 1000 --osl 300
  assay plan serve --model ./config.json --precision fp8 --request-rate 5 --isl 1000 --osl 300 --slo 'ttft.p95<500ms,itl.p95<50ms'
  assay plan serve --model 30B --precision fp16 --concurrency 8 --isl 500 --osl 200 --instance g5.12xlarge --explain
  assay plan serve -f assay.yaml --concurrency 32 -o json >plan.json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return planServe(env, f) },
	}
	f.add(cmd)
	return cmd
}

func (f *planServeFlags) add(cmd *cobra.Command) {
	p := cmd.Flags()
	p.SortFlags = false
	p.StringVar(&f.Model, "model", "", "config.json, its folder, a .safetensors or .gguf file, a known model's name, or a count such as 30B")
	p.StringVar(&f.Precision, "precision", "", "of the weights: bf16, fp16, fp8, int8, int4, awq, gptq, mxfp4 or nvfp4 (default: the checkpoint's)")
	p.StringVar(&f.KVPrecision, "kv-precision", "", "of the KV cache: auto, bf16, fp8, fp8_per_token_head, nvfp4 or fp8_ds_mla (default auto: 16 bits)")
	p.IntVar(&f.Context, "context", 0, "tokens of the longest request, prompt and answer (default: 8192, more where the lengths need it)")
	p.IntVar(&f.Concurrency, "concurrency", 0, "requests in flight, of users that wait for their answers")
	p.Float64Var(&f.Rate, "request-rate", 0, "requests a second, that come whether answers do or not")
	p.IntVar(&f.ISL, "isl", 0, "tokens of a prompt")
	p.IntVar(&f.OSL, "osl", 0, "tokens of an answer")
	p.StringSliceVar(&f.slo, "slo", nil, "what must hold, such as 'ttft.p95<500ms,itl.p95<50ms' (default: that of -f; without one only that requests need not wait)")
	p.StringVar(&f.budget, "budget", "", "the most that an hour may cost, such as 10$/h")
	p.StringVar(&f.Region, "region", "", "AWS region of the prices (default us-east-1)")
	p.StringVar(&f.Capacity, "capacity", "", "whose price counts: on-demand, spot, or any for the cheaper (default on-demand)")
	p.StringVar(&f.Engine, "engine", "", "engine and version, such as vllm@0.32 (default: the newest vLLM known)")
	p.StringSliceVar(&f.Instances, "instance", nil, "instance types to choose from (default: all accelerated ones)")
	p.StringSliceVar(&f.PriceFiles, "price-file", nil, "prices of other regions or of Spot: our own YAML, or JSON of aws pricing get-products or aws ec2 describe-spot-price-history")
	p.StringSliceVar(&f.NodePools, "nodepool", nil, "Karpenter NodePools (YAML): only what they launch is chosen from")
	p.Float64Var(&f.Utilization, "gpu-memory-utilization", 0, "share of a GPU's memory that the engine takes (default: the engine's)")
	p.IntVar(&f.MaxNumSeqs, "max-num-seqs", 0, "requests in one step (default: the engine's)")
	p.IntVar(&f.MaxBatchedTokens, "max-num-batched-tokens", 0, "tokens in one step (default: the engine's)")
	p.IntVar(&f.BlockSize, "block-size", 0, "tokens in a block of the KV cache (default: the engine's)")
	p.Int64Var(&f.KVBytes, "kv-cache-memory-bytes", 0, "bytes of a GPU's KV cache (default: what is left)")
	p.IntVar(&f.Spare, "spare", plan.DefaultSpare, "replicas more than needed whose cost is shown beside")
	p.IntVar(&f.ReplicasMax, "replicas-max", 0, "the most replicas (default 64)")
	p.StringVar(&f.Calibrate, "calibrate", "", "a measured run or the start-up log of vLLM: what it measured replaces estimates")
	p.StringVar(&f.from, "from", "", "a measured run, the same as --calibrate")
	p.StringVarP(&f.file, "file", "f", "", "assay.yaml whose model, workload, SLO and platform fill in what no flag says")
	p.BoolVar(&f.Explain, "explain", false, "show each number's formula, inputs and source")
	p.BoolVar(&f.all, "all", false, "show every option and every layout that was rejected")
	p.StringVarP(&f.output, "output", "o", "text", "text, json, yaml, markdown or html")
}

func planServe(env *Env, f *planServeFlags) error {
	if err := checkPlanForm(f.output, "html"); err != nil {
		return err
	}
	r, err := f.request()
	if err != nil {
		return usage(err)
	}
	result, err := plan.Serve(r)
	if err != nil {
		return usage(err)
	}
	if f.output == "html" {
		err = printPage(env, func(w io.Writer) error { return report.ServePlanHTML(w, result) })
	} else {
		err = printAnswer(env, f.output, result,
			func(w io.Writer, opt report.TextOptions) error { return report.ServePlan(w, result, f.all, opt) },
			func(w io.Writer) error { return report.ServePlanMarkdown(w, result, f.all) })
	}
	if err != nil {
		return err
	}
	if len(result.Options) == 0 {
		return silent(exitNo)
	}
	return nil
}

// request is what the flags ask, with what assay.yaml says in the places they leave open.
func (f *planServeFlags) request() (plan.Request, error) {
	r := f.Request
	var err error
	if r.SLO, err = spec.ParseConditions(f.slo); err != nil {
		return r, err
	}
	if f.budget != "" {
		v, err := spec.ParseHourly(f.budget)
		if err != nil {
			return r, err
		}
		r.Budget = &v
	}
	if f.from != "" {
		if r.Calibrate != "" {
			return r, fmt.Errorf("both --from %s and --calibrate %s: one of them", f.from, r.Calibrate)
		}
		r.Calibrate = f.from
	}
	if f.file == "" {
		return r, nil
	}
	s, err := spec.ReadFile(f.file)
	if err != nil {
		return r, err
	}
	return r.Declared(s), nil
}
