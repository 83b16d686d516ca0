package telemetry

import (
	"context"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// way is one way to tell to which replica an exporter's series belongs.
type way struct {
	matcher string                           // asks for the series of these replicas
	key     func(map[string]string) []string // what a series says; the first that is known counts
	to      map[string][]int                 // what it says -> replicas
}

// beside joins what exporters say of GPUs and nodes to the replicas: by the pod
// that a series is attributed to, else by the node, else by the address.
func (r *ranger) beside(ctx context.Context, replicas []Replica) error {
	pods := []way{
		labelled(replicas, "exported_pod", "pod", "exported_pod"),
		labelled(replicas, "pod", "pod", "pod"),
	}
	if err := r.findNodes(ctx, replicas); err != nil {
		return err
	}
	machines := []way{
		labelled(replicas, "node", "node", "node", "kubernetes_node", "nodename", "Hostname", "hostname"),
		labelled(replicas, "kubernetes_node", "node", "kubernetes_node"),
		labelled(replicas, "nodename", "node", "nodename"),
		labelled(replicas, "Hostname", "node", "Hostname"),
		labelled(replicas, "hostname", "node", "hostname"),
		labelled(replicas, "instance", "instance", "instance"),
		sameHost(replicas),
	}
	gpus, err := r.join(ctx, namesOf(ofGPU), append(pods, machines...), len(replicas), "GPUs")
	if err != nil {
		return err
	}
	containers, err := r.join(ctx, namesOf(ofContainer), pods, len(replicas), "")
	if err != nil {
		return err
	}
	nodes, err := r.join(ctx, namesOf(ofNode), machines, len(replicas), "")
	if err != nil {
		return err
	}
	for i := range replicas {
		if replicas[i].GPU, err = snapshotsOf(gpus[i], attributed); err != nil {
			return err
		}
		if replicas[i].Node, err = snapshotsOf(append(containers[i], nodes[i]...), attributed); err != nil {
			return err
		}
	}
	if len(gpus) == 0 {
		return r.sayUnattributed(ctx)
	}
	return nil
}

// labelled joins a series' label to what is known of a replica. The other labels
// are read too where a series that was asked for by one has another.
func labelled(replicas []Replica, asked, known string, labels ...string) way {
	w := way{to: map[string][]int{}, key: func(m map[string]string) []string {
		var values []string
		for _, l := range labels {
			values = append(values, m[l])
		}
		return values
	}}
	var values []string
	for i, r := range replicas {
		if v := r.Labels[known]; v != "" {
			values = append(values, v)
			w.to[v] = append(w.to[v], i)
		}
	}
	w.matcher = oneOf(asked, values)
	return w
}

// sameHost joins by the scraped address without its port.
func sameHost(replicas []Replica) way {
	w := way{to: map[string][]int{}, key: func(m map[string]string) []string { return []string{hostOf(m["instance"])} }}
	var hosts []string
	for i, r := range replicas {
		if h := hostOf(r.Labels["instance"]); h != "" {
			hosts = append(hosts, regexp.QuoteMeta(h))
			w.to[h] = append(w.to[h], i)
		}
	}
	slices.Sort(hosts)
	w.matcher = "instance=~" + strconv.Quote(`\[?(`+strings.Join(slices.Compact(hosts), "|")+`)\]?(:.*)?`)
	return w
}

// hostOf is an instance without its port.
func hostOf(instance string) string {
	if h, _, err := net.SplitHostPort(instance); err == nil {
		return h
	}
	return instance
}

// join gives each replica the series that belong to it, by the first way that
// finds any. What is exclusive, named by what, belongs to one replica or to
// nobody: GPUs of a node with two replicas cannot be told apart by the node.
func (r *ranger) join(ctx context.Context, names []string, ways []way, replicas int, what string) (map[int][]apiSeries, error) {
	found := map[int][]apiSeries{}
	taken := map[string]bool{} // series that belong to a replica by an earlier way
	shared := 0
	for _, w := range ways {
		if len(names) == 0 || len(w.to) == 0 || len(found) == replicas {
			continue
		}
		list, err := r.ask(ctx, names, w.matcher)
		if err != nil {
			return nil, err
		}
		now := map[int][]apiSeries{}
		for _, one := range list {
			owners := w.owners(one.Metric)
			if taken[nameOf(one)] {
				continue
			}
			if what != "" && len(owners) > 1 {
				shared++
				continue
			}
			for _, i := range owners {
				now[i] = append(now[i], one)
			}
		}
		for i, series := range now {
			if _, already := found[i]; already {
				continue
			}
			found[i] = series
			for _, one := range series {
				taken[nameOf(one)] = what != ""
			}
		}
	}
	if shared > 0 && len(found) < replicas {
		r.p.remark(fmt.Sprintf("%s of a machine with several replicas are attributed to no pod and left out: the DCGM exporter does that with --kubernetes", what))
	}
	return found, nil
}

// nameOf tells a series from all others.
func nameOf(one apiSeries) string { return fmt.Sprint(one.Metric) }

func (w way) owners(metric map[string]string) []int {
	for _, key := range w.key(metric) {
		if key != "" && len(w.to[key]) > 0 {
			return w.to[key]
		}
	}
	return nil
}

// findNodes asks kube-state-metrics for the nodes of pods that no label tells.
func (r *ranger) findNodes(ctx context.Context, replicas []Replica) error {
	var pods []string
	for _, one := range replicas {
		if one.Labels["node"] == "" && one.Labels["pod"] != "" {
			pods = append(pods, one.Labels["pod"])
		}
	}
	if len(pods) == 0 {
		return nil
	}
	for _, label := range []string{"exported_pod", "pod"} {
		list, err := r.ask(ctx, []string{"kube_pod_info"}, oneOf(label, pods))
		if err != nil {
			return err
		}
		for _, info := range list {
			for _, one := range replicas {
				if one.Labels["node"] == "" && one.Labels["pod"] == info.Metric[label] && info.Metric["node"] != "" {
					one.Labels["node"] = info.Metric["node"]
				}
			}
		}
	}
	return nil
}

// sayUnattributed remarks on GPUs that are recorded and belong to no replica.
func (r *ranger) sayUnattributed(ctx context.Context) error {
	names := namesOf(ofGPU)
	if len(names) == 0 {
		return nil
	}
	a, err := r.p.queryRange(ctx, "count("+"{"+oneOf("__name__", names)+"})", r.to, r.to, r.step)
	if err == nil && len(a.Series) > 0 {
		r.p.remark("GPU metrics are recorded, and none could be attributed to a replica: neither by pod (the DCGM exporter's --kubernetes), nor by node, nor by address")
	}
	return err
}

// attributed are an exporter's own labels, with the pod that the series is of
// under its own name where the scrape had renamed it.
func attributed(metric map[string]string) []label {
	var labels []label
	_, renamed := metric["exported_pod"]
	for name, value := range metric {
		switch {
		case name == "__name__", name == "instance", slices.Contains(scraped, name):
			continue
		case renamed && (name == "pod" || name == "namespace" || name == "container"):
			continue // of the exporter itself
		}
		name = strings.TrimPrefix(name, "exported_")
		if slices.ContainsFunc(labels, func(l label) bool { return l.name == name }) {
			continue
		}
		labels = append(labels, label{name, shortened(value)})
	}
	sortLabels(labels)
	return labels
}
