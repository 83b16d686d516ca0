package coldstart

import (
	"assay/internal/facts"
	"assay/internal/figure"
)

// Names of phases, in the order in which they come.
const (
	Node    = "node"
	Pull    = "pull"
	Unpack  = "unpack"
	Fetch   = "fetch"
	Reads   = "first reads"
	Load    = "load"
	Init    = "init"
	Compile = "compile"
	Graphs  = "graphs"
)

// Phase is a part of a start. Phases follow one another.
type Phase struct {
	Name    string         `json:"name"`
	Seconds figure.Range   `json:"s"`
	Kind    figure.Kind    `json:"kind"`
	Formula string         `json:"formula"`
	Binding string         `json:"binds,omitempty"` // the limit that binds a transfer
	Source  facts.Source   `json:"source"`
	inputs  []figure.Input // of the formula
}

func (p Phase) figure(of string) figure.Figure {
	return figure.Figure{
		Name: of + ", " + p.Name, Value: p.Seconds.Mid, Unit: "s", Range: &p.Seconds, Kind: p.Kind, Formula: p.Formula, Inputs: p.inputs, Source: p.Source,
	}
}

// taken is a phase whose time was read as a range.
func taken(name string, s facts.Spread, formula string) Phase {
	return Phase{Name: name, Seconds: figure.Between(s), Kind: figure.Estimated, Formula: formula, Source: s.Source}
}

// over is the time for an amount at a rate: a larger amount takes longer, a faster
// rate less.
func over(amount, rate figure.Range) figure.Range {
	return figure.Range{Low: amount.Low / rate.High, Mid: amount.Mid / rate.Mid, High: amount.High / rate.Low}
}

// times multiplies ranges of amounts.
func times(a, b figure.Range) figure.Range {
	return figure.Range{Low: a.Low * b.Low, Mid: a.Mid * b.Mid, High: a.High * b.High}
}

func bytes(n int64) figure.Range { return figure.Exactly(float64(n)) }

func amount(name string, r figure.Range) figure.Input {
	return figure.Input{Name: name, Value: r.Mid, Unit: "bytes"}
}

func rate(name string, r figure.Range, source facts.Source) figure.Input {
	return figure.Input{Name: name, Value: r.Mid, Unit: "bytes/s", Source: source}
}
