package cli

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"assay/internal/report"
)

func newPlan(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Say which GPUs, instances, storage and network a model needs, and what they cost",
		Long: `Say what to buy and how to lay it out, offline: each number with its range, its
formula and its source (--explain).`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		// One line for each subcommand, in the order in which a plan is made.
		newPlanServe(env),
		newPlanTrain(env),
		newPlanStorage(env),
		newPlanColdStart(env),
		newPlanPredict(env),
		newPlanValidate(env),
	)
	return cmd
}

// planForms are the forms that every plan is printed in.
var planForms = []string{"text", "json", "yaml", "markdown"}

// checkPlanForm refuses a form that a plan has not; more are those that this one has besides.
func checkPlanForm(form string, more ...string) error {
	forms := append(slices.Clone(planForms), more...)
	if slices.Contains(forms, form) {
		return nil
	}
	return usagef("-o %s: a plan is printed as %s or %s", form, strings.Join(forms[:len(forms)-1], ", "), forms[len(forms)-1])
}

// printAnswer prints an answer whole or not at all: as JSON or YAML with its keys, or
// by the writers of its text and Markdown.
func printAnswer(env *Env, form string, answer any, text func(io.Writer, report.TextOptions) error, markdown func(io.Writer) error) error {
	var b bytes.Buffer
	var err error
	switch form {
	case "json":
		err = writeJSON(&b, answer)
	case "yaml":
		err = writeYAML(&b, answer)
	case "markdown":
		err = markdown(&b)
	default:
		err = text(&b, textOptions(env))
	}
	if err == nil {
		_, err = b.WriteTo(env.Stdout)
	}
	if err != nil {
		return impossible(err)
	}
	return nil
}

// printPage prints an answer as HTML, whole or not at all.
func printPage(env *Env, write func(io.Writer) error) error {
	return printAnswer(env, "text", nil, func(w io.Writer, _ report.TextOptions) error { return write(w) }, nil)
}
