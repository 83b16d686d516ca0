package lab

import (
	"math"
	"math/rand/v2"
	"time"

	"assay/internal/engine"
	"assay/internal/record"
)

// view is what of a system is published, and how well. Real vLLM publishes neither
// max_num_seqs nor max_num_batched_tokens; dcgm-exporter's default list lacks
// SM_ACTIVE and the clock-event reasons; profiling counters need rights that not
// every cluster gives.
type view struct {
	server   bool // the engine's own metrics
	limits   bool // max_num_seqs and max_num_batched_tokens
	kvTokens bool
	reasons  bool // waiting by reason
	cpu      bool // process_cpu_seconds_total: absent with several API servers
	mfu      bool

	dcgm    bool
	coarse  bool // the exporter collects too seldom for levels so short
	prof    bool // profiling counters
	asked   bool // the fields that the exporter's default list lacks
	node    bool
	chip    bool // the chip is known to facts
	samples int  // of a level
	noise   float64

	// How real counters are off from the simplification, of the whole system: a
	// matrix kernel holds the tensor pipe for longer than its FLOPs need, NCCL's
	// channels hold more or fewer SMs.
	tensorBias, dramBias, smBias float64

	xids         []record.XID
	nvlinkErrors float64 // a second
	doubleBit    float64
	cfs          float64 // share of periods that were throttled
	exceeded     float64 // packets a second beyond an ENA allowance
}

// draw is a view as clusters have them: rich ones, bare ones, and most between.
func draw(rng *rand.Rand) view {
	chance := func(p float64) bool { return rng.Float64() < p }
	return view{
		server: true, limits: chance(0.5), kvTokens: chance(0.9), reasons: chance(0.7), cpu: chance(0.8), mfu: chance(0.25),
		dcgm: chance(0.85), coarse: chance(0.06), prof: chance(0.85), asked: chance(0.6), node: chance(0.6), chip: chance(0.9),
		samples: 6 + rng.IntN(25), noise: 0.01 + 0.02*rng.Float64(),
		tensorBias: 0.95 + 0.35*rng.Float64(), dramBias: 0.95 + 0.12*rng.Float64(), smBias: 0.85 + 0.2*rng.Float64(),
	}
}

// around is a reading of a value by few and noisy samples.
func (v view) around(rng *rand.Rand, x float64) *float64 {
	x *= 1 + v.noise*rng.NormFloat64()
	return &x
}

// share is a reading of a share, which stays one.
func (v view) share(rng *rand.Rand, x float64) *float64 {
	s := min(max(*v.around(rng, x), 0), 1)
	return &s
}

func number(x float64) *float64 { return &x }

// gpu is the GPUs' account of a window; nil where no exporter is in reach.
func (v view) gpu(cfg engine.Config, w engine.Work, span time.Duration, rng *rand.Rand) *record.GPU {
	if !v.dcgm {
		return nil
	}
	d := cfg.Device(w, span)
	g := &record.GPU{Source: "dcgm", Model: "NVIDIA " + cfg.Chip.Name, Count: max(cfg.TP, 1), Samples: v.samples}
	g.XIDs = v.xids
	if v.coarse {
		g.Samples, g.CollectS, g.Coarse = 1, number(30), "the exporter collects every 30 s, which a level as short as this does not see"
		return g
	}
	if v.prof {
		g.EngineActive = v.share(rng, d.EngineActive)
		g.TensorActive = v.share(rng, d.TensorActive*v.tensorBias)
		g.DRAMActive = v.share(rng, d.DRAMActive*v.dramBias)
		pcie, nvlink := d.HostSent+d.HostReceived, d.LinkSent+d.LinkReceived
		if !cfg.Chip.NVLink {
			pcie, nvlink = pcie+nvlink, 0
		}
		g.PCIeBytesPerS = v.around(rng, pcie)
		if v.asked {
			g.SMActive = v.share(rng, d.SMActive*v.smBias)
			if cfg.Chip.NVLink {
				g.NVLinkBytesPerS = v.around(rng, nvlink)
			}
		}
	}
	g.SMClockMHz, g.PowerW = v.around(rng, d.SMClock), number(min(*v.around(rng, d.Power), cfg.Chip.Power))
	g.TempMaxC = number(math.Round(*v.around(rng, d.Temperature)))
	if cfg.TP > 1 && cfg.Throttle.On() {
		g.Worst = "0" // one of them holds the others up
	}
	if v.asked {
		v.state(g, cfg, d, span)
	}
	return g
}

// state is what an exporter says only where it was asked to.
func (v view) state(g *record.GPU, cfg engine.Config, d engine.Device, span time.Duration) {
	g.SMClockMaxMHz, g.PowerLimitW = number(cfg.Chip.SMClock), number(cfg.Chip.Power)
	bit := func(mask uint64) *float64 {
		if d.Reasons&mask != 0 {
			return number(1)
		}
		return number(0)
	}
	g.ThermalShare, g.BrakeShare, g.PowerCapShare = bit(engine.ReasonSWThermal|engine.ReasonHWThermal), bit(engine.ReasonPowerBrake), bit(engine.ReasonPowerCap)
	g.DoubleBitErrors, g.RemapFailures = number(v.doubleBit), number(0)
	if cfg.Chip.NVLink {
		g.NVLinkErrors = number(math.Round(v.nvlinkErrors * span.Seconds()))
	}
}

// nodeCPUs are those of the node, as many as the larger GPU instances have for one GPU.
const nodeCPUs = 16

// nodes is the node's account of a window; nil where no exporter is in reach.
func (v view) nodes(cfg engine.Config, before, after engine.Counters, span time.Duration, rng *rand.Rand) *record.Node {
	if !v.node {
		return nil
	}
	w := after.Work.Minus(before.Work)
	workers := float64(max(cfg.TP, 1)) * min((w.Busy()+w.Host).Seconds()/span.Seconds(), 1)
	pod := workers + (after.FrontendCPU-before.FrontendCPU).Seconds()/span.Seconds()
	cpus := float64(nodeCPUs * max(cfg.TP, 1))
	return &record.Node{
		Samples: v.samples, CPUs: number(cpus), CPUBusy: v.around(rng, min(pod+0.4, cpus)), PodCPU: v.around(rng, min(pod, cpus)),
		CFSThrottled: v.share(rng, v.cfs), AllowanceExceeded: v.around(rng, v.exceeded), EFARetransmits: number(0), EFADrops: number(0),
	}
}
