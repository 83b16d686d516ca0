package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"assay/internal/lint"
	"assay/internal/practice"
)

// LintFixed shows what was changed, file by file, as a unified diff without secrets.
func LintFixed(w io.Writer, fixed []lint.Fixed) {
	n := 0
	for _, f := range fixed {
		n += f.Findings
		name := plain(f.File)
		for line := range strings.Lines(string(diff.Diff(name, f.Before, name, f.After))) {
			fmt.Fprint(w, steerless(practice.VeilLine(strings.TrimSuffix(line, "\n"))+"\n"))
		}
	}
	if n == 0 {
		fmt.Fprintln(w, "assay: nothing to fix")
		return
	}
	fmt.Fprintf(w, "assay: mended %s in %s\n", plural(n, "finding"), plural(len(fixed), "file"))
}
