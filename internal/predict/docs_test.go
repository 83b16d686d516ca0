package predict

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/engine"
)

var update = flag.Bool("update", false, "write the tables of docs/prediction.md")

func TestDocsShowTheFit(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "prediction.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	v := Validate(Published(), false)
	want := section(t, string(data), "coefficients", coefficientTable())
	want = section(t, want, "crossvalidation", crossValidationTable())
	want = section(t, want, "aims", aimTable(v))
	want = section(t, want, "thin", thinTable(v))
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, string(data)); diff != "" && !*update {
		t.Errorf("run go test ./internal/predict -run Docs -update:\n%s", diff)
	}
}

func section(t *testing.T, text, name, body string) string {
	t.Helper()
	before, rest, ok := strings.Cut(text, "<!-- "+name+" -->\n")
	_, after, end := strings.Cut(rest, "<!-- end -->\n")
	if !ok || !end {
		t.Fatalf("no section %s", name)
	}
	return before + "<!-- " + name + " -->\n" + body + "<!-- end -->\n" + after
}

func coefficientTable() string {
	f := engine.Fitted()
	var b strings.Builder
	fmt.Fprintf(&b, "Fitted %s to measurements with SHA-256 `%.12s…`.\n\n", f.Date, f.Points)
	b.WriteString("| engine | step, ms | layer, µs | layer of experts, µs | sequence, µs | share of bandwidth, experts | prompts, share of the chip's |\n|---|---|---|---|---|---|---|\n")
	for _, n := range measuredEngines {
		k := f.Engines[n]
		fmt.Fprintf(&b, "| %s | %.2f | %.1f | +%.1f | %.1f | %.2f | %.2f |\n", n, 1e3*k.Step, 1e6*k.Layer, 1e6*k.ExpertLayer, 1e6*k.Sequence, k.ExpertRead, k.Prefill)
	}
	b.WriteString("\n| generation | weights | KV | decode | of experts | prompts | of experts | all-reduce, µs |\n|---|---|---|---|---|---|---|---|\n")
	for _, n := range measuredArchitectures {
		k := f.Architectures[n]
		fmt.Fprintf(&b, "| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.1f |\n", n, k.Read, k.KVRead, k.Decode, k.ExpertDecode, k.Prefill, k.ExpertPrefill, 1e6*k.AllReduce)
	}
	c := f.Common
	fmt.Fprintf(&b, "\nOf all: share of the link %.2f, dispatch %.1f µs a layer, imbalance %.2f, layer with a state +%.1f µs.\n", c.Link, 1e6*c.Dispatch, c.Imbalance, 1e6*c.StateLayer)
	return b.String()
}

func crossValidationTable() string {
	var b strings.Builder
	head := "| left out | n | TPOT error | in range | width | TTFT error | in range | width |\n|---|---|---|---|---|---|---|---|\n"
	b.WriteString(head)
	for _, s := range CrossValidation() {
		b.WriteString(scoreLine(protocolText(s.Protocol), s.All))
	}
	for _, s := range CrossValidation() {
		fmt.Fprintf(&b, "\nBy part, %s:\n\n%s", protocolText(s.Protocol), head)
		var names []string
		for n := range s.By {
			names = append(names, n)
		}
		slices.Sort(names)
		for _, n := range names {
			b.WriteString(scoreLine(n, s.By[n]))
		}
	}
	return b.String()
}

func aimTable(v Validation) string {
	var b strings.Builder
	b.WriteString("| what | aim | is | | guarded |\n|---|---|---|---|---|\n")
	for _, t := range v.Targets {
		form := func(x float64) string {
			if t.Limit > 1 {
				return fmt.Sprintf("%.2f", x)
			}
			return fmt.Sprintf("%.1f %%", 100*x)
		}
		verdict := "met"
		if !t.Met {
			verdict = "**missed**"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", t.What, form(t.Limit), form(t.Value), verdict, form(t.Guard))
	}
	return b.String()
}

func thinTable(v Validation) string {
	var b strings.Builder
	b.WriteString("| chip | n | TPOT error | in range | width | TTFT error | in range | width |\n|---|---|---|---|---|---|---|---|\n")
	for _, g := range v.ThinChips {
		line := scoreLine(g.Name, g.InSample)
		if g.InSample.TTFT == (Errors{}) {
			line = strings.Replace(line, "0.0, 0.0 | 0.0 | 0.00 |", "not measured | | |", 1)
		}
		b.WriteString(line)
	}
	return b.String()
}

func protocolText(name string) string {
	for _, p := range Protocols {
		if p.Name == name {
			return p.What
		}
	}
	return name
}

func scoreLine(name string, s Score) string {
	side := func(e Errors) string {
		return fmt.Sprintf("%.1f, %.1f | %.1f | %.2f", 100*e.Mean, 100*e.Median, 100*e.Inside, e.Width)
	}
	return fmt.Sprintf("| %s | %d | %s | %s |\n", name, s.N, side(s.ITL), side(s.TTFT))
}
