package source

import (
	"iter"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Value is a place in a document; the zero Value is one that is absent. What is asked
// of an absent value is absent, empty or false, so that paths need no checks between.
type Value struct {
	n    *yaml.Node
	part int // see Part: its offset and one; 0: the whole
}

// Node is what a value stands for, with aliases followed; nil where it is absent.
func (v Value) Node() *yaml.Node {
	n := v.n
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// Part is the value as of an offset into its text, in bytes, such as a word of a script.
// It is the same value; what points at it points at the part.
func (v Value) Part(offset int) Value {
	v.part = offset + 1
	return v
}

// Offset is where within its text the part begins; ok is false of a whole value.
func (v Value) Offset() (offset int, ok bool) { return v.part - 1, v.part > 0 }

// Exists says that something stands there, be it null.
func (v Value) Exists() bool { return v.n != nil }

// Line and Column are where the value stands, an alias where it is used; 0: absent.
func (v Value) Line() int {
	if v.n == nil {
		return 0
	}
	return v.n.Line
}

// Column counts from 1; 0: absent.
func (v Value) Column() int {
	if v.n == nil {
		return 0
	}
	return v.n.Column
}

// Get follows keys of mappings.
func (v Value) Get(keys ...string) Value {
	for _, key := range keys {
		v = v.get(key)
	}
	return v
}

func (v Value) get(key string) Value {
	n := v.Node()
	if n == nil || n.Kind != yaml.MappingNode {
		return Value{}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return Value{n: n.Content[i+1]}
		}
	}
	return Value{}
}

// Key is the place of a mapping's key itself.
func (v Value) Key(key string) Value {
	for k := range v.Pairs() {
		if k.Text() == key {
			return k
		}
	}
	return Value{}
}

// Pairs are the keys and values of a mapping, in their order.
func (v Value) Pairs() iter.Seq2[Value, Value] {
	return func(yield func(Value, Value) bool) {
		n := v.Node()
		if n == nil || n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(Value{n: n.Content[i]}, Value{n: n.Content[i+1]}) {
				return
			}
		}
	}
}

// Items are those of a sequence.
func (v Value) Items() []Value {
	n := v.Node()
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	all := make([]Value, len(n.Content))
	for i, c := range n.Content {
		all[i] = Value{n: c}
	}
	return all
}

// IsMap, IsList and IsScalar tell what stands there.
func (v Value) IsMap() bool { return v.is(yaml.MappingNode) }

// IsList says that a sequence stands there.
func (v Value) IsList() bool { return v.is(yaml.SequenceNode) }

// IsScalar says that a single value stands there.
func (v Value) IsScalar() bool { return v.is(yaml.ScalarNode) }

func (v Value) is(k yaml.Kind) bool {
	n := v.Node()
	return n != nil && n.Kind == k
}

// Text is a scalar as it is written, without quotes; empty for all else.
func (v Value) Text() string {
	n := v.Node()
	if n == nil || n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return ""
	}
	return n.Value
}

// Tag is the short tag of the value, such as !!str or !!int; empty: absent.
func (v Value) Tag() string {
	n := v.Node()
	if n == nil {
		return ""
	}
	return n.ShortTag()
}

// Int is a whole number, written with or without quotes. Without, it may be written as
// YAML 1.1 has it, so that 0644 is octal.
func (v Value) Int() (int, bool) {
	if v.Tag() == "!!int" {
		n, err := strconv.ParseInt(v.Text(), 0, 0)
		return int(n), err == nil
	}
	n, err := strconv.Atoi(v.Text())
	return n, err == nil
}

// Bool is a truth value; ok is false for all else.
func (v Value) Bool() (value, ok bool) {
	n := v.Node()
	if n == nil || n.ShortTag() != "!!bool" {
		return false, false
	}
	return truth[n.Value], true
}

// Texts are the scalars of a sequence.
func (v Value) Texts() []string {
	var all []string
	for _, item := range v.Items() {
		all = append(all, item.Text())
	}
	return all
}

// Open says that the text holds a place for something that is filled in later:
// $(VAR), ${VAR} or {{ … }}. What it will be is not known.
func (v Value) Open() bool {
	t := v.Text()
	return strings.Contains(t, "${") || strings.Contains(t, "{{") || strings.Contains(t, "$(")
}
