package cluster

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"assay/internal/diagnose"
)

// Options say which pods to look at, and how the cluster is reached. The zero
// value is the current context, its namespace, and the last hour.
type Options struct {
	Kubeconfig string // a file; empty: as kubectl finds it
	Context    string // of the kubeconfig; empty: its current one
	Namespace  string // empty: that of the context
	Selector   string // label selector of the pods; empty: all
	Since      time.Duration
	// Remark is told what was left out, and why.
	Remark func(string)

	now func() time.Time
}

// Bounds on what is read and told.
const (
	defaultSince = time.Hour
	maxPods      = 1000
	maxNodes     = 100
	maxEvents    = 2000
	maxIncidents = 200
)

// Incidents lists what happened to the pods and to their nodes, gravest kind
// first. It is ErrNoCluster where there is no cluster to ask.
func Incidents(ctx context.Context, o Options) ([]diagnose.Incident, error) {
	o = o.defaults()
	api, namespace, err := connect(o)
	if err != nil {
		return nil, err
	}
	if !named.MatchString(namespace) {
		return nil, fmt.Errorf("%.100q is no name of a namespace", namespace)
	}
	w := watch{api: api, options: o, namespace: namespace, since: o.now().Add(-o.Since)}
	pods, err := w.pods(ctx)
	if err != nil {
		return nil, err
	}
	found := w.incidentsOfPods(ctx, pods)
	found = append(found, w.incidentsOfNodes(ctx, pods)...)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return w.gravest(found), nil
}

// watch is one look at a namespace.
type watch struct {
	api       *api
	options   Options
	namespace string
	since     time.Time
}

func (o Options) defaults() Options {
	if o.Since <= 0 {
		o.Since = defaultSince
	}
	if o.Remark == nil {
		o.Remark = func(string) {}
	}
	if o.now == nil {
		o.now = time.Now
	}
	return o
}

func (w watch) remark(format string, args ...any) {
	w.options.Remark(oneLine(fmt.Sprintf(format, args...)))
}

// gravity orders kinds: what makes measurements worthless first.
var gravity = []string{
	diagnose.AcceleratorUnhealthy, diagnose.OOMKilled, diagnose.CrashLoop, diagnose.Evicted,
	diagnose.Restarted, diagnose.NotReady, diagnose.Pending,
}

// gravest sorts, by kind and then by object, bounds the number, and keeps each on
// one line: names and reasons are as foreign as messages.
func (w watch) gravest(found []diagnose.Incident) []diagnose.Incident {
	slices.SortStableFunc(found, func(a, b diagnose.Incident) int {
		return cmp.Or(
			cmp.Compare(slices.Index(gravity, a.Kind), slices.Index(gravity, b.Kind)),
			cmp.Compare(a.Object, b.Object),
			b.At.Compare(a.At),
		)
	})
	if n := len(found); n > maxIncidents {
		w.remark("%d incidents in namespace %s: the gravest %d are listed", n, w.namespace, maxIncidents)
		found = found[:maxIncidents]
	}
	for i := range found {
		found[i].Object, found[i].Fact = oneLine(found[i].Object), oneLine(found[i].Fact)
	}
	return found
}
