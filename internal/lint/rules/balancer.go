package rules

import (
	"slices"
	"time"

	"assay/internal/facts"
	"assay/internal/lint"
)

var (
	albAttributes = facts.Source{Title: "AWS, Application Load Balancer attributes: idle timeout", URL: "https://docs.aws.amazon.com/elasticloadbalancing/latest/application/edit-load-balancer-attributes.html", Date: "2026-11-30"}
	readinessGate = facts.Source{Title: "AWS Load Balancer Controller, pod readiness gate", URL: "https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/deploy/pod_readiness_gate/", Date: "2026-11-30"}
	targetGroups  = facts.Source{Title: "AWS, target groups: deregistration delay", URL: "https://docs.aws.amazon.com/elasticloadbalancing/latest/application/edit-target-group-attributes.html", Date: "2026-11-30"}
)

var balancerRules = []*lint.Rule{
	{
		ID: "lb-idle-timeout", Severity: lint.Warning, Subject: lint.Drain,
		Title:   "A load balancer closes streams that are silent for a while",
		Why:     "A connection without a byte for the idle timeout is closed: 60 s by default of an ALB. A request that waits in the queue, or whose prompt is long, sends nothing until its first token.",
		Fix:     "Raise the idle timeout above twice the longest silence that was measured.",
		Sources: []facts.Source{albAttributes},
		Across:  idleTimeout,
	},
	{
		ID: "lb-deregistration", Severity: lint.Warning, Subject: lint.Drain,
		Title:   "A load balancer keeps connections to a pod that no longer takes requests",
		Why:     "Until the deregistration delay is over connections to the pod stay open. SIGTERM comes when preStop ends, and from then on vLLM answers new requests with 500.",
		Fix:     "Make the delay as long as preStop sleeps, or preStop as long as the delay.",
		Sources: []facts.Source{targetGroups, vllmShutdown},
		Across:  deregistration,
	},
	{
		ID: "lb-cuts-responses", Severity: lint.Warning, Subject: lint.Drain,
		Title:   "A load balancer cuts responses that take longer than it waits for them",
		Why:     "A pod that is deleted is deregistered at once. What is still in flight to it is closed when the deregistration delay ends, however long the pod has left: with the response time that was measured, requests are lost at each rollout.",
		Fix:     "Make the delay longer than responses take, and preStop as long as the delay.",
		Sources: []facts.Source{targetGroups},
		Across:  cutsResponses,
	},
	{
		ID: "lb-readiness-gate", Severity: lint.Warning, Subject: lint.Drain,
		Title:   "Pods count as ready before their load balancer sends to them",
		Why:     "A rollout takes an old pod away once a new one is ready. The load balancer's target group has yet to find the new one healthy: meanwhile it may have no target at all.",
		Fix:     "Label the namespace elbv2.k8s.aws/pod-readiness-gate-inject: enabled; pods that are made then wait for their target.",
		Sources: []facts.Source{readinessGate},
		Across:  gateMissing,
	},
}

// behind are the vLLM servers that a load balancer leads to.
func behind(x *lint.Index, b lint.Balancer) []lint.Workload {
	var all []lint.Workload
	for _, s := range x.Services {
		if !slices.Contains(b.Services, s.At.Object.Name) || !lint.SameNamespace(b.At.Object, s.At.Object) || s.Selector.Empty() || s.Selector.Open {
			continue
		}
		for _, w := range x.Workloads {
			if w.ServesVLLM && lint.SameNamespace(w.At.Object, s.At.Object) && s.Selector.Matches(w.Labels) {
				all = append(all, w)
			}
		}
	}
	return all
}

func idleTimeout(p *lint.Pass, x *lint.Index) {
	if p.Measured == nil || p.Measured.Silence <= 0 {
		return
	}
	for _, b := range x.Balancers {
		if b.Idle > p.Measured.Silence || len(behind(x, b)) == 0 {
			continue
		}
		p.FailAt(b.IdleAt, "the %s closes a connection after %s without a byte, and the longest silence measured is %s (%s)", b.Kind, seconds(b.Idle), seconds(p.Measured.Silence.Round(time.Second/10)), p.Measured.Run)
	}
}

func deregistration(p *lint.Pass, x *lint.Index) {
	for _, b := range x.Balancers {
		for _, w := range behind(x, b) {
			if b.DelayAt.Line > 0 && b.Delay > w.PreStop && w.PreStop > 0 {
				p.FailAt(b.DelayAt, "the %s keeps connections for %s, and %s sends SIGTERM after %s", b.Kind, seconds(b.Delay), w.Named(), seconds(w.PreStop))
				break
			}
		}
	}
}

// cutsResponses leaves out NLBs: they let connections be when the delay is over.
func cutsResponses(p *lint.Pass, x *lint.Index) {
	if p.Measured == nil || p.Measured.Response <= 0 {
		return
	}
	for _, b := range x.Balancers {
		if b.Kind == lint.NLB || b.Delay >= p.Measured.Response || len(behind(x, b)) == 0 {
			continue
		}
		at := b.DelayAt
		if at.Line == 0 {
			at = b.At
		}
		p.FailAt(at, "the %s closes what is in flight %s after a pod is deregistered, and %s", b.Kind, seconds(b.Delay), response(p.Measured))
	}
}

const gateLabel = "elbv2.k8s.aws/pod-readiness-gate-inject"

// gateMissing judges where the namespace can be seen.
func gateMissing(p *lint.Pass, x *lint.Index) {
	said := map[lint.Ref]bool{}
	for _, b := range x.Balancers {
		if !b.Pods || b.Kind == lint.Classic {
			continue
		}
		for _, w := range behind(x, b) {
			ns, ok := namespaceOf(x, w)
			if !ok || w.Gated || ns.Labels[gateLabel] == "enabled" || said[ns.At.Object] {
				continue
			}
			said[ns.At.Object] = true
			p.FailAt(ns.At, "the pods of %s are targets of the %s of %s, and this namespace lacks %s: enabled", w.Named(), b.Kind, b.At.Object.Name, gateLabel)
		}
	}
}

func namespaceOf(x *lint.Index, w lint.Workload) (lint.Namespace, bool) {
	for _, ns := range x.Namespaces {
		if ns.At.Object.Name == w.At.Object.Namespace {
			return ns, true
		}
	}
	return lint.Namespace{}, false
}
