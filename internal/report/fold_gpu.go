package report

import (
	"time"

	"assay/internal/record"
	"assay/internal/telemetry"
)

// gpuBin is what the exporters of GPUs showed within one bin.
type gpuBin struct{ sm, tensor, dram, clock, power gauge }

// gpuSeen is the last line of an exporter.
type gpuSeen struct {
	level string
	us    int64
}

// addGPU puts a collection of an exporter into the bins of the span that it is
// of: since the collection before it. A level's first line is of before the level.
func (t *timeline) addGPU(m record.MetricsSample) {
	if t.gpus == nil {
		t.gpus = map[string]gpuSeen{}
	}
	last := t.gpus[m.Source]
	t.gpus[m.Source] = gpuSeen{m.Level, m.AtUS}
	if m.Edge == "start" || last.level != m.Level || len(m.Values) == 0 {
		return
	}
	snap, err := telemetry.FromValues(time.Time{}, m.Values)
	if err != nil {
		return
	}
	g := telemetry.FoldGPU([]telemetry.Snapshot{snap})
	if g == nil {
		return
	}
	first := t.at(last.us)
	for us := m.AtUS; us > last.us; us -= t.width.Microseconds() {
		if b := t.at(us); b != nil && (b != first || last.us == 0) {
			b.addGPU(g)
		}
	}
}

func (b *bin) addGPU(g *record.GPU) {
	if b.gpu == nil {
		b.gpu = &gpuBin{}
	}
	for _, q := range []struct {
		v  *float64
		to *gauge
	}{{g.SMActive, &b.gpu.sm}, {g.TensorActive, &b.gpu.tensor}, {g.DRAMActive, &b.gpu.dram}, {g.SMClockMHz, &b.gpu.clock}, {g.PowerW, &b.gpu.power}} {
		if q.v != nil {
			q.to.add(*q.v)
		}
	}
}

// gpu is the mean of one of the GPUs' quantities in a bin.
func (b *bin) gpuMean(pick func(*gpuBin) *gauge) (float64, bool) {
	if b.gpu == nil {
		return 0, false
	}
	g := pick(b.gpu)
	if g.n == 0 {
		return 0, false
	}
	return g.mean(), true
}

// gpuStrips are the GPUs over time.
func (t *timeline) gpuStrips() []strip {
	of := func(scale float64, pick func(*gpuBin) *gauge) []float64 {
		return t.values(func(b *bin) (float64, bool) {
			v, ok := b.gpuMean(pick)
			return scale * v, ok
		})
	}
	return []strip{
		{Title: "GPU: active, %", Series: []line{
			{Name: "SM", Class: "s1", Values: of(100, func(g *gpuBin) *gauge { return &g.sm })},
			{Name: "DRAM", Class: "s2", Values: of(100, func(g *gpuBin) *gauge { return &g.dram })},
			{Name: "tensor", Class: "s3", Values: of(100, func(g *gpuBin) *gauge { return &g.tensor })}}},
		{Title: "GPU: SM clock, MHz", Series: []line{{Name: "clock of the worst", Class: "s1", Values: of(1, func(g *gpuBin) *gauge { return &g.clock })}}},
		{Title: "GPU: power, W", Series: []line{{Name: "power of the worst", Class: "s1", Area: true, Values: of(1, func(g *gpuBin) *gauge { return &g.power })}}},
	}
}
