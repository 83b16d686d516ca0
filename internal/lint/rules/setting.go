package rules

import (
	"regexp"
	"strings"

	"assay/internal/lint"
	"assay/internal/lint/source"
)

// setting is an environment variable and where a manifest sets it: in env, before a
// command of a script, after mpirun's -x, or in a ConfigMap.
type setting struct {
	Name, Value string
	At          source.Value
	Offset      int          // into At, where that is a script
	Entry       source.Value // the item of env; absent elsewhere
}

// fail points at the variable: it is that, not its value, which does not belong there.
func (s setting) fail(p *lint.Pass, format string, args ...any) *lint.Finding {
	if s.Entry.Exists() {
		return p.Fail(s.Entry.Get("name"), format, args...)
	}
	return s.failValue(p, format, args...)
}

// failValue points at the value, where another one would be right.
func (s setting) failValue(p *lint.Pass, format string, args ...any) *lint.Finding {
	return p.FailIn(s.At, s.Offset, format, args...)
}

// assigned finds NAME=value where a shell, env(1), an env file or mpirun takes it.
var assigned = regexp.MustCompile(`(?m)(?:^|[\s;&])([A-Z][A-Z0-9_]+)=("[^"\n]*"|'[^'\n]*'|[^\s;&"']*)`)

// settings are the variables of a container, by its own words.
func settings(c *lint.Container) []setting {
	var all []setting
	for _, e := range c.Get("env").Items() {
		if v := e.Get("value"); v.Exists() {
			all = append(all, setting{e.Get("name").Text(), v.Text(), v, 0, e})
		}
	}
	for _, list := range []source.Value{c.Get("command"), c.Get("args")} {
		for _, item := range list.Items() {
			all = append(all, assignments(item)...)
		}
	}
	return all
}

// assignments are those within a text.
func assignments(at source.Value) []setting {
	text := at.Text()
	if !strings.Contains(text, "=") {
		return nil
	}
	var all []setting
	for _, m := range assigned.FindAllStringSubmatchIndex(text, -1) {
		all = append(all, setting{text[m[2]:m[3]], strings.Trim(text[m[4]:m[5]], `"'`), at, m[2], source.Value{}})
	}
	return all
}

// shared are the variables that a ConfigMap holds, by key or in files of assignments.
func shared(o *lint.Object) []setting {
	var all []setting
	for k, v := range o.Get("data").Pairs() {
		all = append(all, setting{k.Text(), v.Text(), v, 0, source.Value{}})
		all = append(all, assignments(v)...)
	}
	return all
}

// open says that the value is filled in later.
func (s setting) open() bool {
	return strings.Contains(s.Value, "$") || strings.Contains(s.Value, "{{")
}
