package diagnose

import (
	"fmt"

	"assay/internal/record"
)

// network: more time passes between client and server than the server explains.
func (x *examination) network() finding {
	f := finding{verdict: record.BoundNetwork,
		change: &record.Change{Text: "put client and server into one zone and measure past proxy and ingress; a larger instance where an allowance is exceeded"},
		next:   "measure from a pod beside the server: the client's mean TTFT and end-to-end time should come near the server's, and throughput should rise"}
	if x.Service {
		return x.allowance(f)
	}
	p := x.parts
	if part, ok := ratio(p.network, p.whole); ok {
		e := x.networkFact(part)
		if *p.network >= x.at(networkFloor) {
			f.speaksFor(0.75*ramp(part, x.at(networkShare)/3, x.at(networkShare)), e)
		}
		f.speaksAgainst(0.6*ramp(part, x.at(networkShare)/3, 0), e)
	} else if x.server != nil {
		f.lacks("the server's own end-to-end time, to subtract it from the client's")
	}
	if v := p.outside; v != nil {
		f.speaksFor(0.35*ramp(*v, x.at(outsideShare)/2, x.at(outsideShare)), x.outsideFact())
	}
	if s := x.server; s != nil && s.ProcessCPU != nil {
		f.speaksAgainst(0.5*ramp(*s.ProcessCPU, x.at(apiCPU)*0.75, x.at(apiCPU)), x.fact(fmt.Sprintf("the API process used %.2f cores, and may read its sockets late", *s.ProcessCPU), "process_cpu_cores", s.ProcessCPU, "cores"))
	}
	x.engineQueue(&f)
	return x.allowance(f)
}

func (x *examination) networkFact(part float64) record.Evidence {
	return x.clientFact(fmt.Sprintf("%s of a request's time passed between client and server (means of both subtracted)", percent(part)), "network_ms", *x.parts.network, "ms")
}

// allowance: the instance's network interface drops or delays what is over its allowance.
func (x *examination) allowance(f finding) finding {
	if n := x.node; n != nil && n.AllowanceExceeded != nil {
		f.speaksFor(0.5*ramp(*n.AllowanceExceeded, 0.1, 10), x.nodeFact(fmt.Sprintf("%.3g packets a second were over the instance's network allowance", *n.AllowanceExceeded), "ena_allowance_exceeded_per_s", n.AllowanceExceeded, "packets/s"))
	}
	return f
}
