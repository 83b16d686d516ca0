package cli

import (
	"cmp"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assay/internal/bench"
	"assay/internal/record"
	"assay/internal/spec"
	"assay/internal/wire"
)

func newBench(env *Env) *cobra.Command {
	f := &benchFlags{}
	cmd := &cobra.Command{
		Use:   "bench [SCENARIO…]",
		Short: "Measure an endpoint: a recorded run, a verdict and an HTML report",
		Long: `Measure an inference endpoint and write a run folder with a verdict and a report.

Scenarios: baseline (one request at a time), saturation (rising concurrency: the
knee and the operating point), production (Poisson arrivals with varied lengths
at 0.8 of the operating point), dataset (prompts from a file), long-context
(4K to 128K tokens), and those of your assay.yaml. The default is saturation.

Without --target the embedded simulated engine is measured, with a short
workload of its own; the first line and the report say so.

Flags change every scenario that is named, but with several of them
--concurrency leaves baseline and production alone, and --request-rate,
--arrival and --burstiness are for production.

N requests mean N measured ones: warm-up comes on top. An explicit
--num-requests is exact; the budget of time cuts default counts only.

Exit codes: 0 fine; 1 an SLO that you gave is not met; 2 wrong usage; 3 it could
not be done; 4 a level that the verdict rests on is not valid, the runs of one
load disagree, or an open loop does not hold the knee; 130 interrupted, with what
was measured saved.`,
		Example: `  assay bench saturation
  assay bench --target http://localhost:8000
  assay bench baseline saturation production --target http://localhost:8000 --slo 'ttft.p95<300ms,itl.p95<30ms'
  assay bench --target http://localhost:8000 --concurrency 16 --num-requests 1000 --isl 512 --osl 128
  assay bench --target http://localhost:8000 --request-rate 2,4,8 --arrival gamma --burstiness 0.5 --duration 2m
  assay bench dataset --target http://localhost:8000 --dataset ShareGPT.json
  assay bench --inspect --target http://localhost:8000
  assay bench dataset --target http://localhost:8000 --dataset conversation_trace.jsonl --replay timestamps --speed 1,2
  assay bench --target http://localhost:8000 --turns 5 --think-time 2s --concurrency 32
  assay bench saturation -f assay.yaml --price-per-hour 12.29 --dry-run`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runBench(env, cmd, f, args)
		},
		ValidArgs: spec.BuiltinScenarios,
	}
	f.add(cmd)
	return cmd
}

func runBench(env *Env, cmd *cobra.Command, f *benchFlags, args []string) error {
	log.SetOutput(io.Discard) // net/http's and x/net's words on broken frames: outcomes say what they mean
	if !slices.Contains([]string{"text", "json", "jsonl", "markdown"}, f.output) {
		return usagef("-o %s: bench prints text, json, jsonl or markdown", f.output)
	}
	opt, err := f.options(env, cmd, args)
	if err != nil {
		return usage(err)
	}
	if f.inspect {
		return examine(env, opt, f.output)
	}
	plan, err := bench.NewPlan(opt)
	if err != nil {
		return usage(err)
	}
	if f.dryRun {
		return printPlan(env, plan, opt, f.output)
	}
	if opt.Out == "" {
		opt.Out = freshFolder(time.Now())
	}
	hard, soft, release := interruptible(env)
	defer release()
	watching, err := f.watch(env)
	if err != nil {
		return benchError(err)
	}
	run, err := bench.Run(hard, soft, opt, plan, watching.view)
	watching.close()
	if run == nil {
		return benchError(err)
	}
	if perr := f.printResult(env, opt.Out, run, err, watching); perr != nil {
		return benchError(perr)
	}
	if err != nil {
		return benchError(err)
	}
	fmt.Fprintf(env.Stderr, "\nrun folder: %s\nreport:     %s\n", opt.Out, filepath.Join(opt.Out, "report.html"))
	if code := bench.ExitCode(run); code != exitOK {
		return silent(code)
	}
	return nil
}

// printResult prints a run that has ended, with the error that it ended with.
func (f *benchFlags) printResult(env *Env, dir string, run *record.Run, failed error, w watching) error {
	switch {
	case failed != nil && w.events == nil:
		return renderRun(env, env.Stdout, run, f.output) // the folder may lack what memory has
	case w.events == nil:
		return printRun(env, dir, f.output)
	case failed == nil:
		if _, err := writeReport(env, dir); err != nil {
			return err
		}
	}
	return w.events.Run(run, dir)
}

// freshFolder names a run folder by the time, with a number where that is taken.
func freshFolder(now time.Time) string {
	base := filepath.Join("assay-runs", now.Format("20060102-150405"))
	dir := base
	for n := 2; ; n++ {
		if _, err := os.Stat(dir); err != nil {
			return dir
		}
		dir = fmt.Sprintf("%s-%d", base, n)
	}
}

// options resolves flags over assay.yaml over the built-in scenarios.
func (f *benchFlags) options(env *Env, cmd *cobra.Command, names []string) (bench.Options, error) {
	file := &spec.Spec{}
	if f.file != "" {
		var err error
		if file, err = spec.ReadFile(f.file); err != nil {
			return bench.Options{}, err
		}
	}
	opt := bench.Options{
		Target: f.target, Model: cmp.Or(f.model, file.Model), API: f.api,
		GPU: f.gpu, EngineModel: f.engineModel,
		SLO: file.SLO, SLOGiven: len(file.SLO) > 0, Platform: file.Platform,
		ResetCache: f.tails.resetCache, Refine: f.refine, MaxErrors: f.maxErrors, Timeout: f.timeout, Stall: f.stall, Grace: f.grace,
		Seed: f.seed, Out: f.out, Command: shownCommand(env.Args), Version: toolVersion(),
	}
	if !cmd.Flags().Changed("seed") {
		opt.Seed = rand.Uint64() >> 11 // exact as a JSON number
	}
	if f.price > 0 {
		opt.Platform.PricePerHour = f.price
	}
	if opt.Target == "" {
		opt.EngineModel, opt.Model = cmp.Or(f.engineModel, file.Model), ""
	}
	if err := f.check(opt); err != nil {
		return opt, err
	}
	var err error
	if typed := f.transport.typed(cmd.Flags()); opt.Target == "" && len(typed) > 0 {
		return opt, fmt.Errorf("%s: the embedded engine is reached directly; give --target URL", strings.Join(typed, ", "))
	}
	if opt.Reach, err = f.transport.endpoint(env); err != nil {
		return opt, err
	}
	if opt.Key, err = readKey(env, f.keyVariable, f.keyFile); err != nil {
		return opt, err
	}
	if opt.Metrics, err = f.metrics.metrics(env); err != nil {
		return opt, err
	}
	if opt.Target != "" {
		if err := f.transport.resolve(cmd.Context(), env, &opt); err != nil {
			return opt, err
		}
		if _, err := wire.New(opt.Endpoint(), wire.Options{}); err != nil {
			return opt, err
		}
	}
	if opt.Thresholds, err = thresholds(file.Diagnose.Thresholds, f.thresholds); err != nil {
		return opt, err
	}
	conditions, err := spec.ParseConditions(f.slo)
	if err != nil {
		return opt, err
	}
	if len(conditions) > 0 {
		opt.SLO, opt.SLOGiven = conditions, true
	}
	if len(opt.SLO) == 0 {
		opt.SLO = bench.DefaultSLO(opt.API)
	}
	opt.Scenarios, err = f.scenarios(cmd, file, names, opt.Target == "")
	return opt, err
}

// scenarios picks those named, else those of the file, else saturation.
func (f *benchFlags) scenarios(cmd *cobra.Command, file *spec.Spec, names []string, embedded bool) ([]spec.Scenario, error) {
	if cmd.Flags().Changed("num-requests") && f.numRequests < 1 {
		return nil, fmt.Errorf("--num-requests %d: it must be at least 1", f.numRequests)
	}
	said, err := f.scenario()
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		for _, s := range file.Scenarios {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		names = []string{f.defaultScenario(said)}
	}
	open := len(said.RequestRate) > 0
	switch {
	case open && len(names) == 1 && len(said.Concurrency) > 0:
		return nil, fmt.Errorf("--concurrency and --request-rate are two ways to hold a level: give one")
	case open && len(names) > 1 && !slices.Contains(names, spec.Production):
		return nil, fmt.Errorf("--request-rate with several scenarios is for production, which is not among them")
	}
	var out []spec.Scenario
	for _, name := range names {
		if b := spec.BuiltinName(name); b != "" {
			name = b
		}
		inFile := slices.IndexFunc(file.Scenarios, func(s spec.Scenario) bool { return s.Name == name })
		if inFile < 0 && spec.BuiltinName(name) == "" && name != fixedLoad {
			return nil, unknownScenario(name, file)
		}
		base := spec.Default(name)
		if embedded {
			base = bench.EmbeddedDefault(name)
		}
		s := spec.Scenario{Prompt: file.Workload.Prompt, Output: file.Workload.Output}
		if name == spec.LongContext {
			s.Prompt = spec.Lengths{}
		}
		s = s.Over(base)
		if inFile >= 0 {
			s = file.Scenarios[inFile].Over(s)
		}
		s = partFor(name, said, len(names) > 1).Over(s)
		out = append(out, s)
	}
	return out, nil
}

// partFor is what the flags say of one scenario among several. A load by
// concurrency is not for baseline, which is one request at a time, nor for
// production, which is an open loop; a rate is for production alone. To a
// scenario that stands alone the flags say all.
func partFor(name string, said spec.Scenario, several bool) spec.Scenario {
	if !several {
		return said
	}
	if name == spec.Baseline || name == spec.Production {
		said.Concurrency = nil
	}
	if name != spec.Production {
		said.RequestRate, said.Arrival, said.Burstiness = nil, "", 0
	}
	if name == spec.Baseline {
		said.PromptSet = nil
	}
	return said
}

// fixedLoad is the scenario of one load that flags alone describe.
const fixedLoad = "fixed"

// defaultScenario is what the flags alone mean: one load is held, several are
// a curve, a file is a dataset.
func (f *benchFlags) defaultScenario(said spec.Scenario) string {
	switch {
	case said.DatasetPath != "":
		return spec.Dataset
	case len(said.Concurrency) == 1 || len(said.RequestRate) == 1:
		return fixedLoad
	}
	return spec.Saturation
}

func unknownScenario(name string, file *spec.Spec) error {
	known := slices.Clone(spec.BuiltinScenarios)
	for _, s := range file.Scenarios {
		if !slices.Contains(known, s.Name) {
			known = append(known, s.Name)
		}
	}
	return fmt.Errorf("unknown scenario %q; there are %s (write your own under scenarios: in assay.yaml and give it with -f)",
		name, strings.Join(known, ", "))
}

// shownCommand is the command as typed, without what URLs may hide.
func shownCommand(args []string) []string {
	out := []string{"assay"}
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		switch {
		case ok && strings.HasPrefix(name, "-") && strings.Contains(value, "://"):
			arg = name + "=" + wire.ShownURL(value)
		case strings.Contains(arg, "://"):
			arg = wire.ShownURL(arg)
		}
		out = append(out, arg)
	}
	return out
}

func printPlan(env *Env, plan bench.Plan, opt bench.Options, output string) error {
	d := plan.Describe(opt)
	if output == "json" {
		return writeJSON(env.Stdout, d)
	}
	d.Text(env.Stdout)
	return nil
}
