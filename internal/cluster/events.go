package cluster

import (
	"context"
	"net/url"
	"slices"
)

// warnings are the events of pods, by the pod's name. They are kept for an hour
// by default, so an older state may have none.
func (w watch) warnings(ctx context.Context, pods []pod) map[string][]event {
	if len(pods) == 0 {
		return nil
	}
	query := url.Values{"fieldSelector": {"involvedObject.kind=Pod,type=Warning"}}
	events, more, err := listAll[event](ctx, w.api, "list the events of namespace "+w.namespace, "/api/v1/namespaces/"+w.namespace+"/events", query, maxEvents)
	if err != nil {
		w.left("events of pods: reasons may be missing", err)
		return nil
	}
	if more {
		w.remark("namespace %s has more than %d warnings: reasons may be missing", w.namespace, maxEvents)
	}
	byPod := map[string][]event{}
	for _, e := range events {
		byPod[e.InvolvedObject.Name] = append(byPod[e.InvolvedObject.Name], e)
	}
	return byPod
}

// left remarks on what could not be read.
func (w watch) left(what string, err error) {
	if forbidden(err) {
		w.remark("left out: %s (%v; docs/cluster.md has the least Role that is needed)", what, err)
		return
	}
	w.remark("left out: %s (%v)", what, err)
}

// latest is the youngest event with one of the reasons.
func latest(events []event, reasons ...string) (event, bool) {
	var best event
	found := false
	for _, e := range events {
		if slices.Contains(reasons, e.Reason) && (!found || e.at().After(best.at())) {
			best, found = e, true
		}
	}
	return best, found
}
