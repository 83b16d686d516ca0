package rules

import (
	"regexp"
	"strings"

	"github.com/prometheus/prometheus/promql/parser"

	"assay/internal/lint"
	"assay/internal/lint/source"
)

// query is one PromQL expression that an object holds.
type query struct {
	text string
	at   source.Value
	tree parser.Expr // nil: it does not parse
	err  error
	rule source.Value // of an alert, its mapping; else absent
	file *source.File
}

// alert is the name of the alert; empty for what is no alert.
func (q query) alert() string { return q.rule.Get("alert").Text() }

// holdsQueries are the kinds in which they are looked for.
var holdsQueries = []string{"PrometheusRule", "ConfigMap", "ScaledObject", "ScaledJob"}

// queries are the expressions of an object: of rules, of dashboards and rule files that
// a ConfigMap carries, of KEDA's triggers.
func queries(o *lint.Object) []query {
	return lint.Once(o, "queries", func() []query {
		r := queryReader{file: o.File}
		switch {
		case o.Kind == "PrometheusRule":
			r.groups(o.Get("spec", "groups"))
		case o.Kind == "ConfigMap":
			r.data(o.Get("data"))
		default:
			r.triggers(o.Get("spec", "triggers"))
		}
		return r.all
	})
}

type queryReader struct {
	file *source.File
	all  []query
}

func (r *queryReader) groups(groups source.Value) {
	for _, g := range groups.Items() {
		for _, rule := range g.Get("rules").Items() {
			alert := source.Value{}
			if rule.Get("alert").Exists() {
				alert = rule
			}
			r.add(rule.Get("expr"), rule.Get("expr").Text(), alert)
		}
	}
}

func (r *queryReader) triggers(triggers source.Value) {
	for _, t := range triggers.Items() {
		if t.Get("type").Text() == "prometheus" {
			q := t.Get("metadata", "query")
			r.add(q, q.Text(), source.Value{})
		}
	}
}

// data looks into texts that are dashboards or rule files.
func (r *queryReader) data(data source.Value) {
	for _, v := range data.Pairs() {
		text := v.Text()
		switch {
		case strings.Contains(text, `"expr"`) && strings.Contains(text, `"panels"`):
			if doc, ok := r.file.Embedded(v); ok {
				r.panels(doc.Root, 0)
			}
		case strings.Contains(text, "groups:") && strings.Contains(text, "expr:"):
			if doc, ok := r.file.Embedded(v); ok {
				r.groups(doc.Root.Get("groups"))
			}
		}
	}
}

// panels of a dashboard lie in rows, which are panels.
func (r *queryReader) panels(v source.Value, depth int) {
	for _, panel := range v.Get("panels").Items() {
		for _, t := range panel.Get("targets").Items() {
			e := t.Get("expr")
			r.add(e, concrete(e.Text()), source.Value{})
		}
		if depth < 2 {
			r.panels(panel, depth+1)
		}
	}
}

var dashboardVariable = regexp.MustCompile(`\$(\{[^}]*\}|\w+)|\[\[\w+\]\]`)

// concrete puts something of the same length that parses in the place of Grafana's
// variables, so that places hold.
func concrete(expr string) string {
	return dashboardVariable.ReplaceAllStringFunc(expr, func(v string) string {
		return strings.Repeat("0", len(v)-2) + "5s"
	})
}

// longestQuery bounds what is parsed, bytes: parsing nests as deep as brackets do.
const longestQuery = 16 << 10

func (r *queryReader) add(at source.Value, text string, rule source.Value) {
	if text == "" || at.Open() || len(text) > longestQuery {
		return
	}
	q := query{text: text, at: at, rule: rule, file: r.file}
	q.tree, q.err = parser.NewParser(parser.Options{}).ParseExpr(text)
	r.all = append(r.all, q)
}

// selectors are what the expression reads, each with what stands around it, outermost
// first.
func (q query) selectors(visit func(s *parser.VectorSelector, path []parser.Node)) {
	if q.tree == nil {
		return
	}
	parser.Inspect(q.tree, func(n parser.Node, path []parser.Node) error {
		if s, ok := n.(*parser.VectorSelector); ok && s.Name != "" {
			visit(s, path)
		}
		return nil
	})
}

// place is where a token of the expression stands in the file.
func (q query) place(offset int, token string) source.Value {
	return q.file.Within(q.at, offset, token)
}

// of is the place of a selector's name.
func (q query) of(s *parser.VectorSelector) source.Value {
	return q.place(int(s.PosRange.Start), s.Name)
}
