// Package facts holds what is known about hardware as data (chips, the error
// codes of NVIDIA's driver, what lowers a GPU's clocks), with source and date of
// reading. It computes nothing and knows nothing of models or engines.
//
// Units: FLOP/s dense (without structured sparsity), bytes per second, bytes.
//
//	chip, err := facts.ChipNamed("H100")
//	xid, ok := facts.XIDOf(79)
package facts
