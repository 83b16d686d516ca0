package bench

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"assay/internal/record"
	"assay/internal/stats"
	"assay/internal/telemetry"
)

// gpuAccount folds a level's scrapes of one exporter of GPUs, which collects in
// its own time: what it shows is of the span before its last collection. Means
// are of the collections whose span lies within the level, so it takes two; with
// fewer, only what is counted or stands is told.
func gpuAccount(start time.Time, samples []record.MetricsSample) *record.GPU {
	g := telemetry.FoldGPU(snapshotsOf(start, samples))
	if g == nil {
		return nil
	}
	fresh := collections(samples)
	g.CollectS = collectInterval(fresh)
	if len(fresh) < 2 {
		withoutMeans(g, len(fresh))
		return g
	}
	m := telemetry.FoldGPU(snapshotsOf(start, fresh[1:]))
	if m == nil {
		return g
	}
	g.Samples = m.Samples
	for _, f := range []struct{ to, from **float64 }{
		{&g.EngineActive, &m.EngineActive}, {&g.SMActive, &m.SMActive}, {&g.TensorActive, &m.TensorActive}, {&g.DRAMActive, &m.DRAMActive},
		{&g.PCIeBytesPerS, &m.PCIeBytesPerS}, {&g.SMClockMHz, &m.SMClockMHz}, {&g.PowerW, &m.PowerW},
		{&g.ThermalShare, &m.ThermalShare}, {&g.BrakeShare, &m.BrakeShare}, {&g.PowerCapShare, &m.PowerCapShare},
	} {
		// What one collection cannot say, such as a rate, is taken over the level.
		*f.to = cmp.Or(*f.from, *f.to)
	}
	return g
}

// collections are the samples that first show another collection than the one
// before; the level's first shows one of before the level.
func collections(samples []record.MetricsSample) []record.MetricsSample {
	var out []record.MetricsSample
	var last map[string]float64
	for _, s := range samples {
		if s.Error != "" || len(s.Values) == 0 {
			continue
		}
		if last != nil && collected(last, s.Values) {
			out = append(out, s)
		}
		last = s.Values
	}
	return out
}

// collectInterval is the median time between collections, seconds.
func collectInterval(fresh []record.MetricsSample) *float64 {
	var gaps []float64
	for i := 1; i < len(fresh); i++ {
		gaps = append(gaps, float64(fresh[i].AtUS-fresh[i-1].AtUS)/1e6)
	}
	if len(gaps) == 0 {
		return nil
	}
	m := stats.Median(gaps)
	return &m
}

func withoutMeans(g *record.GPU, seen int) {
	times := map[bool]string{true: "once", false: "not once"}[seen == 1]
	g.Coarse = fmt.Sprintf("GPU metrics too coarse: the exporter collected %s within the level, and means take two collections (its interval is 30 s unless set; -c 1000 or DCGM_EXPORTER_INTERVAL=1000 makes it 1 s, --duration the level longer)", times)
	g.EngineActive, g.SMActive, g.TensorActive, g.DRAMActive = nil, nil, nil, nil
	g.PCIeBytesPerS, g.NVLinkBytesPerS, g.SMClockMHz, g.PowerW = nil, nil, nil, nil
	g.ThermalShare, g.BrakeShare, g.PowerCapShare = nil, nil, nil
}

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
