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
	seen := map[string]bool{}
	for i := len(x.levels) - 1; i >= 0; i-- { // the highest load first: a fault counts once
		if g := x.levels[i].GPU; g != nil {
			f.faultsOf(g, "level "+x.levels[i].ID+", dcgm", seen)
		}
	}
	x.failedBeside(&f)
	for _, i := range x.Incidents {
		if i.Kind == AcceleratorUnhealthy {
			f.speaksFor(0.85, i.evidence())
		}
	}
	x.harmless(&f)
	return f
}

// harmless speaks, though not much, against a fault that throughput does not show:
// it grows with load and nothing waits. Such a GPU is to be replaced all the same.
func (x *examination) harmless(f *finding) {
	waiting, known := x.queue()
	if len(f.pro) == 0 || x.top == nil || !known || waiting || x.sat == nil || x.sat.Saturated || len(x.sat.Elasticities) == 0 {
		return
	}
	e := x.lastElasticity()
	f.speaksAgainst(0.18*ramp(x.endElasticity(e), x.at(grows), x.at(growsWell)), elasticityFact(e))
}

// failedBeside weighs requests that failed while a GPU reported errors: with those
// the error is of now, whatever the exporter keeps.
func (x *examination) failedBeside(f *finding) {
	if len(f.pro) == 0 {
		return
	}
	for _, l := range x.levels {
		if n := float64(l.Requests.Failed); n > 0 {
			f.speaksFor(0.5*ramp(n/float64(l.Requests.Total()), 0, 0.05), record.Evidence{Fact: "requests failed meanwhile", Metric: "requests.failed", Value: &n, Unit: "requests", Source: "level " + l.ID})
			return
		}
	}
}

// faultsOf adds the faults that one level shows and no other did.
func (f *finding) faultsOf(g *record.GPU, source string, seen map[string]bool) {
	add := func(what string, weight float64, e record.Evidence) {
		if !seen[what] && weight >= slight {
			seen[what] = true
			f.speaksFor(weight, e)
		}
	}
	for _, code := range g.XIDs {
		weight, remark := xidWeight(code)
		value := float64(code.Code)
		add(fmt.Sprint("xid ", code.GPU, code.Code), weight, record.Evidence{Fact: fmt.Sprintf("XID %d on GPU %s%s (`assay explain xid %d`)", code.Code, code.GPU, remark, code.Code),
			Metric: "xid", Value: &value, Unit: "code", Source: source})
	}
	if n := g.DoubleBitErrors; n != nil && *n > 0 {
		add("ecc", 0.85, record.Evidence{Fact: "double-bit ECC errors", Metric: "double_bit_errors", Value: n, Unit: "errors", Source: source})
	}
	if n := g.RemapFailures; n != nil && *n > 0 {
		add("remap", 0.85, record.Evidence{Fact: "a row of the GPU's memory could not be remapped", Metric: "row_remap_failures", Value: n, Unit: "errors", Source: source})
	}
	if n := g.NVLinkErrors; n != nil && *n > 0 {
		add("nvlink", 0.3+0.4*ramp(*n, 1, 20), record.Evidence{Fact: "errors on the links between GPUs", Metric: "nvlink_errors", Value: n, Unit: "errors", Source: source})
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
		return 0.55, meaning + "; perhaps of before, since the exporter keeps the last code"
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
