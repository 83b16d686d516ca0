package record

import (
	"encoding/json"
	"fmt"
)

// mostLevels is far above what a run takes. A level in memory is some 6 KB, and three
// bytes in a file: without a bound a file of a megabyte would take gigabytes.
const mostLevels = 10_000

// ParseRun reads the text of a run.json.
func ParseRun(text []byte) (Run, error) {
	var shape struct {
		Levels itemCount `json:"levels"`
	}
	if err := json.Unmarshal(text, &shape); err != nil {
		return Run{}, err
	}
	if shape.Levels > mostLevels {
		return Run{}, fmt.Errorf("it has %d levels: at most %d are read", shape.Levels, mostLevels)
	}
	var run Run
	err := json.Unmarshal(text, &run)
	return run, err
}

// itemCount is how many items a JSON array has, counted without reading them.
type itemCount int

func (n *itemCount) UnmarshalJSON(array []byte) error {
	depth, commas, quoted := 0, 0, false
	for i := 0; i < len(array); i++ {
		switch c := array[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == ',' && depth == 1:
			commas++
		}
	}
	*n = max(*n, itemCount(commas+1))
	return nil
}
