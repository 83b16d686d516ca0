package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

var isOTel = anyOf(keys("spans"), keys("resourceSpans"), keys("span_id", "attributes"), keys("traceId", "spanId"))

// readSpans reads documents that hold spans, or rows that are spans.
func readSpans(s source) rows {
	if s.seen.has("spanId") || s.seen.has("span_id") {
		return readJSON(newSpan)(s)
	}
	b := &bound{r: s.r}
	return &spanRows{path: s.path, bound: b, decoder: json.NewDecoder(b), seen: sessions{}}
}

// spanRows makes rows of the spans of a file: inference-perf's {"spans": [...]},
// or OTLP's {"resourceSpans": [{"scopeSpans": [{"spans": [...]}]}]}, one document
// or many. A document may be the whole file, so its outer levels are walked and
// only single spans are held.
type spanRows struct {
	path    string
	bound   *bound
	decoder *json.Decoder
	levels  []json.Delim // the objects and lists that are open
	item    int
	seen    sessions
}

// spanLists are the keys below which spans are found.
var spanLists = map[string]bool{
	"resourceSpans": true, "scopeSpans": true, "instrumentationLibrarySpans": true,
	"resource_spans": true, "scope_spans": true,
}

func (s *spanRows) next() (Row, error) {
	raw, err := s.span()
	if err != nil {
		return Row{}, err
	}
	s.item++
	place := fmt.Sprintf("%s: span %d, before byte %d", s.path, s.item, s.decoder.InputOffset())
	var sp otelSpan
	err = decode(raw, &sp)
	var row Row
	if err == nil {
		row, err = sp.row(s.seen)
	}
	if err != nil && !errors.Is(err, errNoPrompt) {
		err = fmt.Errorf("%s: %w", place, err)
	}
	row.Place = place
	return row, err
}

// span is the next span, io.EOF after the last.
func (s *spanRows) span() (json.RawMessage, error) {
	s.bound.refill()
	for {
		if len(s.levels) > 0 && s.levels[len(s.levels)-1] == spanList && s.decoder.More() {
			var raw json.RawMessage
			if err := s.decoder.Decode(&raw); err != nil {
				return nil, s.broken(err)
			}
			return raw, nil
		}
		t, err := s.decoder.Token()
		if errors.Is(err, io.EOF) && len(s.levels) == 0 {
			return nil, io.EOF
		}
		if err != nil {
			return nil, s.broken(err)
		}
		if err := s.step(t); err != nil {
			return nil, s.broken(err)
		}
	}
}

// spanList stands in levels for a list whose items are spans.
const spanList = json.Delim('s')

// step goes into what may hold spans and over everything else.
func (s *spanRows) step(t json.Token) error {
	switch t := t.(type) {
	case json.Delim:
		switch t {
		case '{':
			s.levels = append(s.levels, t)
		case '[': // of a file that is a list of spans, or of documents
			s.levels = append(s.levels, t)
		default:
			s.levels = s.levels[:len(s.levels)-1]
		}
		if len(s.levels) > 32 {
			return errors.New("nested more than 32 deep")
		}
	case string: // a key: values are never read as tokens
		return s.value(t)
	}
	return nil
}

// value goes into the value of a key or over it.
func (s *spanRows) value(key string) error {
	if key == "spans" || spanLists[key] {
		t, err := s.decoder.Token()
		if err != nil {
			return err
		}
		if t == json.Delim('[') {
			level := json.Delim('[')
			if key == "spans" {
				level = spanList
			}
			s.levels = append(s.levels, level)
		} else if t == json.Delim('{') {
			s.levels = append(s.levels, json.Delim('{'))
		}
		return nil
	}
	s.bound.refill()
	var over json.RawMessage
	return s.decoder.Decode(&over)
}

// broken is an error with its place. The spans before it have been used.
func (s *spanRows) broken(err error) error {
	offset := s.decoder.InputOffset()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: the file is cut off after span %d, at byte %d: the spans before are whole", s.path, s.item, offset)
	}
	return fmt.Errorf("%s: after span %d, at byte %d: %w", s.path, s.item, offset, err)
}
