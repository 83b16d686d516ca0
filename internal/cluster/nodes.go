package cluster

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"assay/internal/diagnose"
)

// incidentsOfNodes looks at the nodes that hold the pods, one by one: to get a
// node by its name needs less of a Role than to list them.
func (w watch) incidentsOfNodes(ctx context.Context, pods []pod) []diagnose.Incident {
	names := nodesOf(pods)
	if len(names) > maxNodes {
		w.remark("the pods are on %d nodes: the first %d were looked at", len(names), maxNodes)
		names = names[:maxNodes]
	}
	found, err := w.states(ctx, names)
	if err != nil {
		w.left("the state of nodes", err)
	} else {
		found = append(found, w.eventsOfNodes(ctx, names)...)
	}
	for i := range found {
		found[i].Fact += holds(found[i].Object, pods)
	}
	return found
}

// states are the incidents by the nodes' own state. With an error come those that
// were found before it.
func (w watch) states(ctx context.Context, names []string) ([]diagnose.Incident, error) {
	var found []diagnose.Incident
	for _, name := range names {
		var n node
		err := w.api.get(ctx, "get node "+name, "/api/v1/nodes/"+name, nil, &n)
		switch {
		case missing(err):
			found = append(found, incidentOfNode(name, diagnose.NotReady, "the node is gone, and its pods are not yet", w.options.now()))
		case err != nil:
			return found, err
		default:
			found = append(found, w.incidentsOfNode(n)...)
		}
	}
	return found, nil
}

// holds says whose trouble a node's is: those of the pods that are on it.
func holds(object string, pods []pod) string {
	var names []string
	for _, p := range pods {
		if "node "+p.Spec.NodeName == object && p.lives() {
			names = append(names, p.Metadata.Name)
		}
	}
	const most = 3
	if n := len(names) - most; n > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", n))
	}
	return suffix("; it holds ", strings.Join(names, ", "))
}

// lives reports whether a pod has not ended.
func (p pod) lives() bool { return p.Status.Phase != "Succeeded" && p.Status.Phase != "Failed" }

// nodesOf are the nodes that hold pods which have not ended.
func nodesOf(pods []pod) []string {
	var names []string
	for _, p := range pods {
		if named.MatchString(p.Spec.NodeName) && p.lives() {
			names = append(names, p.Spec.NodeName)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func incidentOfNode(name, kind, fact string, at time.Time) diagnose.Incident {
	return diagnose.Incident{Kind: kind, Object: "node " + name, Fact: fact, Source: "Kubernetes API, status of the node", At: at}
}

// incidentsOfNode reads conditions, and taints that say that it goes.
func (w watch) incidentsOfNode(n node) []diagnose.Incident {
	var found []diagnose.Incident
	name := n.Metadata.Name
	if c, ok := conditionOf(n.Status.Conditions, "Ready"); ok && c.Status != "True" {
		fact := fmt.Sprintf("not ready for %s: %s: %s", w.ago(c.LastTransitionTime), c.Reason, plain(c.Message))
		found = append(found, incidentOfNode(name, diagnose.NotReady, fact, c.LastTransitionTime))
	}
	for _, kind := range []string{"MemoryPressure", "DiskPressure", "PIDPressure"} {
		if c, ok := conditionOf(n.Status.Conditions, kind); ok && c.Status == "True" {
			fact := fmt.Sprintf("%s for %s: the kubelet evicts pods: %s", kind, w.ago(c.LastTransitionTime), plain(c.Message))
			found = append(found, incidentOfNode(name, diagnose.NotReady, fact, c.LastTransitionTime))
		}
	}
	// The EKS node monitoring agent's other conditions.
	for _, kind := range []string{"ContainerRuntimeReady", "KernelReady", "NetworkingReady", "StorageReady"} {
		if c, ok := conditionOf(n.Status.Conditions, kind); ok && c.Status == "False" {
			fact := fmt.Sprintf("%s is false for %s: %s: %s", kind, w.ago(c.LastTransitionTime), c.Reason, plain(c.Message))
			found = append(found, incidentOfNode(name, diagnose.NotReady, fact, c.LastTransitionTime))
		}
	}
	if c, ok := conditionOf(n.Status.Conditions, acceleratorCondition); ok && c.Status == "False" {
		found = append(found, w.accelerator(name, c))
	}
	for _, t := range n.Spec.Taints {
		if meaning := goes(t); meaning != "" {
			found = append(found, incidentOfNode(name, diagnose.NotReady, fmt.Sprintf("%s: taint %s", meaning, t.Key), t.TimeAdded))
		}
	}
	return found
}

// going are taints by which those who take nodes away announce it.
var going = []struct{ prefix, meaning string }{
	{"karpenter.sh/disrupted", "Karpenter is about to remove the node"},
	{"karpenter.sh/disruption", "Karpenter is about to remove the node"},
	{"ToBeDeletedByClusterAutoscaler", "the cluster autoscaler is about to remove the node"},
	{"aws-node-termination-handler/", "EC2 is about to take the node: a Spot interruption, a rebalance or maintenance"},
	{"node.cloudprovider.kubernetes.io/shutdown", "the instance is shut down"},
	{"node.kubernetes.io/out-of-service", "the node is out of service"},
}

func goes(t taint) string {
	for _, g := range going {
		if strings.HasPrefix(t.Key, g.prefix) {
			return g.meaning
		}
	}
	return ""
}

// eventsOfNodes are what the node monitoring agent told without making it a
// condition. A code that leaves the GPU unfit is an incident; others are said.
func (w watch) eventsOfNodes(ctx context.Context, names []string) []diagnose.Incident {
	var found []diagnose.Incident
	for _, name := range names {
		query := url.Values{"fieldSelector": {"involvedObject.kind=Node,involvedObject.name=" + name}}
		// Events of what has no namespace stand in this one.
		events, _, err := listAll[event](ctx, w.api, "list the events of node "+name, "/api/v1/namespaces/default/events", query, pageSize)
		if err != nil {
			w.left("events of nodes", err)
			return found
		}
		for _, e := range events {
			if e.at().Before(w.since) {
				continue
			}
			if i, ok := w.acceleratorEvent(name, e); ok {
				found = append(found, i)
			}
		}
	}
	return found
}
