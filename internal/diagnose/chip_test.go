package diagnose

import (
	"testing"

	"assay/internal/facts"
	"assay/internal/model"
	"assay/internal/record"
)

// busy is a saturated run without a queue, whose step grows with the batch as
// grow says (exponent), with a step of so many tokens.
func busy(tokens, grow float64, gpu *record.GPU) Evidence {
	account := func(batch float64) *record.Server {
		return with(func(s *record.Server) {
			s.RunningMean, s.RunningMax, s.WaitingMean, s.WaitingShare = p(batch), p(batch), p(0), p(0)
			s.MaxNumSeqs, s.IterationTokens, s.MaxBatchedTokens = p(256), p(tokens*batch/100), p(8192)
			s.StepMS = p(20 * pow(batch/100, grow))
		})
	}
	in := run(true, account(50), account(100))
	for i := range in.Levels {
		switch l := &in.Levels[i]; l.Load.Value {
		case 100:
			l.GPU = gpu
			l.Client.InFlight.Mean = 100
			l.Throughput.OutputTokensPerS = 5000
		case 50:
			l.Throughput.OutputTokensPerS = 5000 * pow(0.5, 1-grow)
		}
	}
	return in
}

func pow(x, y float64) float64 {
	switch y {
	case 0:
		return 1
	case 1:
		return x
	}
	panic("0 or 1")
}

func gpu(engine, sm, tensor, dram float64) *record.GPU {
	return &record.GPU{Source: "dcgm", Count: 1, Samples: 8, EngineActive: p(engine), SMActive: p(sm), TensorActive: p(tensor), DRAMActive: p(dram),
		SMClockMHz: p(1900), SMClockMaxMHz: p(1980), ThermalShare: p(0), BrakeShare: p(0), PowerCapShare: p(0)}
}

func edited(g *record.GPU, edit func(*record.GPU)) *record.GPU {
	edit(g)
	return g
}

func TestBoundOfChipAndHost(t *testing.T) {
	two, one := 2, 1
	l4, err := facts.ChipNamed("L4")
	if err != nil {
		t.Fatal(err)
	}
	top := func(e Evidence, edit func(*record.Level)) Evidence {
		for i := range e.Levels {
			if e.Levels[i].Load.Value == 100 {
				edit(&e.Levels[i])
			}
		}
		return e
	}
	tp := func(e Evidence, n *int, chip *facts.Chip) Evidence {
		e.Platform.TP, e.Chip = n, chip
		return e
	}
	for _, c := range []struct {
		name    string
		in      Evidence
		verdict string
		least   float64
		says    string // the strongest fact
	}{
		{"tensor cores busy", busy(2000, 1, gpu(0.98, 0.9, 0.5, 0.3)), record.BoundCompute, 0.7, "tensor_active"},
		{"memory busy", busy(100, 1, gpu(0.98, 0.9, 0.04, 0.7)), record.BoundMemory, 0.7, "dram_active"},
		{"the engine's own estimates, without DCGM", tp(top(busy(2000, 1, nil), func(l *record.Level) { l.Server.FLOPs = p(0.5 * l4.BF16) }), &one, &l4), record.BoundCompute, 0.5, "flops_per_s"},
		{"the engine's own estimates of memory", tp(top(busy(100, 1, nil), func(l *record.Level) { l.Server.MemoryBytes = p(0.7 * l4.Bandwidth) }), &one, &l4), record.BoundMemory, 0.5, "memory_bytes_per_s"},
		{"neither chip nor GPU: how a step grows tells little", busy(100, 1, nil), record.BoundMemory, 0.3, "step_elasticity"},
		{"a step that does not grow may as well be the host's", busy(100, 0, nil), record.BoundUnknown, 0, ""},
		{"GPUs wait for each other", tp(busy(100, 1, edited(gpu(0.98, 0.7, 0.05, 0.2), func(g *record.GPU) { g.Count = 2 })), &two, &l4), record.BoundCollective, 0.6, "busy_with_neither"},
		{"one GPU waits for no other", tp(busy(100, 1, gpu(0.98, 0.9, 0.05, 0.2)), &one, &l4), record.BoundUnknown, 0, ""},
		{"host gaps", busy(100, 1, gpu(0.5, 0.45, 0.03, 0.3)), record.BoundCPU, 0.6, "engine_active"},
		{"CFS throttling", top(busy(100, 1, gpu(0.8, 0.7, 0.03, 0.4)), func(l *record.Level) { l.Node = &record.Node{CFSThrottled: p(0.5)} }), record.BoundCPU, 0.6, "cfs_throttled_share"},
		{"the API process", top(busy(100, 0, gpu(0.4, 0.4, 0.03, 0.25)), func(l *record.Level) {
			l.Server.RunningMean, l.Server.ProcessCPU = p(30), p(0.99)
			l.Server.E2EMean, l.Server.QueueMean, l.Server.PrefillMean, l.Server.DecodeMean = p(3000), p(10), p(90), p(900)
			l.E2E.Mean = p(3050)
		}), record.BoundCPU, 0.6, "process_cpu_cores"},
		{"network", top(busy(100, 0, gpu(0.9, 0.8, 0.03, 0.45)), func(l *record.Level) {
			l.Server.RunningMean, l.Server.ProcessCPU = p(30), p(0.2)
			l.Server.E2EMean, l.Server.QueueMean, l.Server.PrefillMean, l.Server.DecodeMean = p(1000), p(10), p(90), p(890)
			l.E2E.Mean = p(3000)
		}), record.BoundNetwork, 0.6, "network_ms"},
		{"heat", busy(2000, 1, edited(gpu(0.98, 0.9, 0.3, 0.2), func(g *record.GPU) { g.ThermalShare, g.SMClockMHz, g.TempMaxC = p(0.6), p(1000), p(88) })), record.BoundThrottled, 0.8, "thermal_share"},
		{"the power brake", busy(2000, 1, edited(gpu(0.98, 0.9, 0.3, 0.2), func(g *record.GPU) { g.BrakeShare, g.SMClockMHz = p(0.6), p(990) })), record.BoundThrottled, 0.8, "brake_share"},
		{"the power cap is normal", busy(2000, 1, edited(gpu(0.98, 0.9, 0.5, 0.3), func(g *record.GPU) { g.PowerCapShare, g.SMClockMHz, g.ThermalShare = p(0.9), p(1700), nil })), record.BoundCompute, 0.7, "tensor_active"},
		{"a fatal XID", busy(2000, 1, edited(gpu(0.98, 0.9, 0.5, 0.3), func(g *record.GPU) { g.XIDs = []record.XID{{GPU: "3", Code: 79}} })), record.BoundFault, 0.8, "xid"},
		{"the application's XID", busy(2000, 1, edited(gpu(0.98, 0.9, 0.5, 0.3), func(g *record.GPU) { g.XIDs = []record.XID{{GPU: "3", Code: 31}} })), record.BoundCompute, 0.6, "tensor_active"},
		{"a row that could not be remapped", busy(2000, 1, edited(gpu(0.98, 0.9, 0.5, 0.3), func(g *record.GPU) { g.RemapFailures = p(1) })), record.BoundFault, 0.8, "row_remap_failures"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := Bound(c.in)
			if b.Verdict != c.verdict || b.Confidence < c.least {
				t.Fatalf("%s at %.2f, want %s at %.2f or more; for %+v; against %+v; next %s", b.Verdict, b.Confidence, c.verdict, c.least, b.Evidence, b.Against, b.Next)
			}
			if c.says != "" && b.Evidence[0].Metric != c.says {
				t.Errorf("the strongest fact is %q, want %q", b.Evidence[0].Metric, c.says)
			}
			if b.Next == "" || (b.Verdict != record.BoundUnknown && (b.Change == nil || b.Change.Text == "")) {
				t.Errorf("change %+v, next %q", b.Change, b.Next)
			}
		})
	}
}

// The model and the chip say how long the weights take to read, which tells memory
// from the host where no GPU does.
func TestModelAndChipStandInForTheGPU(t *testing.T) {
	chip, err := facts.ChipNamed("L4")
	if err != nil {
		t.Fatal(err)
	}
	arch, err := model.Named("llama-3.2-3b")
	if err != nil {
		t.Fatal(err)
	}
	one := 1
	in := busy(40, 1, nil)
	in.Platform.TP, in.Chip = &one, &chip
	without := Bound(in)
	in.Model = &arch // 6.4 GB of weights at 240 GB/s are more than a step of 20 ms
	for i := range in.Levels {
		if s := in.Levels[i].Server; s != nil {
			s.StepMS = p(*s.StepMS * 2)
		}
	}
	with := Bound(in)
	if with.Verdict != record.BoundMemory || with.Confidence <= without.Confidence {
		t.Errorf("%s at %v with the model, %s at %v without", with.Verdict, with.Confidence, without.Verdict, without.Confidence)
	}
}

func TestIncidents(t *testing.T) {
	in := busy(2000, 1, gpu(0.98, 0.9, 0.5, 0.3))
	in.Incidents = []Incident{{Kind: AcceleratorUnhealthy, Object: "node a", Fact: "AcceleratedHardwareReady is false", Source: "cluster"}}
	if b := Bound(in); b.Verdict != record.BoundFault || b.Evidence[0].Source != "cluster" {
		t.Errorf("%+v", b)
	}
	in.Incidents = []Incident{{Kind: OOMKilled, Object: "pod llama-0", Fact: "killed for memory", Source: "cluster"}}
	if b := Bound(in); b.Verdict != record.BoundCold {
		t.Errorf("%+v", b)
	}
	in.Incidents = []Incident{{Kind: Pending, Object: "pod llama-1", Fact: "0/2 nodes are available", Source: "cluster"}}
	b := Bound(in)
	if b.Verdict != record.BoundCompute {
		t.Errorf("a pod that is not scheduled is no bound of those that run: %+v", b)
	}
	if i := len(b.Missing) - 1; i < 0 || b.Missing[i] != "a replica that is not scheduled: pod llama-1, 0/2 nodes are available" {
		t.Errorf("it is not said: %q", b.Missing)
	}
}

func TestService(t *testing.T) {
	in := busy(100, 0, nil)
	in.Service, in.Saturation = true, nil
	if b := Bound(in); b.Verdict != record.BoundNotSaturated || b.Experiment != nil {
		t.Errorf("nothing waits: %+v", b)
	}
	in = run(true, full(), full())
	in.Service, in.Saturation = true, nil
	if b := Bound(in); b.Verdict != record.BoundAdmission {
		t.Errorf("a full batch and a queue: %+v", b)
	}
	// Load that hardly varies shows no plateau over the spans, but a batch that stands still.
	in.Levels = in.Levels[:1]
	in.Levels[0].Server = with(func(s *record.Server) { s.MaxNumSeqs, s.RunningMean = nil, p(32) })
	if b := Bound(in); b.Verdict != record.BoundAdmission || b.Confidence > 0.8 {
		t.Errorf("one span with a still batch: %+v", b)
	}
	in.Levels[0].Server.RunningMean = p(28)
	if b := Bound(in); b.Verdict != record.BoundUnknown {
		t.Errorf("one span with a batch that moves: %+v", b)
	}
	if b := Bound(Evidence{Service: true}); b.Verdict != record.BoundUnknown || b.Next == "" {
		t.Errorf("nothing seen: %+v", b)
	}
}

// What the GPU says of itself decides less where the engine says nothing of its queue.
func TestAnEngineUnseenMakesLessSure(t *testing.T) {
	in := busy(100, 1, gpu(0.98, 0.9, 0.04, 0.72))
	seen := Bound(in)
	for i := range in.Levels {
		in.Levels[i].Server = nil
	}
	unseen := Bound(in)
	if seen.Verdict != record.BoundMemory || unseen.Verdict != record.BoundMemory || unseen.Confidence >= 0.7 || unseen.Confidence >= seen.Confidence {
		t.Errorf("%s at %.2f with the engine's metrics, %s at %.2f without", seen.Verdict, seen.Confidence, unseen.Verdict, unseen.Confidence)
	}
}

// A clock that is hardly lower costs hardly any throughput.
func TestAMildThrottleIsNoSureVerdict(t *testing.T) {
	confidence := map[float64]float64{}
	for _, mhz := range []float64{1800, 900} {
		b := Bound(busy(2000, 1, edited(gpu(0.98, 0.9, 0.3, 0.2), func(g *record.GPU) { g.ThermalShare, g.SMClockMHz = p(1), p(mhz) })))
		if b.Verdict == record.BoundThrottled {
			confidence[mhz] = b.Confidence
		}
	}
	if confidence[1800] >= sure || confidence[900] < sure {
		t.Errorf("gpu-throttled at %v, by the clock in MHz", confidence)
	}
}
