package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"assay/internal/bench"
	"assay/internal/spec"
	"assay/internal/trace"
	"assay/internal/wire"
)

// benchFlags are the flags of `assay bench` as typed.
type benchFlags struct {
	target, model, api, file, out, output string
	keyVariable, keyFile                  string
	gpu, engineModel                      string
	dryRun, inspect                       bool

	transport transportFlags

	concurrency, rate, arrival string
	burstiness                 float64
	numRequests, warmup        int
	duration, budget           string
	isl, osl                   string
	islStddev, oslStddev       float64
	sharedPrefix               int
	dataset, datasetFormat     string

	slo, thresholds       []string
	price                 float64
	serveMetrics          string
	refine                int
	maxErrors             float64
	timeout, stall, grace time.Duration
	seed                  uint64

	tails   tailFlags
	traffic trafficFlags
	metrics metricFlags
}

func (f *benchFlags) add(cmd *cobra.Command) {
	p := cmd.Flags()
	p.SortFlags = false
	p.StringVar(&f.target, "target", "", "base URL of the endpoint, such as http://localhost:8000 (default: the embedded simulated engine)")
	p.StringVarP(&f.model, "model", "m", "", "model to ask for (default: the target's only one)")
	p.StringVar(&f.api, "api", wire.Auto, "protocol: "+strings.Join(wire.APIs(), ", ")+"; auto takes what the endpoint has")
	p.StringVarP(&f.file, "file", "f", "", "assay.yaml with scenarios, SLO, workload, platform; - is standard input")
	p.StringVar(&f.out, "out", "", "run folder to write (default: assay-runs/TIME)")
	p.StringVarP(&f.output, "output", "o", "text", "what to print at the end: text, json (run.json), markdown, or jsonl: an event a line as it happens")
	p.StringVar(&f.serveMetrics, "serve-metrics", "", "serve the run in progress to Prometheus at this address, such as 127.0.0.1:9464")
	p.BoolVar(&f.inspect, "inspect", false, "ask the endpoint a few things without load and say how it answers: its stream, its counts, what stands between")
	p.BoolVar(&f.dryRun, "dry-run", false, "print the levels, the tokens they spend and the longest they can take; send nothing")

	p.StringVar(&f.concurrency, "concurrency", "", "closed loop: requests in flight, one level each, such as 1,5,10")
	p.StringVar(&f.rate, "request-rate", "", "open loop: requests per second, one level each, such as 2,4.5")
	p.StringVar(&f.arrival, "arrival", "", "open loop: constant, poisson (default) or gamma")
	p.Float64Var(&f.burstiness, "burstiness", 0, "shape of gamma arrivals: 1 is Poisson, below 1 burstier")
	p.IntVarP(&f.numRequests, "num-requests", "n", 0, "measured requests of each level, exactly (default: the scenario's, within the budget)")
	p.StringVar(&f.duration, "duration", "", "hold each level at least so long, such as 90s; with --num-requests, whichever is later")
	p.StringVar(&f.budget, "level-budget", "", "time after which a level with a default count stops (default: the scenario's)")
	p.IntVar(&f.warmup, "warmup", 0, "warm-up requests on top of the measured ones; -1 for none (default: one wave)")
	p.StringVar(&f.isl, "isl", "", "prompt length in the server's tokens, template included; long-context: a list")
	p.Float64Var(&f.islStddev, "isl-stddev", 0, "standard deviation of the prompt length")
	p.StringVar(&f.osl, "osl", "", "output length in tokens")
	p.Float64Var(&f.oslStddev, "osl-stddev", 0, "standard deviation of the output length")
	p.IntVar(&f.sharedPrefix, "shared-prefix", 0, "tokens that all prompts share (default: none, so that a prefix cache does not flatter)")
	p.StringVar(&f.dataset, "dataset", "", "file of prompts or trace: ShareGPT, OpenAI batch, Mooncake, Azure, BurstGPT, spans, JSONL, text and more (see assay trace --help)")
	p.StringVar(&f.datasetFormat, "dataset-format", "", "the file's format (default: by content): "+strings.Join(spec.DatasetKinds, ", "))

	f.traffic.add(p)

	p.StringArrayVar(&f.slo, "slo", nil, "conditions such as 'ttft.p95<500ms' or ttft.p95=500ms,itl.p95=50ms (default: these two)")
	addThresholds(p, &f.thresholds)
	p.Float64Var(&f.price, "price-per-hour", 0, "US dollars per hour of what serves the target: adds dollars per million tokens")
	p.IntVar(&f.refine, "refine", 3, "extra levels around the knee and the SLO crossing, at most")
	p.Float64Var(&f.maxErrors, "max-errors", 0.1, "share of failed requests that ends a level; higher levels are not run")
	p.DurationVar(&f.timeout, "timeout", 5*time.Minute, "longest time of one request")
	p.DurationVar(&f.stall, "stall-timeout", 2*time.Minute, "longest wait for the next byte of an answer")
	p.DurationVar(&f.grace, "grace", 5*time.Second, "after Ctrl-C, how long what is in flight may take to finish")
	p.Uint64Var(&f.seed, "seed", 0, "seed of lengths, arrivals and texts (default: a new one, recorded)")

	f.tails.add(p)

	p.StringVar(&f.keyVariable, "api-key-env", "ASSAY_API_KEY", "environment variable that holds the API key")
	p.StringVar(&f.keyFile, "api-key-file", "", "file that holds the API key, in place of the variable")
	f.transport.add(p)
	f.metrics.add(p)
	p.StringVar(&f.gpu, "gpu", "", "embedded engine: accelerator, such as h100 (see assay sim --help)")
	p.StringVar(&f.engineModel, "engine-model", "", "embedded engine: model, such as llama-3.1-8b")
	p.SetNormalizeFunc(aliases)
}

// aliases are the names that other benchmarks use for the same flag.
func aliases(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	if ours, ok := flagAliases[name]; ok {
		name = ours
	}
	return pflag.NormalizedName(name)
}

var flagAliases = map[string]string{
	"url": "target", "base-url": "target",
	"endpoint-type": "api", "backend-api": "api",
	"max-concurrency": "concurrency", "parallel": "concurrency", "streams": "concurrency",
	"rate": "request-rate", "arrival-pattern": "arrival",
	"request-count": "num-requests", "num-prompts": "num-requests", "max-requests": "num-requests", "number": "num-requests",
	"benchmark-duration": "duration", "max-seconds": "duration",
	"prompt-length": "isl", "random-input-len": "isl", "prompt-tokens": "isl",
	"max-tokens": "osl", "random-output-len": "osl", "output-tokens": "osl",
	"prompt-length-stddev": "isl-stddev", "max-tokens-stddev": "osl-stddev",
	"num-warmups": "warmup", "warmup-requests": "warmup", "warmup-request-count": "warmup", "warmup-num": "warmup",
	"dataset-path": "dataset", "input-file": "dataset", "data": "dataset",
	"custom-dataset-type": "dataset-format",
	"lora":                "models", "lora-modules": "models", "image-count": "images",
	"session-turns-mean": "turns", "conversation-turn-mean": "turns", "multi-turn": "sessions", "num-prefixes": "prefix-groups",
	"goodput": "slo", "random-seed": "seed", "served-model-name": "model",
	"headers": "header", "extra-inputs": "extra-body", "extra-request-body": "extra-body",
	"client-cert": "cert", "client-key": "key",
	"result-dir": "out", "output-artifact-dir": "out", "outputs-dir": "out", "output-dir": "out",
}

// scenario is what the flags say of a scenario.
func (f *benchFlags) scenario() (spec.Scenario, error) {
	s := spec.Scenario{
		Arrival: f.arrival, Burstiness: f.burstiness, NumRequests: f.numRequests, Exact: f.numRequests > 0,
		Warmup: f.warmup, SharedPrefix: f.sharedPrefix, DatasetPath: f.dataset,
	}
	var err error
	if s.DatasetKind, err = trace.ParseKind(f.datasetFormat); err != nil {
		return s, fmt.Errorf("--dataset-format: %w", err)
	}
	if s.Concurrency, err = numbers(f.concurrency, "--concurrency", strconv.Atoi); err != nil {
		return s, err
	}
	if s.RequestRate, err = numbers(f.rate, "--request-rate", parseFloat); err != nil {
		return s, err
	}
	if s.Duration, err = optionalDuration(f.duration, "--duration"); err != nil {
		return s, err
	}
	if s.Budget, err = optionalDuration(f.budget, "--level-budget"); err != nil {
		return s, err
	}
	prompts, err := numbers(f.isl, "--isl", strconv.Atoi)
	if err != nil {
		return s, err
	}
	outputs, err := numbers(f.osl, "--osl", strconv.Atoi)
	if err != nil {
		return s, err
	}
	if len(prompts) > 1 {
		s.PromptSet = prompts
	} else {
		s.Prompt = lengths(prompts, f.islStddev)
	}
	s.Output = lengths(outputs, f.oslStddev)
	if s.Traffic, err = f.traffic.traffic(); err != nil {
		return s, err
	}
	if err := f.tails.over(&s); err != nil {
		return s, err
	}
	return s, f.contradictions(s)
}

func (f *benchFlags) contradictions(s spec.Scenario) error {
	switch {
	case f.warmup < -1:
		return fmt.Errorf("--warmup %d: it must be -1 (none) or more", f.warmup)
	case !(f.islStddev >= 0) || !(f.oslStddev >= 0):
		return fmt.Errorf("--isl-stddev and --osl-stddev must not be negative")
	case f.islStddev > 0 && s.Prompt.IsZero():
		return fmt.Errorf("--isl-stddev needs --isl with one length")
	case f.oslStddev > 0 && s.Output.IsZero():
		return fmt.Errorf("--osl-stddev needs --osl")
	case len(s.Output.Choices) > 0:
		return fmt.Errorf("--osl %s: give one length", f.osl)
	}
	return nil
}

func lengths(list []int, stddev float64) spec.Lengths {
	switch len(list) {
	case 0:
		return spec.Lengths{}
	case 1:
		return spec.Lengths{Mean: float64(list[0]), Stddev: stddev}
	default:
		return spec.Lengths{Choices: list}
	}
}

func parseFloat(s string) (float64, error) { return strconv.ParseFloat(s, 64) }

// numbers reads a list parted by commas or spaces of positive numbers.
func numbers[T int | float64](s, flag string, parse func(string) (T, error)) ([]T, error) {
	var out []T
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := parse(part)
		if err != nil || !(n > 0) {
			return nil, fmt.Errorf("%s %s: %q is not a positive number", flag, s, part)
		}
		out = append(out, n)
	}
	if s != "" && len(out) == 0 {
		return nil, fmt.Errorf("%s is empty", flag)
	}
	return out, nil
}

func optionalDuration(s, flag string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	d, err := spec.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("%s %s: not a positive duration such as 90s or 5m", flag, s)
	}
	return d, nil
}

// check names what the flags that are not of a scenario make impossible.
func (f *benchFlags) check(opt bench.Options) error {
	switch {
	case f.api != wire.Auto && !slices.Contains(wire.APIs(), f.api):
		return fmt.Errorf("--api %s: it is %s or one of %s", f.api, wire.Auto, strings.Join(wire.APIs(), ", "))
	case !(f.price >= 0 && f.price < 1e9):
		return fmt.Errorf("--price-per-hour %g: it must be a number of US dollars", f.price)
	case f.refine < 0 || f.refine > 20:
		return fmt.Errorf("--refine %d: it must be between 0 and 20", f.refine)
	case !(f.maxErrors >= 0 && f.maxErrors <= 1):
		return fmt.Errorf("--max-errors %g: it is a share between 0 and 1", f.maxErrors)
	case f.timeout <= 0 || f.stall <= 0 || f.grace < 0:
		return fmt.Errorf("--timeout, --stall-timeout and --grace must be positive durations")
	case opt.Target != "" && (f.gpu != "" || f.engineModel != ""):
		return fmt.Errorf("--gpu and --engine-model describe the embedded engine; with --target there is none")
	case opt.Target == "" && f.model != "":
		return fmt.Errorf("--model without --target: give --target URL, or --engine-model for the embedded engine")
	}
	return nil
}
