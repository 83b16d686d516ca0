package figure

import (
	"math"

	"assay/internal/facts"
)

// Kind says how a number came about.
type Kind string

// Kinds, the strongest first.
const (
	Measured  Kind = "measured"  // on the user's own system
	Computed  Kind = "computed"  // follows exactly from its inputs
	Quoted    Kind = "quoted"    // from a data sheet, a price list, documentation
	Simulated Kind = "simulated" // by the engine in virtual time
	Estimated Kind = "estimated" // by a fitted model or a rule, with a range
)

// Range is a number with its error bar. Low ≤ Mid ≤ High, in one unit.
type Range struct {
	Low  float64 `json:"low"`
	Mid  float64 `json:"mid"`
	High float64 `json:"high"`
}

// Exactly is a range of one number.
func Exactly(x float64) Range { return Range{x, x, x} }

// Between is a figure that was read as a range.
func Between(s facts.Spread) Range { return Range{s.Low, s.Mid, s.High} }

// Scale multiplies by a factor above 0.
func (r Range) Scale(k float64) Range { return Range{r.Low * k, r.Mid * k, r.High * k} }

// Plus adds ranges end to end: the widest that both allow.
func (r Range) Plus(o Range) Range { return Range{r.Low + o.Low, r.Mid + o.Mid, r.High + o.High} }

// Max is the later of two that go on at once.
func (r Range) Max(o Range) Range {
	return Range{math.Max(r.Low, o.Low), math.Max(r.Mid, o.Mid), math.Max(r.High, o.High)}
}

// Min is the less of two, such as the limits of a rate.
func (r Range) Min(o Range) Range {
	return Range{math.Min(r.Low, o.Low), math.Min(r.Mid, o.Mid), math.Min(r.High, o.High)}
}

// Inverse is numerator divided by the range: its ends change places.
func (r Range) Inverse(numerator float64) Range {
	return Range{numerator / r.High, numerator / r.Mid, numerator / r.Low}
}

// Known says whether the range holds numbers.
func (r Range) Known() bool {
	return !math.IsNaN(r.Low+r.Mid+r.High) && !math.IsInf(r.Low+r.Mid+r.High, 0)
}

// Input is one number that a formula takes.
type Input struct {
	Name   string       `json:"name"`
	Value  float64      `json:"value"`
	Unit   string       `json:"unit,omitempty"`
	Source facts.Source `json:"source,omitzero"`
}

// Figure is a number with all that defends it.
type Figure struct {
	Name    string       `json:"name"`
	Value   float64      `json:"value"`
	Unit    string       `json:"unit,omitempty"`
	Range   *Range       `json:"range,omitempty"` // nil: exact, or not known how far off
	Kind    Kind         `json:"kind"`
	Formula string       `json:"formula,omitempty"`
	Inputs  []Input      `json:"inputs,omitempty"`
	Source  facts.Source `json:"source,omitzero"`
}
