package telemetry

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// series is one value of a scrape with its labels, sorted by name.
type series struct {
	name   string
	labels []label
	value  float64
}

type label struct{ name, value string }

// key is the series in Prometheus's notation: name{a="b",c="d"}.
func (s series) key() string {
	if len(s.labels) == 0 {
		return s.name
	}
	var b strings.Builder
	b.WriteString(s.name)
	for i, l := range s.labels {
		b.WriteByte("{,"[min(i, 1)])
		b.WriteString(l.name)
		b.WriteByte('=')
		b.WriteString(strconv.Quote(l.value))
	}
	b.WriteByte('}')
	return b.String()
}

func (s series) label(name string) (string, bool) {
	for _, l := range s.labels {
		if l.name == name {
			return l.value, true
		}
	}
	return "", false
}

// parseKey reads what key wrote.
func parseKey(key string, value float64) (series, error) {
	s := series{value: value}
	name, rest, labelled := strings.Cut(key, "{")
	s.name = name
	for labelled && rest != "}" {
		lname, quoted, ok := strings.Cut(rest, "=")
		if !ok {
			return s, fmt.Errorf("series %q: a label without a value", key)
		}
		prefix, err := strconv.QuotedPrefix(quoted)
		if err != nil {
			return s, fmt.Errorf("series %q: label %s: %w", key, lname, err)
		}
		v, err := strconv.Unquote(prefix)
		if err != nil {
			return s, fmt.Errorf("series %q: label %s: %w", key, lname, err)
		}
		s.labels = append(s.labels, label{lname, v})
		rest = strings.TrimPrefix(quoted[len(prefix):], ",")
	}
	return s, nil
}

func sortLabels(ls []label) {
	slices.SortFunc(ls, func(a, b label) int { return strings.Compare(a.name, b.name) })
}
