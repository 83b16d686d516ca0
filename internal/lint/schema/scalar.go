package schema

import (
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// A server gets JSON, and kubectl makes it from YAML by the rules of YAML 1.1: an
// unquoted yes, on or off is a truth value there, and 0644 an octal number. The types
// here are those that arrive.

// jsonType is the type of a value in JSON.
type jsonType uint8

const (
	null jsonType = iota
	boolean
	integer
	number
	text
	list
	mapping
)

func (t jsonType) String() string {
	return [...]string{"null", "a truth value", "a whole number", "a number", "text", "a list", "a mapping"}[t]
}

// typeOf is the type under which a value arrives.
func typeOf(n *yaml.Node) jsonType {
	if n == nil {
		return null
	}
	switch n.Kind {
	case yaml.MappingNode:
		return mapping
	case yaml.SequenceNode:
		return list
	}
	t, _ := scalar(n)
	return t
}

// quoted says that a scalar is text whatever it looks like.
func quoted(n *yaml.Node) bool {
	const styles = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	return n.Style&styles != 0 || n.Style&yaml.TaggedStyle != 0 && n.ShortTag() == "!!str"
}

// words are plain scalars with a meaning, in their three spellings.
var words = map[string]any{}

func init() {
	for word, v := range map[string]any{"y": true, "yes": true, "true": true, "on": true, "n": false, "no": false, "false": false, "off": false, "null": nil} {
		words[word] = v
		words[strings.ToUpper(word)] = v
		words[strings.ToUpper(word[:1])+word[1:]] = v
	}
	words[""], words["~"] = nil, nil
}

// scalar is a scalar as it arrives: nil, bool, int64, float64 or string.
func scalar(n *yaml.Node) (jsonType, any) {
	if quoted(n) {
		return text, n.Value
	}
	if len(n.Value) <= len("false") {
		if v, ok := words[n.Value]; ok {
			if v == nil {
				return null, nil
			}
			return boolean, v
		}
	}
	switch c := n.Value[0]; {
	case c >= '0' && c <= '9', c == '+', c == '-', c == '.':
		return numeric(n.Value)
	}
	return text, n.Value
}

// numeric is a plain scalar that begins as a number does.
func numeric(s string) (jsonType, any) {
	plain := strings.ReplaceAll(s, "_", "")
	if i, err := strconv.ParseInt(plain, 0, 64); err == nil {
		return integer, i
	}
	if !decimal(plain) {
		return text, s
	}
	f, err := strconv.ParseFloat(plain, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return text, s
	}
	return number, f
}

// decimal says that a text is a number as YAML writes it: [-+]? digits with at most one
// point, then an exponent.
func decimal(s string) bool {
	s = strings.TrimLeft(s, "+-")
	digits, points := 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c == '.':
			points++
		case c == 'e' || c == 'E':
			_, err := strconv.Atoi(s[i+1:])
			return digits > 0 && points < 2 && err == nil
		default:
			return false
		}
	}
	return digits > 0 && points < 2
}
