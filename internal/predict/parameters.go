package predict

import (
	"math"

	"assay/internal/engine"
	"assay/internal/facts"
)

// Model is what predictions rest on: coefficients of steps, of serving, and the
// correction by what was measured.
type Model struct {
	Steps      engine.Fit
	Serving    map[string]Serving // by engine
	Correction *Correction        // nil: none
	Bars       Bars
}

// serving is an engine's, or vLLM's for one that was not measured.
func (m *Model) serving(name string) Serving {
	if v, ok := m.Serving[name]; ok {
		return v
	}
	return m.Serving["vllm"]
}

// seconds is what the fitted form alone says of a flow.
func (m *Model) seconds(f *flow, name string, c facts.Chip) seconds {
	return f.steady(m.Steps.Of(name, c), m.serving(name))
}

// Those that were measured, in the order of the parameters.
var (
	measuredEngines       = []string{"vllm", "sglang", "trtllm"}
	measuredArchitectures = []string{"hopper", "blackwell"}
)

// parameter is one coefficient of the fit: where it starts and where it goes.
// Coefficients of one name are shrunk towards one another.
type parameter struct {
	name  string
	start float64
	most  float64 // 0: no bound but the distance from the start
	set   func(*coefficientSet, float64)

	serving bool // says how TTFT follows from steps, nothing of the steps
}

// coefficientSet is what a vector of parameters stands for.
type coefficientSet struct {
	engines [3]engine.Coefficients
	chips   [2]engine.Coefficients
	common  engine.Coefficients
	serving [3]Serving
	waiting float64
}

// parameters in order. Starts are what data sheets, BLIS's fit and experience of
// kernels suggest; the fit is held near them by a weak prior.
var parameters = listParameters()

// mostOf are the shares of a data sheet beyond which no kernel comes.
var mostOf = map[string]float64{"read": 0.95, "kv read": 0.95, "expert read": 0.95, "decode": 0.9, "expert decode": 0.9,
	"prefill": 0.75, "expert prefill": 0.75, "prompt overhead": 1, "link": 0.9}

var ofServing = map[string]bool{"request": true, "steps": true, "prompts": true, "others": true, "waiting": true}

func listParameters() []parameter {
	var out []parameter
	add := func(name string, start float64, set func(*coefficientSet, float64)) {
		out = append(out, parameter{name: name, start: start, most: mostOf[name], set: set, serving: ofServing[name]})
	}
	for i := range measuredEngines {
		add("step", 0.5e-3, func(c *coefficientSet, v float64) { c.engines[i].Step = v })
		add("layer", 40e-6, func(c *coefficientSet, v float64) { c.engines[i].Layer = v })
		add("expert layer", 28e-6, func(c *coefficientSet, v float64) { c.engines[i].ExpertLayer = v })
		add("sequence", 8e-6, func(c *coefficientSet, v float64) { c.engines[i].Sequence = v })
		add("expert read", 0.7, func(c *coefficientSet, v float64) { c.engines[i].ExpertRead = v })
		add("prompt overhead", 0.8, func(c *coefficientSet, v float64) { c.engines[i].Prefill = v })
		add("request", 0.06, func(c *coefficientSet, v float64) { c.serving[i].Request = v })
		add("steps", 1, func(c *coefficientSet, v float64) { c.serving[i].Steps = v })
		add("prompts", 1, func(c *coefficientSet, v float64) { c.serving[i].Prompts = v })
		add("others", 0.1, func(c *coefficientSet, v float64) { c.serving[i].Others = v })
	}
	for i := range measuredArchitectures {
		add("read", 0.8, func(c *coefficientSet, v float64) { c.chips[i].Read = v })
		add("kv read", 0.6, func(c *coefficientSet, v float64) { c.chips[i].KVRead = v })
		add("decode", 0.4, func(c *coefficientSet, v float64) { c.chips[i].Decode = v })
		add("expert decode", 0.3, func(c *coefficientSet, v float64) { c.chips[i].ExpertDecode = v })
		add("prefill", 0.6, func(c *coefficientSet, v float64) { c.chips[i].Prefill = v })
		add("expert prefill", 0.3, func(c *coefficientSet, v float64) { c.chips[i].ExpertPrefill = v })
		add("all-reduce", 5e-6, func(c *coefficientSet, v float64) { c.chips[i].AllReduce = v })
	}
	add("link", 0.7, func(c *coefficientSet, v float64) { c.common.Link = v })
	add("dispatch", 6e-6, func(c *coefficientSet, v float64) { c.common.Dispatch = v })
	add("imbalance", 0.1, func(c *coefficientSet, v float64) { c.common.Imbalance = v })
	add("state layer", 10e-6, func(c *coefficientSet, v float64) { c.common.StateLayer = v })
	add("waiting", 0.5, func(c *coefficientSet, v float64) { c.waiting = v })
	return out
}

// startingPoint is the logarithm of each parameter's start.
func startingPoint() []float64 {
	out := make([]float64, len(parameters))
	for i, p := range parameters {
		out[i] = math.Log(p.start)
	}
	return out
}

// modelOf is the model that logarithms of parameters stand for.
func modelOf(logs []float64) *Model {
	var c coefficientSet
	for i, p := range parameters {
		p.set(&c, math.Exp(logs[i]))
	}
	m := &Model{Serving: map[string]Serving{}}
	m.Steps = engine.Fit{Engines: map[string]engine.Coefficients{}, Architectures: map[string]engine.Coefficients{}, Common: c.common}
	for i, name := range measuredEngines {
		m.Steps.Engines[name] = c.engines[i]
		c.serving[i].Waiting = c.waiting
		m.Serving[name] = c.serving[i]
	}
	for i, name := range measuredArchitectures {
		m.Steps.Architectures[name] = c.chips[i]
	}
	return m
}
