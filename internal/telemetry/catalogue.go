package telemetry

import (
	"slices"
	"strings"
)

// Quantity is a canonical quantity of a serving engine, a GPU or a node.
type Quantity string

// Kind is how a quantity behaves over time.
type Kind int

// Kinds of quantity.
const (
	Gauge     Kind = iota
	Counter        // grows from the start of the process
	Histogram      // read as its sum, its count and, for a few, its buckets
	Summary        // read as its sum and its count
)

func (k Kind) String() string { return [...]string{"gauge", "counter", "histogram", "summary"}[k] }

// Over is how the series of several engines (data-parallel ranks, models) or
// GPUs make one value.
type Over int

// Ways to combine.
const (
	Sum     Over = iota
	Mean         // shares
	Largest      // limits that hold for each engine by itself
)

// Entry says what a quantity is and under which names it is published, of each
// publisher the newest name first. The first name present in a scrape is the one
// that is read.
type Entry struct {
	Quantity Quantity
	Kind     Kind
	Unit     string // of the value after Scale; "1" for a plain number, "share" for 0..1
	Over     Over
	Help     string   // what it is, one sentence
	Traps    []string // what it is taken for and is not, a sentence each
	Names    []Name

	// Kept says that a Snapshot keeps it: what folds and reports read. The rest is
	// there to be explained and asked of a Prometheus server.
	Kept bool
	// Buckets says that a Snapshot keeps a histogram's buckets too.
	Buckets bool
}

// Name is one publisher's name of a quantity. A histogram is named without
// _bucket, _sum and _count, a counter as it is written on /metrics.
type Name struct {
	Engine  string // who publishes it: a serving engine, or dcgm, neuron, efa, node, kubelet, kube-state, prometheus, process
	Metric  string
	Labels  []string // its own; a scrape adds ScrapeLabels
	Product []string // of an info metric: the value is the product of these labels
	Scale   float64  // value × Scale is in Entry.Unit; 0 stands for 1
	// Where and Is select the series with that label of that value, of a metric that
	// holds several quantities.
	Where, Is string
	// Since is the first version of the publisher that has the name, Removed the first
	// that does not publish it any more unasked; empty where not known or not so.
	// Instead says what to read instead of a removed name, and why, where there is
	// nothing.
	Since, Removed, Instead string
	// Default says that it is published without being asked for; where it is not,
	// Enable says how to ask.
	Default bool
	Enable  string
	// Also says that the metric belongs to another quantity first.
	Also bool
}

// Catalogue of names, as of 2026-11. Each file of entries names its sources.
var Catalogue = slices.Concat(engineEntries, vllmEntries, servingEntries, gpuEntries, nodeEntries)

// ScrapeLabels are the labels that a scrape adds to each series: Prometheus's
// own, those of a ServiceMonitor or PodMonitor, and what the publisher's labels
// become where both have the name.
var ScrapeLabels = []string{
	"job", "instance", "namespace", "pod", "container", "service", "endpoint", "node",
	"exported_job", "exported_instance", "exported_namespace", "exported_pod", "exported_container",
	"exported_service", "exported_endpoint", "exported_node", "metrics_path", "cluster",
}

// Lookup finds the metric of a series by its name, with or without _bucket, _sum,
// _count, _created and _total. A name that stands for several quantities gives
// the first of them.
func Lookup(series string) (Entry, Name, bool) {
	if at, ok := byMetric[series]; ok {
		return at.get()
	}
	base := series
	for _, suffix := range []string{"_bucket", "_sum", "_count", "_created"} {
		if b, cut := strings.CutSuffix(series, suffix); cut {
			base = b
			break
		}
	}
	for _, name := range []string{base, base + "_total", strings.TrimSuffix(base, "_total")} {
		if at, ok := byMetric[name]; ok && at.takes(strings.TrimPrefix(series, base), name != base) {
			return at.get()
		}
	}
	return Entry{}, Name{}, false
}

// place is where a name stands in Catalogue.
type place struct{ entry, name int }

func (p place) get() (Entry, Name, bool) {
	e := Catalogue[p.entry]
	return e, e.Names[p.name], true
}

// takes reports whether a series of this suffix can be of the metric, and whether
// its name may have or lack _total.
func (p place) takes(suffix string, retotalled bool) bool {
	switch kind := Catalogue[p.entry].Kind; suffix {
	case "_bucket":
		return kind == Histogram && !retotalled
	case "_sum", "_count":
		return (kind == Histogram || kind == Summary) && !retotalled
	case "_created":
		return kind != Gauge
	default:
		return kind == Counter || !retotalled
	}
}

var byMetric = func() map[string]place {
	m := map[string]place{}
	for i, e := range Catalogue {
		for j, n := range e.Names {
			if _, there := m[n.Metric]; !there && !n.Also {
				m[n.Metric] = place{i, j}
			}
		}
	}
	return m
}()

// scale is the factor from what is published to Entry.Unit.
func (n Name) scale() float64 {
	if n.Scale == 0 {
		return 1
	}
	return n.Scale
}

// The ways in which the entries' files write a Name.

func (n Name) since(version string) Name { n.Since = version; return n }

func (n Name) until(version, instead string) Name { n.Removed, n.Instead = version, instead; return n }

func (n Name) times(scale float64) Name { n.Scale = scale; return n }

func (n Name) product(labels ...string) Name {
	n.Product, n.Labels = labels, append(slices.Clone(n.Labels), labels...)
	return n
}

// where is one of the quantities of a metric that tells them apart by a label.
func (n Name) where(label, value string) Name {
	n.Where, n.Is, n.Labels = label, value, append(slices.Clone(n.Labels), label)
	return n
}

func (n Name) also() Name { n.Also = true; return n }

// asked is a name that is published only on demand.
func (n Name) asked(how string) Name { n.Default, n.Enable = false, how; return n }

func published(engine, metric string, common []string, labels []string) Name {
	return Name{Engine: engine, Metric: metric, Labels: slices.Concat(common, labels), Default: true}
}

func entry(q Quantity) *Entry {
	e := byQuantity[q]
	switch {
	case e == nil:
		panic("telemetry: quantity " + string(q) + " is not in the catalogue")
	case !e.Kept:
		panic("telemetry: no snapshot keeps " + string(q))
	}
	return e
}

var byQuantity = func() map[Quantity]*Entry {
	m := map[Quantity]*Entry{}
	for i := range Catalogue {
		m[Catalogue[i].Quantity] = &Catalogue[i]
	}
	return m
}()
