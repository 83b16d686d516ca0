package engine

import "time"

// Device is what the counters of one GPU show of a span of time, in DCGM's terms.
// All GPUs of a replica do the same.
//
// What real GPUs show and this follows: decode keeps the memory busy for half to
// four fifths of the time and the tensor cores for a few per cent; a prefill of
// thousands of tokens turns that round; while GPUs wait for one another in an
// all-reduce, kernels are active and neither memory nor tensor cores are. Where it
// is simpler: SMs count as busy at fixed shares of each kind of work, and power
// and temperature follow at once.
type Device struct {
	// Shares of time or cycles, 0..1.
	EngineActive float64
	SMActive     float64
	TensorActive float64
	DRAMActive   float64

	LinkSent, LinkReceived float64 // bytes per second to and from the other GPUs
	HostSent, HostReceived float64 // bytes per second over PCIe, to and from the host

	Utilization float64 // 0..1: whether any kernel ran, as nvidia-smi counts
	SMClock     float64 // MHz
	Power       float64 // watts
	Temperature float64 // °C
	Reasons     uint64  // clock-event reasons, the bits below
}

// Clock-event reasons, bits of DCGM_FI_DEV_CLOCKS_EVENT_REASONS (dcgm_fields.h).
const (
	ReasonIdle       uint64 = 0x1
	ReasonPowerCap   uint64 = 0x4
	ReasonHWSlowdown uint64 = 0x8
	ReasonSWThermal  uint64 = 0x20
	ReasonHWThermal  uint64 = 0x40
	ReasonPowerBrake uint64 = 0x80
)

// The shares and limits of the simplification. Ours, of 2026-11: of the size that
// public DCGM traces of vLLM show.
const (
	smsOfProducts    = 0.95 // SMs with a warp while products or reads run
	smsOfCollectives = 0.50 // NCCL's channels hold some SMs, vLLM's own all-reduce more
	smsOfLaunches    = 0.30

	idlePower    = 0.12 // of the limit
	activePower  = 0.25 // of the limit, for kernels being under way
	tensorPower  = 0.75 // of the limit, at the throughput that a large prefill reaches
	memoryPower  = 0.42 // of the limit, at the bandwidth that decode reaches
	prefillReach = 0.55 // share of the peak FLOP/s
	decodeReach  = 0.80 // share of the bandwidth
	cappedClock  = 0.90 // what the power cap leaves of the clock

	idleTemperature = 34.0 // °C
	fullTemperature = 72.0 // at the power limit
	hotTemperature  = 88.0 // where heat holds the clock back
	idleClock       = 0.20 // of the highest
)

// Device is what one GPU shows of a span in which that work was done.
func (c Config) Device(w Work, span time.Duration) Device {
	c = c.resolved()
	if span <= 0 {
		return c.atRest()
	}
	share := func(d time.Duration) float64 { return min(float64(d)/float64(span), 1) }
	gpus, seconds := float64(c.TP*c.DP), span.Seconds()
	d := Device{
		EngineActive: share(w.Busy()),
		SMActive:     smsOfProducts*share(w.Compute+w.Memory) + smsOfCollectives*share(w.Collective) + smsOfLaunches*share(w.Launch),
		TensorActive: min(w.FLOPs/(gpus*c.Chip.Rate(c.Format.Name)*c.Throttle.clock()*seconds), 1),
		DRAMActive:   min((w.Read+w.Written)/(gpus*c.Chip.Bandwidth*seconds), 1),
		LinkSent:     w.Linked / seconds, LinkReceived: w.Linked / seconds,
	}
	if d.EngineActive == 0 {
		return c.atRest()
	}
	d.Utilization = 1
	// Token ids in, sampled tokens and metadata out: next to nothing.
	d.HostSent, d.HostReceived = hostBytes*d.EngineActive, hostBytes*d.EngineActive
	c.warm(&d)
	return d
}

// hostBytes is what a busy GPU exchanges with its host, bytes per second. Ours.
const hostBytes = 5e6

func (c Config) atRest() Device {
	d := Device{SMClock: idleClock * c.Chip.SMClock, Power: idlePower * c.Chip.Power, Temperature: idleTemperature, Reasons: ReasonIdle}
	if c.Throttle.On() {
		c.holdBack(&d)
		d.Reasons |= ReasonIdle
	}
	return d
}

// holdBack shows why the clock is held back.
func (c Config) holdBack(d *Device) {
	if c.Throttle.Cause == PowerBrake {
		d.Reasons = ReasonHWSlowdown | ReasonPowerBrake
		return
	}
	d.Reasons, d.Temperature = ReasonSWThermal, hotTemperature
	if c.Throttle.clock() <= 0.5 { // hardware halves the clock, software steps it down
		d.Reasons = ReasonHWSlowdown | ReasonHWThermal
	}
}

// warm adds clock, power and temperature.
func (c Config) warm(d *Device) {
	clock := c.Throttle.clock()
	asked := idlePower + activePower*d.EngineActive +
		tensorPower*d.TensorActive/prefillReach + memoryPower*d.DRAMActive/decodeReach
	asked *= clock * clock // voltage follows the clock
	share := min(max(asked, idlePower), 1)
	d.SMClock, d.Power = c.Chip.SMClock*clock, share*c.Chip.Power
	d.Temperature = idleTemperature + (fullTemperature-idleTemperature)*share
	switch {
	case c.Throttle.On():
		c.holdBack(d)
	case asked >= 1:
		d.Reasons = ReasonPowerCap
		d.SMClock *= cappedClock
	}
}

// MemoryHeld is the share of a GPU's memory that the engine holds from its start,
// whatever runs: vLLM allocates its KV cache beforehand.
func (c Config) MemoryHeld() float64 { return c.resolved().MemoryUtilization }
