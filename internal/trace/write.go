package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"go.yaml.in/yaml/v4"
)

// WriteJSON writes a report with the keys that scripts rely on.
func WriteJSON(w io.Writer, r Report) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// WriteYAML writes the same keys in the same order.
func WriteYAML(w io.Writer, r Report) error {
	var b bytes.Buffer
	if err := WriteJSON(&b, r); err != nil {
		return err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(b.Bytes(), &doc); err != nil {
		return fmt.Errorf("write the report as YAML: %w", err)
	}
	block(&doc)
	out, err := yaml.Marshal(&doc)
	if err != nil {
		return fmt.Errorf("write the report as YAML: %w", err)
	}
	_, err = w.Write(out)
	return err
}

// block undoes the braces and quotes of JSON; lists of numbers stay on a line.
func block(n *yaml.Node) {
	n.Style = 0
	if n.Kind == yaml.SequenceNode && len(n.Content) > 0 && n.Content[0].Kind == yaml.ScalarNode && n.Content[0].Tag == "!!int" {
		n.Style = yaml.FlowStyle
	}
	for _, c := range n.Content {
		block(c)
	}
}
