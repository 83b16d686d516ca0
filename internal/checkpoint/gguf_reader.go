package checkpoint

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// value reads a metadata value of that type.
func (d *ggufReader) value(kind uint32, depth int) any {
	switch kind {
	case 0, 2, 4, 10: // uint8, 16, 32, 64
		return d.unsigned(ggufWidth[kind])
	case 1:
		return int64(int8(d.unsigned(1)))
	case 3:
		return int64(int16(d.unsigned(2)))
	case 5:
		return int64(int32(d.unsigned(4)))
	case 11:
		return int64(d.unsigned(8))
	case 6:
		return float64(math.Float32frombits(uint32(d.unsigned(4))))
	case 12:
		return math.Float64frombits(d.unsigned(8))
	case 7:
		return d.unsigned(1) != 0
	case 8:
		return d.text()
	case 9:
		return d.list(depth)
	}
	if d.err == nil {
		d.err = fmt.Errorf("unknown type %d of a value", kind)
	}
	return nil
}

// ggufWidth are the bytes of one value of each fixed type.
var ggufWidth = map[uint32]int{0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}

func (d *ggufReader) list(depth int) any {
	kind, n := d.u32(), d.u64()
	switch {
	case d.err != nil:
		return nil
	case depth == mostNested:
		d.err = errors.New("lists in lists in lists")
		return nil
	case n > mostGGUFHeader:
		d.err = fmt.Errorf("a list of %d items", n)
		return nil
	}
	keep := n <= mostKept && d.kept+n <= mostItems
	if keep {
		d.kept += n
	}
	if width, ok := ggufWidth[kind]; ok && !keep {
		d.skip(int64(n) * int64(width))
		return listLength(n)
	}
	var items []any
	for range n {
		v := d.value(kind, depth+1)
		if d.err != nil {
			return nil
		}
		if keep {
			items = append(items, v)
		}
	}
	if !keep {
		return listLength(n)
	}
	return items
}

func (d *ggufReader) u32() uint32 { return uint32(d.unsigned(4)) }
func (d *ggufReader) u64() uint64 { return d.unsigned(8) }

func (d *ggufReader) unsigned(width int) uint64 {
	var b [8]byte
	d.full(b[:width])
	return binary.LittleEndian.Uint64(b[:])
}

// text reads a string; of one that is too long to keep, nothing.
func (d *ggufReader) text() string {
	n := d.u64()
	if d.err != nil {
		return ""
	}
	if n > mostText {
		if n > mostGGUFHeader {
			d.err = fmt.Errorf("a text of %d bytes", n)
			return ""
		}
		d.skip(int64(n))
		return ""
	}
	b := make([]byte, n)
	d.full(b)
	return string(b)
}

func (d *ggufReader) full(b []byte) {
	if d.err != nil || d.room(int64(len(b))) != nil {
		return
	}
	if _, err := io.ReadFull(d.r, b); err != nil {
		d.err = d.short(err)
	}
}

func (d *ggufReader) skip(n int64) {
	if d.err != nil || d.room(n) != nil {
		return
	}
	if _, err := io.CopyN(io.Discard, d.r, n); err != nil {
		d.err = d.short(err)
	}
}

// room counts bytes and refuses those past the file or the bound.
func (d *ggufReader) room(n int64) error {
	switch {
	case n > d.size-d.at:
		d.err = fmt.Errorf("it ends within its header, after %d bytes: cut short, or still being downloaded", d.size)
	case n > mostGGUFHeader-d.at:
		d.err = fmt.Errorf("a header of more than %d MiB", mostGGUFHeader>>20)
	}
	d.at += n
	return d.err
}

func (d *ggufReader) short(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends within its header: cut short, or still being downloaded")
	}
	return err
}
