package karpenter

import (
	"iter"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// field is the value of a key, or nil.
func field(n *yaml.Node, key string) *yaml.Node {
	for k, v := range pairs(n) {
		if k.Value == key {
			return v
		}
	}
	return nil
}

func path(n *yaml.Node, keys ...string) *yaml.Node {
	for _, k := range keys {
		n = field(n, k)
	}
	return n
}

func pairs(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(k, v *yaml.Node) bool) {
		n := behind(n)
		if n == nil || n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

func sequence(n *yaml.Node) []*yaml.Node {
	if n = behind(n); n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

func text(n *yaml.Node) string {
	if n = behind(n); n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

func behind(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func (r *reader) number(n *yaml.Node) int64 {
	v, err := strconv.ParseInt(text(n), 10, 32)
	if err != nil || v < 0 {
		r.errorf(n, "%q is no whole number", clip(text(n)))
	}
	return v
}

func oneNumber(values []string) bool {
	if len(values) != 1 {
		return false
	}
	v, err := strconv.Atoi(values[0])
	return err == nil && v >= 0
}

// clip bounds a name from a file; Kubernetes allows 316 characters.
func clip(s string) string {
	if len(s) > 320 {
		return strings.ToValidUTF8(s[:320], "") + "…"
	}
	return s
}
