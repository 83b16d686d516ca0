package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
)

// awsEventStream is the framing of streams that AWS's own endpoints send:
// messages of a length, typed headers, a payload, and two checksums.
const awsEventStream = "application/vnd.amazon.eventstream"

// Sizes within a message, bytes.
const (
	preludeSize     = 12 // length of the message, length of its headers, checksum of both
	trailerSize     = 4  // checksum of all before it
	smallestMessage = preludeSize + trailerSize
)

// binaryStream cuts such a stream into the payloads of its events. A message that
// tells of an exception ends the stream with a failure of its kind.
type binaryStream struct {
	held    []byte // of the unfinished message
	decoder *eventstream.Decoder
	payload []byte // memory of the last payload
	strange string // the first event without a name
}

func newBinaryStream() framing { return &binaryStream{decoder: eventstream.NewDecoder()} }

// begins knows a message by its first byte: its length is below 16 MiB, where
// any text begins with a higher byte.
func (s *binaryStream) begins(begin []byte, ended bool) verdict {
	switch {
	case len(begin) > 0 && begin[0] == 0:
		return yes
	case len(begin) > 0:
		return no
	case ended: // it ended before it said anything
		return yes
	}
	return undecidedYet
}

func (s *binaryStream) feed(b []byte, emit func(frame) error) error {
	for {
		whole, rest, err := s.next(b)
		if err != nil || whole == nil {
			return err
		}
		b = rest
		f, err := s.read(whole)
		if err == nil && f.name != nil {
			err = emit(f)
		}
		if err != nil {
			return err
		}
	}
}

// next gives the next whole message, nil where b does not complete it, and what
// of b stands behind it.
func (s *binaryStream) next(b []byte) (whole, rest []byte, err error) {
	if len(s.held) == 0 {
		size, err := messageSize(b)
		if err != nil {
			return nil, nil, err
		}
		if size > 0 && len(b) >= size {
			return b[:size], b[size:], nil
		}
	}
	for len(b) > 0 {
		want := preludeSize
		if len(s.held) >= preludeSize {
			if want, err = messageSize(s.held); err != nil {
				return nil, nil, err
			}
		}
		n := min(want-len(s.held), len(b))
		s.held, b = append(s.held, b[:n]...), b[n:]
		if len(s.held) > preludeSize && len(s.held) == want {
			whole, s.held = s.held, s.held[:0]
			return whole, b, nil
		}
	}
	_, err = messageSize(s.held)
	return nil, nil, err
}

// messageSize is the length of the message that b begins with, 0 where its
// prelude is not whole.
func messageSize(b []byte) (int, error) {
	if len(b) < preludeSize {
		return 0, nil
	}
	if got, want := crc32.ChecksumIEEE(b[:8]), binary.BigEndian.Uint32(b[8:]); got != want {
		return 0, malformed("the prelude of an event-stream message has checksum %08x and says %08x", got, want)
	}
	size, headers := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
	switch {
	case size > maxEvent:
		return 0, errTooLong
	case size < smallestMessage || headers > size-smallestMessage:
		return 0, malformed("an event-stream message of %d bytes with %d of headers", size, headers)
	}
	return int(size), nil
}

func malformed(format string, args ...any) *Error {
	return &Error{Kind: KindMalformed, Detail: fmt.Sprintf(format, args...)}
}

// read checks a whole message and gives its event.
func (s *binaryStream) read(message []byte) (frame, error) {
	end := len(message) - trailerSize
	if got, want := crc32.ChecksumIEEE(message[:end]), binary.BigEndian.Uint32(message[end:]); got != want {
		return frame{}, malformed("an event-stream message has checksum %08x and says %08x", got, want)
	}
	m, err := s.decoder.Decode(bytes.NewReader(message), s.payload[:0])
	if err != nil {
		return frame{}, malformed("the headers of an event-stream message: %s", oneLine(err.Error(), maxName))
	}
	s.payload = m.Payload
	text := func(name string) string {
		if v, ok := m.Headers.Get(name).(eventstream.StringValue); ok {
			return string(v)
		}
		return ""
	}
	switch kind := text(":message-type"); kind {
	case "event":
		name := text(":event-type")
		if name == "" && s.strange == "" {
			s.strange = "an event-stream message without :event-type"
		}
		return frame{name: []byte(name), data: m.Payload}, nil
	case "exception":
		name := text(":exception-type")
		return frame{}, &Error{Kind: exceptionKind(name), Detail: name + ": " + orElse(failureIn(m.Payload, true), orElse(textOf(m.Payload), "no words"))}
	case "error":
		code := text(":error-code")
		return frame{}, &Error{Kind: exceptionKind(code), Detail: code + ": " + orElse(text(":error-message"), "no words")}
	default:
		return frame{}, malformed("an event-stream message of type %q", clip([]byte(kind)))
	}
}

// finish leaves what is unfinished alone: a message that the end cuts says
// nothing that could be believed.
func (s *binaryStream) finish(bool, func(frame) error) error { return nil }

func (s *binaryStream) describe(*Facts) {}

func (s *binaryStream) oddity() string { return s.strange }

// exceptionKind is the kind of a failure that AWS names in a stream or in a
// header. Names: API references of ConverseStream and
// InvokeEndpointWithResponseStream, read 2026-11-30.
func exceptionKind(name string) string {
	switch name {
	case "throttlingException", "ThrottlingException":
		return KindRateLimited
	case "serviceUnavailableException", "ServiceUnavailableException", "ServiceUnavailable", "ModelNotReadyException":
		return KindOverloaded
	case "validationException", "ValidationException", "ValidationError":
		return KindBadRequest
	case "accessDeniedException", "AccessDeniedException":
		return KindUnauthorized
	}
	return KindStreamError // internal failures, and of the model
}
