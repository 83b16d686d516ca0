package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"go.yaml.in/yaml/v4"
)

// writeJSON prints an answer with the keys that scripts rely on.
func writeJSON(w io.Writer, answer any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(answer)
}

// writeYAML prints the same keys in the same order: JSON is YAML in flow style.
func writeYAML(w io.Writer, answer any) error {
	var b bytes.Buffer
	if err := writeJSON(&b, answer); err != nil {
		return err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(b.Bytes(), &doc); err != nil {
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
