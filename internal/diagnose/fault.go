package diagnose

import (
	"fmt"

	"assay/internal/record"
)

// fault: a GPU or a link reported an error in one of the levels.
func (x *examination) fault() finding {
	f := finding{verdict: record.BoundFault,
		change: &record.Change{Text: "drain the node, let it be replaced, and measure on a healthy one"},
		next:   "measure on another node: throughput should be higher there, and no error counted"}
	for i := range x.levels {
		if g := x.levels[i].GPU; g != nil {
			f.faultsOf(g, "level "+x.levels[i].ID+", dcgm")
		}
	}
	for _, i := range x.Incidents {
		if i.Kind == AcceleratorUnhealthy {
			f.speaksFor(0.85, i.evidence())
		}
	}
	return f
}

func (f *finding) faultsOf(g *record.GPU, source string) {
	for _, code := range g.XIDs {
		weight, remark := xidWeight(code)
		value := float64(code.Code)
		f.speaksFor(weight, record.Evidence{Fact: fmt.Sprintf("XID %d on GPU %s%s (`assay explain xid %d`)", code.Code, code.GPU, remark, code.Code),
			Metric: "xid", Value: &value, Unit: "code", Source: source})
	}
	if n := g.DoubleBitErrors; n != nil && *n > 0 {
		f.speaksFor(0.85, record.Evidence{Fact: "double-bit ECC errors", Metric: "double_bit_errors", Value: n, Unit: "errors", Source: source})
	}
	if n := g.RemapFailures; n != nil && *n > 0 {
		f.speaksFor(0.85, record.Evidence{Fact: "a row of the GPU's memory could not be remapped", Metric: "row_remap_failures", Value: n, Unit: "errors", Source: source})
	}
	if n := g.NVLinkErrors; n != nil && *n > 0 {
		f.speaksFor(0.3+0.4*ramp(*n, 1, 20), record.Evidence{Fact: "errors on the links between GPUs", Metric: "nvlink_errors", Value: n, Unit: "errors", Source: source})
	}
}

// Codes after which a GPU cannot be trusted, as the EKS node monitoring agent
// sorts NVIDIA's catalogue (aws/eks-node-monitoring-agent, dcgm_policies.go, read
// 2026-11).
var fatalXIDs = map[int]bool{46: true, 48: true, 54: true, 62: true, 63: true, 64: true, 74: true, 79: true, 95: true, 109: true, 110: true,
	119: true, 120: true, 136: true, 140: true, 142: true, 143: true, 151: true, 155: true, 156: true, 158: true}

// xidWeight is how far a code convinces. One that the exporter keeps may be of
// long ago; one of the application's is no fault of the GPU.
func xidWeight(x record.XID) (float64, string) {
	switch fatal := fatalXIDs[x.Code]; {
	case fatal && x.Sticky:
		return 0.5, ", perhaps of before: the exporter keeps the last code"
	case fatal:
		return 0.9, ""
	case x.Sticky:
		return 0, ""
	}
	return 0.2, ", most often the application's"
}

// evidence is an incident as a fact.
func (i Incident) evidence() record.Evidence {
	return record.Evidence{Fact: i.Object + ": " + i.Fact, Metric: i.Kind, Source: i.Source}
}
