package spec

import (
	"math"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

func (r *reader) str(n *yaml.Node, what string) string {
	if n.Kind != yaml.ScalarNode {
		r.errorf(n, "%s must be text", what)
		return ""
	}
	return n.Value
}

// number reads a finite number of at least least.
func (r *reader) number(n *yaml.Node, what string, least float64) float64 {
	if n.Kind == yaml.ScalarNode && (n.Tag == "!!int" || n.Tag == "!!float") {
		// ParseFloat takes 1_000 only with a base prefix; YAML writers use it.
		x, err := strconv.ParseFloat(strings.ReplaceAll(n.Value, "_", ""), 64)
		if err == nil && !math.IsNaN(x) && !math.IsInf(x, 0) {
			if x < least {
				r.errorf(n, "%s is %s; it must be at least %g", what, n.Value, least)
				return least
			}
			return x
		}
	}
	r.errorf(n, "%s must be a number, not %s", what, shown(n))
	return least
}

func (r *reader) integer(n *yaml.Node, what string, least int) int {
	x := r.number(n, what, float64(least))
	if x != math.Trunc(x) || x > math.MaxInt32 {
		r.errorf(n, "%s must be a whole number below 2^31, not %s", what, shown(n))
		return least
	}
	return int(x)
}

func shown(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	default:
		return strconv.Quote(n.Value)
	}
}

// each calls read for every item of a list, or once for a single value.
func each(n *yaml.Node, read func(*yaml.Node)) {
	if n.Kind != yaml.SequenceNode {
		read(n)
		return
	}
	for _, item := range n.Content {
		read(deref(item))
	}
}

func (r *reader) integers(n *yaml.Node, what string, least int) (out []int) {
	each(n, func(item *yaml.Node) { out = append(out, r.integer(item, what, least)) })
	if len(out) == 0 {
		r.errorf(n, "%s is an empty list", what)
	}
	return out
}

// duration reads a duration such as 90s or 5m; a bare number is seconds.
func (r *reader) duration(n *yaml.Node, what string) time.Duration {
	d, err := ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil {
		r.errorf(n, "%s must be a positive duration such as 90s or 5m, not %s", what, shown(n))
		return 0
	}
	return d
}

// ParseDuration reads a positive duration such as 90s or 5m; a bare number is
// seconds, as in other tools.
func ParseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if seconds, ferr := strconv.ParseFloat(s, 64); ferr == nil && seconds < 1e9 {
		d, err = time.Duration(seconds*float64(time.Second)), nil
	}
	if err == nil && d <= 0 {
		err = strconv.ErrRange
	}
	return d, err
}

// lengths reads a length, a list of lengths, or a mapping of mean, stddev, min
// and max.
func (r *reader) lengths(n *yaml.Node, what string) Lengths {
	var l Lengths
	switch n.Kind {
	case yaml.MappingNode:
		r.mapping(n, what, fields{
			"mean":   func(v *yaml.Node) { l.Mean = r.number(v, what+".mean", 1) },
			"stddev": func(v *yaml.Node) { l.Stddev = r.number(v, what+".stddev", 0) },
			"min":    func(v *yaml.Node) { l.Min = r.integer(v, what+".min", 1) },
			"max":    func(v *yaml.Node) { l.Max = r.integer(v, what+".max", 1) },
		})
	case yaml.SequenceNode:
		l.Choices = r.integers(n, what, 1)
	default:
		l.Mean = float64(r.integer(n, what, 1))
	}
	if why := l.validate(); why != "" {
		r.errorf(n, "%s: %s", what, why)
	}
	return l
}
