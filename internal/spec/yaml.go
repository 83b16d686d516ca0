package spec

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"

	"go.yaml.in/yaml/v4"
)

// ReadFile reads an assay.yaml. Every mistake in it is reported with file,
// line and column, all at once; - is standard input.
func ReadFile(path string) (*Spec, error) {
	read := readFile
	if path == "-" {
		path, read = "standard input", func(string) ([]byte, error) { return io.ReadAll(os.Stdin) }
	}
	data, err := read(path)
	if err != nil {
		return nil, fmt.Errorf("read specification: %w", err)
	}
	return Parse(path, data)
}

// maxFile bounds a specification, bytes.
const maxFile = 4 << 20

// readFile reads a file or a pipe. It does not wait for somebody to write to a
// named pipe, where no signal would end it.
func readFile(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s is larger than %d MiB", path, maxFile>>20)
	}
	return data, err
}

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
	best, bestDistance := "", 3
	names := make([]string, 0, len(known))
	for k := range known {
		names = append(names, k)
	}
	slices.Sort(names)
	for _, k := range names {
		if d := editDistance(key, k); d < bestDistance {
			best, bestDistance = k, d
		}
	}
	if best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return "; known keys: " + strings.Join(names, ", ")
}

// editDistance is Levenshtein's: insertions, deletions and substitutions.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
