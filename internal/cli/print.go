package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"assay/internal/bench"
	"assay/internal/record"
	"assay/internal/record/peers"
	"assay/internal/report"
	"assay/internal/wire"
)

// inputOf is a run folder as package report takes it.
func inputOf(folder *record.Folder) (report.Input, error) {
	client, err := folder.ClientSamples()
	if err != nil {
		return report.Input{}, err
	}
	metrics, err := folder.MetricsSamples()
	if err != nil {
		return report.Input{}, err
	}
	return report.Input{Run: folder.Run, Requests: folder.EachRequest, Client: client, Metrics: metrics}, nil
}

// checkForm refuses a form that render does not know.
func checkForm(form string) error {
	switch form {
	case "text", "json", "markdown", "html":
		return nil
	}
	return usagef("-o %s: a run is printed as text, json, markdown or html; report writes it for %s, too", form, strings.Join(peers.Written, ", "))
}

// render writes a run whose files are whole in one of the forms that people
// and programs read.
func render(env *Env, w io.Writer, folder *record.Folder, form string) error {
	if form != "html" {
		return renderRun(env, w, &folder.Run, form)
	}
	in, err := inputOf(folder)
	if err != nil {
		return err
	}
	return report.HTML(w, in)
}

// renderRun writes what needs no more than the run itself: every form but html.
func renderRun(env *Env, w io.Writer, run *record.Run, form string) error {
	switch form {
	case "json":
		return record.WriteRun(w, run)
	case "markdown":
		return report.Markdown(w, report.Input{Run: *run})
	case "text":
		return report.Text(w, report.Input{Run: *run}, textOptions(env))
	}
	return checkForm(form)
}

func textOptions(env *Env) report.TextOptions {
	return report.TextOptions{Color: env.color(env.StdoutWidth), Width: min(env.StdoutWidth, maxTextWidth)}
}

// maxTextWidth keeps lines readable on a wide terminal.
const maxTextWidth = 120

// writeReport writes report.html into the run folder, which it gives read.
func writeReport(env *Env, dir string) (*record.Folder, error) {
	folder, err := bench.Reopen(dir)
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	if err := render(env, &page, folder, "html"); err != nil {
		return nil, err
	}
	return folder, record.WriteFile(filepath.Join(dir, record.ReportFile), page.Bytes())
}

// printRun writes report.html and the run to stdout.
func printRun(env *Env, dir, form string) error {
	folder, err := writeReport(env, dir)
	if err != nil {
		return err
	}
	if form == "text" && env.StderrWidth > 0 {
		fmt.Fprintln(env.Stderr)
	}
	return render(env, env.Stdout, folder, form)
}

// benchError gives an error of a run its exit code.
func benchError(err error) error {
	var usage interface{ Usage() bool }
	switch {
	case err == nil:
		return nil
	case errors.Is(err, bench.ErrInterrupted):
		return &exitError{code: exitInterrupted, err: err}
	case errors.As(err, &usage) && usage.Usage():
		return &exitError{code: exitUsage, err: err}
	}
	var target *wire.TargetError
	if errors.As(err, &target) && target.Cause.Kind == wire.KindBadRequest {
		return &exitError{code: exitImpossible, err: err, hint: "the endpoint refuses even a short request; --api completions or --model may be what it wants"}
	}
	if errors.Is(err, syscall.ENOSPC) {
		return &exitError{code: exitImpossible, err: err, hint: "the disk is full: what was measured is printed above and kept as far as it was written; free space, or choose another disk with --out"}
	}
	if errors.Is(err, os.ErrPermission) {
		return &exitError{code: exitImpossible, err: err, hint: "choose a folder that can be written with --out"}
	}
	return impossible(err)
}
