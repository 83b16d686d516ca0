package dashboard

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	sdk "github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/prometheus/prometheus/promql/parser"
)

// lint says what of a dashboard is against the rules that Grafana does not check.
func lint(d classic) []string {
	l := &linter{asked: map[string]bool{}, ids: map[uint32]bool{}}
	l.whole(d)
	for _, p := range d.Panels {
		switch {
		case p.RowPanel != nil:
			l.id(p.RowPanel.Id, *p.RowPanel.Title)
			l.place(*p.RowPanel.Title, p.RowPanel.GridPos)
		default:
			l.panel(*p.Panel)
		}
	}
	return l.found
}

type linter struct {
	found []string
	asked map[string]bool // variables
	ids   map[uint32]bool
	taken [][columns]bool
	slo   bool
}

func (l *linter) say(format string, args ...any) {
	l.found = append(l.found, fmt.Sprintf(format, args...))
}

func (l *linter) whole(d classic) {
	l.slo = *d.Uid == "assay-slo"
	if d.Refresh == nil || *d.Refresh != "30s" {
		l.say("refresh is not 30s")
	}
	if !slices.Contains(d.Tags, tag) {
		l.say("no tag %s", tag)
	}
	if !strings.HasPrefix(*d.Uid, "assay-") {
		l.say("uid %s", *d.Uid)
	}
	if d.Id != nil {
		l.say("an id, which belongs to one Grafana")
	}
	if d.SchemaVersion == 0 || d.Description == nil || len(d.Links) == 0 {
		l.say("no schema version, description or links")
	}
	if len(d.Annotations.List) == 0 {
		l.say("no list of annotations")
	}
	for _, v := range d.Templating.List {
		l.asked[v.Name] = true
		if v.Type == sdk.VariableTypeQuery {
			l.source("variable "+v.Name, v.Datasource)
		}
	}
	if !l.asked["datasource"] {
		l.say("no variable for the data source")
	}
}

func (l *linter) id(id uint32, title string) {
	if l.ids[id] || id == 0 {
		l.say("%s: id %d is taken", title, id)
	}
	l.ids[id] = true
}

func (l *linter) place(title string, g *sdk.GridPos) {
	if g == nil || g.W == 0 || g.H == 0 || g.X+g.W > columns {
		l.say("%s: out of the grid", title)
		return
	}
	for y := g.Y; y < g.Y+g.H; y++ {
		for len(l.taken) <= int(y) {
			l.taken = append(l.taken, [columns]bool{})
		}
		for x := g.X; x < g.X+g.W; x++ {
			if l.taken[y][x] {
				l.say("%s: lies upon another", title)
				return
			}
			l.taken[y][x] = true
		}
	}
}

func (l *linter) source(of string, ref *common.DataSourceRef) {
	if ref == nil || ref.Uid == nil || *ref.Uid != "${datasource}" {
		l.say("%s: not by the variable's data source", of)
	}
}

func (l *linter) panel(p sdk.Panel) {
	if p.Title == nil || *p.Title == "" || p.Description == nil || p.Id == nil {
		l.say("a panel without title, description or id")
		return
	}
	title := *p.Title
	l.id(*p.Id, title)
	l.place(title, p.GridPos)
	l.source(title, p.Datasource)
	if first, _, _ := strings.Cut(*p.Description, "\n"); !strings.HasSuffix(first, ".") || !strings.Contains(*p.Description, "\n\nReads ") {
		l.say("%s: the description is no sentence with what it reads", title)
	}
	if f := p.FieldConfig; f == nil || f.Defaults.Unit == nil || *f.Defaults.Unit == "" {
		l.say("%s: no unit", title)
	}
	if len(p.Targets) == 0 {
		l.say("%s: asks for nothing", title)
	}
	l.colours(p)
	refs := map[string]bool{}
	for _, t := range p.Targets {
		q := t.(prometheus.Dataquery)
		l.source(title, q.Datasource)
		if refs[*q.RefId] {
			l.say("%s: two queries are %s", title, *q.RefId)
		}
		refs[*q.RefId] = true
		l.query(title, q.Expr)
	}
}

// colours: a tile that judges has steps, one that does not has none and is
// plain; a quotient without a denominator has a word of its own.
func (l *linter) colours(p sdk.Panel) {
	o, ok := p.Options.(*stat.Options)
	if !ok {
		return
	}
	var colors []string
	for _, s := range p.FieldConfig.Defaults.Thresholds.Steps {
		colors = append(colors, s.Color)
	}
	switch o.ColorMode {
	case common.BigValueColorModeNone:
		if !slices.Equal(colors, []string{plain}) {
			l.say("%s: colours %v of a tile that does not judge", *p.Title, colors)
		}
	case common.BigValueColorModeBackground:
		if len(colors) < 2 || slices.Contains(colors, plain) {
			l.say("%s: colours %v of a judgement", *p.Title, colors)
		}
	default:
		l.say("%s: colour mode %s", *p.Title, o.ColorMode)
	}
	behind := plain
	if o.ColorMode == common.BigValueColorModeBackground {
		behind = grey // the colour of text would glare there
	}
	named := slices.ContainsFunc(p.FieldConfig.Defaults.Mappings, func(m sdk.ValueMapping) bool {
		s := m.SpecialValueMap
		return s != nil && s.Options.Match == sdk.SpecialValueMatchNullAndNan && *s.Options.Result.Color == behind
	})
	if !named || p.FieldConfig.Defaults.NoValue == nil {
		l.say("%s: no word for no value", *p.Title)
	}
}

var ranges = regexp.MustCompile(`\[([^\]]*)\]`)

func (l *linter) query(title, expr string) {
	for _, v := range variable.FindAllString(expr, -1) {
		name := strings.Trim(v, "${}")
		if !strings.HasPrefix(name, "__") && name != "1" && !l.asked[name] {
			l.say("%s: nobody asks for %s", title, v)
		}
	}
	for _, r := range ranges.FindAllStringSubmatch(expr, -1) {
		named := r[1] == hour || r[1] == sixHours || r[1] == shown
		if r[1] != interval && (!l.slo || !named) {
			l.say("%s: a window of %s", title, r[1])
		}
	}
	tree, err := parser.NewParser(parser.Options{}).ParseExpr(concrete(expr))
	if err != nil {
		l.say("%s: %v", title, err)
		return
	}
	parser.Inspect(tree, func(n parser.Node, _ []parser.Node) error {
		switch n := n.(type) {
		case *parser.BinaryExpr:
			if n.Op == parser.DIV && !nonZero(n.RHS) {
				l.say("%s: divides by %s, which may be 0", title, n.RHS)
			}
		case *parser.Call:
			if n.Func.Name == "histogram_quantile" && !summedByLE(n.Args[1]) {
				l.say("%s: a percentile of what is not summed by le", title)
			}
		}
		return nil
	})
}

func bare(e parser.Expr) parser.Expr {
	for {
		p, ok := e.(*parser.ParenExpr)
		if !ok {
			return e
		}
		e = p.Expr
	}
}

// nonZero is a constant, or a comparison that drops 0.
func nonZero(e parser.Expr) bool {
	switch e := bare(e).(type) {
	case *parser.NumberLiteral:
		return e.Val != 0
	case *parser.BinaryExpr:
		zero, ok := e.RHS.(*parser.NumberLiteral)
		return e.Op == parser.GTR && ok && zero.Val == 0 && !e.ReturnBool
	}
	return false
}

func summedByLE(e parser.Expr) bool {
	a, ok := bare(e).(*parser.AggregateExpr)
	return ok && a.Op == parser.SUM && !a.Without && slices.Contains(a.Grouping, "le")
}

func expression(q variants.Dataquery) string {
	if q, ok := q.(prometheus.Dataquery); ok {
		return q.Expr
	}
	return ""
}

func TestDashboardsKeepTheRules(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range []Options{{}, measured} {
		for _, b := range dashboards(t, o) {
			d := decode(t, b.JSON)
			for _, f := range lint(d) {
				t.Errorf("%s: %s", b.Name, f)
			}
			if *d.Uid != b.Name || *d.Title != b.Title {
				t.Errorf("%s is %s, %s", b.Name, *d.Uid, *d.Title)
			}
			seen[b.Name] = true
		}
	}
	want := []string{"assay-gpu", "assay-kv", "assay-overview", "assay-service", "assay-slo"}
	if got := slices.Sorted(maps.Keys(seen)); !slices.Equal(got, want) {
		t.Errorf("dashboards %v, want %v", got, want)
	}
	for _, b := range dashboards(t, Options{}) {
		for _, link := range regexp.MustCompile(`/d/([a-z-]+)`).FindAllStringSubmatch(string(b.JSON), -1) {
			if !seen[link[1]] {
				t.Errorf("%s leads to %s, which there is not", b.Name, link[1])
			}
		}
	}
}

// Each rule finds the mistake that it is for.
func TestTheRulesFindMistakes(t *testing.T) {
	tileOf := func(d *classic) *sdk.Panel { return d.Panels[1].Panel }
	expr := func(e string) func(*classic) {
		return func(d *classic) {
			q := tileOf(d).Targets[0].(prometheus.Dataquery)
			q.Expr = e
			tileOf(d).Targets[0] = q
		}
	}
	text := func(s string) *string { return &s }
	overview := dashboards(t, Options{})[0].JSON
	for want, plant := range map[string]func(*classic){
		"refresh is not 30s":     func(d *classic) { d.Refresh = text("5s") },
		"no tag assay":           func(d *classic) { d.Tags = nil },
		"no variable for the":    func(d *classic) { d.Templating.List = d.Templating.List[1:] },
		"is taken":               func(d *classic) { d.Panels[2].Panel.Id = tileOf(d).Id },
		"lies upon another":      func(d *classic) { d.Panels[2].Panel.GridPos.X-- },
		"out of the grid":        func(d *classic) { tileOf(d).GridPos.W = 25 },
		"not by the variable's":  func(d *classic) { tileOf(d).Datasource.Uid = text("P1") },
		"without title":          func(d *classic) { tileOf(d).Title = text("") },
		"no sentence":            func(d *classic) { tileOf(d).Description = text("up") },
		"no unit":                func(d *classic) { tileOf(d).FieldConfig.Defaults.Unit = nil },
		"no word for no value":   func(d *classic) { tileOf(d).FieldConfig.Defaults.Mappings = nil },
		"does not judge":         func(d *classic) { tileOf(d).Options.(*stat.Options).ColorMode = "none" },
		"nobody asks for $host":  expr(`sum(up{job=~"$host"})`),
		"a window of 5m":         expr(`sum(rate(vllm:generation_tokens_total[5m]))`),
		"which may be 0":         expr(`sum(up) / sum(up)`),
		"is not summed by le":    expr(`histogram_quantile(.9, rate(vllm:time_to_first_token_seconds_bucket[$__rate_interval]))`),
		"parse error":            expr(`sum(up`),
		"asks for nothing":       func(d *classic) { tileOf(d).Targets = nil },
		"an id, which belongs":   func(d *classic) { n := int64(7); d.Id = &n },
		"uid my-board":           func(d *classic) { d.Uid = text("my-board") },
		"no list of annotations": func(d *classic) { d.Annotations.List = nil },
		"no schema version":      func(d *classic) { d.Links = nil },
		"two queries are A":      func(d *classic) { p := tileOf(d); p.Targets = append(p.Targets, p.Targets[0]) },
	} {
		d := decode(t, overview)
		plant(&d)
		if found := strings.Join(lint(d), "\n"); !strings.Contains(found, want) {
			t.Errorf("found %q, want %q", found, want)
		}
	}
}
