// Package facts holds what is known about hardware as data: each number with
// its source and the date at which the source was read. It computes nothing
// and knows nothing of models or engines.
//
// Units: FLOP/s dense (without structured sparsity), bytes per second, bytes.
//
//	chip, err := facts.ChipNamed("H100")
package facts
