package report

import (
	"fmt"
	"strings"

	"assay/internal/figure"
	"assay/internal/plan"
)

// optionFacts are what is known of an option, in the order in which one asks.
func optionFacts(r *plan.Result, o plan.Option) []traceFact {
	var out []traceFact
	add := func(name, text string) {
		if text != "" {
			out = append(out, traceFact{name, text})
		}
	}
	p := o.Predicted
	add("option", optionSubject(o))
	add("TTFT", latencyFact(p.TTFT, "ttft", o.SLO))
	add("ITL", latencyFact(p.ITL, "itl", o.SLO))
	add("E2E", latencyFact(p.E2E, "e2e", o.SLO))
	add("throughput", bars(p.Output, num, "")+" output tokens/s, "+num(p.Requests.Mid)+" requests/s; "+kneeFact(p.Knee))
	add("cost", costFact(o))
	add("memory", memoryFact(o))
	add("KV cache", kvFact(r, o))
	add("simulated", simulatedFact(o.Simulated))
	if o.Spare != nil {
		add("spare", spareFact(o))
	}
	add("hosts", hostFact(o))
	if len(o.Calibrated) > 0 {
		add("calibrated", list(o.Calibrated)+", by "+plain(r.Request.CalibratedBy))
	}
	if o.Price.Spot != nil {
		add("Spot", fmt.Sprintf("%s to %s/h, as of %s", usd(o.Price.Spot.Low), usd(o.Price.Spot.High), plain(o.Price.Spot.AsOf)))
	}
	if len(o.Host.NodePools) > 0 {
		s := "launched by NodePool " + plains(o.Host.NodePools, ", ")
		if len(o.Host.Tolerations) > 0 {
			var words []string
			for _, n := range o.Host.Tolerations {
				words = append(words, strings.TrimSuffix(n.Key+"="+n.Value, "=")+":"+n.Effect)
			}
			s += "; pods tolerate " + plains(words, ", ")
		}
		add("Karpenter", s)
	}
	return out
}

func optionSubject(o plan.Option) string {
	s := fmt.Sprintf("%d × %s, %s of %s", o.Count, o.Instance, plural(o.Replicas, "replica"), layoutWords(o))
	if o.GPUsIdle > 0 {
		s += fmt.Sprintf("; %s idle", plural(o.GPUsIdle, "GPU"))
	}
	return s
}

// layoutWords say how one replica is spread.
func layoutWords(o plan.Option) string {
	var parts []string
	for _, d := range []struct {
		n    int
		name string
	}{{o.TP, "TP"}, {o.PP, "PP"}, {o.DP, "DP"}, {o.EP, "EP"}} {
		if d.n > 1 || d.name == "TP" {
			parts = append(parts, fmt.Sprintf("%s %d", d.name, d.n))
		}
	}
	return strings.Join(parts, ", ") + " on " + plain(o.GPU.Name)
}

// bars is a range with its middle first.
func bars(r figure.Range, print func(float64) string, unit string) string {
	if r.Low == r.High {
		return print(r.Mid) + unit
	}
	return print(r.Mid) + unit + " (" + print(r.Low) + "–" + print(r.High) + ")"
}

// barsOfTime is a range of milliseconds, of seconds where its middle is long.
func barsOfTime(r figure.Range) string {
	if r.Mid >= 10_000 {
		return bars(r.Scale(1.0/1000), num, " s")
	}
	return bars(r, num, " ms")
}

// cents is a price with two decimals, of less than ten cents with two digits.
func cents(v float64) string {
	if v >= 0.1 && v < 1000 {
		return fmt.Sprintf("$%.2f", v)
	}
	return usd(v)
}

func latencyFact(mean figure.Range, metric string, judged []plan.Judged) string {
	s := "mean " + barsOfTime(mean)
	for _, j := range judged {
		if j.Metric == metric {
			s += fmt.Sprintf("; %s %s < %s: %s", j.Percentile, barsOfTime(j.Value), limit(j.Limit), j.Verdict)
		}
	}
	return s
}

func kneeFact(k *plan.Knee) string {
	if k == nil {
		return "no knee reached"
	}
	return fmt.Sprintf("knee at %s–%s in flight", short(k.Low), short(k.High))
}

func costFact(o plan.Option) string {
	s := "price not known"
	if o.Price.OnDemand != nil {
		s = cents(*o.Price.OnDemand) + "/h on demand" + asOf(o.Price)
	}
	if o.USD != nil {
		s += "; " + bars(*o.USD, cents, "") + " per million output tokens at this load"
	}
	if o.AtKnee != nil {
		s += ", " + cents(o.AtKnee.Mid) + " at the knee"
	}
	return s
}

// asOf is the date of a price on demand.
func asOf(p plan.Price) string {
	if p.AsOf == nil || *p.AsOf == "" {
		return ""
	}
	return ", as of " + plain(*p.AsOf)
}

func memoryFact(o plan.Option) string {
	g := o.GPU
	graphs, other := "CUDA graphs", "CUDA and NCCL"
	if g.Vendor == "AWS" {
		graphs, other = "compiled graphs", "runtime"
	}
	return fmt.Sprintf("of each %s (%s usable): weights %s, activations %s, %s %s, %s %s, KV cache %s", plain(g.Name),
		byteSize(float64(g.Usable)), byteSize(float64(g.Weights)), byteSize(float64(g.Activation)), graphs, byteSize(float64(g.Graphs)), other, byteSize(float64(g.Other)), byteSize(float64(g.KV)))
}

func kvFact(r *plan.Result, o plan.Option) string {
	s := count(o.KVTokens) + " tokens"
	if k := o.KVTokensRange; k != nil {
		s += " (" + count(int(k.Low)) + "–" + count(int(k.High)) + ")"
	}
	return s + fmt.Sprintf(" a replica: %s requests of %s at once", num(o.MaxConcurrency), count(r.Request.Context)) + usedFact(o.Simulated)
}

// usedFact is how much of the KV cache the simulated engine took.
func usedFact(s *plan.Simulated) string {
	if s == nil {
		return ""
	}
	out := fmt.Sprintf("; at most %s %% in use, no preemption at this load", num(100*s.KVPeak))
	if s.Preemptions > 0 {
		out = fmt.Sprintf("; at most %s %% in use, %s among %s at this load", num(100*s.KVPeak), plural(int(s.Preemptions), "preemption"), plural(s.Requests, "request"))
	}
	if s.Queued >= 0.1 {
		out += fmt.Sprintf("; %s requests wait for room, each %s ms", num(s.Queued), num(s.Wait))
	}
	return out
}

// simulatedFact says what was run through the engine.
func simulatedFact(s *plan.Simulated) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%s of one replica over %s s of virtual time, once steady; %s in a step on average", plural(s.Requests, "request"), num(s.Span), num(s.Batch))
}

func spareFact(o plan.Option) string {
	s := fmt.Sprintf("%s on %d × %s", plural(o.Spare.Replicas, "replica"), o.Spare.Count, o.Instance)
	if o.Spare.OnDemand != nil {
		s += ", " + cents(*o.Spare.OnDemand) + "/h"
	}
	s += fmt.Sprintf(", so that %d may fail", o.Spare.Replicas-o.Replicas)
	if o.Spare.Count == o.Count {
		s += ", but not an instance"
	}
	return s
}

func hostFact(o plan.Option) string {
	h := o.Host
	s := plural(h.VCPU, "vCPU")
	if h.Quota != "" {
		s += fmt.Sprintf(" of the quota %q (%s)", h.Quota, h.QuotaCode)
	}
	if h.LoadMemory > h.Allocatable {
		s += fmt.Sprintf("; loading would take %s of host memory, and pods can count on %s: the page cache does not hold the weights, and each start reads them again", byteSize(float64(h.LoadMemory)), byteSize(float64(h.Allocatable)))
	} else {
		s += fmt.Sprintf("; loading takes %s of the %s host memory that pods can count on", byteSize(float64(h.LoadMemory)), byteSize(float64(h.Allocatable)))
	}
	if h.Pods > 0 {
		s += "; " + plural(h.Pods, "pod") + " a node"
	}
	return s
}
