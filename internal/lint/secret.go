package lint

import (
	"regexp"
	"strings"

	"assay/internal/lint/source"
	"assay/internal/practice"
)

// hide keeps the secrets of an object out of a line that is shown: those known by
// their shape, and what stands beside a name of a secret anywhere in the object.
func hide(o *Object, text string) string {
	text = practice.Veil(text)
	if o == nil {
		return text
	}
	for _, s := range Once(o, "secrets", func() []string { return secretsOf(o) }) {
		text = strings.ReplaceAll(text, s, practice.Hidden)
	}
	return text
}

// hideLine keeps secrets out of a line that could not be parsed. Of a Secret no value
// is shown.
func hideLine(text string, secret bool) string {
	if name, value, ok := strings.Cut(text, ":"); secret && ok && strings.TrimSpace(value) != "" {
		return name + ": " + practice.Hidden
	}
	if secret && !strings.Contains(text, ":") && strings.TrimSpace(text) != "" {
		return practice.Hidden // of a value over several lines
	}
	return practice.VeilLine(text)
}

// secretsOf are the plain secrets of an object, and all that a Secret holds.
func secretsOf(o *Object) []string {
	var all []string
	add := func(value string) {
		for line := range strings.Lines(value) {
			if line = strings.TrimSpace(line); len(line) >= 3 {
				all = append(all, line)
			}
		}
	}
	if o.Is("", "Secret") {
		for _, list := range []string{"data", "stringData"} {
			for _, v := range o.Get(list).Pairs() {
				add(v.Text())
			}
		}
	}
	beside(o.Root, func(name, value string) {
		if practice.PlainSecret(name, value) {
			add(value)
		}
	})
	return all
}

var inWords = regexp.MustCompile(`(--[a-z][a-z0-9-]*|\b[A-Za-z][A-Za-z0-9_]*)[= ]["']?([^\s"']+)`)

// beside visits values with the name that stands beside them: keys, names of
// variables, flags and assignments.
func beside(v source.Value, visit func(name, value string)) {
	switch {
	case v.IsMap():
		visit(v.Get("name").Text(), v.Get("value").Text())
		for k, item := range v.Pairs() {
			if item.IsScalar() {
				visit(k.Text(), item.Text())
			}
			beside(item, visit)
		}
	case v.IsList():
		last := ""
		for _, item := range v.Items() {
			if item.IsScalar() {
				visit(last, item.Text())
			}
			last = item.Text()
			beside(item, visit)
		}
	case v.IsScalar() && strings.ContainsAny(v.Text(), "= "):
		for _, m := range inWords.FindAllStringSubmatch(v.Text(), -1) {
			visit(m[1], m[2])
		}
	}
}
