package checkpoint

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// mostHeaderBytes is the format's own bound on a header.
// https://github.com/huggingface/safetensors, safetensors/src/tensor.rs, read 2026-11-30.
const mostHeaderBytes = 100_000_000

// lfsPointer begins the file that Git leaves in place of a large one.
const lfsPointer = "version "

var errLFS = errors.New("not the weights, but Git LFS's pointer to them: git lfs pull")

// dtypeBits are the bits of one element of safetensors' types.
// https://github.com/huggingface/safetensors, enum Dtype, read 2026-11-30.
var dtypeBits = map[string]uint64{
	"F64": 64, "I64": 64, "U64": 64, "C64": 64,
	"F32": 32, "I32": 32, "U32": 32,
	"F16": 16, "BF16": 16, "I16": 16, "U16": 16,
	"F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8,
	"I8": 8, "U8": 8, "BOOL": 8,
	"F6_E2M3": 6, "F6_E3M2": 6,
	"F4": 4,
}

// readSafetensors reads the header of one file.
func readSafetensors(path string) ([]tensor, error) {
	f, size, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	tensors, err := parseSafetensors(f, size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return tensors, nil
}

// parseSafetensors reads the header that begins a file of that size: its length
// in 8 bytes, then a JSON object of name → type, shape, place.
func parseSafetensors(r io.Reader, size int64) ([]tensor, error) {
	var length [8]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, fmt.Errorf("not a safetensors file: it has %d bytes, and a header begins with 8", size)
	}
	if string(length[:]) == lfsPointer {
		return nil, errLFS
	}
	n := binary.LittleEndian.Uint64(length[:])
	switch {
	case n > mostHeaderBytes:
		return nil, fmt.Errorf("not a safetensors file: its first 8 bytes give a header of %d bytes, and the format allows %d", n, mostHeaderBytes)
	case n < 2 || int64(n) > size-8:
		return nil, fmt.Errorf("cut short, or not a safetensors file: a header of %d bytes in a file of %d", n, size)
	}
	return parseHeader(json.NewDecoder(bufio.NewReader(io.LimitReader(r, int64(n)))), size-8-int64(n))
}

// place is one entry of a header.
type place struct {
	Type    string   `json:"dtype"`
	Shape   []uint64 `json:"shape"`
	Offsets []uint64 `json:"data_offsets"`
}

// parseHeader reads the entries one by one, so that no more is held than what
// is kept of each.
func parseHeader(d *json.Decoder, data int64) ([]tensor, error) {
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("not a safetensors file: its header is not a JSON object")
	}
	var tensors []tensor
	var spans [][2]uint64
	names := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("header: %w", err)
		}
		name, _ := key.(string)
		if name == "__metadata__" {
			var skip json.RawMessage
			if err := d.Decode(&skip); err != nil {
				return nil, fmt.Errorf("header: __metadata__: %w", err)
			}
			continue
		}
		var p place
		if err := d.Decode(&p); err != nil {
			return nil, fmt.Errorf("header: tensor %s: %w", short(name), err)
		}
		switch {
		case len(tensors) == mostTensors:
			return nil, fmt.Errorf("header: more than %d tensors", mostTensors)
		case names[name]:
			return nil, fmt.Errorf("header: tensor %s stands there twice", short(name))
		}
		names[name] = true
		t, err := p.tensor(name, data)
		if err != nil {
			return nil, fmt.Errorf("header: tensor %s: %w", short(name), err)
		}
		tensors = append(tensors, t)
		spans = append(spans, [2]uint64{p.Offsets[0], p.Offsets[1]})
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	if len(tensors) == 0 {
		return nil, errors.New("it holds no tensors")
	}
	return tensors, gapless(spans)
}

func (p place) tensor(name string, data int64) (tensor, error) {
	switch {
	case len(name) > mostNameBytes:
		return tensor{}, fmt.Errorf("a name of %d bytes", len(name))
	case len(p.Shape) > mostDimensions:
		return tensor{}, fmt.Errorf("%d dimensions", len(p.Shape))
	case len(p.Offsets) != 2 || p.Offsets[0] > p.Offsets[1]:
		return tensor{}, fmt.Errorf("data_offsets %v are not a begin and an end", p.Offsets)
	case p.Offsets[1] > uint64(data):
		return tensor{}, fmt.Errorf("it ends at byte %d of the data, and the file has %d: cut short, or still being downloaded", p.Offsets[1], data)
	}
	n, err := product(p.Shape)
	if err != nil {
		return tensor{}, err
	}
	size := p.Offsets[1] - p.Offsets[0]
	if bits, ok := dtypeBits[p.Type]; ok && (n*bits+7)/8 != size {
		return tensor{}, fmt.Errorf("%s of shape %v takes %d bytes, and data_offsets give %d", p.Type, p.Shape, (n*bits+7)/8, size)
	}
	return tensor{name: name, dtype: p.Type, shape: p.Shape, bytes: int64(size)}, nil
}

// gapless refuses tensors that overlap or leave bytes between them, as the
// format's own reader does.
func gapless(spans [][2]uint64) error {
	slices.SortFunc(spans, func(a, b [2]uint64) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	end := uint64(0)
	for _, s := range spans {
		if s[0] != end {
			return fmt.Errorf("header: tensors overlap or leave a gap at byte %d of the data", min(end, s[0]))
		}
		end = s[1]
	}
	return nil
}

// short is a name as an error shows it.
func short(name string) string {
	const most = 80
	if len(name) > most {
		name = name[:most] + "…"
	}
	return fmt.Sprintf("%q", name)
}
