package rules

import (
	"strings"

	"assay/internal/facts"
	"assay/internal/lint"
	"assay/internal/lint/source"
	"assay/internal/practice"
)

// together is how many pods of an object work on one thing: those of a JobSet, a
// PyTorchJob or an indexed Job; 0: not known, or each for itself.
func together(p *lint.Pod) int {
	switch p.Object.Kind {
	case "JobSet", "PyTorchJob":
	case "Job":
		if p.Object.Get("spec", "completionMode").Text() != "Indexed" {
			return 0
		}
	default:
		return 0
	}
	sum := 0
	for _, o := range lint.PodsOf(p.Object) {
		if !o.Counted {
			return 0
		}
		sum += o.Replicas
	}
	return sum
}

// coupled says that the pods of an object exchange data in each step: they ask for EFA,
// or are started by torchrun over several nodes.
func coupled(p *lint.Pod) bool {
	if together(p) < 2 || accelerators(p) == 0 {
		return false
	}
	if p.Object.Kind == "PyTorchJob" {
		return true
	}
	for _, c := range p.Containers() {
		if n, ok := torchrun(c); usesEFA(c) || ok && n.Nodes != "1" && n.Nodes != "" {
			return true
		}
	}
	return false
}

func coupledZones(pass *lint.Pass, p *lint.Pod) {
	if !coupled(p) || heldTogether(p) {
		return
	}
	if v := p.NodeSelector(practice.ZoneLabel); v.Exists() {
		return
	}
	for _, term := range required(p) {
		for _, e := range term.Get("matchExpressions").Items() {
			values := e.Get("values")
			if e.Get("key").Text() != practice.ZoneLabel || e.Get("operator").Text() != "In" {
				continue
			}
			if n := len(values.Items()); n > 1 {
				pass.Fail(values, "%d pods train together in any of %d zones: %s", together(p), n, strings.Join(values.Texts(), ", "))
			}
			return
		}
	}
	for _, s := range p.Get("topologySpreadConstraints").Items() {
		if key := s.Get("topologyKey"); key.Text() == practice.ZoneLabel {
			pass.Fail(key, "%d pods that train together are spread over zones", together(p))
		}
	}
}

// required are the terms of a pod's required node affinity.
func required(p *lint.Pod) []source.Value {
	return p.Get("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms").Items()
}

// heldTogether says that pods follow each other into one zone, or that the job is
// placed as a whole.
func heldTogether(p *lint.Pod) bool {
	for _, a := range p.Get("affinity", "podAffinity", "requiredDuringSchedulingIgnoredDuringExecution").Items() {
		if a.Get("topologyKey").Text() == practice.ZoneLabel {
			return true
		}
	}
	for _, meta := range []source.Value{p.Object.Get("metadata"), p.Meta} {
		for k := range meta.Get("annotations").Pairs() {
			if strings.HasSuffix(k.Text(), "/exclusive-topology") || strings.HasPrefix(k.Text(), "kueue.x-k8s.io/podset-") {
				return true
			}
		}
	}
	return false
}

func coupledSpot(pass *lint.Pass, p *lint.Pod) {
	if !coupled(p) || p.Object.Get("spec", "elasticPolicy").Exists() {
		return
	}
	say := func(at source.Value) {
		pass.Fail(at, "%d pods train together on Spot: the first interruption stops all of them", together(p))
	}
	if v := p.NodeSelector(practice.CapacityLabel); v.Text() == facts.Spot {
		say(v)
		return
	}
	for _, term := range required(p) {
		for _, e := range term.Get("matchExpressions").Items() {
			if e.Get("key").Text() != practice.CapacityLabel || e.Get("operator").Text() != "In" {
				continue
			}
			for _, v := range e.Get("values").Items() {
				if v.Text() == facts.Spot {
					say(v)
					return
				}
			}
		}
	}
}

// launch is how torchrun is started.
type launch struct {
	Nodes, Processes     string
	NodesAt, ProcessesAt source.Value
}

// torchrun reads the arguments of torchrun or torch.distributed.run.
func torchrun(c *lint.Container) (launch, bool) {
	words := c.Words()
	for i, w := range words.All {
		name := w.Text[strings.LastIndexByte(w.Text, '/')+1:]
		if name != "torchrun" && name != "torch.distributed.run" && name != "torch.distributed.launch" {
			continue
		}
		words.All = words.All[i+1:]
		var l launch
		l.Nodes, l.NodesAt, _ = words.Flag("nnodes")
		l.Processes, l.ProcessesAt, _ = words.Flag("nproc-per-node")
		return l, true
	}
	return launch{}, false
}
