package telemetry

import (
	"cmp"
	"fmt"
	"hash/fnv"
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

// boundary is a bucket's.
func (s series) boundary() (le float64, ok bool) {
	text, ok := s.label("le")
	if !ok {
		return 0, false
	}
	le, err := strconv.ParseFloat(text, 64)
	return le, err == nil
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

// Bounds on what is kept of one scrape. A vLLM engine has some 100 series that
// Assay reads and some 700 lines, so these are hundreds of engines.
const (
	mostSeries  = 10_000
	mostLines   = 50_000
	mostLabels  = 64  // of one series
	mostBuckets = 200 // of one histogram; vLLM's have 23
	mostLabel   = 256 // bytes of a label's name or value
)

// bounded reports whether a series' labels can be kept. Values are shortened,
// not refused: engines put names of models into them.
func bounded(labels []label) bool {
	return len(labels) <= mostLabels && !slices.ContainsFunc(labels, func(l label) bool { return len(l.name) > mostLabel })
}

// shortened keeps long values apart by a hash of the whole, so that two series
// do not become one.
func shortened(value string) string {
	if len(value) <= mostLabel {
		return value
	}
	h := fnv.New64a()
	h.Write([]byte(value))
	suffix := fmt.Sprintf("…%016x", h.Sum64())
	return strings.ToValidUTF8(value[:mostLabel-len(suffix)], "") + suffix
}

// compare orders series of one metric by their labels.
func compare(a, b series) int {
	return slices.CompareFunc(a.labels, b.labels, func(x, y label) int {
		return cmp.Or(strings.Compare(x.name, y.name), strings.Compare(x.value, y.value))
	})
}

func sortLabels(ls []label) {
	slices.SortFunc(ls, func(a, b label) int { return strings.Compare(a.name, b.name) })
}
