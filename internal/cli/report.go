package cli

import (
	"fmt"
	"os"
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
			folder, err := bench.Reopen(runFolder(args[0]))
			if err != nil {
				return usage(err)
			}
			if out == "" {
				return render(env, env.Stdout, folder, output)
			}
			f, err := os.Create(out)
			if err != nil {
				return impossible(err)
			}
			err = render(env, f, folder, output)
			if cerr := f.Close(); err == nil && cerr != nil {
				err = impossible(cerr)
			}
			return err
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "text", "text, json, markdown or html")
	cmd.Flags().StringVar(&out, "out", "", "file to write (default: standard output)")
	return cmd
}

// runFolder accepts the folder's run.json for the folder itself.
func runFolder(path string) string {
	if filepath.Base(path) == record.RunFile {
		return filepath.Dir(path)
	}
	return path
}
