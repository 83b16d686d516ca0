package telemetry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/model"
)

const (
	// usualPoints is how often a span is sampled where no step is given: half an
	// hour every 15 s, which is what most servers scrape at.
	usualPoints = 120
	// mostPoints is what Prometheus itself allows of one series.
	mostPoints   = 11_000
	mostReplicas = 500
)

// Query is what to ask of a span of time.
type Query struct {
	From, To  time.Time
	Step      time.Duration // 0: the span in 120 parts, a second at least
	Namespace string        // of Kubernetes; empty: all
	Selector  string        // more label matchers of the engines' series, such as app="vllm"
}

// Replica is one process of an engine and what was recorded of it, in order of
// time. GPU and Node are what the exporters beside it said at the same moments,
// where they could be joined to it.
type Replica struct {
	Name      string            // of the pod, or the scraped instance
	Labels    map[string]string // namespace, pod, instance, node, model, as far as known
	Snapshots []Snapshot
	GPU, Node []Snapshot
}

// Range asks for what is recorded of the engines of a span, one Replica for
// each process, in order of name. None is not an error.
func (p *Prometheus) Range(ctx context.Context, q Query) ([]Replica, error) {
	step, err := q.step()
	if err != nil {
		return nil, err
	}
	r := &ranger{p: p, q: q, from: q.From.Truncate(step), to: q.To, step: step}
	groups, err := r.engines(ctx)
	if err != nil || len(groups) == 0 {
		return nil, err
	}
	if err := r.processes(ctx, groups); err != nil {
		return nil, err
	}
	replicas := make([]Replica, len(groups))
	for i, g := range groups {
		if replicas[i], err = g.replica(); err != nil {
			return nil, err
		}
	}
	nameReplicas(replicas)
	if err := r.beside(ctx, replicas); err != nil {
		return nil, err
	}
	slices.SortFunc(replicas, func(a, b Replica) int { return cmp.Compare(a.Name, b.Name) })
	return replicas, nil
}

func (q Query) step() (time.Duration, error) {
	span := q.To.Sub(q.From)
	if span <= 0 {
		return 0, errors.New("ask Prometheus: the span ends before it begins")
	}
	step := q.Step
	if step <= 0 {
		step = max(time.Second, (span / usualPoints).Round(time.Second))
	}
	if span/step > mostPoints-1 {
		return 0, fmt.Errorf("ask Prometheus: %v in steps of %v are more than %d points", span, step, mostPoints)
	}
	return step, nil
}

// ranger asks several queries of the same moments.
type ranger struct {
	p        *Prometheus
	q        Query
	from, to time.Time
	step     time.Duration
}

// ask gives the series of these names that match.
func (r *ranger) ask(ctx context.Context, names []string, matchers ...string) ([]apiSeries, error) {
	matchers = slices.DeleteFunc(matchers, func(m string) bool { return m == "" })
	var all []apiSeries
	for part := range slices.Chunk(names, namesAQuery) {
		query := "{" + strings.Join(append([]string{oneOf("__name__", part)}, matchers...), ",") + "}"
		a, err := r.p.queryRange(ctx, query, r.from, r.to, r.step)
		if err != nil {
			return nil, err
		}
		if all = append(all, a.Series...); len(all) > mostAPISeries {
			return nil, fmt.Errorf("ask Prometheus: %w", errTooMuch)
		}
	}
	return all, nil
}

// engines are the processes that publish an engine's metrics.
func (r *ranger) engines(ctx context.Context) ([]*group, error) {
	names := namesOf(ofEngine)
	for _, namespace := range []string{"namespace", "exported_namespace"} {
		matchers := []string{r.q.Selector}
		if r.q.Namespace != "" {
			matchers = append(matchers, namespace+"="+strconv.Quote(r.q.Namespace))
		}
		list, err := r.ask(ctx, names, matchers...)
		if err != nil {
			return nil, err
		}
		all := newGroups()
		for _, one := range list {
			all.add(one)
		}
		if groups := all.list(r.p.remark); len(groups) > 0 || r.q.Namespace == "" {
			if len(groups) > mostReplicas {
				return nil, fmt.Errorf("ask Prometheus: %d replicas of engines, more than %d: narrow it with a namespace or a selector", len(groups), mostReplicas)
			}
			return groups, nil
		}
	}
	return nil, nil
}

// namesAQuery bounds the names of one query: a regular expression of literals is
// looked up name by name.
const namesAQuery = 40

// processes adds what any process publishes, of the instances at hand.
func (r *ranger) processes(ctx context.Context, groups []*group) error {
	var instances []string
	for _, g := range groups {
		instances = append(instances, g.labels["instance"])
	}
	list, err := r.ask(ctx, namesOf(ofProcess), oneOf("instance", instances))
	if err != nil {
		return err
	}
	for _, one := range list {
		for _, g := range groups {
			if g.labels["instance"] == one.Metric["instance"] && g.source == sourceOf(one.Metric) {
				g.series = append(g.series, one)
			}
		}
	}
	return nil
}

// oneOf matches a label against any of the values.
func oneOf(label string, values []string) string {
	quoted := make([]string, 0, len(values))
	for _, v := range slices.Compact(slices.Sorted(slices.Values(values))) {
		quoted = append(quoted, regexp.QuoteMeta(v))
	}
	return label + "=~" + strconv.Quote(strings.Join(quoted, "|"))
}

// group is the series of one process, as one scrape job has them.
type group struct {
	labels map[string]string // namespace, pod, instance, node, model
	source string
	series []apiSeries
}

// groups tells processes apart, and the jobs that scrape one of them twice.
type groups struct{ byProcess map[string]map[string]*group }

func newGroups() *groups { return &groups{map[string]map[string]*group{}} }

func (all *groups) add(one apiSeries) {
	m := one.Metric
	labels := map[string]string{
		"namespace": cmp.Or(m["exported_namespace"], m["namespace"]),
		"pod":       cmp.Or(m["exported_pod"], m["pod"]),
		"instance":  cmp.Or(m["exported_instance"], m["instance"]),
		"node":      cmp.Or(m["node"], m["kubernetes_node"], m["nodename"]),
		"model":     cmp.Or(m["model_name"], m["model"]),
	}
	process := labels["namespace"] + "/" + labels["pod"] + "/" + labels["instance"]
	if all.byProcess[process] == nil {
		all.byProcess[process] = map[string]*group{}
	}
	source := sourceOf(m)
	g := all.byProcess[process][source]
	if g == nil {
		g = &group{labels: labels, source: source}
		all.byProcess[process][source] = g
	}
	g.labels["model"] = cmp.Or(g.labels["model"], labels["model"])
	g.series = append(g.series, one)
}

// list is one group for each process. What several jobs scrape of one process is
// the same, and counts once.
func (all *groups) list(remark func(string)) []*group {
	var out []*group
	twice := 0
	for _, process := range slices.Sorted(maps.Keys(all.byProcess)) {
		var best *group
		for _, source := range slices.Sorted(maps.Keys(all.byProcess[process])) {
			if g := all.byProcess[process][source]; best == nil || len(g.series) > len(best.series) {
				best = g
			}
		}
		if len(all.byProcess[process]) > 1 {
			twice++
		}
		out = append(out, best)
	}
	if twice > 0 {
		remark(fmt.Sprintf("%d of %d replicas are scraped by more than one job; one of them is read", twice, len(out)))
	}
	return out
}

// scraped are the labels that a scrape, an operator or a sidecar adds to what a
// process says of itself, pods and nodes apart.
var scraped = []string{"job", "service", "endpoint", "prometheus", "prometheus_replica", "replica", "cluster", "receive", "tenant_id"}

func sourceOf(metric map[string]string) string {
	var b strings.Builder
	for _, l := range scraped {
		b.WriteString(metric[l] + "\x00")
	}
	return b.String()
}

// own are a series' own labels: what the process said.
func own(metric map[string]string) []label {
	var labels []label
	for name, value := range metric {
		switch name {
		case "__name__", "instance", "namespace", "pod", "container", "node":
			continue
		}
		if strings.HasPrefix(name, "exported_") || slices.Contains(scraped, name) {
			continue
		}
		labels = append(labels, label{name, shortened(value)})
	}
	sortLabels(labels)
	return labels
}

func (g *group) replica() (Replica, error) {
	r := Replica{Labels: map[string]string{}}
	for name, value := range g.labels {
		if value != "" {
			r.Labels[name] = value
		}
	}
	var err error
	r.Snapshots, err = snapshotsOf(g.series, own)
	return r, err
}

// snapshotsOf turns series over time into what a scrape at each moment held.
func snapshotsOf(list []apiSeries, labelsOf func(map[string]string) []label) ([]Snapshot, error) {
	at := map[int64]map[string]float64{}
	for _, one := range list {
		name, labels := one.Metric["__name__"], labelsOf(one.Metric)
		if _, ok := known[name]; !ok || !bounded(labels) || slices.ContainsFunc(labels, unnamable) {
			continue
		}
		key := series{name: name, labels: labels}.key()
		for _, s := range one.Values {
			if at[s.MS] == nil {
				at[s.MS] = map[string]float64{}
			}
			at[s.MS][key] = s.Value
		}
	}
	if len(at) > mostPoints {
		return nil, fmt.Errorf("ask Prometheus: series of more than %d different moments", mostPoints)
	}
	var out []Snapshot
	for _, ms := range slices.Sorted(maps.Keys(at)) {
		s, err := FromValues(time.UnixMilli(ms), at[ms])
		if err != nil {
			return nil, fmt.Errorf("ask Prometheus: %w", err)
		}
		out = append(out, s)
	}
	return out, nil
}

// unnamable reports a label that only quoted syntax can name; no engine uses that.
func unnamable(l label) bool { return !model.LegacyValidation.IsValidLabelName(l.name) }

// nameReplicas calls each by its pod, or its instance outside of Kubernetes, and
// by more where that is not enough to tell them apart.
func nameReplicas(replicas []Replica) {
	for _, form := range []func(map[string]string) string{
		func(l map[string]string) string { return cmp.Or(l["pod"], l["instance"], "unnamed") },
		func(l map[string]string) string {
			return strings.Trim(l["namespace"]+"/"+cmp.Or(l["pod"], l["instance"]), "/")
		},
		func(l map[string]string) string {
			return strings.Trim(l["namespace"]+"/"+l["pod"], "/") + " (" + l["instance"] + ")"
		},
	} {
		seen := map[string]bool{}
		for i := range replicas {
			replicas[i].Name = form(replicas[i].Labels)
			seen[replicas[i].Name] = true
		}
		if len(seen) == len(replicas) {
			return
		}
	}
}

// Publishers of the catalogue's names.
type publisher int

const (
	ofEngine publisher = iota
	ofProcess
	ofGPU
	ofNode
	ofContainer
	ofOthers
)

func publisherOf(engine string) publisher {
	switch engine {
	case "", "process":
		return ofProcess
	case "dcgm":
		return ofGPU
	case "neuron", "efa", "node":
		return ofNode
	case "kubelet":
		return ofContainer
	case "kube-state", "prometheus":
		return ofOthers
	}
	return ofEngine
}

// namesOf are the series that a snapshot keeps of a publisher's metrics.
func namesOf(of publisher) []string {
	var names []string
	for series, n := range known {
		if publisherOf(n.name.Engine) == of {
			names = append(names, series)
		}
	}
	slices.Sort(names)
	return names
}
