package httpd

import (
	"sync"
	"time"

	"assay/internal/engine"
)

// collectEvery is how often the simulated exporters look, in the engine's time.
// dcgm-exporter's own default is 30 s; bench's levels are shorter than that.
const collectEvery = time.Second

// machine is the node under the engine as its exporters see it: GPUs, CPUs,
// network interfaces, and what is wrong with them.
type machine struct {
	cfg    engine.Config
	window time.Duration // of dcgm-exporter's counts of XIDs and clock events

	mu        sync.Mutex
	faults    Faults
	collected time.Duration // the engine's time of the latest look
	counters  engine.Counters
	gpus      []gpu
	node      node
}

// gpu is what differs between the GPUs of a machine.
type gpu struct {
	shows     engine.Device // at the latest look
	xid       int           // the last code; the driver keeps it
	doubleBit float64
	remapped  float64 // rows
	nvlink    float64 // errors of each kind
	energy    float64 // joules
	thermal   time.Duration
	brake     time.Duration
	capped    time.Duration
	xids      []moment
	reasons   []moment
}

// moment is something that an exporter saw: an XID or the bits of clock-event reasons.
type moment struct {
	at   time.Duration
	what uint64
}

// node is totals since the start.
type node struct {
	busy, pod       float64 // CPU seconds
	total           float64 // CPU seconds that there were
	periods, choked float64 // CFS periods, and throttled ones
	retransmits     float64
	drops           float64
	exceeded        float64
}

func newMachine(cfg engine.Config, window time.Duration, f Faults) *machine {
	m := &machine{cfg: cfg, window: window, gpus: make([]gpu, cfg.TP)}
	for i := range m.gpus {
		m.gpus[i].shows = cfg.Device(engine.Work{}, 0)
	}
	m.setFaults(f)
	return m
}

// setFaults replaces what is wrong. Counted errors happen when they are switched on.
func (m *machine) setFaults(f Faults) {
	m.mu.Lock()
	defer m.mu.Unlock()
	g := &m.gpus[min(f.GPU, len(m.gpus)-1)]
	if n := f.DoubleBitErrors - m.faults.DoubleBitErrors; n > 0 {
		g.doubleBit += float64(n)
	}
	if f.RowRemapFailure && !m.faults.RowRemapFailure {
		g.remapped++
	}
	m.faults = f
}

// faulty is the GPU that the faults are of.
func (m *machine) faulty() int { return min(m.faults.GPU, len(m.gpus)-1) }

// throttleOf is the clock that one GPU has: the engine's, or a fault of its own.
func (m *machine) throttleOf(i int) engine.Throttle {
	if t, ok := m.faults.throttle(); ok && i == m.faulty() {
		return t
	}
	return m.cfg.Throttle
}

// throttle is what heat or a power brake leaves of the clock, where a fault says so.
func (f Faults) throttle() (engine.Throttle, bool) {
	switch {
	case f.ThermalClock > 0:
		return engine.Throttle{Clock: f.ThermalClock}, true
	case f.BrakeClock > 0:
		return engine.Throttle{Clock: f.BrakeClock, Cause: engine.PowerBrake}, true
	}
	return engine.Throttle{}, false
}

// look is one collection at a time of the engine, with its counters until then.
func (m *machine) look(now time.Duration, c engine.Counters) {
	m.mu.Lock()
	defer m.mu.Unlock()
	span := now - m.collected
	if span <= 0 {
		return
	}
	work := c.Work.Minus(m.counters.Work)
	for i := range m.gpus {
		m.gpus[i].pass(m.show(work, span, m.throttleOf(i)), now, span, m.window)
	}
	g := &m.gpus[m.faulty()]
	g.nvlink += m.faults.NVLinkErrors * span.Seconds()
	if m.faults.XID > 0 {
		// A fault that is switched on recurs, so that the count in the window holds.
		g.xid = m.faults.XID
		g.xids = append(g.xids, moment{now, uint64(m.faults.XID)})
	}
	m.node.pass(m.faults, m.cfg, work, (c.FrontendCPU - m.counters.FrontendCPU).Seconds(), span.Seconds())
	m.collected, m.counters = now, c
}

func (m *machine) show(w engine.Work, span time.Duration, t engine.Throttle) engine.Device {
	cfg := m.cfg
	cfg.Throttle = t
	return cfg.Device(w, span)
}

// pass adds a span to a GPU's totals.
func (g *gpu) pass(d engine.Device, now, span, window time.Duration) {
	g.shows = d
	g.energy += d.Power * span.Seconds()
	switch {
	case d.Reasons&(engine.ReasonSWThermal|engine.ReasonHWThermal) != 0:
		g.thermal += span
	case d.Reasons&engine.ReasonPowerBrake != 0:
		g.brake += span
	case d.Reasons&engine.ReasonPowerCap != 0:
		g.capped += span
	}
	g.reasons = within(append(g.reasons, moment{now, d.Reasons}), now-window)
	g.xids = within(g.xids, now-window)
}

// within drops what was seen before.
func within(list []moment, since time.Duration) []moment {
	i := 0
	for i < len(list) && list[i].at <= since {
		i++
	}
	return append(list[:0], list[i:]...)
}

// nodeCPUs are those of the simulated machine, as many as a g6e.4xlarge has.
const nodeCPUs = 16

// cfsPeriods are those of the Linux scheduler in a second.
const cfsPeriods = 10

// idleCores is what a node's daemons use. Ours.
const idleCores = 0.3

// pass adds a span, seconds, to the node's totals. The container uses what its API
// server does, and a core for each GPU's worker while the engine works.
func (n *node) pass(f Faults, cfg engine.Config, w engine.Work, frontend, seconds float64) {
	workers := min((w.Busy()+w.Host).Seconds(), seconds) * float64(cfg.TP)
	pod := min(frontend+workers, nodeCPUs*seconds)
	n.pod += pod
	n.busy += min(pod+idleCores*seconds, nodeCPUs*seconds)
	n.total += nodeCPUs * seconds
	n.periods += cfsPeriods * seconds
	n.choked += cfsPeriods * seconds * f.CFSThrottled
	n.retransmits += f.EFARetransmits * seconds
	n.drops += f.EFADrops * seconds
	n.exceeded += f.ENAExceeded * seconds
}
