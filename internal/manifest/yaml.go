package manifest

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"
)

// object is a YAML mapping in the order in which it is to be read.
type object []field

// field is one key. Why is a comment above it, for lines that are decisions.
type field struct {
	name  string
	value any // object, []object, []string, []item, string, int or bool; an empty one is left out
	why   string
}

// item is one entry of a list, with a comment above it where it is a decision.
type item struct {
	value any
	why   string
}

// blank is a mapping that is written although it holds nothing: emptyDir: {}.
type blank struct{}

// noText is an empty string that is written: storageClassName: "" says that there is none.
type noText struct{}

// marshal writes one document, with a comment before it.
func (o object) marshal(head string) ([]byte, error) {
	n, err := node(o)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if head != "" {
		b.WriteString(comment(head) + "\n")
	}
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(n); err != nil {
		return nil, err
	}
	return b.Bytes(), enc.Close()
}

func node(v any) (*yaml.Node, error) {
	switch v := v.(type) {
	case object:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, f := range v {
			if empty(f.value) {
				continue
			}
			value, err := node(f.value)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.name, err)
			}
			key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: f.name}
			if f.why != "" {
				key.HeadComment = comment(f.why)
			}
			n.Content = append(n.Content, key, value)
		}
		return n, nil
	case []object:
		return list(v)
	case []string:
		return list(v)
	case []item:
		return items(v)
	case noText:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle}, nil
	case blank:
		return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Style: yaml.FlowStyle}, nil
	case string:
		n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: v}
		switch {
		case strings.Contains(v, "\n"):
			n.Style = yaml.LiteralStyle
		case otherwiseTyped.MatchString(v):
			n.Style = yaml.DoubleQuotedStyle
		}
		return n, nil
	case int, bool:
		n := &yaml.Node{}
		return n, n.Encode(v)
	}
	return nil, fmt.Errorf("no YAML for a %T", v)
}

// otherwiseTyped are strings that YAML 1.1, which kubectl and the operator read,
// takes for a truth value, null or a number: a namespace may be called no.
var otherwiseTyped = regexp.MustCompile(`^(?i:y|yes|n|no|on|off|true|false|null|~|[-+.]?[0-9][-+_.:0-9a-fox]*)$`)

func list[T any](items []T) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, item := range items {
		value, err := node(item)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, lifted(value))
	}
	return n, nil
}

// lifted moves the comment of a mapping's first key above the mapping, where a list
// would write it between the dash and the key.
func lifted(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.MappingNode && len(n.Content) > 0 && n.HeadComment == "" {
		n.HeadComment, n.Content[0].HeadComment = n.Content[0].HeadComment, ""
	}
	return n
}

func items(all []item) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, i := range all {
		value, err := node(i.value)
		if err != nil {
			return nil, err
		}
		if i.why != "" {
			value.HeadComment = comment(i.why)
		}
		n.Content = append(n.Content, lifted(value))
	}
	return n, nil
}

func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case object:
		return len(v) == 0
	case []object:
		return len(v) == 0
	case []string:
		return len(v) == 0
	case []item:
		return len(v) == 0
	}
	return false
}

// comment breaks a text into lines of a comment, without what YAML forbids there.
func comment(s string) string {
	const width = 96
	var lines []string
	for _, paragraph := range strings.Split(s, "\n") {
		line := "#"
		for _, word := range strings.FieldsFunc(paragraph, func(r rune) bool { return unicode.In(r, unicode.C, unicode.Z) }) {
			if len(line)+1+len(word) > width {
				lines = append(lines, line)
				line = "#"
			}
			line += " " + word
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
