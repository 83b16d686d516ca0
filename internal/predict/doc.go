// Package predict knows how quickly a system serves a load before anyone has
// measured it: TTFT, ITL and throughput at one load, and the curve up to its knee,
// each with the range that nine measured points in ten fall into.
//
// The time of a step is engine's, with coefficients fitted to published
// measurements by engine family and chip generation; what such measurements near
// the system at hand say beside it is added as a correction that fades with
// distance. docs/prediction.md has the form, the fit and its cross-validation.
//
// Units: milliseconds, tokens, tokens per second.
//
//	p, err := predict.At(system, predict.Load{Concurrency: 32, ISL: 1000, OSL: 300})
//	p.ITL.Low, p.ITL.Mid, p.ITL.High
package predict
