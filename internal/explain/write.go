package explain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"go.yaml.in/yaml/v4"
)

// WriteJSON writes a page, or the groups of topics, as JSON.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// WriteYAML writes the same as YAML, with JSON's keys in JSON's order.
func WriteYAML(w io.Writer, v any) error {
	var b bytes.Buffer
	if err := WriteJSON(&b, v); err != nil {
		return err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(b.Bytes(), &doc); err != nil {
		return fmt.Errorf("write as YAML: %w", err)
	}
	unflow(&doc)
	out, err := yaml.Marshal(&doc)
	if err != nil {
		return fmt.Errorf("write as YAML: %w", err)
	}
	_, err = w.Write(out)
	return err
}

// unflow takes JSON's braces and quotes from a document.
func unflow(n *yaml.Node) {
	n.Style = 0
	for _, c := range n.Content {
		unflow(c)
	}
}
