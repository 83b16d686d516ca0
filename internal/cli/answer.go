package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// writeJSON prints an answer with the keys that scripts rely on.
func writeJSON(w io.Writer, answer any) error {
	text, err := plainJSON(answer)
	if err != nil {
		return err
	}
	_, err = w.Write(escapeSteering(text))
	return err
}

func plainJSON(answer any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(answer)
	return b.Bytes(), err
}

// steers says that a character steers a terminal or the direction of writing, of those
// that encoding/json leaves as they are.
func steers(r rune) bool { return r >= 0x7f && unicode.In(r, unicode.Cc, unicode.Cf) }

// escapeSteering writes what steers a terminal or the direction of writing as JSON's
// escapes: encoding/json leaves those beyond ASCII as they are. They stand in strings
// alone, whose meaning stays.
func escapeSteering(text []byte) []byte {
	if bytes.IndexFunc(text, steers) < 0 {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if steers(r) {
			for _, unit := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		} else {
			out = append(out, text[:n]...)
		}
		text = text[n:]
	}
	return out
}

// writeYAML prints the same keys in the same order: JSON is YAML in flow style.
func writeYAML(w io.Writer, answer any) error {
	text, err := plainJSON(answer)
	if err != nil {
		return err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(escaped(text), &doc); err != nil {
		return fmt.Errorf("write as YAML: %w", err)
	}
	blockStyle(&doc)
	out, err := yaml.Marshal(&doc)
	if err != nil {
		return fmt.Errorf("write as YAML: %w", err)
	}
	_, err = w.Write(out)
	return err
}

// escaped writes as escapes what JSON may hold as it stands and YAML may not, takes for
// the end of a line, or shows on a terminal that it steers. In JSON it stands in strings
// alone. Those beyond 16 bits have an escape of their own in YAML, and none in JSON.
func escaped(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case !steers(r) && r != 0x2028 && r != 0x2029 && r != 0xfffe && r != 0xffff:
			out = append(out, text[:n]...)
		case r > 0xffff:
			out = fmt.Appendf(out, `\U%08x`, r)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		text = text[n:]
	}
	return out
}

// blockStyle undoes the braces and quotes of JSON; lists of whole numbers stay on
// a line.
func blockStyle(n *yaml.Node) {
	n.Style = 0
	if n.Kind == yaml.SequenceNode && len(n.Content) > 0 && n.Content[0].Kind == yaml.ScalarNode && n.Content[0].Tag == "!!int" {
		n.Style = yaml.FlowStyle
	}
	for _, child := range n.Content {
		blockStyle(child)
	}
}
