package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"assay/internal/bench"
	"assay/internal/compare"
	"assay/internal/record"
	"assay/internal/record/peers"
	"assay/internal/report"
	"assay/internal/spec"
)

// compareFlags are the flags of `assay compare`.
type compareFlags struct {
	output, out         string
	failOn              []string
	strict, all, anyhow bool
}

func newCompare(env *Env) *cobra.Command {
	f := &compareFlags{}
	cmd := &cobra.Command{
		Use:   "compare BASE NEW",
		Short: "Compare two runs, and say which changes the data show",
		Long: `Compare two runs, each a run folder, its run.json, or a result file of vllm bench
serve, SGLang, AIPerf, GuideLLM, inference-perf or llm-d. Levels are paired by
scenario and load; each figure gets its change, a 95 % interval and a verdict:
better, worse, no difference shown, or not comparable, with the reason.

--fail-on makes a gate of it: the exit code is 1 when the data show that a limit
is passed, which takes the whole interval of the change beyond it. What they
leave undecided passes, with a remark; --strict fails it too.`,
		Example: `  assay compare main-run pr-run
  assay compare main-run pr-run --fail-on 'ttft.p95>+10%' --fail-on 'throughput<-5%'
  assay compare main-run pr-run --fail-on 'ttft.p95>500ms@c10' --strict
  assay compare main-run pr-run -o markdown >>"$GITHUB_STEP_SUMMARY"`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return &exitError{code: exitUsage, err: fmt.Errorf("compare takes two runs, BASE and NEW, got %d arguments", len(args)), hint: "see assay compare --help"}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return compareRuns(env, args[0], args[1], f) },
	}
	p := cmd.Flags()
	p.SortFlags = false
	p.StringSliceVar(&f.failOn, "fail-on", nil, "exit 1 when the data show this of NEW, such as 'ttft.p95>+10%', 'throughput<-5%@c10' or 'ttft.p95>500ms'; repeat for more")
	p.BoolVar(&f.strict, "strict", false, "exit 1 also when the data leave a gate undecided")
	p.BoolVar(&f.all, "all", false, "show every figure, also where nothing changed")
	p.BoolVar(&f.anyhow, "across-models", false, "compare runs of different models too: a quantised one, another served name")
	p.StringVarP(&f.output, "output", "o", "text", "text, json, yaml or markdown")
	p.StringVar(&f.out, "out", "", "file to write (default: standard output)")
	return cmd
}

func compareRuns(env *Env, base, next string, f *compareFlags) error {
	if f.output != "text" && f.output != "json" && f.output != "yaml" && f.output != "markdown" {
		return usagef("-o %s: a comparison is printed as text, json, yaml or markdown", f.output)
	}
	opt := compare.Options{AcrossModels: f.anyhow}
	for _, s := range f.failOn {
		g, err := spec.ParseGate(s)
		if err != nil {
			return usage(err)
		}
		opt.Gates = append(opt.Gates, g)
	}
	b, err := sideOf(base)
	if err != nil {
		return usage(err)
	}
	n, err := sideOf(next)
	if err != nil {
		return usage(err)
	}
	c, err := compare.Runs(b, n, opt)
	if err != nil {
		return usage(err)
	}
	if err := writeComparison(env, c, f); err != nil {
		return impossible(err)
	}
	return gateError(env, c.Gate(f.strict))
}

// sideOf reads one of the runs: a run folder, or another tool's file.
func sideOf(path string) (compare.Side, error) {
	dir := runFolder(path)
	if _, err := os.Stat(filepath.Join(dir, record.RunFile)); err == nil {
		folder, err := bench.Reopen(dir)
		if err != nil {
			return compare.Side{}, err
		}
		return compare.Side{Name: path, Run: folder.Run, Requests: folder.EachRequest}, nil
	}
	file, err := peers.Open(path)
	if err != nil {
		return compare.Side{}, err
	}
	side := compare.Side{Name: path, Run: file.Run}
	if len(file.Requests) > 0 {
		side.Requests = file.EachRequest
	}
	return side, nil
}

// writeComparison prints the comparison; a file that --out names is replaced
// once it is whole.
func writeComparison(env *Env, c *compare.Comparison, f *compareFlags) error {
	to := *env
	if f.out != "" {
		to.StdoutWidth = 0
	}
	var b bytes.Buffer
	if err := renderComparison(&to, &b, c, f); err != nil {
		return err
	}
	if f.out != "" {
		return record.WriteFile(f.out, b.Bytes())
	}
	_, err := b.WriteTo(env.Stdout)
	return err
}

func renderComparison(env *Env, w io.Writer, c *compare.Comparison, f *compareFlags) error {
	switch f.output {
	case "markdown":
		return report.CompareMarkdown(w, c, f.all)
	case "text":
		return report.CompareText(w, c, f.all, textOptions(env))
	}
	if f.output == "json" {
		return writeJSON(w, c)
	}
	return writeYAML(w, c)
}

// gateError is the exit code of the gates, with what failed on stderr.
func gateError(env *Env, g compare.GateResult) error {
	for _, line := range g.Lines {
		env.remark(line)
	}
	if g.Fails {
		return silent(exitNo)
	}
	return nil
}
