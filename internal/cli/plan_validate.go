package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"assay/internal/plan/train"
	"assay/internal/predict"
	"assay/internal/report"
)

// validation is what plan validate answers as JSON.
type validation struct {
	Serving  predict.Validation `json:"serving"`
	Training train.Validation   `json:"training"`
}

func newPlanValidate(env *Env) *cobra.Command {
	var output string
	var each bool
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Hold predictions against the published measurements that ship with the tool",
		Long: `Replay the published measurements that ship with the tool: serving points and
training runs. Shown are the mean, the median and the worst error by model, GPU and
engine, how many lie within their range, and the same for measurements that the fit
had left out.

Aims stand beside what is reached, met or missed. The exit code is 1 when a guard
does not hold: an aim that was met, or as far as one that was missed may fall behind.`,
		Example: `  assay plan validate
  assay plan validate --each -o markdown`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return planValidate(env, output, each) },
	}
	cmd.Flags().StringVarP(&output, "output", "o", "text", "text, json, yaml or markdown")
	cmd.Flags().BoolVar(&each, "each", false, "show each measurement with its prediction")
	return cmd
}

func planValidate(env *Env, output string, each bool) error {
	if err := checkPlanForm(output); err != nil {
		return err
	}
	v := validation{predict.Validate(predict.Published(), each), train.Validate()}
	text := func(w io.Writer, o report.TextOptions) error {
		if err := report.PlanValidate(w, v.Serving, o); err != nil {
			return err
		}
		fmt.Fprintln(w)
		return report.TrainRuns(w, v.Training, o)
	}
	markdown := func(w io.Writer) error {
		if err := report.PlanValidateMarkdown(w, v.Serving); err != nil {
			return err
		}
		fmt.Fprintln(w)
		return report.TrainRunsMarkdown(w, v.Training)
	}
	if err := printAnswer(env, output, v, text, markdown); err != nil {
		return err
	}
	if !v.Serving.Met() {
		return silent(exitNo)
	}
	return nil
}
