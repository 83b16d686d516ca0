package wire

import "bytes"

// ndjson cuts a stream of JSON objects, one a line, into those objects.
type ndjson struct {
	line []byte // the unfinished one
	crlf bool
}

const ndjsonType = "application/x-ndjson"

func newNDJSON() framing { return &ndjson{} }

func (n *ndjson) begins(begin []byte, ended bool) verdict { return isJSON(begin, ended, "{") }

func (n *ndjson) feed(b []byte, emit func(frame) error) error {
	for len(b) > 0 {
		end := bytes.IndexByte(b, '\n')
		if end < 0 {
			end = len(b)
		}
		if len(n.line)+end > maxEvent {
			return errTooLong
		}
		line := b[:end]
		if len(n.line) > 0 || end == len(b) {
			n.line = append(n.line, line...)
			line = n.line
		}
		if end == len(b) {
			return nil
		}
		n.line = n.line[:0]
		b = b[end+1:]
		n.crlf = n.crlf || bytes.HasSuffix(line, []byte{'\r'})
		if err := emit(frame{data: line}); err != nil {
			return err
		}
	}
	return nil
}

func (n *ndjson) finish(_ bool, emit func(frame) error) error {
	line := n.line
	n.line = nil
	return emit(frame{data: line})
}

func (n *ndjson) describe(f *Facts) { f.CRLF = n.crlf }

func (n *ndjson) oddity() string { return "" }

// isJSON judges by its first byte that is not white space whether a body is
// JSON that begins with one of those.
func isJSON(begin []byte, ended bool, with string) verdict {
	begin = bytes.TrimLeft(begin, " \t\r\n")
	switch {
	case len(begin) > 0 && bytes.IndexByte([]byte(with), begin[0]) >= 0:
		return yes
	case len(begin) > 0:
		return no
	case ended: // it ended before it said anything
		return yes
	}
	return undecidedYet
}
