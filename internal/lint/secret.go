package lint

import (
	"regexp"
	"strings"

	"assay/internal/lint/source"
	"assay/internal/practice"
)

// hide keeps the secrets of an object out of a line that is shown: those known by
// their shape, and what stands beside a name of a secret anywhere in the object;
// without an object, on the line.
func hide(o *Object, text string) string {
	if o == nil {
		return practice.VeilLine(text)
	}
	text = practice.Veil(text)
	for _, s := range Once(o, "secrets", func() []string { return secretsOf(o) }) {
		text = hideEdges(strings.ReplaceAll(text, s, practice.Hidden), s)
	}
	return text
}

// leastEdge is how much of a secret, in bytes, is known again where a long line is cut
// within it.
const leastEdge = 8

// hideEdges hides what of a secret is left where the text is a part of its line.
func hideEdges(text, secret string) string {
	if len(text) >= leastEdge && strings.Contains(secret, text) {
		return practice.Hidden
	}
	for n := min(len(text), len(secret)-1); n >= leastEdge; n-- {
		if strings.HasSuffix(text, secret[:n]) {
			text = text[:len(text)-n] + practice.Hidden
			break
		}
	}
	for n := min(len(text), len(secret)-1); n >= leastEdge; n-- {
		if strings.HasPrefix(text, secret[len(secret)-n:]) {
			return practice.Hidden + text[n:]
		}
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

// secretsOf are the plain secrets of an object, and all that a Secret holds, as values
// and as they are written.
func secretsOf(o *Object) []string {
	var all []string
	add := func(text string) {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); len(line) >= 3 {
				all = append(all, line)
			}
		}
	}
	whole := func(v source.Value, text string) {
		add(text)
		if text == v.Text() {
			written(o.File, v, add)
		}
	}
	if o.Is("", "Secret") {
		for k, v := range o.Root.Pairs() {
			if name := k.Text(); name != "apiVersion" && name != "kind" && name != "metadata" && (name != "type" || !v.IsScalar()) {
				scalars(v, func(v source.Value) {
					if t := v.Text(); t != "true" && t != "false" {
						whole(v, t)
					}
				})
			}
		}
	}
	beside(o.Root, func(name string, v source.Value, text string) {
		if practice.PlainSecret(name, text) {
			whole(v, text)
		}
	})
	return all
}

// scalars visits those that a value holds, itself too.
func scalars(v source.Value, visit func(source.Value)) {
	if v.IsScalar() {
		visit(v)
	}
	for _, item := range v.Items() {
		scalars(item, visit)
	}
	for _, item := range v.Pairs() {
		scalars(item, visit)
	}
}

// written gives the lines of a value whose text does not stand on its line as it is: it
// goes on in the next one, or has escapes.
func written(f *source.File, v source.Value, add func(string)) {
	n := v.Node()
	if f == nil || n == nil {
		return
	}
	line := f.Line(n.Line)
	at := bytesOf(line, n.Column)
	if at < 0 || n.Value == "" || strings.Contains(string(line), n.Value) {
		return
	}
	add(string(line[at:]))
	for next := n.Line + 1; ; next++ {
		text := strings.Trim(string(f.Line(next)), " \t\r\"'")
		if text == "" || !strings.Contains(n.Value, text) {
			return
		}
		add(text)
	}
}

var inWords = regexp.MustCompile(`(--[a-z][a-z0-9-]*|\b[A-Za-z][A-Za-z0-9_]*)[= ]["']?([^\s"']+)`)

// beside visits values, or parts of their text, with the name that stands beside them:
// keys, names of variables, flags and assignments.
func beside(v source.Value, visit func(name string, v source.Value, text string)) {
	named := func(name string, v source.Value) {
		for _, one := range append(v.Items(), v) {
			if one.IsScalar() {
				visit(name, one, one.Text())
			}
		}
	}
	switch {
	case v.IsMap():
		named(v.Get("name").Text(), v.Get("value"))
		for k, item := range v.Pairs() {
			named(k.Text(), item)
			beside(item, visit)
		}
	case v.IsList():
		last := ""
		for _, item := range v.Items() {
			if item.IsScalar() {
				visit(last, item, item.Text())
			}
			last = item.Text()
			beside(item, visit)
		}
	case v.IsScalar() && strings.ContainsAny(v.Text(), "= "):
		for _, m := range inWords.FindAllStringSubmatch(v.Text(), -1) {
			visit(m[1], v, m[2])
		}
	}
}
