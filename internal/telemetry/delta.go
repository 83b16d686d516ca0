package telemetry

import (
	"fmt"
	"maps"
	"math"
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

// Delta compares two snapshots of one server, the earlier one first. Exporters'
// series in them are not looked at.
func Delta(from, to Snapshot) Difference {
	if from.Empty() || to.Empty() {
		return Difference{from: from, to: to}
	}
	a, okA := from.Value(ProcessStart)
	b, okB := to.Value(ProcessStart)
	if okA && okB && a != b {
		return Difference{Changed: fmt.Sprintf("the server's process start time went from %.10g to %.10g: it restarted, or another replica answered", a, b)}
	}
	if was, is := from.Engines(), to.Engines(); !slices.Equal(was, is) {
		return Difference{Changed: brief(fmt.Sprintf("the engines behind the server went from %s to %s", list(was), list(is)))}
	}
	fell := fallen(from, to, func(p string) bool { return serving[p] || p == "process" })
	if fell != "" {
		fell = brief(fell + ": the server restarted, or another replica answered")
	}
	return Difference{Changed: fell, from: from, to: to}
}

// brief bounds a sentence, which may hold a server's labels.
func brief(s string) string {
	const most = 600 // bytes
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// Counter is how much a counter grew, over all engines (their mean, where the
// quantity is of one GPU); ok is false when the
// engine does not say, or when the snapshots cannot be subtracted.
func (d Difference) Counter(q Quantity) (v float64, ok bool) {
	e := entry(q)
	if d.Changed != "" || e.Kind != Counter {
		return 0, false
	}
	for i := range e.Names {
		if v, ok = d.grown(e.Names[i].Metric); ok {
			if e.Over == Mean {
				v /= float64(len(d.to.byName[e.Names[i].Metric]))
			}
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

// Share is the share of a histogram's observations at or below a boundary, in the
// quantity's unit. ok is false where the histogram has no such boundary, as
// operators may set others, where no snapshot keeps its buckets, and where it
// observed nothing: there is no interpolation.
func (d Difference) Share(q Quantity, le float64) (v float64, ok bool) {
	e := entry(q)
	if d.Changed != "" || e.Kind != Histogram || !e.Buckets {
		return 0, false
	}
	for i := range e.Names {
		n := &e.Names[i]
		count, okCount := d.grown(n.Metric + "_count")
		below, okBelow := d.grownAt(n.Metric, le/n.scale())
		if okCount && okBelow && count > 0 {
			return below / count, true
		}
	}
	return 0, false
}

// Boundaries are the boundaries of a histogram's buckets, in the quantity's unit,
// that all of its series have, in ascending order; the infinite one is left out.
func (d Difference) Boundaries(q Quantity) []float64 {
	e := entry(q)
	for i := range e.Names {
		n := &e.Names[i]
		seen := map[float64]int{}
		for _, one := range d.to.byName[n.Metric+"_bucket"] {
			if le, ok := one.boundary(); ok && finite(le) {
				seen[le*n.scale()]++
			}
		}
		maps.DeleteFunc(seen, func(_ float64, times int) bool { return times < len(d.to.byName[n.Metric+"_count"]) })
		if len(seen) > 0 {
			return slices.Sorted(maps.Keys(seen))
		}
	}
	return nil
}

// grownAt sums the growth of the buckets at one boundary; ok is false where one of
// the histogram's series does not have it.
func (d Difference) grownAt(metric string, le float64) (v float64, ok bool) {
	all := d.to.byName[metric+"_count"]
	before := values(d.from.byName[metric+"_bucket"])
	found := 0
	for _, one := range d.to.byName[metric+"_bucket"] {
		if at, ok := one.boundary(); ok && sameBoundary(at, le) {
			v += one.value - before[one.key()]
			found++
		}
	}
	return v, found == len(all) && found > 0 && finite(v)
}

// sameBoundary allows for what scaling does to a float.
func sameBoundary(a, b float64) bool {
	return a == b || finite(a) && finite(b) && math.Abs(a-b) <= 1e-9*math.Abs(b)
}

// grown sums the growth of a counter's series. A series that appears between
// the snapshots started at 0: client libraries create a labelled series when it
// is first used. That holds only if the earlier snapshot saw this publisher.
func (d Difference) grown(metric string) (v float64, ok bool) {
	now := d.to.byName[metric]
	if len(now) == 0 || !d.from.holds(known[metric].name.Engine) {
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

// fallen says which counter of the publishers fell or is gone. It looks at each
// series by itself: in a sum over engines one engine's reset hides behind the
// others' growth.
func fallen(from, to Snapshot, of func(publisher string) bool) string {
	for _, name := range slices.Sorted(maps.Keys(from.byName)) {
		if !cumulative[name] || !of(known[name].name.Engine) {
			continue
		}
		now := values(to.byName[name])
		for _, one := range from.byName[name] {
			v, there := now[one.key()]
			switch {
			case !there:
				return fmt.Sprintf("%.300s is gone", one.key())
			case v < one.value:
				return fmt.Sprintf("%.300s fell from %g to %g", one.key(), one.value, v)
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
