package cli

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"assay/internal/report"
	"assay/internal/trace"
)

func newTrace(env *Env) *cobra.Command {
	var output, format string
	var limit, block int
	cmd := &cobra.Command{
		Use:   "trace FILE",
		Short: "Say what a trace or dataset is like, before GPU time is spent on it",
		Long: `Say what a trace or dataset is like, before GPU time is spent on it: its format
and why it is taken for that, whether it can be replayed as recorded, its gaps,
ticks and bursts, the lengths of prompts and answers, rows that do not fit in a
context, and what a prefix cache could serve at best.

Formats are recognised by content: ` + strings.Join(trace.Kinds(), ", ") + `;
plain or compressed with gzip or zstd. docs/traces.md describes each.

The exit code is 1 when rows do not fit in --max-model-len.`,
		Example: `  assay trace conversation_trace.jsonl --max-model-len 32768
  assay trace AzureLLMInferenceTrace_code.csv -o json
  assay trace ShareGPT_V3_unfiltered_cleaned_split.json -o markdown`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &exitError{code: exitUsage, err: fmt.Errorf("trace takes one file, got %d arguments", len(args)), hint: "see assay trace --help"}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			return checkTrace(env, args[0], output, trace.Options{Kind: format, BlockSize: block}, trace.AnalyseOptions{MaxModelLen: limit})
		},
	}
	p := cmd.Flags()
	p.StringVarP(&output, "output", "o", "text", "text, json, yaml or markdown")
	p.StringVar(&format, "dataset-format", "", "the file's format (default: by content)")
	p.IntVar(&limit, "max-model-len", 0, "tokens of the server's context: rows that do not fit are counted")
	p.IntVar(&block, "block-size", 0, "tokens of a block that has an id, where the format's own does not hold (Mooncake: 512)")
	return cmd
}

// checkTrace prints what a trace is like. Of a broken file it says what was whole.
func checkTrace(env *Env, path, form string, o trace.Options, against trace.AnalyseOptions) error {
	switch {
	case form != "text" && form != "json" && form != "yaml" && form != "markdown":
		return usagef("-o %s: a trace is printed as text, json, yaml or markdown", form)
	case against.MaxModelLen < 0:
		return usagef("--max-model-len %d: must be above 0", against.MaxModelLen)
	case o.BlockSize < 0:
		return usagef("--block-size %d: must be above 0", o.BlockSize)
	}
	r, err := trace.Open(path, o)
	if err != nil {
		return usage(err)
	}
	defer r.Close()
	rep, broken := trace.Analyse(r, path, against)
	var b bytes.Buffer
	if err := renderTrace(env, &b, rep, form); err != nil {
		return impossible(err)
	}
	if rep.Rows > 0 {
		if _, err := b.WriteTo(env.Stdout); err != nil {
			return impossible(err)
		}
	}
	switch {
	case broken != nil:
		return usage(broken)
	case rep.Verdict.Fit != nil && !*rep.Verdict.Fit:
		return silent(exitNo)
	}
	return nil
}

func renderTrace(env *Env, b *bytes.Buffer, rep trace.Report, form string) error {
	switch form {
	case "json":
		return writeJSON(b, rep)
	case "yaml":
		return writeYAML(b, rep)
	case "markdown":
		return report.TraceMarkdown(b, rep)
	}
	return report.Trace(b, rep, textOptions(env))
}
