package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// jsonRows makes rows of records of JSON, or of lines of text. A record may hold
// several.
type jsonRows struct {
	from    records
	parse   func(record []byte) ([]Row, error)
	waiting []Row
}

func (j *jsonRows) next() (Row, error) {
	for len(j.waiting) == 0 {
		record, place, err := j.from.next()
		if err != nil {
			return Row{}, err
		}
		j.waiting, err = j.parse(record)
		if errors.Is(err, errNoPrompt) {
			return Row{}, err
		}
		if err != nil {
			return Row{}, fmt.Errorf("%s: %w", place, err)
		}
		for i := range j.waiting {
			j.waiting[i].Place = place
		}
	}
	row := j.waiting[0]
	j.waiting = j.waiting[1:]
	return row, nil
}

// rowsOf reads records of a kind.
func rowsOf(kind string, from records) rows {
	j := &jsonRows{from: from}
	switch kind {
	case PlainText:
		j.parse = parseText
	case ShareGPT:
		j.parse = (&conversations{}).parse
	case OpenAIBatch:
		j.parse = parseBatch
	default:
		j.parse = parsePlain
	}
	return j
}

// decode reads one record of JSON.
func decode(record []byte, into any) error {
	err := json.Unmarshal(record, into)
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax) && strings.Contains(syntax.Error(), "unexpected end"), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the row is cut off in the middle: the rows before it are whole")
	}
	return fmt.Errorf("not a row of JSON: %w", err)
}

func parseText(record []byte) ([]Row, error) { return []Row{{Text: string(record)}}, nil }
