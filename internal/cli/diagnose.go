package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"assay/internal/report"
	"assay/internal/survey"
	"assay/internal/telemetry"
)

func newDiagnose(env *Env) *cobra.Command {
	f := &diagnoseFlags{}
	cmd := &cobra.Command{
		Use:   "diagnose --metrics URL… | --prometheus URL",
		Short: "Say what limits a service in production, without load of its own",
		Long: `Say what limits a service in production, without load of its own: the bound with
its confidence, what speaks for and against it, what is missing and the change to
make. Several replicas are compared and the odd one out is named.

--metrics watches from now on, one URL for each replica. --prometheus asks a
Prometheus server for the window that has just passed.

The exit code is 1 when something of the service binds, 0 when nothing does or it
is not known, 3 when no replica could be read. docs/diagnose.md says more.`,
		Example: `  assay diagnose --metrics http://localhost:8000/metrics
  assay diagnose --metrics http://10.0.3.7:8000/metrics --metrics http://10.0.4.9:8000/metrics --for 1m
  assay diagnose --metrics http://localhost:8000/metrics --dcgm http://localhost:9400/metrics
  assay diagnose --prometheus http://localhost:9090 -n llm --window 2h
  assay diagnose --prometheus env:PROMETHEUS_URL --prometheus-header Authorization=env:PROMETHEUS_AUTH --watch`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return &exitError{code: exitUsage, err: fmt.Errorf("diagnose takes no argument, and %d stand there", len(args)), hint: "a URL comes with its flag: --metrics URL for each replica, or --prometheus URL"}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.typed = cmd.Flags().Changed
			return runDiagnose(env, f)
		},
	}
	f.add(cmd.Flags())
	return cmd
}

func runDiagnose(env *Env, f *diagnoseFlags) error {
	switch f.output {
	case "text", "json", "yaml", "markdown":
	default:
		return usagef("-o %s: a diagnosis is printed as text, json, yaml or markdown", f.output)
	}
	opt, err := f.options(env)
	if err != nil {
		return usage(err)
	}
	ctx, cancel := untilInterrupt(env)
	defer cancel()
	if f.watch {
		return watchService(ctx, env, f, opt)
	}
	r, err := survey.Look(ctx, opt)
	if err != nil {
		return diagnoseError(ctx, err)
	}
	var b bytes.Buffer
	if err := renderDiagnosis(env, &b, r, f.output); err != nil {
		return impossible(err)
	}
	if _, err := b.WriteTo(env.Stdout); err != nil {
		return impossible(err)
	}
	return diagnoseExit(r)
}

// diagnoseExit is the exit code of a verdict.
func diagnoseExit(r *survey.Result) error {
	switch {
	case r.Interrupted:
		return silent(exitInterrupted)
	case survey.Binds(r.Bound):
		return silent(exitNo)
	}
	return nil
}

func diagnoseError(ctx context.Context, err error) error {
	var wrong interface{ Usage() bool }
	var refused *telemetry.APIError
	switch {
	case errors.As(err, &wrong) && wrong.Usage():
		return usage(err)
	case ctx.Err() != nil:
		return &exitError{code: exitInterrupted, err: errors.New("interrupted before anything was seen")}
	case errors.As(err, &refused) && refused.Type == "bad_data":
		return &exitError{code: exitUsage, err: err, hint: `--selector holds label matchers as PromQL writes them, such as --selector 'app="vllm",zone=~"a|b"'`}
	}
	return impossible(err)
}

func renderDiagnosis(env *Env, w io.Writer, r *survey.Result, form string) error {
	switch form {
	case "text":
		return report.Diagnosis(w, r, textOptions(env))
	case "markdown":
		return report.DiagnosisMarkdown(w, r)
	}
	if form == "yaml" {
		return writeYAML(w, r)
	}
	return writeJSON(w, r)
}

// watchService prints a line for each change until the user ends it.
func watchService(ctx context.Context, env *Env, f *diagnoseFlags, opt survey.Options) error {
	if f.output != "text" && f.output != "json" {
		return usagef("-o %s: --watch prints text, or json with one object a line", f.output)
	}
	var broken error
	_, err := survey.Watch(ctx, opt, f.heartbeat, func(e survey.Event) {
		if f.output == "json" {
			broken = errors.Join(broken, json.NewEncoder(env.Stdout).Encode(e))
			return
		}
		_, err := fmt.Fprintln(env.Stdout, report.DiagnosisLine(e))
		broken = errors.Join(broken, err)
	})
	switch {
	case err != nil:
		return diagnoseError(ctx, err)
	case broken != nil:
		return impossible(broken)
	}
	return silent(exitInterrupted)
}

// shortestLook is what a look takes at least: some scrapes that differ.
const shortestLook = time.Second
