package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"assay/internal/bench"
	"assay/internal/record"
	"assay/internal/record/peers"
)

func newReport(env *Env) *cobra.Command {
	var output, out, level string
	cmd := &cobra.Command{
		Use:   "report DIR|FILE",
		Short: "Show a recorded run again, or another tool's result; convert a run for other tools",
		Long: `Show a recorded run again. Everything is computed from the files of the run
folder, also of a run that was killed: what had finished is shown, and that it
was cut short.

A result file of vLLM's bench, SGLang's, AIPerf, GuideLLM or inference-perf, or a
benchmark report of llm-d, is shown in Assay's definitions, with a remark on each
metric whose definition differs. With -o vllm, aiperf, guidellm, inference-perf
or llm-d a run folder is written in that tool's format and definitions: vllm and
guidellm are one file; the others, one or more files a level, go to --out DIR.`,
		Example: `  assay report assay-runs/20261130-091500
  assay report assay-runs/20261130-091500 -o markdown
  assay report assay-runs/20261130-091500 -o html --out report.html
  assay report benchmarks.json                        a result of another tool
  assay report assay-runs/20261130-091500 -o vllm --level fixed-c8
  assay report assay-runs/20261130-091500 -o aiperf --out aiperf-artifacts`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &exitError{code: exitUsage, err: fmt.Errorf("report takes one run folder or result file, got %d arguments", len(args)), hint: "see assay report --help"}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			dir := runFolder(args[0])
			switch {
			case level != "" && !slices.Contains(peers.Written, output):
				return usagef("--level %s: a level is chosen only with -o %s", level, strings.Join(peers.Written, ", "))
			case !isRunFolder(dir) && exists(dir):
				return reportPeer(env, args[0], output, out)
			case slices.Contains(peers.Written, output):
				return convertRun(env, dir, output, level, out)
			}
			return reportRun(env, dir, output, out)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "text", "text, json, markdown or html; or "+strings.Join(peers.Written, ", "))
	cmd.Flags().StringVar(&out, "out", "", "file to write, or folder where the format has several (default: standard output)")
	cmd.Flags().StringVar(&level, "level", "", "with another tool's format: the id of the one level to write (default: all)")
	return cmd
}

// reportRun shows a run folder in one form. A file that out names is replaced
// once the whole report is there, and never by half of one.
func reportRun(env *Env, dir, form, out string) error {
	if err := checkForm(form); err != nil {
		return err
	}
	folder, err := bench.Reopen(dir)
	if err != nil {
		return usage(err)
	}
	if form != "html" { // which reads all the files itself
		if err := folder.Check(); err != nil {
			return usage(err)
		}
	}
	to := *env
	if out != "" {
		to.StdoutWidth = 0 // a file is no terminal, whatever stdout is
	}
	var b bytes.Buffer
	if err := render(&to, &b, folder, form); err != nil {
		return usage(err)
	}
	return printOrWrite(env, b.Bytes(), out)
}

// runFolder accepts the folder's run.json for the folder itself.
func runFolder(path string) string {
	if filepath.Base(path) == record.RunFile {
		return filepath.Dir(path)
	}
	return path
}

// exists reports that something is there, so that it may be another tool's.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
