package wire

import (
	"bytes"
	"errors"
)

// maxEvent bounds one event and one line of a stream, bytes.
const maxEvent = 8 << 20

var errTooLong = errors.New("an event of the stream is longer than 8 MiB")

// sse cuts a stream of server-sent events into the data of its events, whatever
// way the network cut it. A line ends at LF, CRLF or CR.
//
// An event normally ends at an empty line. One whose data is complete by itself
// ends with its line already: some servers leave the empty line out, and a wait
// for it would shift every time by one chunk.
type sse struct {
	line     []byte // the unfinished line
	data     []byte // of the unfinished event
	hasData  bool
	started  bool   // past the place of a byte order mark
	skipLF   bool   // the last byte was CR
	name     []byte // of the event under way
	ignored  string // the first line of a field that the format does not know
	crlf     bool
	comments int
}

const eventStream = "text/event-stream"

func newSSE() framing { return &sse{} }

func (s *sse) begins(begin []byte, ended bool) verdict { return isStream(begin, ended) }

func (s *sse) describe(f *Facts) { f.CRLF, f.Comments = s.crlf, s.comments }

func (s *sse) oddity() string { return s.ignored }

var byteOrderMark = []byte("\xef\xbb\xbf")

// feed is that of a framing; errNotJSON for data that may go on in the next line
// only makes it wait for that.
func (s *sse) feed(b []byte, emit func(frame) error) error {
	for len(b) > 0 {
		if s.skipLF {
			s.skipLF = false
			if b[0] == '\n' {
				s.crlf = true
				b = b[1:]
				continue
			}
		}
		end := lineEnd(b)
		if end < 0 {
			if len(s.line)+len(b) > maxEvent {
				return errTooLong
			}
			s.line = append(s.line, b...)
			return nil
		}
		s.skipLF = b[end] == '\r'
		line := b[:end]
		if len(s.line) > 0 {
			if len(s.line)+len(line) > maxEvent {
				return errTooLong
			}
			line = append(s.line, line...)
			s.line = line[:0]
		}
		b = b[end+1:]
		if err := s.endLine(line, emit); err != nil {
			return err
		}
	}
	return nil
}

// lineEnd is the place of the first LF or CR, -1 without one.
func lineEnd(b []byte) int {
	lf := bytes.IndexByte(b, '\n')
	if lf >= 0 {
		b = b[:lf]
	}
	if cr := bytes.IndexByte(b, '\r'); cr >= 0 {
		return cr
	}
	return lf
}

func (s *sse) finish(broken bool, emit func(frame) error) error {
	line := s.line
	s.line = nil
	cut := broken && !bytes.HasPrefix(line, dataField) || isFieldOrCut(line)
	if len(line) > 0 && !cut {
		if err := s.endLine(line, emit); err != nil {
			return err
		}
	}
	return s.endEvent(emit)
}

var (
	dataField  = []byte("data")
	eventField = []byte("event")
)

// strayError is a line that belongs to no stream of events, such as the words
// of a server that fails in the middle of one.
type strayError struct{ line []byte }

func (e *strayError) Error() string { return "a line that is no event: " + clip(e.line) }

func (s *sse) endLine(line []byte, emit func(frame) error) error {
	if !s.started { // empty lines may keep the connection open before it
		line = bytes.TrimPrefix(line, byteOrderMark)
		s.started = len(line) > 0
	}
	if len(line) == 0 {
		return s.endEvent(emit)
	}
	if line[0] == ':' {
		s.comments++
		return nil
	}
	field, value, colon := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch {
	case bytes.Equal(field, dataField):
		return s.addData(value, emit)
	case bytes.Equal(field, eventField):
		s.name = append(s.name[:0], bytes.TrimSpace(value)...)
	case isField(field), len(bytes.TrimSpace(line)) == 0: // nothing in them is measured
	case !colon || !isName(field):
		return &strayError{bytes.Clone(line)}
	case s.ignored == "":
		s.ignored = clip(line)
	}
	return nil
}

func (s *sse) addData(value []byte, emit func(frame) error) error {
	if !s.hasData && enclosed(value) {
		// Reading an event tells whether it is whole, and costs less than to look
		// for that first. Only one that cannot be read is looked at.
		if err := emit(frame{s.name, value}); !errors.Is(err, errNotJSON) || complete(value) {
			return err
		}
	}
	if len(s.data)+len(value) > maxEvent {
		return errTooLong
	}
	// Behind lines that say something a complete one ends nothing.
	ends := complete(value) && len(bytes.TrimSpace(s.data)) == 0
	if s.hasData {
		s.data = append(s.data, '\n')
	}
	s.data = append(s.data, value...)
	s.hasData = true
	if ends {
		return s.endEvent(emit)
	}
	return nil
}

func (s *sse) endEvent(emit func(frame) error) error {
	name := s.name
	s.name = s.name[:0]
	if !s.hasData && !isErrorName(name) {
		return nil
	}
	data := s.data
	s.data, s.hasData = s.data[:0], false
	return emit(frame{name, data})
}

// isErrorName reports an event that is a failure whatever its data.
func isErrorName(name []byte) bool { return bytes.EqualFold(name, errorName) }

var errorName = []byte("error")

var doneMark = []byte("[DONE]")

// enclosed reports data that may be complete.
func enclosed(data []byte) bool {
	data = bytes.TrimSpace(data)
	return len(data) > 1 && data[0] == '{' && data[len(data)-1] == '}' || bytes.Equal(data, doneMark)
}

// complete reports data that is an event by itself: a whole JSON object or the
// closing mark. Braces are balanced outside of strings exactly in a whole one.
func complete(data []byte) bool {
	if !enclosed(data) {
		return false
	}
	data = bytes.TrimSpace(data)
	if bytes.Equal(data, doneMark) {
		return true
	}
	depth, inString := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{':
			depth++
		case c == '}':
			depth--
			if depth == 0 && i < len(data)-1 {
				return false
			}
		}
	}
	return depth == 0 && !inString
}
