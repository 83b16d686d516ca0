package lab

import (
	"time"

	"assay/internal/engine"
	"assay/internal/record"
)

// vary changes a system in ways that rules do not model: noise, mixed lengths,
// shared prefixes, and a second bottleneck near the first.
func (b *builder) vary(bound string) {
	w := &b.rig.work
	b.rig.engine.Jitter = b.between(0.02, 0.2)
	if b.chance(0.6) {
		w.promptCV, w.outputCV = b.between(0.2, 0.9), b.between(0.2, 0.8)
	}
	if b.chance(0.3) && w.shared == 0 {
		b.rig.engine.NoPrefixCache = false
		w.shared = int(b.between(0.1, 0.5) * float64(w.prompt))
	}
	if b.chance(0.3) {
		b.view.samples = 3 + b.IntN(4)
	}
	if b.chance(0.4) {
		b.view.noise *= 3
	}
	if b.chance(0.05) { // nothing but the client's own figures, and the GPUs' where they are
		b.view.server = false
	}
	if b.chance(0.15) && len(b.view.xids) == 0 { // of an application, or long past
		b.view.xids = []record.XID{{GPU: "0", Code: []int{13, 31, 43, 45, 94}[b.IntN(5)], Sticky: true}}
	}
	if b.chance(0.5) && bound != record.BoundClient && bound != record.BoundCold {
		b.second()
	}
}

// second adds a mild form of something else.
func (b *builder) second() {
	e := &b.rig.engine
	switch b.IntN(7) {
	case 0:
		if e.MaxNumSeqs == 0 {
			e.MaxNumSeqs = max(2, int(b.between(0.3, 0.9)*float64(b.top)))
		}
	case 1:
		if !e.Throttle.On() {
			e.Throttle = engine.Throttle{Clock: b.between(0.85, 0.97)}
		}
	case 2:
		e.Overheads.Step += b.span(time.Millisecond, 6*time.Millisecond)
	case 3:
		b.rig.path.delay += b.span(5*time.Millisecond, 80*time.Millisecond)
	case 4:
		e.Frontend.Workers, e.Frontend.OutputToken = 1+b.IntN(2), b.span(20*time.Microsecond, 150*time.Microsecond)
	case 5:
		if e.MaxBatchedTokens == 0 {
			e.MaxBatchedTokens = b.count(512, 4096)
		}
	case 6:
		e.BandwidthScale, e.ComputeScale = b.between(0.7, 1.2), b.between(0.7, 1.2)
	}
}
