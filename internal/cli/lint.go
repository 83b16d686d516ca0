package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"assay/internal/bench"
	"assay/internal/cluster"
	"assay/internal/lint"
	"assay/internal/lint/rules"
	"assay/internal/lint/source"
	"assay/internal/practice"
	"assay/internal/report"
	"assay/internal/spec"
)

// lintFlags are the flags of assay lint as written.
type lintFlags struct {
	file, from, output, failOn, baseline, writeBaseline, timeZone string
	values, enable, disable, rules                                []string
	fix, calendar, cluster                                        bool
	live                                                          cluster.Options
}

func newLint(env *Env) *cobra.Command {
	f := &lintFlags{}
	cmd := &cobra.Command{
		Use:   "lint PATH... | - | --cluster",
		Short: "Say what is wrong with manifests, at which line, why, and how to mend it",
		Long: `Hold Kubernetes manifests against the practices of serving and training models:
files, folders, kustomizations, Helm charts (by the helm that is installed), - for
standard input, --cluster for what runs in one, which is only read. Each finding has
a place, a reason with its source and a fix; --fix applies those that are mechanical.
What cannot be judged is unknown, which never fails.

A finding is left out by a comment with a reason on its line or the line before,

  # assay:ignore RULE[,RULE] reason [until 2027-01-31]

by an annotation assay/ignore.RULE of the object, by the section lint of assay.yaml
(beside the path or above, or -f), or by a baseline of what was there before.

The exit code is 1 when something fails at or above --fail-on.`,
		Example: `  assay lint deploy/
  assay lint deploy/ --from assay-runs/20261130-091500    with what was measured
  assay lint deploy/ --fix
  kubectl get deploy,nodepool -A -o yaml | assay lint -
  assay lint chart/ --values prod.yaml
  assay lint --cluster --context prod -n llm
  assay lint deploy/ -o sarif > lint.sarif
  assay lint deploy/ --write-baseline lint-baseline.json
  assay lint nodes/ --calendar --time-zone Europe/Berlin`,
		RunE: func(_ *cobra.Command, args []string) error { return lintPaths(env, f, args) },
	}
	p := cmd.Flags()
	p.SortFlags = false
	p.StringVarP(&f.output, "output", "o", "text", "text, json, yaml, sarif, junit, github or markdown")
	p.StringVar(&f.failOn, "fail-on", "warning", "exit with 1 for findings of this severity or graver: error, warning or info")
	p.StringVar(&f.from, "from", "", "run folder whose measurements rules go by")
	p.StringSliceVar(&f.values, "values", nil, "files of values for Helm charts, later ones over earlier ones")
	p.BoolVar(&f.cluster, "cluster", false, "what a cluster holds, instead of files; nothing is changed")
	p.StringVar(&f.live.Kubeconfig, "kubeconfig", "", "kubeconfig of that cluster (default: as kubectl finds it)")
	p.StringVar(&f.live.Context, "context", "", "context of the kubeconfig")
	p.StringVarP(&f.live.Namespace, "namespace", "n", "", "namespace of that cluster (default: all)")
	p.StringVarP(&f.file, "file", "f", "", "assay.yaml whose section lint holds (default: the nearest one beside the first path or above)")
	p.BoolVar(&f.fix, "fix", false, "mend in the files what is mechanical, and show what was changed")
	p.StringSliceVar(&f.rules, "rules", nil, "files of own rules, as CEL; see docs/own-rules.md")
	p.StringSliceVar(&f.enable, "enable", nil, "only these rules")
	p.StringSliceVar(&f.disable, "disable", nil, "not these rules")
	p.StringVar(&f.baseline, "baseline", "", "file of findings that were there before, and are left out")
	p.StringVar(&f.writeBaseline, "write-baseline", "", "write what is found to such a file")
	p.BoolVar(&f.calendar, "calendar", false, "instead draw when the nodes of each NodePool may be disrupted, over this week")
	p.StringVar(&f.timeZone, "time-zone", "", "IANA time zone of the calendar, such as Europe/Berlin (default: that of assay.yaml, else UTC)")
	completeLint(cmd)
	return cmd
}

func lintPaths(env *Env, f *lintFlags, paths []string) error {
	if err := f.check(paths); err != nil {
		return err
	}
	least, err := lint.SeverityNamed(f.failOn)
	if err != nil {
		return usagef("--fail-on: %w", err)
	}
	opt, zone, err := f.options(paths)
	if err != nil {
		return usage(err)
	}
	ctx, cancel := untilInterrupt(env)
	defer cancel()
	read, err := f.reading(ctx, env, paths)
	if err != nil {
		return impossible(err)
	}
	if f.calendar {
		return drawCalendar(ctx, env, f, read(), zone)
	}
	var res lint.Result
	if f.fix {
		var fixed []lint.Fixed
		res, fixed, err = lint.Fix(ctx, read, opt)
		report.LintFixed(env.Stderr, fixed)
	} else {
		res, err = lint.Run(ctx, read(), opt)
	}
	if err != nil {
		return lintError(ctx, err)
	}
	if f.writeBaseline != "" {
		if err := lint.BaselineOf(res, f.writeBaseline).WriteFile(f.writeBaseline); err != nil {
			return impossible(err)
		}
	}
	if err := printLint(env, f.output, res, least); err != nil {
		return err
	}
	return lintExit(env, f, paths, res, least)
}

// reading is what is linted: files, or a cluster. The error is that no cluster answers.
func (f *lintFlags) reading(ctx context.Context, env *Env, paths []string) (func() lint.Reading, error) {
	if f.cluster {
		objects, err := cluster.Objects(ctx, f.live)
		return func() lint.Reading { return objects }, err
	}
	return func() lint.Reading {
		return source.Read(ctx, paths, source.Options{Stdin: env.Stdin, Values: f.values})
	}, nil
}

// lintExit is the exit code: what was just written to a baseline does not fail.
func lintExit(env *Env, f *lintFlags, paths []string, res lint.Result, least lint.Severity) error {
	switch {
	case res.Files == 0 && len(res.Findings) > 0:
		return &exitError{code: exitImpossible, err: errors.New("nothing could be read")}
	case res.Files == 0 && f.cluster:
		return &exitError{code: exitImpossible, err: errors.New("the cluster shows no object that is linted"), hint: "look at the namespace, and at what the account may list"}
	case res.Files == 0:
		return &exitError{code: exitImpossible, err: errors.New("there is no YAML, JSON or Dockerfile"), hint: "name files or folders that hold manifests"}
	case slices.Equal(paths, []string{"-"}) && res.Objects == 0 && len(res.Findings) == 0:
		return &exitError{code: exitImpossible, err: errors.New("standard input holds no object"), hint: "look at what the command before the pipe says: it may have failed"}
	case f.writeBaseline != "":
		env.remark(fmt.Sprintf("what was found is in %s; lint with --baseline %s reports what is new", f.writeBaseline, f.writeBaseline))
	case res.Failed(least):
		return silent(exitNo)
	}
	return nil
}

func lintError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return &exitError{code: exitInterrupted, err: errors.New("interrupted")}
	}
	return usage(err)
}

// check refuses what cannot go together.
func (f *lintFlags) check(paths []string) error {
	stdin := 0
	for _, p := range paths {
		if p == "-" {
			stdin++
		}
	}
	switch {
	case f.cluster && (len(paths) > 0 || f.fix || len(f.values) > 0):
		return usagef("--cluster stands for paths, and nothing in it is changed: leave out paths, --fix and --values")
	case !f.cluster && f.live.Kubeconfig+f.live.Context+f.live.Namespace != "":
		return usagef("--kubeconfig, --context and --namespace are for --cluster")
	case len(paths) == 0 && !f.cluster:
		return &exitError{code: exitUsage, err: errors.New("what is to be linted? name files or folders, - for standard input, or --cluster"), hint: "see assay lint --help"}
	case stdin > 0 && len(paths) > 1:
		return usagef("- is standard input, and stands alone")
	case f.fix && stdin > 0:
		return usagef("--fix changes files: standard input is none")
	case f.fix && f.calendar:
		return usagef("--fix and --calendar do not go together")
	case f.timeZone != "" && !f.calendar:
		return usagef("--time-zone is for --calendar")
	}
	switch f.output {
	case "text", "json":
		return nil
	case "yaml", "sarif", "junit", "github", "markdown":
		if f.calendar {
			return usagef("-o %s: a calendar is text or json", f.output)
		}
		return nil
	}
	return usagef("-o %s: findings are written as text, json, yaml, sarif, junit, github or markdown", f.output)
}

// options are what a run goes by, and the time zone of a calendar.
func (f *lintFlags) options(paths []string) (lint.Options, *time.Location, error) {
	opt := lint.Options{Rules: rules.All(), Enable: f.enable, Disable: f.disable}
	zone := f.timeZone
	file := f.file
	if file == "" {
		file = lint.ConfigFor(append(paths, ".")[0])
	}
	if file != "" {
		s, err := spec.ReadFile(file)
		if err != nil {
			return opt, nil, err
		}
		if err = f.own(&opt, s.Lint.Rules, filepath.Dir(file)); err != nil {
			return opt, nil, err
		}
		if opt, err = opt.Configured(s.Lint, filepath.Dir(file)); err != nil {
			return opt, nil, err
		}
		if zone == "" {
			zone = s.Lint.TimeZone
		}
		if zone == "" {
			zone = s.Render.TimeZone
		}
	} else if err := f.own(&opt, nil, ""); err != nil {
		return opt, nil, err
	}
	if f.baseline != "" {
		b, err := lint.ReadBaseline(f.baseline)
		if err != nil {
			return opt, nil, err
		}
		opt.Baseline = b
	}
	if f.from != "" {
		m, err := measuredOf(f.from)
		if err != nil {
			return opt, nil, err
		}
		opt.Measured = m
	}
	location, err := practice.Zone(cmp.Or(zone, "UTC"))
	return opt, location, err
}

// measuredOf is what a run says of the service.
func measuredOf(from string) (*practice.Measured, error) {
	folder, err := bench.Reopen(runFolder(from))
	if err != nil {
		return nil, err
	}
	return practice.MeasuredOf(&folder.Run, filepath.Base(folder.Dir)), nil
}

func printLint(env *Env, form string, res lint.Result, least lint.Severity) error {
	switch form {
	case "json":
		return writeJSON(env.Stdout, res)
	case "yaml":
		return writeYAML(env.Stdout, res)
	case "sarif":
		var b bytes.Buffer
		if err := report.LintSARIF(&b, res, toolVersion()); err != nil {
			return err
		}
		_, err := env.Stdout.Write(escapeSteering(b.Bytes()))
		return err
	case "junit":
		return report.LintJUnit(env.Stdout, res, least)
	case "github":
		return report.LintGitHub(env.Stdout, res)
	case "markdown":
		return report.LintMarkdown(env.Stdout, res)
	}
	return report.LintText(env.Stdout, res, textOptions(env))
}

func drawCalendar(ctx context.Context, env *Env, f *lintFlags, input lint.Reading, zone *time.Location) error {
	all, err := lint.Calendars(ctx, input, zone, time.Now())
	switch {
	case err != nil:
		return lintError(ctx, err)
	case len(all) == 0:
		return &exitError{code: exitImpossible, err: errors.New("there is no NodePool"), hint: "name files or folders that hold NodePools of Karpenter"}
	case f.output == "json":
		return writeJSON(env.Stdout, report.LintCalendarAnswer(all))
	}
	return report.LintCalendar(env.Stdout, all, textOptions(env))
}
