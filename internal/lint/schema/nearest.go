package schema

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"assay/internal/lint/source"
	"assay/internal/spelling"
)

// mostCompared bounds how long a name is compared with others.
const mostCompared = 64

// unknown reports a field that a schema does not have, with what was meant.
func (c *checker) unknown(n *node, k source.Value, p *path) {
	name := p.key
	in := label(p.up, c.kind)
	if near := nearest(name, n.Properties); near != "" {
		c.add(UnknownField, k, p, "%s has no field %s; %s is near", in, clip(name), near)
		return
	}
	if at := elsewhere(c.root, name); at != "" {
		c.add(UnknownField, k, p, "%s has no field %s; it is %s", in, clip(name), at)
		return
	}
	c.add(UnknownField, k, p, "%s has no field %s", in, clip(name))
}

// nearest is the field whose name is nearest to one; empty: none is near.
func nearest(name string, fields map[string]*node) string {
	if len(name) > mostCompared {
		return ""
	}
	best, least := "", 1+max(1, min(3, len(name)/3))
	for _, f := range sorted(fields) {
		d := spelling.Distance(strings.ToLower(name), strings.ToLower(f))
		if d < least {
			best, least = f, d
		}
	}
	return best
}

func sorted(fields map[string]*node) []string {
	all := make([]string, 0, len(fields))
	for f := range fields {
		all = append(all, f)
	}
	sort.Strings(all)
	return all
}

// elsewhere is the shallowest place of a kind that has a field of a name, such as
// spec.template.spec.expireAfter; empty: none, or one that is too far to be meant.
func elsewhere(root *node, name string) string {
	type place struct {
		n  *node
		at string
	}
	const deepest = 7
	seen := map[*node]bool{}
	level := []place{{root, ""}}
	for depth := 0; depth < deepest && len(level) > 0; depth++ {
		var next []place
		for _, here := range level {
			if seen[here.n] {
				continue
			}
			seen[here.n] = true
			if here.n.Properties[name] != nil && here.at != "" {
				return here.at + "." + name
			}
			for _, f := range sorted(here.n.Properties) {
				at := strings.TrimPrefix(here.at+"."+f, ".")
				if at == "metadata" || at == "status" {
					continue
				}
				p := here.n.Properties[f]
				for p.Items != nil {
					p, at = p.Items, at+"[]"
				}
				next = append(next, place{p, at})
			}
		}
		level = next
	}
	return ""
}

// settle leaves out what only follows: a required field is absent because its name is
// written wrong, or stands in a wrong place.
func (c *checker) settle() {
	var strange []string
	for _, i := range c.issues {
		if i.Kind == UnknownField {
			strange = append(strange, i.Path[strings.LastIndexByte(i.Path, '.')+1:])
		}
	}
	if len(strange) == 0 {
		return
	}
	c.issues = slices.DeleteFunc(c.issues, func(i Issue) bool {
		if i.Kind != Required {
			return false
		}
		name := i.Path[strings.LastIndexByte(i.Path, '.')+1:]
		return slices.ContainsFunc(strange, func(s string) bool {
			return s == name || nearest(s, map[string]*node{name: nil}) != ""
		})
	})
}

// choices are the values that a field takes.
func choices(all []any) string {
	const most = 12
	var s []string
	for i, v := range all {
		if i == most {
			s = append(s, "…")
			break
		}
		if v == "" {
			continue
		}
		s = append(s, fmt.Sprint(v))
	}
	return strings.Join(s, ", ")
}

// meant is the choice that is near, for the end of a message.
func meant(t jsonType, v source.Value, all []any) string {
	if t != text || len(v.Text()) > mostCompared {
		return ""
	}
	fields := map[string]*node{}
	for _, a := range all {
		if s, ok := a.(string); ok && s != "" {
			fields[s] = nil
		}
	}
	if near := nearest(v.Text(), fields); near != "" && len(fields) > 3 {
		return "; " + near + " is near"
	}
	return ""
}
