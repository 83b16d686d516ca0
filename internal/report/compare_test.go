package report

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"assay/internal/compare"
	"assay/internal/record"
	"assay/internal/spec"
)

func sideOf(name string, f *fixture) compare.Side {
	in := f.input()
	return compare.Side{Name: name, Run: in.Run, Requests: in.Requests}
}

// upgraded is saturationRun on another version of the engine: a sequence in the
// batch costs twice the time, and the level at 50 is left out.
func upgraded() *fixture {
	slower := toy
	slower.perSeqMS = 2 * toy.perSeqMS
	f := newFixture()
	f.rng, f.price = rand.New(rand.NewPCG(8, 12)), 2.24
	for _, c := range []int{1, 5, 10, 20, 28, 100} {
		f.add(slower, "saturation", record.PassGrid, c, max(140, 4*c))
	}
	f.run.Target.Engine.Version = "0.32.0"
	f.run.Seed = 43
	f.run.Saturation = &record.Saturation{Scenario: "saturation", Unit: "concurrency", Saturated: true,
		Knee: &record.Interval{Low: 25.1, High: 29}, Peak: f.peak(), WhyNoPoint: "the SLO is missed at every level"}
	f.run.Cost = &record.Cost{PricePerHour: 2.24}
	return f
}

// comparisons are what people may look at, one of each kind, or those named.
func comparisons(t *testing.T, only ...string) map[string]*compare.Comparison {
	t.Helper()
	base, next := sideOf("main-run", saturationRun()), sideOf("pr-run", upgraded())
	again := saturationRun()
	model := upgraded()
	model.run.Target.Model = "meta-llama/Llama-3.1-70B-Instruct"
	out := map[string]*compare.Comparison{}
	for name, c := range map[string]struct {
		base, next compare.Side
		gates      []string
	}{
		"slower":     {base, next, []string{"ttft.p95>+10%@c10", "itl.p95>+5%", "throughput<-50%@c100", "ttft.p99>2s@c1"}},
		"same":       {base, sideOf("again", again), nil},
		"model":      {base, sideOf("larger", model), nil},
		"alone":      {base, sideOf("baseline", baselineRun()), nil},
		"few-levels": {sideOf("a", baselineRun()), sideOf("b", baselineRun()), nil},
	} {
		if len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		var opt compare.Options
		for _, s := range c.gates {
			g, err := spec.ParseGate(s)
			if err != nil {
				t.Fatal(err)
			}
			opt.Gates = append(opt.Gates, g)
		}
		got, err := compare.Runs(c.base, c.next, opt)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = got
	}
	return out
}

func compareText(t *testing.T, c *compare.Comparison, all bool, opt TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := CompareText(&b, c, all, opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func compareMarkdown(t *testing.T, c *compare.Comparison) string {
	t.Helper()
	var b bytes.Buffer
	if err := CompareMarkdown(&b, c, false); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestComparisonGolden(t *testing.T) {
	all := comparisons(t)
	for name, c := range all {
		golden(t, "compare-"+name+".txt", []byte(compareText(t, c, false, TextOptions{})))
	}
	golden(t, "compare-slower.md", []byte(compareMarkdown(t, all["slower"])))
	golden(t, "compare-same.md", []byte(compareMarkdown(t, all["same"])))
}

func TestComparisonFits(t *testing.T) {
	for name, c := range comparisons(t, "slower", "model", "few-levels") {
		for _, width := range []int{60, 80, 100, 140} {
			for line := range strings.Lines(compareText(t, c, true, TextOptions{Width: width})) {
				if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
					t.Errorf("%s at width %d: a line of %d characters: %s", name, width, n, line)
				}
			}
		}
	}
}

// TestComparisonIsInert: what a run file holds cannot drive a terminal nor a
// page.
func TestComparisonIsInert(t *testing.T) {
	evil := "x\x1b[31m</table>|<script>@everyone\n# h"
	c := comparisons(t, "slower")["slower"]
	c.Base.Name, c.New.Model, c.New.Tool = evil, evil, evil
	c.Differences = append(c.Differences, compare.Difference{What: evil, Base: evil, New: evil})
	c.Remarks = append(c.Remarks, evil)
	c.Unpaired = append(c.Unpaired, compare.Unpaired{Side: "new", Level: evil, Why: evil})
	c.Gates = append(c.Gates, compare.Outcome{Gate: evil, Level: evil, Verdict: evil, Why: evil})
	for i := range c.Metrics {
		c.Metrics[i].Scenario, c.Metrics[i].Why, c.Metrics[i].Name = evil, evil, evil
	}
	for form, s := range map[string]string{"text": compareText(t, c, true, TextOptions{}), "markdown": compareMarkdown(t, c)} {
		if strings.Contains(s, "\x1b") || strings.Contains(s, "\n# h") {
			t.Errorf("%s lets control characters through", form)
		}
		if form == "markdown" && (strings.Contains(s, "<script>") || strings.Contains(s, "@everyone")) {
			t.Errorf("markdown lets tags or names through")
		}
	}
}

func TestComparisonColours(t *testing.T) {
	s := compareText(t, comparisons(t, "slower")["slower"], false, TextOptions{Color: true})
	if !strings.Contains(s, "\x1b["+red+"m") {
		t.Error("what is worse is not red")
	}
}
