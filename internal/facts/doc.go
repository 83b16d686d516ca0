// Package facts holds what is known about hardware as data, chips and the error
// codes of NVIDIA's driver, each with its source and the date at which the
// source was read. It computes nothing and knows nothing of models or engines.
//
// Units: FLOP/s dense (without structured sparsity), bytes per second, bytes.
//
//	chip, err := facts.ChipNamed("H100")
//	xid, ok := facts.XIDOf(79)
package facts
