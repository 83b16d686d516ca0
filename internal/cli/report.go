package cli

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"assay/internal/bench"
	"assay/internal/record"
)

func newReport(env *Env) *cobra.Command {
	var output, out string
	cmd := &cobra.Command{
		Use:   "report DIR",
		Short: "Show a recorded run again, as text, JSON, Markdown or HTML",
		Long: `Show a recorded run again. Everything is computed from the files of the run
folder, also of a run that was killed: what had finished is shown, and that it
was cut short.`,
		Example: `  assay report assay-runs/20261130-091500
  assay report assay-runs/20261130-091500 -o markdown
  assay report assay-runs/20261130-091500 -o html --out report.html`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &exitError{code: exitUsage, err: fmt.Errorf("report takes one run folder, got %d arguments", len(args)), hint: "see assay report --help"}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			return reportRun(env, runFolder(args[0]), output, out)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "text", "text, json, markdown or html")
	cmd.Flags().StringVar(&out, "out", "", "file to write (default: standard output)")
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
	if out == "" {
		if _, err := b.WriteTo(env.Stdout); err != nil {
			return impossible(err)
		}
		return nil
	}
	if err := record.WriteFile(out, b.Bytes()); err != nil {
		return impossible(err)
	}
	return nil
}

// runFolder accepts the folder's run.json for the folder itself.
func runFolder(path string) string {
	if filepath.Base(path) == record.RunFile {
		return filepath.Dir(path)
	}
	return path
}
