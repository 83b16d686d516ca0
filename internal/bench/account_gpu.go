package bench

import (
	"cmp"
	"slices"

	"assay/internal/record"
)

// mergeGPUs is one account of the GPUs behind several exporters: means over all
// GPUs, and of the one that fares worst what belongs to it.
func mergeGPUs(list []record.GPU) *record.GPU {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return &list[0]
	}
	worst := slices.MinFunc(list, func(a, b record.GPU) int { return cmp.Compare(fitness(a), fitness(b)) })
	out := worst
	weights := make([]float64, len(list))
	out.Count, out.XIDs = 0, nil
	for i, g := range list {
		weights[i] = float64(g.Count)
		out.Count += g.Count
		out.Samples = min(out.Samples, g.Samples)
		out.XIDs = append(out.XIDs, g.XIDs...)
		out.Coarse, out.Changed = cmp.Or(out.Coarse, g.Coarse), cmp.Or(out.Changed, g.Changed)
		if g.Model != out.Model {
			out.Model = "" // of several kinds
		}
	}
	field := func(of func(*record.GPU) **float64) []*float64 { return fields(list, of) }
	for _, of := range []func(*record.GPU) **float64{
		func(g *record.GPU) **float64 { return &g.EngineActive }, func(g *record.GPU) **float64 { return &g.SMActive },
		func(g *record.GPU) **float64 { return &g.TensorActive }, func(g *record.GPU) **float64 { return &g.DRAMActive },
		func(g *record.GPU) **float64 { return &g.PCIeBytesPerS }, func(g *record.GPU) **float64 { return &g.NVLinkBytesPerS },
	} {
		*of(&out) = weightedMean(field(of), weights)
	}
	for _, of := range []func(*record.GPU) **float64{
		func(g *record.GPU) **float64 { return &g.TempMaxC }, func(g *record.GPU) **float64 { return &g.ThermalShare },
		func(g *record.GPU) **float64 { return &g.BrakeShare }, func(g *record.GPU) **float64 { return &g.PowerCapShare },
		func(g *record.GPU) **float64 { return &g.CollectS },
	} {
		*of(&out) = largest(field(of))
	}
	for _, of := range []func(*record.GPU) **float64{
		func(g *record.GPU) **float64 { return &g.DoubleBitErrors }, func(g *record.GPU) **float64 { return &g.RemapFailures },
		func(g *record.GPU) **float64 { return &g.NVLinkErrors },
	} {
		*of(&out) = sum(field(of))
	}
	return &out
}

// fitness is how well a GPU that fares worst fares: the share of its clock that it
// holds, less the time in which heat or the brake held it back.
func fitness(g record.GPU) float64 {
	h := 1.0
	if g.SMClockMHz != nil && g.SMClockMaxMHz != nil && *g.SMClockMaxMHz > 0 {
		h = *g.SMClockMHz / *g.SMClockMaxMHz
	}
	for _, held := range []*float64{g.ThermalShare, g.BrakeShare} {
		if held != nil {
			h -= *held
		}
	}
	return h - float64(len(g.XIDs))
}
