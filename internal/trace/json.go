package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// parser makes rows of one record: several of a conversation.
type parser func(record []byte) ([]Row, error)

// jsonRows makes rows of records.
type jsonRows struct {
	from    records
	parse   parser
	waiting []Row
}

// readJSON reads records with a parser that new makes for the file.
func readJSON(new func(source) parser) func(source) rows {
	return func(s source) rows { return &jsonRows{from: s.records(), parse: new(s)} }
}

func readText(s source) rows {
	return &jsonRows{from: s.records(), parse: func(line []byte) ([]Row, error) {
		return []Row{{Text: string(line)}}, nil
	}}
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

// one is a record that is one row.
func one(row Row, err error) ([]Row, error) {
	if err != nil {
		return nil, err
	}
	return []Row{row}, nil
}
