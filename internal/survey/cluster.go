package survey

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/internal/cluster"
	"assay/internal/diagnose"
)

// Cluster says whether and where the Kubernetes API is asked what happened to
// the service's pods. It is asked only where the namespace is known: by
// Options.Namespace, by the replicas' labels or, where Kubeconfig or Context is
// named, by the context's own. What is at hand may belong to another service.
type Cluster struct {
	Off         bool
	Kubeconfig  string // a file; empty: as kubectl finds it
	Context     string // of the kubeconfig; empty: its current one
	PodSelector string // label selector of the service's pods; empty: all of the namespace
}

// clusterTimeout bounds what the cluster is asked: it is told beside what the
// metrics say, which does not wait for it.
const clusterTimeout = 20 * time.Second

func (c Cluster) named() bool { return c.Kubeconfig != "" || c.Context != "" || c.PodSelector != "" }

// ask gives what happened within the window. That no cluster is at hand is a
// remark only where one was named, and so is any other failure.
func (c Cluster) ask(ctx context.Context, namespace string, since time.Duration, remark func(string)) []diagnose.Incident {
	if c.Off || ctx.Err() != nil || namespace == "" && !c.named() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, clusterTimeout)
	defer cancel()
	incidents, err := cluster.Incidents(ctx, cluster.Options{
		Kubeconfig: c.Kubeconfig, Context: c.Context, Namespace: namespace, Selector: c.PodSelector, Since: since, Remark: remark,
	})
	switch {
	case errors.Is(err, cluster.ErrNoCluster) && !c.named():
	case err != nil:
		remark("the cluster could not be asked for pod states and events: " + err.Error())
	}
	return incidents
}

// namespaceOf is where the service's pods are, empty where that is not known or
// there are several.
func namespaceOf(opt Options, all []seen) string {
	if opt.Namespace != "" {
		return opt.Namespace
	}
	namespace := ""
	for _, s := range all {
		switch n := s.labels["namespace"]; {
		case n == "" || namespace != "" && n != namespace:
			return ""
		default:
			namespace = n
		}
	}
	return namespace
}

// incidentsOf are those that are evidence of a replica: of its pod and its node.
// Where its pod is not known they are evidence only if a selector has named the
// service's pods.
func incidentsOf(i Instance, opt Options, all []diagnose.Incident) []diagnose.Incident {
	pod, node := i.Labels["pod"], i.Labels["node"]
	if pod == "" {
		if opt.Cluster.PodSelector == "" {
			return nil
		}
		return slices.Clone(all)
	}
	var own []diagnose.Incident
	for _, one := range all {
		if i.past(one.At) && one.Kind != diagnose.AcceleratorUnhealthy {
			continue
		}
		name := one.Object[strings.LastIndexAny(one.Object, "/ ")+1:]
		if name == pod || node != "" && name == node {
			own = append(own, one)
		}
	}
	return own
}

// mostExplained bounds what an error tells of the cluster.
const mostExplained = 3

// explained adds to an error what the cluster says of the pods.
func explained(err error, incidents []diagnose.Incident) error {
	for _, i := range incidents[:min(len(incidents), mostExplained)] {
		err = fmt.Errorf("%w; %s: %s (%s)", err, i.Object, i.Fact, i.Source)
	}
	return err
}
