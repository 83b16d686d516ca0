package wire

import "bytes"

// verdict is what the beginning of a body says of it.
type verdict int

const (
	undecidedYet verdict = iota // it may be either, by what follows
	yes
	no
)

// longestName bounds the name of a field in a stream of events, bytes.
const longestName = 64

// isStream judges by its beginning whether a body is a stream of events; ended
// says that nothing follows. White space and a byte order mark do not count.
func isStream(begin []byte, ended bool) verdict {
	line, whole := firstLine(begin)
	if ended {
		whole = true
	}
	switch {
	case len(line) == 0 && !ended, !whole && bytes.HasPrefix(byteOrderMark, line):
		return undecidedYet
	case len(line) == 0: // it ended before it said anything
		return yes
	}
	name, _, colon := bytes.Cut(line, []byte{':'})
	switch {
	case len(name) > longestName: // whatever follows: what is decided early must hold
		return no
	case colon && (len(name) == 0 || isName(name)):
		return yes
	case colon, !isName(name):
		return no
	case !whole:
		return undecidedYet
	case isFieldOrCut(name):
		return yes
	}
	return no
}

// firstLine is the first line that is not empty, and whether its end is there.
func firstLine(b []byte) (line []byte, whole bool) {
	b = bytes.TrimLeft(b, " \t\r\n")
	b = bytes.TrimLeft(bytes.TrimPrefix(b, byteOrderMark), " \t\r\n")
	if end := lineEnd(b); end >= 0 {
		return b[:end], true
	}
	return b, false
}

// isName reports bytes that may be the name of a field, known or not.
func isName(b []byte) bool {
	for _, c := range b {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return len(b) > 0
}

// fields are all that the format knows.
var fields = [][]byte{[]byte("data"), []byte("event"), []byte("id"), []byte("retry")}

// isField reports a line without a colon that is the name of a field alone.
func isField(line []byte) bool {
	for _, f := range fields {
		if bytes.Equal(f, line) {
			return true
		}
	}
	return false
}

// isFieldOrCut reports a last line that is one, or that the end cut.
func isFieldOrCut(line []byte) bool {
	for _, f := range fields {
		if bytes.HasPrefix(f, line) {
			return true
		}
	}
	return false
}
