package trace

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// csvRows reads a CSV file by the names in its header, whatever their order and
// their case. It takes either end of line, and a last line without one.
type csvRows struct {
	path    string
	bound   *bound
	reader  *csv.Reader
	columns map[string]int
	// waiting are rows of a record that has several.
	waiting []Row
	several func(record) ([]Row, error)
}

// record is one record of a CSV file.
type record struct {
	columns map[string]int
	fields  []string
}

// get is a field by its column, empty where there is none.
func (r record) get(column string) string {
	if i, ok := r.columns[column]; ok && i < len(r.fields) {
		return r.fields[i]
	}
	return ""
}

// readCSV reads records of one row each with a function that new makes for the
// file.
func readCSV(new func() func(record) (Row, error)) func(source) rows {
	return func(s source) rows {
		row := new()
		return newCSV(s, func(r record) ([]Row, error) { return one(row(r)) })
	}
}

func newCSV(s source, several func(record) ([]Row, error)) *csvRows {
	b := &bound{r: s.r}
	c := &csvRows{path: s.path, bound: b, reader: csv.NewReader(b), several: several}
	c.reader.ReuseRecord = true
	return c
}

func (c *csvRows) next() (Row, error) {
	for len(c.waiting) == 0 {
		fields, err := c.read()
		if err != nil {
			return Row{}, err
		}
		if c.columns == nil {
			c.columns = columnsOf(fields)
			continue
		}
		line, _ := c.reader.FieldPos(0)
		place := fmt.Sprintf("%s:%d", c.path, line)
		c.waiting, err = c.several(record{c.columns, fields})
		if errors.Is(err, errNoPrompt) {
			return Row{}, err
		}
		if err != nil {
			return Row{}, fmt.Errorf("%s: %w", place, err)
		}
		for i := range c.waiting {
			c.waiting[i].Place = place
		}
	}
	row := c.waiting[0]
	c.waiting = c.waiting[1:]
	return row, nil
}

func columnsOf(names []string) map[string]int {
	columns := map[string]int{}
	for i, n := range names {
		columns[strings.ToLower(strings.TrimSpace(n))] = i
	}
	return columns
}

// read is the next record; its place is in the error.
func (c *csvRows) read() ([]string, error) {
	c.bound.refill()
	fields, err := c.reader.Read()
	var broken *csv.ParseError
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return fields, err
	case errors.Is(err, csv.ErrFieldCount):
		line, _ := c.reader.FieldPos(0)
		return nil, fmt.Errorf("%s:%d: %d columns, and the header has %d: the row is cut off or broken; the rows before it are whole", c.path, line, len(fields), len(c.columns))
	case errors.As(err, &broken):
		return nil, fmt.Errorf("%s:%d: %w", c.path, broken.StartLine, broken.Err)
	}
	return nil, fmt.Errorf("read %s: %w", c.path, err)
}
