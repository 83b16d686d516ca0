package telemetry

import (
	"fmt"

	"assay/internal/record"
)

// ofMachine are the publishers that say something of the machine.
var ofMachine = []string{"node", "efa", "kubelet", "neuron"}

// FoldNode makes the account of one machine of a span from the snapshots of its
// exporters, in order of time; nil where nothing was seen of it. Where a counter
// fell or a device or container came or went, Changed says how, and nothing
// cumulative is given.
func FoldNode(snapshots []Snapshot) *record.Node {
	kept := holding(snapshots, ofMachine...)
	if len(kept) == 0 {
		return nil
	}
	n := &record.Node{Samples: len(kept)}
	n.CPUs = cpus(kept[len(kept)-1])
	n.NeuronCore = gauge(kept, NeuronCore, Snapshot.Value).mean()
	n.NeuronVCPU = gauge(kept, NeuronVCPU, Snapshot.Value).mean()
	for i := 1; i < len(kept) && n.Changed == ""; i++ {
		n.Changed = changedNode(kept[i-1], kept[i])
	}
	first, last := kept[0], kept[len(kept)-1]
	span := last.At.Sub(first.At).Seconds()
	if n.Changed != "" || span <= 0 {
		return n
	}
	d := Difference{from: first, to: last}
	n.CPUBusy = rate(span)(d.grownIf(NodeCPU, works))
	if pod := onePod(last); pod != nil {
		n.PodCPU = rate(span)(d.grownIf(ContainerCPU, pod.cpu))
		n.CFSThrottled = ratio(d.grownIf(CFSThrottled, pod.own))(d.grownIf(CFSPeriods, pod.own))
	}
	var exceeded readings
	for _, q := range []Quantity{ENABandwidth, ENABandOut, ENAPackets, ENAConntrack, ENALinkLocal} {
		if v := rate(span)(d.Counter(q)); v != nil {
			exceeded = append(exceeded, *v)
		}
	}
	n.AllowanceExceeded = exceeded.sum()
	n.EFARetransmits = rate(span)(d.Counter(EFARetransmit))
	n.EFADrops = rate(span)(d.Counter(EFARxDrops))
	return n
}

func changedNode(from, to Snapshot) string {
	fell := fallen(from, to, func(p string) bool { return p == "node" || p == "efa" || p == "kubelet" })
	if fell == "" {
		return ""
	}
	return brief(fell + ": the node restarted, or a device or container came or went")
}

// rate is growth per second; nil where the growth is not known.
func rate(span float64) func(float64, bool) *float64 {
	return func(v float64, ok bool) *float64 { return pointer(v/span, ok) }
}

func ratio(part float64, okPart bool) func(float64, bool) *float64 {
	return func(whole float64, ok bool) *float64 { return pointer(part/whole, okPart && ok && whole > 0) }
}

// grownIf is how much those series of a counter grew that belong; ok is false
// where none does.
func (d Difference) grownIf(q Quantity, belongs func(series) bool) (v float64, ok bool) {
	e := entry(q)
	now, scale := d.to.first(e)
	if len(now) == 0 || !d.from.holds(e.Names[0].Engine) {
		return 0, false
	}
	before := values(d.from.byName[now[0].name])
	for _, one := range now {
		if belongs(one) {
			v += (one.value - before[one.key()]) * scale
			ok = true
		}
	}
	return v, ok && finite(v)
}

// works reports whether a CPU does something in a mode.
func works(one series) bool {
	mode, ok := one.label("mode")
	return ok && mode != "idle" && mode != "iowait" && mode != "steal"
}

func cpus(s Snapshot) *float64 {
	list, _ := s.first(entry(NodeCPU))
	seen := map[string]bool{}
	for _, one := range list {
		cpu, _ := one.label("cpu")
		seen[cpu] = true
	}
	return pointer(float64(len(seen)), len(seen) > 0)
}

// pod is the one pod of which a snapshot holds containers. Of several it is not
// known which one serves.
type pod struct{ total bool }

func onePod(s Snapshot) *pod {
	var p *pod
	name := ""
	list, _ := s.first(entry(ContainerCPU))
	for _, one := range list {
		if !container(one) {
			continue
		}
		namespace, _ := one.label("namespace")
		podName, _ := one.label("pod")
		this := fmt.Sprintf("%q %q", namespace, podName)
		if p != nil && this != name {
			return nil
		}
		if p == nil {
			p, name = &pod{}, this
		}
		cpu, _ := one.label("cpu")
		p.total = p.total || cpu == "total"
	}
	return p
}

// container tells a container's series from one of a whole pod or cgroup, which
// cAdvisor has too.
func container(one series) bool {
	name, _ := one.label("container")
	return name != "" && name != "POD"
}

// cpu reports whether a series is a container's CPU time, and not that of one CPU
// where there is a total too.
func (p pod) cpu(one series) bool {
	cpu, _ := one.label("cpu")
	return container(one) && (!p.total || cpu == "total")
}

func (p pod) own(one series) bool { return container(one) }
