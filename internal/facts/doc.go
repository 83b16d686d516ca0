// Package facts holds what is known about hardware as data (chips, EC2's accelerated
// instance types, the limits and list prices of AWS storage, published cold starts, the
// error codes of NVIDIA's driver, what lowers a GPU's clocks), with source and date of
// reading. It computes nothing and knows nothing of models, instances' prices or
// engines.
//
// Units: FLOP/s dense (without structured sparsity), bytes per second, bytes.
//
//	chip, err := facts.ChipNamed("h100_sxm")
//	instance, err := facts.InstanceNamed("g5.12xlarge")
//	xid, ok := facts.XIDOf(79)
package facts
