package own

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"assay/internal/facts"
	"assay/internal/input"
	"assay/internal/lint"
	"assay/internal/lint/source"
	"assay/internal/spelling"
)

// Bounds of a file of rules.
const (
	mostBytes = 1 << 20
	mostRules = 500
	mostExpr  = 16 << 10
)

// Read reads the rules of a file; - is standard input. An error names each mistake with
// file, line and column. A rule with the ID of one of taken is a mistake, too.
func Read(path string, taken ...*lint.Rule) ([]*lint.Rule, error) {
	body, name, err := input.ReadAll(path, mostBytes)
	if err != nil {
		return nil, fmt.Errorf("own rules: %w", err)
	}
	if path != "-" {
		name = path
	}
	return Parse(name, body, taken...)
}

// Parse reads the text of a file of rules.
func Parse(name string, body []byte, taken ...*lint.Rule) ([]*lint.Rule, error) {
	r := &reader{file: &source.File{Name: name, Body: body}, ids: map[string]bool{}}
	for _, t := range taken {
		r.ids[t.ID] = true
	}
	for _, c := range r.file.Chunks() {
		doc, problems := c.Parse()
		for _, p := range problems {
			r.errs = append(r.errs, fmt.Errorf("%s: %s", p.Place, p.Message))
		}
		r.document(doc.Root)
	}
	if len(r.errs) == 0 && len(r.rules) == 0 {
		r.errs = append(r.errs, fmt.Errorf("%s: holds no rules: want a list under rules", name))
	}
	return r.rules, errors.Join(r.errs...)
}

// reader gathers rules and mistakes.
type reader struct {
	file  *source.File
	ids   map[string]bool
	rules []*lint.Rule
	errs  []error
}

func (r *reader) wrong(at source.Value, format string, args ...any) {
	r.wrongAt(at.Line(), at.Column(), format, args...)
}

func (r *reader) wrongAt(line, column int, format string, args ...any) {
	const most = 20
	if len(r.errs) < most {
		place := source.Place{File: r.file.Name, Line: line, Column: column}
		r.errs = append(r.errs, fmt.Errorf("%s: %s", place, fmt.Sprintf(format, args...)))
	}
}

func (r *reader) document(root source.Value) {
	if !root.Exists() {
		return
	}
	if !root.IsMap() {
		r.wrong(root, "want a mapping with a list under rules")
		return
	}
	r.known(root, "rules")
	list := root.Get("rules")
	if list.Exists() && !list.IsList() {
		r.wrong(list, "rules must be a list")
	}
	for _, item := range list.Items() {
		if len(r.rules) == mostRules {
			r.wrong(item, "more than %d rules in one file", mostRules)
			return
		}
		if rule := r.rule(item); rule != nil {
			r.rules = append(r.rules, rule)
		}
	}
}

// keys are those of a rule.
var keys = []string{"id", "severity", "title", "kinds", "path", "expr", "message", "messageExpr", "why", "fix", "source"}

// known reports keys that are none.
func (r *reader) known(v source.Value, names ...string) {
	for k := range v.Pairs() {
		if slices.Contains(names, k.Text()) {
			continue
		}
		r.wrong(k, "no key is called %q%s; there are %s", clip(k.Text()), near(k.Text(), names), strings.Join(names, ", "))
	}
}

func near(name string, names []string) string {
	if n := spelling.Nearest(name, names, 3); n != "" && len(name) <= 2*len(n) {
		return ", nearest: " + n
	}
	return ""
}

func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

var validID = regexp.MustCompile(`^[a-z][a-z0-9-]{0,62}$`)

// rule reads one; nil: it has mistakes.
func (r *reader) rule(v source.Value) *lint.Rule {
	before := len(r.errs)
	if !v.IsMap() {
		r.wrong(v, "a rule must be a mapping")
		return nil
	}
	r.known(v, keys...)
	out := &lint.Rule{Subject: lint.Own, Severity: lint.Warning, ID: r.id(v)}
	if s := v.Get("severity"); s.Exists() {
		severity, err := lint.SeverityNamed(s.Text())
		if err != nil {
			r.wrong(s, "%v", err)
		}
		out.Severity = severity
	}
	if k := v.Get("kinds"); k.Exists() {
		if out.Kinds = k.Texts(); !k.IsList() || len(out.Kinds) == 0 || slices.Contains(out.Kinds, "") {
			r.wrong(k, "kinds must be a list of kinds, such as [Deployment]; without it a rule is of all")
		}
	}
	c := r.check(v)
	out.Title, out.Why, out.Fix = r.text(v, "title"), r.text(v, "why"), r.text(v, "fix")
	out.Title = cmp.Or(out.Title, r.text(v, "message"), out.ID)
	if out.Why == "" {
		out.Why = fmt.Sprintf("%s wants: %s", r.file.Name, clip(strings.TrimSpace(v.Get("expr").Text())))
	}
	out.Sources = []facts.Source{r.source(v)}
	if len(r.errs) > before {
		return nil
	}
	out.Object = c.judge
	return out
}

func (r *reader) id(v source.Value) string {
	id := v.Get("id")
	switch {
	case !validID.MatchString(id.Text()):
		r.wrong(or(id, v), "a rule needs an id of lower-case letters, digits and hyphens, such as team-label")
	case r.ids[id.Text()]:
		r.wrong(id, "there is a rule %s already", id.Text())
	}
	r.ids[id.Text()] = true
	return id.Text()
}

func or(v, otherwise source.Value) source.Value {
	if v.Exists() {
		return v
	}
	return otherwise
}

// text is a value of one line or several.
func (r *reader) text(v source.Value, key string) string {
	t := v.Get(key)
	if t.Exists() && !t.IsScalar() {
		r.wrong(t, "%s must be text", key)
	}
	return strings.TrimSpace(t.Text())
}

// source is where the practice comes from: text or an address; without one, the file.
func (r *reader) source(v source.Value) facts.Source {
	text := r.text(v, "source")
	if title, url, ok := strings.Cut(text, ": http"); ok {
		return facts.Source{Title: title, URL: "http" + url}
	}
	return facts.Source{Title: "own rule", URL: cmp.Or(text, r.file.Name)}
}
