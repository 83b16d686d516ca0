package cli

import (
	"assay/internal/bench"
	"assay/internal/report"
)

// examine prints what an endpoint is like. Its exit code is 1 where figures of a
// run would not be the engine's.
func examine(env *Env, opt bench.Options, output string) error {
	switch output {
	case "text", "json", "markdown":
	default:
		return usagef("-o %s: --inspect prints text, json or markdown", output)
	}
	ctx, cancel := untilInterrupt(env)
	defer cancel()
	x, err := bench.Examine(ctx, opt)
	if err != nil {
		return benchError(err)
	}
	switch output {
	case "json":
		err = report.ExaminationJSON(env.Stdout, x)
	case "markdown":
		err = report.ExaminationMarkdown(env.Stdout, x)
	default:
		err = report.ExaminationText(env.Stdout, x, report.TextOptions{Color: env.color(env.StdoutWidth), Width: env.StdoutWidth})
	}
	if err != nil {
		return err
	}
	if bench.Troubled(x) {
		return silent(exitNo)
	}
	return nil
}
