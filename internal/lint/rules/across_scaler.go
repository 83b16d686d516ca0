package rules

import (
	"fmt"
	"regexp"
	"slices"

	"assay/internal/lint"
	"assay/internal/lint/source"
)

// counted is a number of things whose plural ends in s.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func scalerTargetAbsent(p *lint.Pass, x *lint.Index) {
	for _, s := range x.Scalers {
		var names []string
		for _, w := range x.Workloads {
			if w.At.Object.Kind == s.Kind && lint.SameNamespace(w.At.Object, s.At.Object) {
				names = append(names, w.At.Object.Name)
			}
		}
		if near, ok := nearest(s.Target, names); ok && !slices.Contains(names, s.Target) {
			p.FailAt(s.TargetAt, "there is no %s %s among those read; there is %s", s.Kind, s.Target, near)
		}
	}
}

func twoScalers(p *lint.Pass, x *lint.Index) {
	type target struct{ namespace, kind, name string }
	first := map[target]lint.Scaler{}
	for _, s := range x.Scalers {
		t := target{s.At.Object.Namespace, s.Kind, s.Target}
		other, ok := first[t]
		if !ok {
			first[t] = s
			continue
		}
		// In files of several folders one name may stand for objects of several clusters.
		together := t.namespace != "" || nearness(s.At, other.At) > 0
		if together && (other.At.File == s.At.File || other.At.Object.Name != s.At.Object.Name) {
			p.FailAt(s.TargetAt, "%s %s is scaled by %s already (%s): each undoes what the other sets", s.Kind, s.Target, refName(other.At.Object), other.At.Place)
		}
	}
}

func scalerOnCPU(p *lint.Pass, x *lint.Index) {
	for _, s := range x.Scalers {
		if s.OnCPU.Line == 0 {
			continue
		}
		for _, w := range x.Workloads {
			if w.ServesVLLM && w.Accelerated() && w.At.Object.Kind == s.Kind && w.At.Object.Name == s.Target && lint.SameNamespace(w.At.Object, s.At.Object) {
				p.FailAt(s.OnCPU, "%s serves from GPUs: its CPU is as busy with one request as with many, and says nothing of the load", w.Named())
				break
			}
		}
	}
}

// latencies are names of metrics that measure how long requests of a language model take.
var latencies = regexp.MustCompile(`(time_to_first_token|inter_token_latency|time_per_output_token|e2e_request_latency|request_(queue|prefill|decode|inference)_time|\bttft\b|\btpot\b|\bitl\b)`)

func scalerOnLatency(p *lint.Pass, o *lint.Object) {
	for _, v := range metricsOf(o) {
		if m := latencies.FindString(v.Text()); m != "" {
			p.Fail(v, "replicas follow %s: a server that hangs, or whose clients gave up, finishes nothing and so reports no latency, and is not scaled", m)
			return
		}
	}
}

// metricsOf are the names and queries that an autoscaler goes by.
func metricsOf(o *lint.Object) []source.Value {
	var all []source.Value
	for _, m := range o.Get("spec", "metrics").Items() {
		for _, kind := range []string{"pods", "object", "external"} {
			if v := m.Get(kind, "metric", "name"); v.Exists() {
				all = append(all, v)
			}
		}
	}
	for _, t := range o.Get("spec", "triggers").Items() {
		if v := t.Get("metadata", "query"); v.Exists() {
			all = append(all, v)
		}
	}
	return all
}

func scalerBounds(p *lint.Pass, o *lint.Object) {
	least, most := o.Get("spec", "minReplicas"), o.Get("spec", "maxReplicas")
	if o.Kind == "ScaledObject" {
		least, most = o.Get("spec", "minReplicaCount"), o.Get("spec", "maxReplicaCount")
	}
	a, ok := least.Int()
	b, ok2 := most.Int()
	if ok && ok2 && a > b {
		p.Fail(least, "at least %d replicas and at most %d: the object is refused", a, b)
	}
}

func queueAbsent(p *lint.Pass, x *lint.Index) {
	local, cluster, flavors := queueNames(x, "LocalQueue"), queueNames(x, "ClusterQueue"), queueNames(x, "ResourceFlavor")
	said := func(at lint.Spot, kind, named string, among []lint.Ref) {
		var names []string
		for _, r := range among {
			if lint.SameNamespace(r, at.Object) || r.Kind != "LocalQueue" {
				names = append(names, r.Name)
			}
		}
		if near, ok := nearest(named, names); ok && !slices.Contains(names, named) {
			p.FailAt(at, "there is no %s %s among those read; there is %s", kind, named, near)
		}
	}
	seen := map[lint.Spot]bool{}
	for _, w := range x.Workloads {
		if w.Queue.Value != "" && !seen[w.Queue.At] {
			seen[w.Queue.At] = true
			said(w.Queue.At, "LocalQueue", w.Queue.Value, local)
		}
	}
	for _, q := range x.Queues {
		if q.Names != "" {
			said(q.NamesAt, "ClusterQueue", q.Names, cluster)
		}
		for i, f := range q.Flavors {
			said(q.FlavorAt[i], "ResourceFlavor", f, flavors)
		}
	}
}

func queueNames(x *lint.Index, kind string) []lint.Ref {
	var all []lint.Ref
	for _, q := range x.Queues {
		if q.At.Object.Kind == kind {
			all = append(all, q.At.Object)
		}
	}
	return all
}
