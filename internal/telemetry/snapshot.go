package telemetry

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Snapshot is one scrape of one server or exporter, reduced to the series of
// Catalogue that are kept. The zero Snapshot knows nothing.
type Snapshot struct {
	At     time.Time // when it was taken; zero from Parse
	Engine string    // vllm, sglang, …; empty when no name of an engine was found

	byName map[string][]series
}

// Parse reads Prometheus text. A text without any known series is not an
// error: its Snapshot is Empty. Malformed text is one.
func Parse(r io.Reader) (Snapshot, error) {
	text, err := readBounded(r)
	switch {
	case err != nil:
		return Snapshot{}, err
	case isJSON(text):
		return Snapshot{}, errJSON
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		return Snapshot{}, errors.New("not Prometheus text: " + brief(err.Error())) // which may quote the text
	}
	s := Snapshot{byName: map[string][]series{}}
	for name, family := range families {
		for _, m := range family.Metric {
			s.addMetric(name, m)
		}
	}
	if s.size() > mostSeries {
		return Snapshot{}, fmt.Errorf("%d series that Assay reads, more than %d", s.size(), mostSeries)
	}
	s.settle()
	return s, nil
}

// readBounded reads a text of at most MaxBody bytes and mostLines lines. It is
// read before it is parsed, so that one that is not of an engine costs the client
// no time that it needs for measuring.
func readBounded(r io.Reader) ([]byte, error) {
	var text bytes.Buffer
	lines := 0
	chunk := make([]byte, 32<<10)
	for {
		n, err := r.Read(chunk)
		text.Write(chunk[:n])
		lines += bytes.Count(chunk[:n], []byte("\n"))
		switch {
		case lines > mostLines:
			return nil, fmt.Errorf("more than %d lines", mostLines)
		case text.Len() > MaxBody:
			return nil, fmt.Errorf("the answer is larger than %d MiB", MaxBody>>20)
		case err == io.EOF:
			return text.Bytes(), nil
		case err != nil:
			return nil, err
		}
	}
}

func (s Snapshot) size() int {
	n := 0
	for _, list := range s.byName {
		n += len(list)
	}
	return n
}

// FromValues is the snapshot that Values came from.
func FromValues(at time.Time, values map[string]float64) (Snapshot, error) {
	s := Snapshot{At: at, byName: map[string][]series{}}
	for key, v := range values {
		one, err := parseKey(key, v)
		if err != nil {
			return Snapshot{}, err
		}
		s.add(one)
	}
	s.settle()
	return s, nil
}

// Values are the snapshot's series, name{labels} -> value, for a record.
func (s Snapshot) Values() map[string]float64 {
	values := map[string]float64{}
	for _, list := range s.byName {
		for _, one := range list {
			values[one.key()] = one.value
		}
	}
	return values
}

// Empty says that the scrape held nothing of a known engine.
func (s Snapshot) Empty() bool { return s.Engine == "" }

// Value is a gauge's or a counter's value over all engines; ok is false when
// the engine does not say, or says more than a number holds. Histograms have
// no Value.
func (s Snapshot) Value(q Quantity) (v float64, ok bool) {
	e := entry(q)
	if e.Kind == Histogram {
		return 0, false
	}
	for i := range e.Names {
		if values := s.read(&e.Names[i]); len(values) > 0 {
			v = combine(values, e.Over)
			return v, finite(v)
		}
	}
	return 0, false
}

// Where is the snapshot of those series that have a label of this value.
func (s Snapshot) Where(name, value string) Snapshot {
	out := Snapshot{At: s.At, byName: map[string][]series{}}
	for metric, list := range s.byName {
		for _, one := range list {
			if v, ok := one.label(name); ok && v == value {
				out.byName[metric] = append(out.byName[metric], one)
			}
		}
	}
	out.settle()
	return out
}

// Publishers are whose metrics the snapshot holds, sorted: engines, and dcgm,
// node and the others of Name.Engine.
func (s Snapshot) Publishers() []string {
	seen := map[string]bool{}
	for metric := range s.byName {
		seen[known[metric].name.Engine] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

func (s Snapshot) holds(publisher string) bool {
	for metric := range s.byName {
		if known[metric].name.Engine == publisher {
			return true
		}
	}
	return false
}

// largest is a gauge's value in the engine where it is largest.
func (s Snapshot) largest(q Quantity) (v float64, ok bool) {
	e := entry(q)
	for i := range e.Names {
		if values := s.read(&e.Names[i]); len(values) > 0 {
			return slices.Max(values), true
		}
	}
	return 0, false
}

// Engines are the names of the engines (data-parallel ranks) seen, sorted. A
// server that does not label its engines counts as one, named "".
func (s Snapshot) Engines() []string {
	seen := map[string]bool{}
	for name, list := range s.byName {
		if !serving[known[name].name.Engine] {
			continue
		}
		for _, one := range list {
			seen[engineOf(one)] = true
		}
	}
	if len(seen) > 1 {
		delete(seen, "") // metrics of the front end, such as those of the simulator's limits
	}
	return slices.Sorted(maps.Keys(seen))
}

// engineOf is the label that tells engines behind one /metrics apart: vLLM's
// and LMDeploy's engine, SGLang's dp_rank.
func engineOf(one series) string {
	if v, ok := one.label("engine"); ok {
		return v
	}
	v, _ := one.label("dp_rank")
	return v
}

func (s Snapshot) read(n *Name) []float64 {
	var values []float64
	for _, one := range s.byName[n.Metric] {
		if is, _ := one.label(n.Where); n.Where != "" && is != n.Is {
			continue
		}
		v := one.value
		if len(n.Product) > 0 {
			var ok bool
			if v, ok = product(one, n.Product); !ok {
				continue
			}
		}
		values = append(values, v*n.scale())
	}
	return values
}

// product multiplies the numbers in labels; vLLM writes None for what is unset.
func product(one series, labels []string) (float64, bool) {
	v := 1.0
	for _, l := range labels {
		text, _ := one.label(l)
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !finite(x) || x <= 0 {
			return 0, false
		}
		v *= x
	}
	return v, finite(v)
}

func combine(values []float64, over Over) float64 {
	if over == Largest {
		return slices.Max(values)
	}
	var sum float64
	for _, v := range values {
		sum += v
	}
	if over == Mean {
		return sum / float64(len(values))
	}
	return sum
}

func (s *Snapshot) addMetric(name string, m *dto.Metric) {
	labels := make([]label, 0, len(m.Label))
	for _, l := range m.Label {
		if !model.LegacyValidation.IsValidLabelName(l.GetName()) {
			continue // only quoted syntax can name it, and no engine uses that
		}
		labels = append(labels, label{l.GetName(), shortened(l.GetValue())})
	}
	if !bounded(labels) {
		return
	}
	sortLabels(labels)
	switch {
	case m.Histogram != nil:
		s.addHistogram(name, labels, m.Histogram)
	case m.Summary != nil:
		s.add(series{name + "_sum", labels, m.Summary.GetSampleSum()})
		s.add(series{name + "_count", labels, float64(m.Summary.GetSampleCount())})
	case m.Gauge != nil:
		s.add(series{name, labels, m.Gauge.GetValue()})
	case m.Counter != nil:
		s.add(series{name, labels, m.Counter.GetValue()})
	case m.Untyped != nil:
		s.add(series{name, labels, m.Untyped.GetValue()})
	}
}

func (s *Snapshot) addHistogram(name string, labels []label, h *dto.Histogram) {
	s.add(series{name + "_sum", labels, h.GetSampleSum()})
	count := h.GetSampleCountFloat()
	if count == 0 {
		count = float64(h.GetSampleCount())
	}
	s.add(series{name + "_count", labels, count})
	if k, ok := known[name+"_bucket"]; !ok || !k.entry.Buckets || len(h.Bucket) > mostBuckets {
		return
	}
	for _, b := range h.Bucket {
		below := b.GetCumulativeCountFloat()
		if below == 0 {
			below = float64(b.GetCumulativeCount())
		}
		with := append(slices.Clone(labels), label{"le", strconv.FormatFloat(b.GetUpperBound(), 'g', -1, 64)})
		sortLabels(with)
		s.add(series{name + "_bucket", with, below})
	}
}

// add keeps a series that Catalogue knows. NaN and infinite values are what
// engines write for "nothing yet", so they are absent, and so are what DCGM
// writes for blank, and less than nothing, which is no amount: some write -1 for
// what they do not know.
func (s *Snapshot) add(one series) {
	k, ok := known[one.name]
	if !ok || !finite(one.value) || blank(k.name.Engine, one.value) || one.value < 0 && k.entry.Unit != "°C" {
		return
	}
	one.name, one.labels = k.series, k.kept(one.labels)
	s.byName[one.name] = append(s.byName[one.name], one)
}

// settle makes the snapshot independent of the order of its input: it sorts the
// series, so that sums are the same, drops a second value of the same series, as
// of a counter under both its names, and names the engine by most series.
func (s *Snapshot) settle() {
	votes := map[string]int{}
	for name, list := range s.byName {
		slices.SortFunc(list, func(a, b series) int { return cmp.Or(compare(a, b), cmp.Compare(b.value, a.value)) })
		list = slices.CompactFunc(list, func(a, b series) bool { return compare(a, b) == 0 })
		s.byName[name] = list
		if e := known[name].name.Engine; serving[e] {
			votes[e] += len(list)
		}
	}
	for _, e := range slices.Sorted(maps.Keys(votes)) {
		if s.Engine == "" || votes[e] > votes[s.Engine] {
			s.Engine = e
		}
	}
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
