package cluster

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"assay/internal/diagnose"
)

// pods lists those that were asked for.
func (w watch) pods(ctx context.Context) ([]pod, error) {
	query := url.Values{}
	if w.options.Selector != "" {
		query.Set("labelSelector", w.options.Selector)
	}
	pods, more, err := listAll[pod](ctx, w.api, "list the pods of namespace "+w.namespace, "/api/v1/namespaces/"+w.namespace+"/pods", query, maxPods)
	if err != nil {
		return nil, err
	}
	if more {
		w.remark("namespace %s has more than %d pods: the others were not looked at; a selector narrows it", w.namespace, maxPods)
	}
	if len(pods) == 0 {
		w.remark("namespace %s has no pods%s", w.namespace, suffix(" that match ", w.options.Selector))
	}
	return pods, nil
}

func suffix(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

// incidentsOfPods reads the pods' own state, and their events for what that
// leaves open.
func (w watch) incidentsOfPods(ctx context.Context, pods []pod) []diagnose.Incident {
	warnings := w.warnings(ctx, pods)
	var found []diagnose.Incident
	for _, p := range pods {
		found = append(found, w.incidentsOfPod(p, warnings[p.Metadata.Name])...)
	}
	return found
}

func (w watch) incidentsOfPod(p pod, warnings []event) []diagnose.Incident {
	if evicted, ok := w.evicted(p); ok {
		return []diagnose.Incident{evicted}
	}
	if p.Status.Phase == "Succeeded" || !p.Metadata.DeletionTimestamp.IsZero() {
		return nil
	}
	var found []diagnose.Incident
	explained := false
	for _, c := range append(p.Status.InitContainerStatuses, p.Status.ContainerStatuses...) {
		these, stuck := w.incidentsOfContainer(p, c, warnings)
		found = append(found, these...)
		explained = explained || stuck
	}
	if explained {
		return found
	}
	if pending, ok := w.pending(p, warnings); ok {
		return append(found, pending)
	}
	if notReady, ok := w.notReady(p, warnings); ok {
		return append(found, notReady)
	}
	return found
}

// incident is one of a pod, read from its status.
func (p pod) incident(kind, fact string, at time.Time) diagnose.Incident {
	return diagnose.Incident{
		Kind: kind, Object: "pod " + p.Metadata.Namespace + "/" + p.Metadata.Name,
		Fact: fact, Source: "Kubernetes API, status of the pod", At: at,
	}
}

// evicted says that the cluster took the pod away: for want of something on the
// node, for a more important pod, or because the node goes.
func (w watch) evicted(p pod) (diagnose.Incident, bool) {
	if c, ok := conditionOf(p.Status.Conditions, "DisruptionTarget"); ok && c.Status == "True" && c.LastTransitionTime.After(w.since) {
		return p.incident(diagnose.Evicted, fmt.Sprintf("it was taken from its node: %s: %s", c.Reason, plain(c.Message)), c.LastTransitionTime), true
	}
	switch p.Status.Reason {
	case "Evicted", "Preempting", "NodeShutdown", "Terminated", "NodeLost":
	default:
		return diagnose.Incident{}, false
	}
	at := lastChange(p)
	if p.Status.Phase != "Failed" || at.Before(w.since) {
		return diagnose.Incident{}, false
	}
	return p.incident(diagnose.Evicted, fmt.Sprintf("it was taken from its node: %s: %s", p.Status.Reason, plain(p.Status.Message)), at), true
}

// notReady says why a pod that has a node takes no traffic.
func (w watch) notReady(p pod, warnings []event) (diagnose.Incident, bool) {
	ready, ok := conditionOf(p.Status.Conditions, "Ready")
	if !ok || ready.Status == "True" || p.Status.Phase == "Failed" {
		return diagnose.Incident{}, false
	}
	fact := fmt.Sprintf("it has not been ready for %s: %s", w.ago(ready.LastTransitionTime), plain(ready.Message))
	if p.Status.Phase == "Pending" {
		fact = fmt.Sprintf("it has a node, and its containers have not started for %s", w.ago(ready.LastTransitionTime))
	}
	if e, ok := latest(warnings, "Unhealthy", "FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox", "FailedPostStartHook"); ok {
		fact += fmt.Sprintf("; %s: %s", e.Reason, plain(e.Message))
	}
	return p.incident(diagnose.NotReady, fact, ready.LastTransitionTime), true
}

// lastChange is the youngest moment that a pod's conditions name.
func lastChange(p pod) time.Time {
	at := p.Metadata.CreationTimestamp
	for _, c := range p.Status.Conditions {
		if c.LastTransitionTime.After(at) {
			at = c.LastTransitionTime
		}
	}
	return at
}

// ago is how long something has been so, in words.
func (w watch) ago(t time.Time) string {
	if t.IsZero() {
		return "an unknown time"
	}
	d := max(0, w.options.now().Sub(t))
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Hours()))
}
