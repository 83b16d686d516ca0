package diagnose

import (
	"fmt"

	"assay/internal/record"
)

// cpu: the host cannot feed the GPU, for one of three reasons.
func (x *examination) cpu() finding {
	return best([]finding{x.frontend(), x.hostGaps(), x.cfs()})
}

// frontend: the API process (HTTP, tokenizer, detokenizer) has no more CPU time.
func (x *examination) frontend() finding {
	f := finding{verdict: record.BoundCPU,
		change: &record.Change{Text: "more API processes, or more CPU for the container (requests and limits)", Flag: "--api-server-count", From: "1", To: "2"},
		next:   "start the server with --api-server-count 2 and measure again: throughput should rise, and the engine should hold more requests"}
	s := x.server
	if s == nil {
		return f
	}
	f.experiment = x.experiment(record.BoundCPU, record.OneToken)
	if v := s.ProcessCPU; v != nil {
		e := x.fact(fmt.Sprintf("the API process used %.2f cores", *v), "process_cpu_cores", v, "cores")
		f.speaksFor(0.6*ramp(*v, x.at(apiCPU)*0.75, x.at(apiCPU)), e)
		f.speaksAgainst(0.5*ramp(*v, x.at(apiCPU)*0.6, x.at(apiCPU)*0.3), e)
	} else {
		f.lacks("CPU of the API process (process_cpu_seconds_total, which is missing with several API servers)")
	}
	if part, ok := ratio(x.parts.frontend, s.E2EMean); ok {
		f.speaksFor(0.55*ramp(part, x.at(frontendShare)/2, x.at(frontendShare)), x.frontendFact(part))
		f.speaksAgainst(0.4*ramp(part, x.at(frontendShare)/3, 0), x.fact("hardly any of a request's time passed in the API process", "frontend_ms", x.parts.frontend, "ms"))
	}
	if v := x.parts.outside; v != nil {
		f.speaksFor(0.35*ramp(*v, x.at(outsideShare)/2, x.at(outsideShare)), x.outsideFact())
	}
	x.engineQueue(&f)
	return f
}

func (x *examination) frontendFact(part float64) record.Evidence {
	return x.fact(fmt.Sprintf("%s of a request's time passed in the API process, outside queue, prefill and decode", percent(part)), "frontend_ms", x.parts.frontend, "ms")
}

// engineQueue speaks against a limit in front of the engine: requests that wait
// in it have passed that.
func (x *examination) engineQueue(f *finding) {
	if waiting, known := x.queue(); known && waiting {
		f.speaksAgainst(0.5, x.queueFact())
	}
}

// hostGaps: the GPU does nothing for part of the time although requests run.
func (x *examination) hostGaps() finding {
	f := finding{verdict: record.BoundCPU,
		change: &record.Change{Text: "faster or more cores for each GPU; CUDA graphs and asynchronous scheduling left on, as vLLM has them by default (no --enforce-eager, no --no-async-scheduling)"},
		next:   "measure on an instance with faster cores, or look at the engine's process with a profiler: the time between steps should be the host's"}
	s, g := x.server, x.gpu
	if g == nil || g.EngineActive == nil {
		if draw, e, ok := x.draw(); ok {
			f.speaksFor(0.55*ramp(draw, 0.5, 0.3), e)
			x.batchIsFree(&f)
			x.nothingShows(&f, 0.65)
			x.requestsElsewhere(&f)
		}
		f.lacks("how much of the time the GPU is busy (--dcgm URL: DCGM_FI_PROF_GR_ENGINE_ACTIVE)")
		return f
	}
	if s != nil && s.RunningMean != nil && *s.RunningMean < 1 {
		return f
	}
	idle := 1 - *g.EngineActive
	f.speaksFor(0.8*ramp(idle, x.at(engineIdle)/3, x.at(engineIdle)), x.gpuFact(fmt.Sprintf("the GPU did nothing %s of the time although requests ran", percent(idle)), "engine_active", g.EngineActive, "share"))
	x.launches(&f)
	x.batchIsFree(&f)
	x.nothingShows(&f, 0.65)
	x.requestsElsewhere(&f)
	return f
}

// launches weighs kernels too short to fill the GPU: alone, it waits in a kernel
// for nothing but the next launch. Several GPUs wait for one another as well.
func (x *examination) launches(f *finding) {
	g := x.gpu
	if x.tp() == 1 && g.SMActive != nil {
		empty := max(*g.EngineActive-*g.SMActive, 0)
		f.speaksFor(0.4*ramp(empty, x.at(engineIdle)/3, x.at(engineIdle)), x.gpuFact(fmt.Sprintf("for %s of the time a kernel was under way that kept no SM busy, as when launches take longer than kernels", percent(empty)), "sm_active", g.SMActive, "share"))
		if empty > x.at(engineIdle)/3 {
			return
		}
	}
	if *g.EngineActive >= x.at(engineBusy) {
		f.speaksAgainst(0.6, x.engineFact())
	}
}

// cfs: the container's CPU limit holds the server back.
func (x *examination) cfs() finding {
	f := finding{verdict: record.BoundCPU,
		change: &record.Change{Text: "raise the container's CPU limit, or drop it and keep the request", Flag: "resources.limits.cpu"},
		next:   "raise the CPU limit and measure again: throttled periods should be gone and throughput higher"}
	if x.node == nil || x.node.CFSThrottled == nil {
		f.lacks("throttled CPU periods of the container (--node URL: container_cpu_cfs_throttled_periods_total)")
		return f
	}
	v := x.node.CFSThrottled
	f.speaksFor(0.8*ramp(*v, x.at(cfsThrottled)/4, x.at(cfsThrottled)), x.nodeFact(fmt.Sprintf("the container's CPU limit held it back in %s of its periods", fraction(v)), "cfs_throttled_share", v, "share"))
	return f
}
