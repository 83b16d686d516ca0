// Package figure knows numbers that can be defended: what each is (measured,
// simulated, estimated, quoted, computed), its range, the formula and the inputs
// behind it, and where they come from.
//
// It knows no subject of its own; those who compute a number describe it here.
//
//	figure.Figure{Name: "weights", Value: 16.06e9, Unit: "bytes", Kind: figure.Computed,
//		Formula: "Σ parameters × bytes each", Inputs: []figure.Input{{Name: "parameters", Value: 8.03e9}}}
package figure
