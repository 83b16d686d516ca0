package peers

import (
	"bytes"
	"io"
	"os"

	"assay/internal/record"
)

// probeBytes is how much of a file is looked at to tell its format. The keys
// that tell stand before the long lists in all of them.
const probeBytes = 8 << 20

// keys are the keys of a file's first JSON object and, after a dot, those one
// level down. Of a list, its first object counts.
type keys map[string]bool

// lacks is the first of want that is missing, empty where none is.
func (k keys) lacks(want []string) string {
	for _, key := range want {
		if !k[key] {
			return key
		}
	}
	return ""
}

// probe reads the keys at a file's beginning.
func probe(path string) (keys, error) {
	src := source{path: path}
	if src.yaml() {
		b, err := src.bytes()
		if err != nil {
			return nil, err
		}
		return keysOf(b), nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		_, err := record.ReadFile(path, 1) // says what it is instead
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, probeBytes))
	if err != nil {
		return nil, err
	}
	return keysOf(b), nil
}

// keysOf scans JSON that may be cut off anywhere. It does not check it.
func keysOf(b []byte) keys {
	found := keys{}
	var open []byte // brackets
	parent := ""
	objects := 0 // braces open
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	for i := 0; i < len(b); i++ {
		switch c := b[i]; c {
		case '"':
			end := stringEnd(b, i)
			text := string(b[i+1 : max(end, i+1)])
			i = end
			if isKey(b, end+1) && len(open) > 0 && open[len(open)-1] == '{' {
				switch objects {
				case 1:
					parent = text
					found[text] = true
				case 2:
					found[parent+"."+text] = true
				}
			}
		case '{', '[':
			open = append(open, c)
			if c == '{' {
				objects++
			}
		case '}', ']':
			if len(open) == 0 {
				return found
			}
			if open[len(open)-1] == '{' {
				objects--
			}
			open = open[:len(open)-1]
			if objects == 0 && len(found) > 0 {
				return found // of several values the first is enough
			}
		}
	}
	return found
}

// stringEnd is the index of the quote that ends the string that begins at i,
// or the last index where it is cut off.
func stringEnd(b []byte, i int) int {
	for j := i + 1; j < len(b); j++ {
		switch b[j] {
		case '\\':
			j++
		case '"':
			return j
		}
	}
	return len(b) - 1
}

// isKey reports a colon after the string that ended before i.
func isKey(b []byte, i int) bool {
	for ; i < len(b); i++ {
		switch b[i] {
		case ' ', '\t', '\n', '\r':
			continue
		}
		return b[i] == ':'
	}
	return false
}
