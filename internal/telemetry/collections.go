package telemetry

import (
	"cmp"
	"maps"
	"strings"
	"time"

	"assay/internal/record"
	"assay/internal/stats"
)

// FoldCollections is FoldGPU of a span whose exporter collects in its own time:
// what it shows is of the time before its last collection. Means are of the
// collections whose time lies within the span, so it takes two; with fewer, Coarse
// says so, and only what is counted or stands is given.
func FoldCollections(snapshots []Snapshot) *record.GPU {
	g := FoldGPU(snapshots)
	if g == nil {
		return nil
	}
	fresh := collections(snapshots)
	g.CollectS = collectInterval(fresh)
	if len(fresh) < 2 {
		withoutMeans(g, len(fresh))
		return g
	}
	m := FoldGPU(fresh[1:])
	if m == nil {
		return g
	}
	g.Samples = m.Samples
	for _, f := range []struct{ to, from **float64 }{
		{&g.EngineActive, &m.EngineActive}, {&g.SMActive, &m.SMActive}, {&g.TensorActive, &m.TensorActive}, {&g.DRAMActive, &m.DRAMActive},
		{&g.PCIeBytesPerS, &m.PCIeBytesPerS}, {&g.SMClockMHz, &m.SMClockMHz}, {&g.PowerW, &m.PowerW},
		{&g.ThermalShare, &m.ThermalShare}, {&g.BrakeShare, &m.BrakeShare}, {&g.PowerCapShare, &m.PowerCapShare},
	} {
		// What one collection cannot say, such as a rate, is taken over the span.
		*f.to = cmp.Or(*f.from, *f.to)
	}
	return g
}

// collections are the snapshots that first show another collection than the one
// before; the span's first shows one of before the span.
func collections(snapshots []Snapshot) []Snapshot {
	var out []Snapshot
	var last map[string]float64
	for _, s := range holding(snapshots, "dcgm") {
		values := s.Values()
		if last != nil && Collected(last, values) {
			out = append(out, s)
		}
		last = values
	}
	return out
}

// Collected reports whether an exporter of GPUs shows another collection than it
// did. The process of the exporter itself moves all the time.
func Collected(was, is map[string]float64) bool {
	return !maps.Equal(ofGPUs(was), ofGPUs(is))
}

func ofGPUs(values map[string]float64) map[string]float64 {
	out := map[string]float64{}
	for key, v := range values {
		if metric, _, _ := strings.Cut(key, "{"); known[metric].name.Engine == "dcgm" {
			out[key] = v
		}
	}
	return out
}

// collectInterval is the median time between collections, seconds.
func collectInterval(fresh []Snapshot) *float64 {
	var gaps []float64
	for i := 1; i < len(fresh); i++ {
		gaps = append(gaps, float64(fresh[i].At.Sub(fresh[i-1].At))/float64(time.Second))
	}
	if len(gaps) == 0 {
		return nil
	}
	m := stats.Median(gaps)
	return &m
}

func withoutMeans(g *record.GPU, seen int) {
	times := "not once"
	if seen == 1 {
		times = "once"
	}
	g.Coarse = "GPU metrics too coarse: the exporter collected " + times + " meanwhile, and means take two collections (its interval is 30 s unless set; -c 1000 or DCGM_EXPORTER_INTERVAL=1000 makes it 1 s; --duration makes a level longer, --for or --window a look)"
	g.EngineActive, g.SMActive, g.TensorActive, g.DRAMActive = nil, nil, nil, nil
	g.PCIeBytesPerS, g.NVLinkBytesPerS, g.SMClockMHz, g.PowerW = nil, nil, nil, nil
	g.ThermalShare, g.BrakeShare, g.PowerCapShare = nil, nil, nil
}
