package schema

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/kube-openapi/pkg/validation/strfmt"

	"assay/internal/lint/source"
	"assay/internal/practice"
)

// Check holds an object against the schema of its kind. A kind of which no schema is
// known has no issues. Values that are filled in later ($(VAR), ${VAR}, {{ … }}, marks
// of what was never set) are not judged.
func Check(apiVersion, kind string, root source.Value) []Issue {
	n, v, issue := find(apiVersion, kind, root)
	if issue != nil {
		return told([]Issue{*issue})
	}
	if n == nil {
		return nil
	}
	c := checker{root: n, kind: kind}
	c.value(n, root, root, nil)
	c.settle()
	if len(c.issues) == 0 && v != nil {
		return told(v.broken(root))
	}
	return told(c.issues)
}

// told makes messages lines that can be shown, whatever the names in an object are.
func told(all []Issue) []Issue {
	const most = 1000
	for i := range all {
		m := all[i].Message
		if strings.ContainsFunc(m, unicode.IsControl) || !utf8.ValidString(m) {
			m = strings.Trim(strconv.Quote(m), `"`)
		}
		all[i].Message = cut(m, most)
	}
	return all
}

// find is the schema of a kind, or what is wrong with its apiVersion.
func find(apiVersion, kind string, root source.Value) (*node, *version, *Issue) {
	group, name := "", apiVersion
	if g, v, ok := strings.Cut(apiVersion, "/"); ok {
		group, name = g, v
	}
	if d := custom(group, kind); d != nil {
		if v := d.versions[name]; v != nil {
			return v.root, v, nil
		}
		return nil, nil, unserved(group, kind, name, d, root)
	}
	if n := core().kind(apiVersion, kind); n != nil {
		return n, nil, nil
	}
	return nil, nil, dead(apiVersion, kind, root)
}

// checker walks one object.
type checker struct {
	root   *node
	kind   string
	issues []Issue
	lax    bool // what a schema within anyOf does not name is no fault
}

func (c *checker) add(kind Kind, at source.Value, p *path, format string, args ...any) {
	c.issues = append(c.issues, Issue{kind, p.String(), at, fmt.Sprintf(format, args...)})
}

// value holds v against a schema; key is the place of its key, or v itself in a list.
func (c *checker) value(n *node, v, key source.Value, p *path) {
	t := typeOf(v)
	if t == null {
		return // servers take it for an absent value
	}
	if t == text && open(v) {
		return
	}
	if t == mapping && isTemplate(v) {
		return
	}
	if want, ok := n.takes(t, v); !ok {
		c.add(WrongType, v, p, "%s is %s, and must be %s", label(p, c.kind), shown(t, v), want)
		return
	}
	switch t {
	case mapping:
		c.object(n, v, key, p)
	case list:
		c.list(n, v, p)
	default:
		c.scalar(n, v, p)
	}
	c.combined(n, v, key, p)
}

// label names a value in a message.
func label(p *path, kind string) string {
	if p == nil {
		return kind
	}
	return p.String()
}

// open says that what stands there is filled in later.
func open(v source.Value) bool {
	return v.Open() || len(practice.Marks(v.Text())) > 0
}

// isTemplate says that a mapping is {{ … }} without quotes: a mapping for a key.
func isTemplate(v source.Value) bool {
	for k := range v.Pairs() {
		return !k.IsScalar()
	}
	return false
}

// takes says whether a schema takes a type, and what it wants.
func (n *node) takes(t jsonType, v source.Value) (want string, ok bool) {
	switch {
	case n.IntOrString:
		return "a whole number or text", t == integer || t == text
	case n.quantity:
		return "a quantity such as 500m or 16Gi", t == integer || t == number || t == text
	}
	switch n.Type {
	case "string":
		return "text, in quotes where YAML would read something else", t == text
	case "integer":
		return "a whole number", t == integer || t == number && whole(v)
	case "number":
		return "a number", t == integer || t == number
	case "boolean":
		return "true or false, without quotes", t == boolean
	case "array":
		return "a list", t == list
	case "object":
		return "a mapping", t == mapping
	}
	return "", true
}

func whole(v source.Value) bool {
	_, f := scalar(v)
	x, ok := f.(float64)
	return ok && x == float64(int64(x))
}

// shown is a value for a message, cut short.
func shown(t jsonType, v source.Value) string {
	if !v.IsScalar() {
		return t.String()
	}
	s := clip(v.Node().Value)
	if t == text {
		return fmt.Sprintf("the text %q", s)
	}
	return fmt.Sprintf("%s (%s)", t, s)
}

// clip cuts a value that is quoted.
func clip(s string) string { return cut(s, 60) }

func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for i := most; i > most-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			return s[:i] + "…"
		}
	}
	return s[:most]
}

// scalar holds a single value against the ranges of its schema.
func (c *checker) scalar(n *node, v source.Value, p *path) {
	t, got := scalar(v)
	if len(n.Enum) > 0 && !slices.ContainsFunc(n.Enum, func(e any) bool { return same(e, got) }) {
		c.add(BadValue, v, p, "%s is %s, and must be one of %s%s", label(p, c.kind), shown(t, v), choices(n.Enum), meant(t, v, n.Enum))
		return
	}
	if n.quantity {
		if _, err := resource.ParseQuantity(v.Text()); err != nil {
			c.add(WrongType, v, p, "%s is %s, and must be a quantity such as 500m or 16Gi", label(p, c.kind), shown(t, v))
		}
		return
	}
	switch x := got.(type) {
	case string:
		c.text(n, v, x, p)
	case int64:
		c.number(n, v, float64(x), p)
	case float64:
		c.number(n, v, x, p)
	}
}

// same compares a value of a schema, as JSON gives it, with one that arrives.
func same(e, got any) bool {
	if i, ok := got.(int64); ok {
		got = float64(i)
	}
	return e == got
}

func (c *checker) text(n *node, v source.Value, s string, p *path) {
	size := utf8.RuneCountInString(s)
	switch {
	case n.MinLength != nil && size < *n.MinLength:
		c.add(BadValue, v, p, "%s has %d characters, and needs %d or more", label(p, c.kind), size, *n.MinLength)
	case n.MaxLength != nil && size > *n.MaxLength:
		c.add(BadValue, v, p, "%s has %d characters, and may have %d", label(p, c.kind), size, *n.MaxLength)
	case n.Pattern != "" && !matches(n.Pattern, s):
		c.add(BadValue, v, p, "%s is %q, which does not match %s", label(p, c.kind), clip(s), n.Pattern)
	case n.bytes:
		if _, err := base64.StdEncoding.DecodeString(s); err != nil {
			c.add(WrongType, v, p, "%s is no base64: %v", label(p, c.kind), err)
		}
	case n.builtIn && n.Format == "date-time":
		if _, err := time.Parse(time.RFC3339, s); err != nil {
			c.add(WrongType, v, p, "%s is %q, and must be a time such as 2026-11-30T10:00:00Z", label(p, c.kind), clip(s))
		}
	case n.Format != "" && !n.builtIn && !formatted(n.Format, s):
		c.add(BadValue, v, p, "%s is %q, which is no %s", label(p, c.kind), clip(s), n.Format)
	}
}

// formatted holds a text against a format; one that servers do not know says nothing.
func formatted(format, s string) bool {
	return !strfmt.Default.ContainsName(format) || strfmt.Default.Validates(format, s)
}

func (c *checker) number(n *node, v source.Value, x float64, p *path) {
	switch {
	case n.Minimum != nil && (x < *n.Minimum || n.ExclusiveMinimum && x == *n.Minimum):
		c.add(BadValue, v, p, "%s is %v, and must be %s %v", label(p, c.kind), x, bound(n.ExclusiveMinimum, "more than", "at least"), *n.Minimum)
	case n.Maximum != nil && (x > *n.Maximum || n.ExclusiveMaximum && x == *n.Maximum):
		c.add(BadValue, v, p, "%s is %v, and must be %s %v", label(p, c.kind), x, bound(n.ExclusiveMaximum, "less than", "at most"), *n.Maximum)
	case n.MultipleOf != nil && *n.MultipleOf > 0 && x/(*n.MultipleOf) != float64(int64(x/(*n.MultipleOf))):
		c.add(BadValue, v, p, "%s is %v, and must be a multiple of %v", label(p, c.kind), x, *n.MultipleOf)
	case n.builtIn && n.Format == "int32" && x != float64(int32(x)):
		c.add(WrongType, v, p, "%s is %v, more than 32 bits hold", label(p, c.kind), x)
	}
}

func bound(exclusive bool, is, not string) string {
	if exclusive {
		return is
	}
	return not
}
