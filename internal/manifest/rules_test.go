package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"

	"assay/internal/telemetry"
)

// tuned are options under which every rule is written.
var tuned = Options{Namespace: "llm", Models: []string{"a.b/c", "d"}, Knee: 48, KneeFrom: "a test", OperatingPoint: 30, OperatingFrom: "a test"}

// seriesLabels are the labels that a series can have, those of recordings by what
// their expression leaves.
type seriesLabels map[string]map[string]bool

func TestEachMetricAndLabelIsInTheCatalogue(t *testing.T) {
	for _, opt := range []Options{{}, tuned} {
		gs, err := groups(opt)
		if err != nil {
			t.Fatal(err)
		}
		made := seriesLabels{}
		for _, g := range gs {
			for _, r := range g.Records {
				if made[r.Name] != nil {
					t.Errorf("%s is recorded twice", r.Name)
				}
				made[r.Name] = made.of(t, r.Name, parse(t, r.Name, r.Expr))
			}
		}
		for _, g := range gs {
			for _, a := range g.Alerts {
				if a.Asks == "" {
					made.of(t, a.Name, parse(t, a.Name, a.Expr))
				}
			}
		}
	}
}

func parse(t *testing.T, name, expr string) parser.Expr {
	t.Helper()
	e, err := parser.NewParser(parser.Options{}).ParseExpr(expr)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, expr)
	}
	return e
}

// of checks an expression and gives the labels that its result can have.
func (made seriesLabels) of(t *testing.T, name string, e parser.Expr) map[string]bool {
	t.Helper()
	switch e := e.(type) {
	case *parser.VectorSelector:
		return made.selected(t, name, e)
	case *parser.AggregateExpr:
		below := made.of(t, name, e.Expr)
		has := map[string]bool{}
		for _, l := range e.Grouping {
			if !below[l] {
				t.Errorf("%s: nothing in %s has the label %s", name, e.Expr, l)
			}
			has[l] = true
		}
		if e.Op == parser.COUNT_VALUES {
			has[e.Param.(*parser.StringLiteral).Val] = true
		}
		return has
	case *parser.Call:
		has := map[string]bool{}
		for _, arg := range e.Args {
			maps.Copy(has, made.of(t, name, arg))
		}
		if e.Func.Name == "label_replace" {
			if from := e.Args[3].(*parser.StringLiteral).Val; from != "" && !has[from] {
				t.Errorf("%s: nothing in %s has the label %s", name, e.Args[0], from)
			}
			has[e.Args[1].(*parser.StringLiteral).Val] = true
		}
		if e.Func.Name == "scalar" {
			return nil
		}
		return has
	case *parser.BinaryExpr:
		left, right := made.of(t, name, e.LHS), made.of(t, name, e.RHS)
		if m := e.VectorMatching; m != nil {
			for _, l := range m.MatchingLabels {
				if !left[l] || !right[l] {
					t.Errorf("%s: on (%s), which one side of %s does not have", name, l, e.Op)
				}
			}
		}
		if e.Op == parser.LOR {
			maps.Copy(left, right)
		}
		return left
	default:
		has := map[string]bool{}
		for c := range parser.ChildrenIter(e) {
			if below, ok := c.(parser.Expr); ok {
				maps.Copy(has, made.of(t, name, below))
			}
		}
		return has
	}
}

func (made seriesLabels) selected(t *testing.T, name string, s *parser.VectorSelector) map[string]bool {
	t.Helper()
	has := map[string]bool{}
	if own, ok := made[s.Name]; ok {
		maps.Copy(has, own)
	} else {
		entry, n, ok := telemetry.Lookup(s.Name)
		if !ok {
			t.Errorf("%s: %s is not in the catalogue of metrics", name, s.Name)
			return has
		}
		for _, l := range slices.Concat(n.Labels, telemetry.ScrapeLabels) {
			has[l] = true
		}
		has["le"] = entry.Kind == telemetry.Histogram && strings.HasSuffix(s.Name, "_bucket")
	}
	for _, m := range s.LabelMatchers {
		if m.Name != model.MetricNameLabel && !has[m.Name] {
			t.Errorf("%s: %s has no label %s", name, s.Name, m.Name)
		}
	}
	return has
}

// selectors are the metrics that an expression reads, through recordings too.
func selectors(t *testing.T, gs []Group, name, expr string) map[string]bool {
	t.Helper()
	records := map[string]string{}
	for _, g := range gs {
		for _, r := range g.Records {
			records[r.Name] = r.Expr
		}
	}
	found := map[string]bool{}
	var visit func(expr string)
	visit = func(expr string) {
		parser.Inspect(parse(t, name, expr), func(n parser.Node, _ []parser.Node) error {
			if s, ok := n.(*parser.VectorSelector); ok {
				if below, ok := records[s.Name]; ok {
					visit(below)
				} else {
					found[s.Name] = true
				}
			}
			return nil
		})
	}
	visit(expr)
	return found
}

func TestNeedsAreWhatIsNotPublishedByItself(t *testing.T) {
	gs, err := groups(tuned)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range gs {
		for _, a := range g.Alerts {
			var want []string
			for series := range selectors(t, gs, a.Name, a.Expr) {
				if _, n, ok := telemetry.Lookup(series); ok && !n.Default {
					want = append(want, series)
				}
			}
			slices.Sort(want)
			got := slices.Sorted(slices.Values(a.Needs))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: Needs (-metrics that have to be enabled +said):\n%s", a.Name, diff)
			}
		}
	}
}

// A sum of two metrics has no value where one of them is not there: only what every
// server publishes is added.
func TestOnlyWhatIsAlwaysThereIsAdded(t *testing.T) {
	gs, err := groups(tuned)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range gs {
		for _, expr := range g.expressions() {
			parser.Inspect(parse(t, g.Name, expr), func(n parser.Node, _ []parser.Node) error {
				b, ok := n.(*parser.BinaryExpr)
				if !ok || b.Op != parser.ADD && b.Op != parser.SUB {
					return nil
				}
				left, right := selectors(t, gs, g.Name, b.LHS.String()), selectors(t, gs, g.Name, b.RHS.String())
				if len(left) == 0 || len(right) == 0 || maps.Equal(left, right) {
					return nil
				}
				maps.Copy(left, right)
				for series := range left {
					if _, n, ok := telemetry.Lookup(series); !ok || !n.Default || n.Engine != "vllm" {
						t.Errorf("%s may be missing, and silences %s", series, b)
					}
				}
				return nil
			})
		}
	}
}

// expressions are those of its recordings and alerts.
func (g Group) expressions() []string {
	var all []string
	for _, r := range g.Records {
		all = append(all, r.Expr)
	}
	for _, a := range g.Alerts {
		all = append(all, a.Expr)
	}
	return all
}

// What fills a GPU's memory is the engine, and any kernel makes it used.
func TestNoAlertReadsFBUsedOrGPUUtil(t *testing.T) {
	gs, err := groups(tuned)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range gs {
		for _, a := range g.Alerts {
			for series := range selectors(t, gs, a.Name, a.Expr) {
				if strings.Contains(series, "FB_") || strings.Contains(series, "GPU_UTIL") {
					t.Errorf("%s reads %s", a.Name, series)
				}
			}
		}
	}
}

func TestEachAlertIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range Alerts {
		if seen[a.Name] {
			t.Errorf("%s is there twice", a.Name)
		}
		seen[a.Name] = true
		for what, s := range map[string]string{
			"group": a.Group, "expression": a.Expr, "summary": a.Summary, "description": a.Description, "meaning": a.Meaning, "level": a.Level,
		} {
			if s == "" {
				t.Errorf("%s has no %s", a.Name, what)
			}
		}
		if len(a.Steps) == 0 {
			t.Errorf("%s says nothing that could be done", a.Name)
		}
		if !slices.Contains([]string{Critical, Warning, Info}, a.Severity) {
			t.Errorf("%s: severity %q", a.Name, a.Severity)
		}
		if !strings.Contains(a.Description, "$value") {
			t.Errorf("%s: the description does not say the value", a.Name)
		}
	}
	for _, name := range []string{"GPUHighTemperature", "GPUCriticalTemperature", "vLLMKVCacheFull"} {
		if !seen[name] {
			t.Errorf("the documents' %s is not there", name)
		}
	}
}

// 14.4 × (1 − 0.9) is more than all tokens.
func TestBurnAlertsCanFire(t *testing.T) {
	for _, objective := range []float64{0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999} {
		last := 1.0
		for _, b := range burns {
			at := b.threshold(objective)
			if at <= 0 || at > mostSlow || at > last {
				t.Errorf("objective %g: %s fires at %g of the tokens, after %g", objective, b.suffix, at, last)
			}
			last = at
			if n := b.least(objective); n < leastRequests || n*at < leastSlow-1e-9 {
				t.Errorf("objective %g: %s fires on %g of %g requests", objective, b.suffix, n*at, n)
			}
		}
	}
}

func TestLimitsAreBoundaries(t *testing.T) {
	for _, tc := range []struct {
		opt  Options
		want string // in the rules, or in the error
	}{
		{Options{}, `{le="0.5"}`},
		{Options{TTFT: 1e9}, `{le=~"1(\\.0)?"}`},
		{Options{TTFT: 4e8}, "--ttft: 400 ms is no boundary"},
		{Options{ITL: 3e7}, "--itl: 30 ms is no boundary"},
		{Options{Objective: 1}, "objective 1"},
		{Options{Objective: 0.2}, "objective 0.2"},
	} {
		b, err := Rules(tc.opt)
		if got := fmt.Sprint(string(b), err); !strings.Contains(got, tc.want) {
			t.Errorf("%+v: no %s in\n%.300s", tc.opt, tc.want, got)
		}
	}
}

func TestMatchersOfTheOptionsAreInEveryServingRule(t *testing.T) {
	gs, err := groups(tuned)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range gs {
		for _, a := range g.Alerts {
			if strings.ContainsAny(a.Expr, "@#") {
				t.Errorf("%s: a mark is left in %s", a.Name, a.Expr)
			}
			parser.Inspect(parse(t, a.Name, a.Expr), func(n parser.Node, _ []parser.Node) error {
				s, ok := n.(*parser.VectorSelector)
				if !ok || !strings.HasPrefix(s.Name, "vllm:") || a.Name == "vLLMMetricsMissing" || a.Name == "vLLMAbsent" {
					return nil
				}
				_, metric, _ := telemetry.Lookup(s.Name)
				model := !slices.Contains(metric.Labels, "model_name") || strings.Contains(s.String(), `model_name=~"a\\.b/c|d"`)
				if got := s.String(); !model || !strings.Contains(got, `namespace="llm"`) {
					t.Errorf("%s reads %s, of any service", a.Name, got)
				}
				return nil
			})
		}
	}
}

func TestRulesWithoutAKneeHaveNoRuleOnIt(t *testing.T) {
	for knee, want := range map[float64]bool{0: false, 48: true} {
		b, err := Rules(Options{Knee: knee, KneeFrom: "a test"})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(b), "vLLMOverloaded") && strings.Contains(string(b), fmt.Sprintf(") > %g", knee)); got != want {
			t.Errorf("knee %g: written %t, want %t", knee, got, want)
		}
	}
}
