package coldstart

import (
	"fmt"

	"assay/internal/calibrate"
	"assay/internal/facts"
	"assay/internal/figure"
	"assay/internal/plan/storage"
)

// enginePhases are what the engine does after the weights are loaded, and before.
func (r Request) enginePhases(w with) []Phase {
	cold := []Phase{
		taken(Init, facts.EngineInit, "process, imports, profiling, KV cache"),
		taken(Compile, facts.EngineCompile, "Dynamo and torch.compile"),
		taken(Graphs, facts.EngineGraphs, "CUDA graphs"),
	}
	if w[CompileCache] {
		cold = []Phase{
			taken(Init, facts.CachedInit, "process, imports, profiling, KV cache; kernels from the cache"),
			taken(Compile, facts.CachedCompile, "Dynamo, and graphs read from the cache"),
			taken(Graphs, facts.CachedGraphs, "CUDA graphs; their kernels from the cache"),
		}
	}
	for i, p := range cold {
		if m, ok := r.measured(w, p.Name); ok {
			cold[i] = m
		}
	}
	return cold
}

// measured is a phase as the engine's log gives it. A log of a start with its
// compiled graphs in the cache says nothing of one without, and the other way round;
// its load is by the loader and the place that it was taken with.
func (r Request) measured(w with, phase string) (Phase, bool) {
	if r.Log == nil {
		return Phase{}, false
	}
	_, warm := r.Log.Of(calibrate.FromCache)
	if phase != Load && warm != w[CompileCache] {
		return Phase{}, false
	}
	compile, hasCompile := r.first(calibrate.CompileTotal, calibrate.Compile, calibrate.FromCache)
	graphs, hasGraphs := r.Log.Of(calibrate.GraphTime)
	switch phase {
	case Load:
		if s, ok := r.first(calibrate.LoadModel, calibrate.LoadWeights); ok && !w[Stream] && !w[Decouple] && !w[Lazy] && !w[Snapshot] && !w[SnapshotFast] {
			return fromLog(Load, figure.Exactly(s), "as logged"), true
		}
	case Compile:
		return fromLog(Compile, figure.Exactly(compile), "as logged"), hasCompile
	case Graphs:
		return fromLog(Graphs, figure.Exactly(graphs), "as logged"), hasGraphs
	case Init:
		whole, ok := r.Log.Of(calibrate.InitEngine)
		rest := whole - compile - graphs
		if !ok || rest < 0 {
			return Phase{}, false
		}
		s := figure.Between(facts.EngineProcess).Plus(figure.Exactly(rest))
		p := fromLog(Init, s, fmt.Sprintf("engine initialised in %.1f s as logged, less compiling and graphs, and what comes before its clock starts", whole))
		p.Kind, p.inputs = figure.Estimated, []figure.Input{{Name: "before the log's clock", Value: facts.EngineProcess.Mid, Unit: "s", Source: facts.EngineProcess.Source}}
		return p, true
	}
	return Phase{}, false
}

// refuse tells a log whose load is faster than the place of the weights can be: they
// were cached, came from elsewhere, or the log is of another machine.
func (r Request) refuse() error {
	if r.Log == nil {
		return nil
	}
	s, ok := r.first(calibrate.LoadModel, calibrate.LoadWeights)
	p := r.place(with{})
	most := p.rate.High
	if p.cached {
		most = max(most, facts.CachedLoader.High)
	}
	if got := float64(r.Weights) / s; ok && got > 1.05*most {
		return fmt.Errorf("the log's load of %.1f s is %s, and %s gives a node at most %s (%s): were the weights cached, or did they come from elsewhere?",
			s, storage.Rate(got), r.From, storage.Rate(most), p.binding)
	}
	return nil
}

// first is the first of several readings that the log has.
func (r Request) first(of ...calibrate.Quantity) (float64, bool) {
	for _, q := range of {
		if s, ok := r.Log.Of(q); ok {
			return s, true
		}
	}
	return 0, false
}

func fromLog(name string, s figure.Range, formula string) Phase {
	return Phase{Name: name, Seconds: s, Kind: figure.Measured, Formula: formula, Source: facts.Source{Title: "the engine's start-up log"}}
}
