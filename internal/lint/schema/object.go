package schema

import "assay/internal/lint/source"

// object holds a mapping against a schema; key is the place that names it.
func (c *checker) object(n *node, v, key source.Value, p *path) {
	count := 0
	for k, item := range v.Pairs() {
		name := k.Text()
		known, e := n.Properties[name], n.entries()
		if n.builtIn || typeOf(item) != null || known != nil && known.Nullable || known == nil && e != nil && e.Nullable {
			count++
		}
		switch {
		case known != nil:
			c.value(known, item, k, p.field(name))
		case e != nil:
			c.value(e, item, k, p.entry(name))
		case !n.Open && !c.lax:
			c.unknown(n, k, p.field(name))
		}
	}
	for _, name := range n.Required {
		c.required(n, v, key, name, p)
	}
	switch {
	case n.MinProperties != nil && count < *n.MinProperties:
		c.add(BadValue, key, p, "%s has %d entries, and needs %d or more", label(p, c.kind), count, *n.MinProperties)
	case n.MaxProperties != nil && count > *n.MaxProperties:
		c.add(BadValue, key, p, "%s has %d entries, and may have %d", label(p, c.kind), count, *n.MaxProperties)
	}
}

// required reports a field that is absent and has no default.
func (c *checker) required(n *node, v, key source.Value, name string, p *path) {
	item, known := v.Get(name), n.Properties[name]
	switch {
	case item.Exists() && (typeOf(item) != null || known != nil && known.Nullable):
		return
	case known != nil && known.Default != nil && !n.builtIn:
		return
	}
	c.add(Required, key, p.field(name), "%s has no %s, which it must have", label(p, c.kind), name)
}

// list holds a sequence against a schema.
func (c *checker) list(n *node, v source.Value, p *path) {
	items := v.Items()
	if n.Items != nil {
		for i, item := range items {
			c.value(n.Items, item, item, p.item(i))
		}
	}
	switch {
	case n.MinItems != nil && len(items) < *n.MinItems:
		c.add(BadValue, v, p, "%s has %d items, and needs %d or more", label(p, c.kind), len(items), *n.MinItems)
	case n.MaxItems != nil && len(items) > *n.MaxItems:
		c.add(BadValue, v, p, "%s has %d items, and may have %d", label(p, c.kind), len(items), *n.MaxItems)
	}
	c.duplicates(n, items, p)
}

// duplicates reports items that a list may hold once: equal ones of a set, of a map
// those with equal keys.
func (c *checker) duplicates(n *node, items []source.Value, p *path) {
	if n.ListType != "map" && n.ListType != "set" && !n.UniqueItems || len(items) < 2 {
		return
	}
	seen := map[string]bool{}
	for i, item := range items {
		id, at := identity(n, item)
		if id == "" {
			continue
		}
		if seen[id] {
			c.add(Duplicate, at, p.item(i), "%s holds %s twice", label(p, c.kind), id)
		}
		seen[id] = true
	}
}

// identity is what tells an item of a list from others, and where it stands; empty: not
// known.
func identity(n *node, item source.Value) (string, source.Value) {
	if n.ListType != "map" {
		if item.IsScalar() && !open(item) {
			return item.Text(), item
		}
		return "", item
	}
	id, at := "", item
	for _, key := range n.ListKeys {
		v := item.Get(key)
		value := v.Text()
		if !v.Exists() && n.Items != nil && n.Items.Properties[key] != nil {
			value = string(n.Items.Properties[key].Default)
		}
		if value == "" || open(v) {
			return "", item
		}
		if v.Exists() && at == item {
			at = v
		}
		if id != "" {
			id += ", "
		}
		id += key + " " + value
	}
	return id, at
}

// combined holds a value against schemas that are joined.
func (c *checker) combined(n *node, v, key source.Value, p *path) {
	for _, s := range n.AllOf {
		lax := c.lax
		c.lax = true
		c.value(s, v, key, p)
		c.lax = lax
	}
	if len(n.AnyOf) > 0 && !n.IntOrString && c.fits(n.AnyOf, v, key) == 0 {
		c.add(BadValue, key, p, "%s fits none of the %d forms that it may have%s", label(p, c.kind), len(n.AnyOf), forms(n.AnyOf))
	}
	if len(n.OneOf) > 0 {
		if fit := c.fits(n.OneOf, v, key); fit != 1 {
			c.add(BadValue, key, p, "%s fits %d of the forms of which it must have exactly one%s", label(p, c.kind), fit, forms(n.OneOf))
		}
	}
	if n.Not != nil && c.fits([]*node{n.Not}, v, key) > 0 {
		c.add(BadValue, key, p, "%s has a form that it must not have%s", label(p, c.kind), forms([]*node{n.Not}))
	}
}

// fits counts the schemas that take a value.
func (c *checker) fits(all []*node, v, key source.Value) int {
	count := 0
	for _, n := range all {
		sub := checker{root: n, kind: c.kind, lax: true}
		sub.value(n, v, key, nil)
		if len(sub.issues) == 0 {
			count++
		}
	}
	return count
}

// forms says what joined schemas are about, where they require fields.
func forms(all []*node) string {
	s := ""
	for _, n := range all {
		for _, name := range n.Required {
			if s != "" {
				s += ", "
			}
			s += name
		}
	}
	if s == "" {
		return ""
	}
	return ": " + s
}
