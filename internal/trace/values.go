package trace

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// maxTokens bounds a length: no context is a thousand million tokens.
const maxTokens = 1 << 30

// tokens checks a length.
func tokens(what string, n *int) error {
	if n != nil && (*n < 0 || *n > maxTokens) {
		return fmt.Errorf("%s is %d: a length is between 0 and %d", what, *n, maxTokens)
	}
	return nil
}

// count reads a length as a spreadsheet may write it: 472, or 472.0.
func count(what, s string) (*int, error) {
	s = strings.TrimSpace(s)
	n, err := strconv.Atoi(s)
	if err != nil {
		f, ferr := strconv.ParseFloat(s, 64)
		if ferr != nil || f != math.Trunc(f) || math.Abs(f) > maxTokens {
			return nil, fmt.Errorf("%s is %q: want a whole number", what, s)
		}
		n = int(f)
	}
	return &n, tokens(what, &n)
}

// longestSpan bounds a time, in nanoseconds: the sum of three and the difference
// of any two still fit into a time.Duration.
const longestSpan = 1 << 61

// span is a number of units as a duration.
func span(what string, n float64, unit time.Duration) (*time.Duration, error) {
	ns := math.Round(n * float64(unit))
	if math.IsNaN(ns) || math.Abs(ns) > longestSpan {
		return nil, fmt.Errorf("%s is %v: out of range", what, n)
	}
	d := time.Duration(ns)
	return &d, nil
}

// optional is span of a number that may be missing.
func optional(what string, n *float64, unit time.Duration) (*time.Duration, error) {
	if n == nil {
		return nil, nil
	}
	return span(what, *n, unit)
}

// stamps are the ways in which the formats write a moment; a fraction of a
// second may follow the seconds in each.
var stamps = []string{
	"2006-01-02 15:04:05", "2006-01-02 15:04:05Z07:00", time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05 MST",
}

// moment reads a time stamp; one without a zone is taken for UTC.
func moment(s string) (time.Duration, error) {
	for _, form := range stamps {
		if t, err := time.Parse(form, s); err == nil {
			return sinceEpoch(t)
		}
	}
	return 0, fmt.Errorf("time stamp %q is not of the form 2023-11-16 18:17:03.9799600, with or without a zone", s)
}

func sinceEpoch(t time.Time) (time.Duration, error) {
	// Times are differences of moments, and must fit into a time.Duration.
	if y := t.Year(); y < 1970 || y > 2100 {
		return 0, errors.New("time stamp " + t.Format(time.RFC3339) + " is out of range")
	}
	return time.Duration(t.UnixNano()), nil
}
