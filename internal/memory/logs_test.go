package memory

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"flag"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"assay/internal/facts"
	"assay/internal/model"
)

var update = flag.Bool("update", false, "write the table of docs/memory.md")

// logged is one start of an engine, from testdata/logs.csv. Values that the
// report lacks are NaN.
type logged struct {
	model, precision, engine, chip, source, date      string
	tp                                                int
	utilization, length, weights, activation, kv, tok float64
}

func logs(t *testing.T) []logged {
	t.Helper()
	b, err := os.ReadFile("testdata/logs.csv")
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(bytes.NewReader(b))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	num := func(s string) float64 {
		if s == "" {
			return math.NaN()
		}
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatalf("%q in testdata/logs.csv: %v", s, err)
		}
		return x
	}
	var out []logged
	for _, f := range rows[1:] {
		out = append(out, logged{model: f[0], precision: f[1], engine: f[2], chip: f[3], tp: int(num(f[4])), utilization: num(f[5]), length: num(f[6]),
			weights: num(f[7]), activation: num(f[8]), kv: num(f[9]), tok: num(f[10]), source: f[11], date: f[12]})
	}
	return out
}

// config is the start as an account takes it, on a chip with room where the chip
// is not known.
func (l logged) config(t *testing.T) Config {
	t.Helper()
	f, err := model.FormatNamed(l.precision)
	if err != nil {
		t.Fatal(err)
	}
	e, err := EngineNamed(l.engine)
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Model: named(t, l.model), Format: f, Chip: facts.Chip{Name: "any", Usable: 1 << 44}, TP: l.tp, Engine: e}
	if l.chip != "" {
		c.Chip = chip(t, l.chip)
	}
	if l.length > 0 {
		c.MaxModelLen = int(l.length)
	}
	if l.utilization > 0 {
		c.Utilization = l.utilization
	}
	return c
}

// off is how far got lies from want, in per cent; NaN where one is not known.
func off(got, want float64) float64 { return 100 * (got/want - 1) }

// compared is the row of the table: what the account says beside the log.
type compared struct {
	logged
	ourWeights, ourKV, ourTokens float64
}

func compareLogs(t *testing.T) []compared {
	t.Helper()
	var out []compared
	for _, l := range logs(t) {
		c := l.config(t)
		row := compared{logged: l, ourWeights: math.NaN(), ourKV: math.NaN(), ourTokens: math.NaN()}
		r := c.Resolved()
		whole := r.stage(stage{0, len(r.Model.Layers), len(r.Model.Layers)}, 0)
		row.ourWeights = float64(whole.Weights) / facts.GiB
		if l.utilization > 0 {
			row.ourKV = float64(whole.KV) / facts.GiB
		}
		if l.tok > 0 {
			c.KVBytes, c.Chip.Usable = int64(l.kv*facts.GiB), 1<<44
			a, err := Of(c)
			if err != nil {
				t.Fatalf("%s: %v", l.model, err)
			}
			row.ourTokens = float64(a.KVTokens)
		}
		out = append(out, row)
	}
	return out
}

func TestAsEnginesLogged(t *testing.T) {
	for _, r := range compareLogs(t) {
		name := fmt.Sprintf("%s %s on %d x %s", r.model, r.precision, r.tp, cmp.Or(r.chip, "any"))
		if e := off(r.ourTokens, r.tok); math.Abs(e) > 5 {
			t.Errorf("%s: %.0f KV tokens in %.2f GiB, logged %.0f: %+.1f %%", name, r.ourTokens, r.kv, r.tok, e)
		}
		if e := off(r.ourWeights, r.weights); math.Abs(e) > 1 {
			t.Errorf("%s: weights %.2f GiB, logged %.2f: %+.1f %%", name, r.ourWeights, r.weights, e)
		}
		if d := r.ourKV - r.kv; math.Abs(d) > 1.5 {
			t.Errorf("%s: KV cache %.2f GiB, logged %.2f", name, r.ourKV, r.kv)
		}
	}
}

func TestLogsInTheDocs(t *testing.T) {
	const doc, begin, end = "../../docs/memory.md", "<!-- logs: begin -->\n", "<!-- logs: end -->"
	var b strings.Builder
	b.WriteString("| model | engine, chip, TP | weights, GiB | KV cache, GiB | tokens in the KV cache logged | source |\n|---|---|---|---|---|---|\n")
	cell := func(got, want float64, format string) string {
		if math.IsNaN(want) || math.IsNaN(got) {
			return ""
		}
		return fmt.Sprintf(format+" (logged "+format+")", got, want)
	}
	for _, r := range compareLogs(t) {
		where := fmt.Sprintf("%s, %s, %d", r.engine, cmp.Or(r.chip, "–"), r.tp)
		fmt.Fprintf(&b, "| %s %s | %s | %s | %s | %s | %s, %s |\n", r.model, r.precision, where, cell(r.ourWeights, r.weights, "%.2f"), cell(r.ourKV, r.kv, "%.2f"), cell(r.ourTokens, r.tok, "%.0f"), r.source, r.date)
	}
	text, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table between %q and %q", doc, begin, end)
	}
	want := before + begin + b.String() + end + after
	if *update {
		if err := os.WriteFile(doc, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(text) {
		t.Errorf("%s is not up to date: go test ./internal/memory -run Docs -update", doc)
	}
}
