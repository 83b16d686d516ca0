package peers

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v4"

	"assay/internal/record"
)

// Bounds on what is read: a file is held in memory while it is read, and a
// larger one is refused with the way to a smaller one.
const (
	mostFileBytes = 512 << 20
	mostYAMLBytes = 32 << 20
	mostLineBytes = 64 << 20
	mostRequests  = 5_000_000
)

// source is the file to read.
type source struct{ path string }

// beside is another file of the same folder.
func (s source) beside(name string) source {
	return source{path: filepath.Join(filepath.Dir(s.path), name)}
}

func (s source) yaml() bool {
	ext := strings.ToLower(filepath.Ext(s.path))
	return ext == ".yaml" || ext == ".yml"
}

// bytes is the file as JSON.
func (s source) bytes() ([]byte, error) {
	most := int64(mostFileBytes)
	if s.yaml() {
		most = mostYAMLBytes
	}
	b, err := record.ReadFile(s.path, most)
	if err != nil && strings.Contains(err.Error(), "is larger than") {
		return nil, fmt.Errorf("%w; write one without each request's record (vllm: without --save-detailed; guidellm: --metrics kind=generative,sample_size=0; inference-perf: report.request_lifecycle.per_request: false), or fewer levels a file", err)
	}
	if err != nil || !s.yaml() {
		return b, err
	}
	var tree any
	if err := yaml.Unmarshal(b, &tree); err != nil {
		return nil, err
	}
	return json.Marshal(noInf(tree))
}

// decode reads the whole file into v.
func (s source) decode(v any) error {
	b, err := s.bytes()
	if err != nil {
		return err
	}
	return decode(b, v)
}

// values calls fn for each JSON value of a file that holds one after the other.
func (s source) values(fn func(json.RawMessage) error) error {
	b, err := s.bytes()
	if err != nil {
		return err
	}
	if bytes.Contains(b, []byte("NaN")) || bytes.Contains(b, []byte("Infinity")) {
		b = withoutNaN(b)
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	for n := 1; ; n++ {
		var v json.RawMessage
		err := dec.Decode(&v)
		if err == io.EOF {
			return nil
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("value %d is cut off", n)
		}
		if err == nil {
			err = fn(v)
		}
		if err != nil {
			return fmt.Errorf("value %d: %w", n, err)
		}
	}
}

// lines calls fn for each line that is not empty.
func (s source) lines(fn func([]byte) error) error {
	info, err := os.Stat(s.path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		_, err := record.ReadFile(s.path, 1) // says what it is instead
		return err
	}
	file, err := os.Open(s.path)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(make([]byte, 1<<20), mostLineBytes)
	n := 0
	for lines.Scan() {
		n++
		b := bytes.TrimSpace(lines.Bytes())
		if len(b) == 0 {
			continue
		}
		if err := fn(b); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("line %d is longer than %d MiB", n+1, mostLineBytes>>20)
	}
	return lines.Err()
}

// decode is json.Unmarshal for files of Python, which writes NaN and Infinity:
// they are no figures and become null.
func decode(b []byte, v any) error {
	err := json.Unmarshal(b, v)
	if _, ok := errors.AsType[*json.SyntaxError](err); !ok {
		return err
	}
	clean := withoutNaN(b)
	if len(clean) == len(b) {
		return err
	}
	return json.Unmarshal(clean, v)
}

var noFigures = [][]byte{[]byte("-Infinity"), []byte("Infinity"), []byte("-NaN"), []byte("NaN")}

// withoutNaN is b with null for each NaN, Infinity and -Infinity outside strings.
func withoutNaN(b []byte) []byte {
	out := make([]byte, 0, len(b)+len(b)/64)
	inString := false
	for i := 0; i < len(b); i++ {
		c := b[i]
		if inString {
			out = append(out, c)
			if c == '\\' && i+1 < len(b) {
				i++
				out = append(out, b[i])
			}
			inString = c != '"'
			continue
		}
		inString = c == '"'
		n := 0
		for _, word := range noFigures {
			if bytes.HasPrefix(b[i:], word) {
				n = len(word)
				break
			}
		}
		if n > 0 {
			out = append(out, "null"...)
			i += n - 1
			continue
		}
		out = append(out, c)
	}
	return out
}

// noInf is a YAML tree as JSON can hold it: keys are strings, and what is no
// finite figure is nil.
func noInf(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = noInf(v[k])
		}
	case map[any]any:
		out := map[string]any{}
		for k := range v {
			out[fmt.Sprint(k)] = noInf(v[k])
		}
		return out
	case []any:
		for i := range v {
			v[i] = noInf(v[i])
		}
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil
		}
	}
	return v
}
