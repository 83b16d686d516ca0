package diagnose

import (
	"fmt"

	"assay/internal/facts"
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

// xidWeight is how far a code convinces. One that the exporter keeps may be of
// long ago; one of the application's is no fault of the GPU.
func xidWeight(x record.XID) (float64, string) {
	meaning := ""
	known, ok := facts.XIDOf(x.Code)
	if ok {
		meaning = ": " + known.Meaning
	}
	switch {
	case known.Fatal && x.Sticky:
		return 0.5, meaning + "; perhaps of before, since the exporter keeps the last code"
	case known.Fatal:
		return 0.9, meaning
	case x.Sticky || known.Severity == facts.XIDInfo:
		return 0, meaning
	}
	return 0.2, meaning
}

// evidence is an incident as a fact.
func (i Incident) evidence() record.Evidence {
	return record.Evidence{Fact: i.Object + ": " + i.Fact, Metric: i.Kind, Source: i.Source}
}
