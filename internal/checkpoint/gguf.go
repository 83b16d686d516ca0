package checkpoint

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// GGUF is read here and not by gguf-parser-go: it would bring 36 modules for a
// format of one page, works its sizes out for llama.cpp's own devices, and
// underflows on files that hold a vocabulary alone.
// https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, read 2026-11-30.

// Bounds on what comes before the tensors' data. A vocabulary of 262,144 tokens
// with scores and merges takes some 15 MB.
const (
	mostGGUFHeader = 128 << 20
	mostKeys       = 1 << 16
	mostText       = 64 << 10 // of a text that is kept; longer ones, such as chat templates, are passed over
	mostKept       = 1 << 14  // items of a list that is kept: one for each layer
	mostItems      = 1 << 18  // items of all lists that are kept: each takes far more memory than the file
	mostNested     = 4        // lists in lists
)

// ggufFile is the header of one GGUF file.
type ggufFile struct {
	meta    map[string]any // uint64, int64, float64, bool, string, []any; listLength of longer lists
	tensors []tensor
}

// listLength stands for a list that is too long to keep, such as a vocabulary.
type listLength uint64

// ggufReader reads little-endian values and remembers the first error.
type ggufReader struct {
	r    *bufio.Reader
	at   int64  // bytes read
	size int64  // of the file
	kept uint64 // items of lists
	err  error
}

func readGGUF(path string) (ggufFile, error) {
	f, size, err := openRegular(path)
	if err != nil {
		return ggufFile{}, err
	}
	defer f.Close()
	g, err := parseGGUF(f, size)
	if err != nil {
		return ggufFile{}, fmt.Errorf("%s: %w", path, err)
	}
	return g, nil
}

// parseGGUF reads the header that begins a file of that size.
func parseGGUF(r io.Reader, size int64) (ggufFile, error) {
	d := &ggufReader{r: bufio.NewReaderSize(r, 1<<16), size: size}
	var magic [4]byte
	d.full(magic[:])
	if strings.HasPrefix(lfsPointer, string(magic[:])) {
		return ggufFile{}, errLFS
	}
	if d.err != nil || string(magic[:]) != "GGUF" {
		return ggufFile{}, errors.New("not a GGUF file: it does not begin with GGUF")
	}
	switch version := d.u32(); {
	case d.err != nil:
		return ggufFile{}, d.err
	case version>>16 != 0:
		return ggufFile{}, errors.New("a big-endian GGUF file: only little-endian ones are read")
	case version < 2 || version > 3:
		return ggufFile{}, fmt.Errorf("GGUF version %d: 2 and 3 are read; convert it with a current llama.cpp", version)
	}
	tensors, keys := d.u64(), d.u64()
	switch {
	case d.err != nil:
		return ggufFile{}, d.err
	case tensors > mostTensors:
		return ggufFile{}, fmt.Errorf("%d tensors: at most %d are read", tensors, mostTensors)
	case keys > mostKeys:
		return ggufFile{}, fmt.Errorf("%d metadata keys: at most %d are read", keys, mostKeys)
	}
	g := ggufFile{meta: map[string]any{}}
	for range keys {
		key := d.text()
		value := d.value(d.u32(), 0)
		if d.err == nil && g.meta[key] != nil {
			d.err = fmt.Errorf("metadata key %s stands there twice", short(key))
		}
		if d.err != nil {
			return ggufFile{}, fmt.Errorf("metadata: %w", d.err)
		}
		g.meta[key] = value
	}
	var err error
	g.tensors, err = d.tensors(tensors, g.meta)
	return g, err
}

// placed is a tensor's span in a file's data.
type placed struct {
	begin, end uint64
	name       string
}

// tensors reads the table of tensors and holds it against the file's size.
func (d *ggufReader) tensors(n uint64, meta map[string]any) ([]tensor, error) {
	var all []tensor
	var places []placed
	names := map[string]bool{}
	for range n {
		t, begin := d.tensor()
		if d.err == nil && names[t.name] {
			d.err = fmt.Errorf("%s stands there twice", short(t.name))
		}
		if d.err != nil {
			return nil, fmt.Errorf("tensors: %w", d.err)
		}
		names[t.name] = true
		all = append(all, t)
		end := begin + uint64(t.bytes)
		if end < begin {
			return nil, fmt.Errorf("tensor %s begins at byte %d, past any file", short(t.name), begin)
		}
		places = append(places, placed{begin, end, t.name})
	}
	alignment := uint64(32)
	if a, ok := meta["general.alignment"].(uint64); ok {
		if a == 0 || a > 1<<20 || a&(a-1) != 0 {
			return nil, fmt.Errorf("general.alignment %d is no power of two", a)
		}
		alignment = a
	}
	start := (uint64(d.at) + alignment - 1) / alignment * alignment
	return all, fits(places, start, uint64(d.size))
}

// fits refuses tensors that overlap or end past the file.
func fits(places []placed, start, size uint64) error {
	slices.SortFunc(places, func(a, b placed) int { return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end)) })
	last := placed{}
	for _, p := range places {
		if p.begin < last.end {
			return fmt.Errorf("tensors %s and %s overlap", short(last.name), short(p.name))
		}
		if p.end > size || start > size-p.end {
			return fmt.Errorf("tensor %s ends past the file: cut short, or still being downloaded", short(p.name))
		}
		last = p
	}
	return nil
}

// tensor reads one entry: name, shape with the fastest dimension first, type, place.
func (d *ggufReader) tensor() (tensor, uint64) {
	t := tensor{name: d.text()}
	n := d.u32()
	if d.err == nil && n > mostDimensions {
		d.err = fmt.Errorf("%s has %d dimensions", short(t.name), n)
	}
	if d.err != nil {
		return t, 0
	}
	for range n {
		t.shape = append(t.shape, d.u64())
	}
	kind, begin := d.u32(), d.u64()
	if d.err != nil {
		return t, 0
	}
	q, ok := ggmlTypes[kind]
	if !ok {
		d.err = fmt.Errorf("%s has the unknown ggml type %d", short(t.name), kind)
		return t, 0
	}
	elements, err := product(t.shape)
	switch {
	case err != nil:
		d.err = fmt.Errorf("%s: %w", short(t.name), err)
	case len(t.shape) > 0 && t.shape[0]%q.block != 0:
		d.err = fmt.Errorf("%s: rows of %d do not divide into blocks of %d (%s)", short(t.name), t.shape[0], q.block, q.name)
	case elements/q.block > math.MaxInt64/q.bytes:
		d.err = fmt.Errorf("%s is larger than any file", short(t.name))
	}
	t.dtype = q.name
	t.bytes = int64(elements / q.block * q.bytes)
	return t, begin
}
