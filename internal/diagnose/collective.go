package diagnose

import (
	"fmt"

	"assay/internal/record"
)

// collective: the GPUs of a replica wait for each other.
func (x *examination) collective() finding {
	f := finding{verdict: record.BoundCollective}
	tp := x.tp()
	if tp == 1 || (tp == 0 && (x.gpu == nil || x.gpu.Count < 2)) {
		return f
	}
	f.change = &record.Change{Text: "fewer GPUs for a replica and more replicas, or an instance whose GPUs are joined by NVLink", Flag: "--tensor-parallel-size"}
	if tp > 1 {
		f.change.From, f.change.To = fmt.Sprint(tp), fmt.Sprint(tp/2)
	} else {
		f.lacks("how many GPUs share a replica (--tp)")
	}
	f.next = "start the server with half the tensor parallelism and twice the replicas, where the model fits: the sum of their throughput should be higher"
	f.experiment = x.experiment(record.BoundCollective, record.HalveOutput)
	x.lacksGPU(&f)
	x.links(&f)
	x.busyWithNeither(&f)
	x.batchIsFree(&f)
	x.placesWait(&f)
	x.nothingShows(&f, 0.65)
	x.hostIdle(&f)
	x.requestsElsewhere(&f)
	return f
}

// links weighs what joins the GPUs.
func (x *examination) links(f *finding) {
	if c := x.Chip; c != nil {
		link := *c
		e := record.Evidence{Fact: fmt.Sprintf("%s GPUs are joined by PCIe", c.Name), Metric: "link", Value: &link.Link, Unit: "B/s", Source: c.Datasheet.Title}
		if c.NVLink {
			e.Fact = fmt.Sprintf("%s GPUs are joined by NVLink", c.Name)
			f.speaksAgainst(0.35, e)
		} else {
			f.speaksFor(x.overPCIe(), e)
		}
	}
	if !x.activityKnown() {
		if draw, e, ok := x.draw(); ok {
			f.speaksFor(0.35*ramp(draw, 0.7, 0.4), e)
		}
	}
	if g := x.gpu; g != nil && g.PCIeBytesPerS != nil && (x.Chip == nil || !x.Chip.NVLink) {
		link := 32e9
		if x.Chip != nil {
			link = x.Chip.Link
		}
		f.speaksFor(0.3*ramp(*g.PCIeBytesPerS/link, 0.05, 0.3), x.gpuFact(fmt.Sprintf("PCIe carried %.1f GB a second for each GPU", *g.PCIeBytesPerS/1e9), "pcie_bytes_per_s", g.PCIeBytesPerS, "B/s"))
	}
}

// overPCIe is how far PCIe alone convinces. Four GPUs and more exchange as many
// bytes for a token as take longer than computing it, so without the GPUs' own
// word they are the likelier cause.
func (x *examination) overPCIe() float64 {
	switch tp := x.tp(); {
	case x.activityKnown():
		return 0.25
	case tp >= 4:
		return 0.5
	case tp >= 2:
		return 0.4
	}
	return 0.25
}

// activityKnown says whether the GPUs' profiling counters were read.
func (x *examination) activityKnown() bool {
	return x.gpu != nil && x.gpu.TensorActive != nil && x.gpu.DRAMActive != nil
}

// slowLinks speaks against compute where GPUs that meet over PCIe do not say what
// they are busy with.
func (x *examination) slowLinks(f *finding) {
	if c := x.Chip; c != nil && !c.NVLink && x.tp() >= 2 && !x.activityKnown() {
		link := c.Link
		f.speaksAgainst(0.35, record.Evidence{Fact: fmt.Sprintf("%d GPUs share a replica over PCIe, and exchanging a token's activations may take longer than computing them", x.tp()), Metric: "link", Value: &link, Unit: "B/s", Source: c.Datasheet.Title})
	}
}

// busyWithNeither: an SM that waits in a collective is busy, while tensor cores
// and memory are not.
func (x *examination) busyWithNeither(f *finding) {
	if neither, e, ok := x.neither(); ok {
		f.speaksFor(0.75*ramp(neither, 0.2, 0.5), e)
		f.speaksAgainst(0.7*ramp(neither, 0.25, 0.05), e)
	}
}

// neither is the share of time in which a kernel ran and kept neither the tensor
// cores nor the memory as busy as they can be.
func (x *examination) neither() (float64, record.Evidence, bool) {
	if !x.activityKnown() {
		return 0, record.Evidence{}, false
	}
	g, busy := x.gpu, 1.0
	switch {
	case g.EngineActive != nil:
		busy = *g.EngineActive
	case g.SMActive != nil:
		busy = *g.SMActive
	}
	share := max(busy-max(*g.TensorActive/reachableFLOPs, *g.DRAMActive/reachableReads), 0)
	return share, x.gpuFact(fmt.Sprintf("the GPUs were busy %s of the time, yet tensor cores worked %s of it and memory %s", percent(busy), fraction(g.TensorActive), fraction(g.DRAMActive)),
		"busy_with_neither", &share, "share"), true
}
