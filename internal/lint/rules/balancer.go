package rules

import (
	"slices"
	"time"

	"assay/internal/facts"
	"assay/internal/lint"
)

var (
	albAttributes = facts.Source{Title: "AWS, Application Load Balancer attributes: idle timeout", URL: "https://docs.aws.amazon.com/elasticloadbalancing/latest/application/edit-load-balancer-attributes.html", Date: "2026-11-30"}
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
			if b.Delay > w.PreStop && w.PreStop > 0 {
				p.FailAt(b.DelayAt, "the %s keeps connections for %s, and %s sends SIGTERM after %s", b.Kind, seconds(b.Delay), w.Named(), seconds(w.PreStop))
				break
			}
		}
	}
}
