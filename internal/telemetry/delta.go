package telemetry

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Difference is what happened between two snapshots of one server.
type Difference struct {
	// Changed says why the two cannot be subtracted: the server restarted, a
	// counter fell, engines came or went. Empty when they can.
	Changed string

	from, to Snapshot
}

// Delta compares two snapshots, the earlier one first.
func Delta(from, to Snapshot) Difference {
	return Difference{Changed: brief(changed(from, to)), from: from, to: to}
}

// brief bounds a sentence, which may hold a server's labels.
func brief(s string) string {
	const most = 600 // bytes
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// Counter is how much a counter grew, over all engines; ok is false when the
// engine does not say, or when the snapshots cannot be subtracted.
func (d Difference) Counter(q Quantity) (v float64, ok bool) {
	e := entry(q)
	if d.Changed != "" || e.Kind != Counter {
		return 0, false
	}
	for i := range e.Names {
		if v, ok = d.grown(e.Names[i].Metric); ok {
			return v * e.Names[i].scale(), true
		}
	}
	return 0, false
}

// Histogram is the sum and the count of what a histogram observed.
func (d Difference) Histogram(q Quantity) (sum, count float64, ok bool) {
	e := entry(q)
	if d.Changed != "" || e.Kind != Histogram {
		return 0, 0, false
	}
	for i := range e.Names {
		sum, okSum := d.grown(e.Names[i].Metric + "_sum")
		count, okCount := d.grown(e.Names[i].Metric + "_count")
		if okSum && okCount {
			return sum * e.Names[i].scale(), count, true
		}
	}
	return 0, 0, false
}

// Mean is the mean of what a histogram observed; ok is false also when it
// observed nothing.
func (d Difference) Mean(q Quantity) (v float64, ok bool) {
	sum, count, ok := d.Histogram(q)
	if !ok || count <= 0 {
		return 0, false
	}
	v = sum / count
	return v, finite(v)
}

// grown sums the growth of a counter's series. A series that appears between
// the snapshots started at 0: client libraries create a labelled series when it
// is first used. That holds only if the earlier snapshot saw this server.
func (d Difference) grown(metric string) (v float64, ok bool) {
	now := d.to.byName[metric]
	if len(now) == 0 || d.from.Empty() {
		return 0, false
	}
	before := values(d.from.byName[metric])
	for _, one := range now {
		v += one.value - before[one.key()]
	}
	return v, finite(v)
}

func values(list []series) map[string]float64 {
	m := make(map[string]float64, len(list))
	for _, one := range list {
		m[one.key()] = one.value
	}
	return m
}

// changed compares each series by itself: in a sum over engines one engine's
// reset hides behind the others' growth.
func changed(from, to Snapshot) string {
	if from.Empty() || to.Empty() {
		return ""
	}
	a, okA := from.Value(ProcessStart)
	b, okB := to.Value(ProcessStart)
	if okA && okB && a != b {
		return fmt.Sprintf("the server's process start time went from %.10g to %.10g: it restarted, or another replica answered", a, b)
	}
	if was, is := from.Engines(), to.Engines(); !slices.Equal(was, is) {
		return fmt.Sprintf("the engines behind the server went from %s to %s", list(was), list(is))
	}
	for _, name := range slices.Sorted(maps.Keys(from.byName)) {
		if !cumulative[name] {
			continue
		}
		now := values(to.byName[name])
		for _, one := range from.byName[name] {
			v, there := now[one.key()]
			switch {
			case !there:
				return fmt.Sprintf("%.300s is gone: the server restarted, or another replica answered", one.key())
			case v < one.value:
				return fmt.Sprintf("%.300s fell from %g to %g: the server restarted, or another replica answered", one.key(), one.value, v)
			}
		}
	}
	return ""
}

// cumulative are the series that never fall in a process's life.
var cumulative = func() map[string]bool {
	m := map[string]bool{}
	each(func(k keeping) { m[k.series] = m[k.series] || k.entry.Kind != Gauge })
	return m
}()

func list(engines []string) string {
	if len(engines) == 0 {
		return "none"
	}
	const most = 16
	quoted := make([]string, 0, most)
	for _, e := range engines[:min(len(engines), most)] {
		quoted = append(quoted, fmt.Sprintf("%.40q", e))
	}
	s := strings.Join(quoted, ", ")
	if n := len(engines) - most; n > 0 {
		s += fmt.Sprintf(" and %d more", n)
	}
	return s
}
