package source

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// decode makes the text UTF-8 without a byte order mark, as kubectl reads it. What is
// no text is a problem.
func (f *File) decode() *Problem {
	f.Body = toUTF8(f.Body)
	if bytes.IndexByte(f.Body, '\n') < 0 {
		f.Body = bytes.ReplaceAll(f.Body, []byte{'\r'}, []byte{'\n'})
	}
	at, what := binaryAt(f.Body)
	if at < 0 {
		return nil
	}
	return &Problem{ID: "binary-file", Place: placeAt(f, at), Message: "the file is no text: " + what}
}

// binaryAt is the first byte that no text holds, a broken YAML included, and what it
// is; -1: there is none.
func binaryAt(body []byte) (int, string) {
	for at := 0; at < len(body); {
		r, size := rune(body[at]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(body[at:])
		}
		switch {
		case r == utf8.RuneError && size == 1:
			return at, fmt.Sprintf("byte 0x%02x is not UTF-8", body[at])
		case r < ' ' && r != '\t' && r != '\n' && r != '\r':
			return at, fmt.Sprintf("it holds the control character U+%04X", r)
		}
		at += size
	}
	return -1, ""
}

// placeAt is the place of a byte.
func placeAt(f *File, at int) Place {
	before := f.Body[:at]
	start := bytes.LastIndexByte(before, '\n') + 1
	return Place{f.Name, 1 + bytes.Count(before, []byte{'\n'}), 1 + utf8.RuneCount(before[start:])}
}

// toUTF8 reads UTF-16 where a byte order mark says so, and drops the mark.
func toUTF8(body []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(body, []byte{0xff, 0xfe}):
		order = binary.LittleEndian
	case bytes.HasPrefix(body, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	default:
		return bytes.TrimPrefix(body, []byte("\ufeff"))
	}
	units := make([]uint16, 0, len(body)/2)
	for b := body[2:]; len(b) >= 2; b = b[2:] {
		units = append(units, order.Uint16(b))
	}
	return []byte(string(utf16.Decode(units)))
}
