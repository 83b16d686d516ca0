package spec

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"assay/internal/input"
	"assay/internal/spelling"
)

// ReadFile reads an assay.yaml. Every mistake in it is reported with file,
// line and column, all at once; - is standard input.
func ReadFile(path string) (*Spec, error) {
	data, name, err := input.ReadAll(path, maxFile)
	if err != nil {
		return nil, fmt.Errorf("read specification: %w", err)
	}
	if path != "-" {
		name = path
	}
	return Parse(name, data)
}

// FileName is what a specification is called where no other name is given.
const FileName = "assay.yaml"

// maxFile bounds a specification, bytes.
const maxFile = 4 << 20

// Parse reads the text of an assay.yaml; name stands in its errors.
func Parse(name string, data []byte) (*Spec, error) {
	r := &reader{name: name}
	s := &Spec{}
	var doc yaml.Node
	dec := yaml.NewDecoder(strings.NewReader(string(data)))
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if root := content(&doc); root != nil && root.Tag != "!!null" {
		r.top(root, s)
	}
	var second yaml.Node
	if err := dec.Decode(&second); err == nil {
		r.errorf(&second, "a second document; assay.yaml holds one")
	} else if !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, r.all()
}

// mostMistakes bounds how many mistakes are told at once.
const mostMistakes = 20

// all is the mistakes found, the first ones where there are many.
func (r *reader) all() error {
	if more := len(r.errs) - mostMistakes; more > 0 {
		return errors.Join(append(r.errs[:mostMistakes:mostMistakes], fmt.Errorf("%s: and %d more", r.name, more))...)
	}
	return errors.Join(r.errs...)
}

// content is the root node of a document, nil for an empty one.
func content(doc *yaml.Node) *yaml.Node {
	if len(doc.Content) == 0 {
		return nil
	}
	return deref(doc.Content[0])
}

func deref(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// reader walks the nodes of one file and collects what is wrong with them.
type reader struct {
	name string
	errs []error
}

func (r *reader) errorf(n *yaml.Node, format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf("%s:%d:%d: %s", r.name, n.Line, n.Column, fmt.Sprintf(format, args...)))
}

// fields is what a mapping may hold: each key with the function that reads it.
type fields map[string]func(n *yaml.Node)

// mapping reads a mapping node key by key. Keys are matched without regard to
// - and _, so that long-context and long_context are one.
func (r *reader) mapping(n *yaml.Node, what string, known fields) {
	n = deref(n)
	if n.Kind != yaml.MappingNode {
		r.errorf(n, "%s must be a mapping of keys to values", what)
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], deref(n.Content[i+1])
		name := normalise(key.Value)
		read, ok := known[name]
		switch {
		case !ok:
			r.errorf(key, "unknown key %q in %s%s", key.Value, what, suggest(name, known))
		case seen[name]:
			r.errorf(key, "key %q stands twice in %s", key.Value, what)
		default:
			seen[name] = true
			read(value)
		}
	}
}

func normalise(key string) string {
	return strings.ReplaceAll(strings.ToLower(key), "-", "_")
}

// suggest names the known key nearest to a wrong one, or lists them all.
func suggest(key string, known fields) string {
	names := make([]string, 0, len(known))
	for k := range known {
		names = append(names, k)
	}
	slices.Sort(names)
	if best := spelling.Nearest(key, names, 3); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return "; known keys: " + strings.Join(names, ", ")
}
