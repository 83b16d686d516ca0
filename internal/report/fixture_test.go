package report

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"assay/internal/record"
	"assay/internal/stats"
)

// server is a toy with a known truth: at most slots sequences at once, each
// with a constant prefill and inter-token time that grow with the batch. Its
// throughput stops growing at about slots in flight.
type server struct {
	slots     int
	prefillMS float64
	itlMS     float64
	perSeqMS  float64
	outputs   int
}

var toy = server{slots: 28, prefillMS: 38, itlMS: 8.2, perSeqMS: 0.11, outputs: 64}

// fixture builds a run level by level, with every file that a real one has.
type fixture struct {
	run      record.Run
	requests []record.Request
	client   []record.ClientSample
	metrics  []record.MetricsSample
	rng      *rand.Rand
	clock    time.Duration
	price    float64
}

var epoch = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

func newFixture() *fixture {
	return &fixture{
		rng:   rand.New(rand.NewPCG(7, 11)),
		clock: 900 * time.Millisecond,
		run: record.Run{
			Schema:   record.Schema,
			Tool:     record.Tool{Name: "assay", Version: "v0.1.0", Go: "go1.26.8"},
			Command:  []string{"assay", "bench", "saturation", "--target", "http://vllm.serving:8000", "--price-per-hour", "12.29"},
			Start:    epoch,
			Complete: true,
			Host:     record.Host{OS: "linux", Arch: "amd64", CPUs: 8, CPUModel: "AMD EPYC 9R14", MemBytes: 32 << 30},
			Seed:     42,
			Nonce:    "5f2c",
			Target: record.Target{URL: "http://vllm.serving:8000", Model: "meta-llama/Llama-3.1-8B-Instruct", API: "chat",
				Engine: record.TargetEngine{Name: "vLLM", Version: "0.26.0"}, MaxLen: 8192},
			Platform: record.Platform{Instance: ptr("g6e.2xlarge"), GPU: ptr("L40S"), Count: ptr(1), TP: ptr(1), Region: ptr("us-west-2")},
			Spec:     json.RawMessage(`{"scenarios":{"saturation":{"concurrency":[1,5,10,20,50,100],"prompt_length":128,"max_tokens":64}}}`),
			Inspection: &record.Inspection{Status: 200, RoleChunkFirst: true, UsageChunk: "own", TokensPerChunk: 1, FirstChunkTokens: 1,
				CachedTokensKnown: true, IgnoreEOS: true},
			Bound:  record.Bound{Verdict: record.BoundUnknown, Missing: []string{"the engine's /metrics"}},
			Levels: []record.Level{},
		},
	}
}

func ptr[T any](v T) *T { return &v }

// add runs one closed-loop level of n measured requests on the server.
func (f *fixture) add(s server, scenario, pass string, load, n int) *record.Level {
	id := fmt.Sprintf("%s-c%d", scenario, load)
	begin := f.clock
	free := make([]float64, s.slots) // when each slot is free, ms since begin
	senders := make([]float64, load)
	batch := float64(min(load, s.slots))
	warm := load
	var ttft, itl, e2e, queue []float64
	var first, firstEnd, last float64
	for i := range n + warm {
		w, k := slices.Index(senders, slices.Min(senders)), slices.Index(free, slices.Min(free))
		sent := senders[w] + 0.05*f.rng.ExpFloat64()
		start := max(sent, free[k])
		jitter := math.Exp(0.06 * f.rng.NormFloat64())
		prefill := (s.prefillMS + 1.3*batch) * math.Exp(0.18*f.rng.NormFloat64())
		gap := (s.itlMS + s.perSeqMS*batch) * jitter
		phase := record.Measured
		if i < warm {
			phase = record.Warmup
		}
		us := func(ms float64) int64 { return begin.Microseconds() + int64(ms*1000) }
		r := record.Request{ID: fmt.Sprintf("%s-%d", id, i), Level: id, Seq: i, Phase: phase,
			IntendedUS: us(senders[w]), SentUS: us(sent), AskedPrompt: 128, AskedOutput: s.outputs,
			PromptTokens: ptr(128), OutputTokens: ptr(s.outputs), TokensFrom: record.FromUsage, Finish: "length", Status: 200}
		at := start + prefill
		for range s.outputs {
			r.ChunkUS = append(r.ChunkUS, int64((at-sent)*1000))
			at += gap * (0.97 + 0.06*f.rng.Float64())
		}
		lastToken := float64(r.ChunkUS[len(r.ChunkUS)-1]) / 1000
		end := sent + lastToken + 0.4
		r.EndUS = us(end)
		free[k], senders[w] = end, end
		f.requests = append(f.requests, r)
		if phase == record.Measured {
			if len(ttft) == 0 {
				first, firstEnd = sent, end
			}
			last = max(last, end)
			t := float64(r.ChunkUS[0]) / 1000
			ttft = append(ttft, t)
			itl = append(itl, (lastToken-t)/float64(s.outputs-1))
			e2e = append(e2e, end-sent)
			queue = append(queue, start-sent)
		}
	}
	seconds := (last - first) / 1000
	// Between the first and the last end, so that filling the queue does not count.
	rps := float64(n-1) / (last - firstEnd) * 1000
	f.clock = begin + time.Duration(last*float64(time.Millisecond)) + 400*time.Millisecond
	meanQueue, _ := stats.MeanStd(queue)
	meanTTFT, _ := stats.MeanStd(ttft)
	meanITL, _ := stats.MeanStd(itl)
	l := record.Level{ID: id, Scenario: scenario, Pass: pass,
		Load:  record.Load{Kind: record.ByConcurrency, Value: float64(load), Requests: n},
		Start: epoch.Add(begin), End: epoch.Add(f.clock), DurationS: (f.clock - begin).Seconds(),
		Window:   record.Window{StartUS: begin.Microseconds() + int64(first*1000), EndUS: begin.Microseconds() + int64(last*1000), Steady: true},
		Requests: record.Requests{Completed: n, Warmup: warm}, Errors: map[string]int{},
		Validity: record.Validity{Verdict: record.Valid, Reasons: []string{}},
		TTFT:     stats.SummarizeInOrder(ttft), TTFO: stats.SummarizeInOrder(ttft), ITL: stats.SummarizeInOrder(itl), ICL: stats.SummarizeInOrder(itl), E2E: stats.SummarizeInOrder(e2e),
		Throughput: record.Throughput{RequestsPerS: rps, OutputTokensPerS: rps * float64(s.outputs), TotalTokensPerS: rps * float64(s.outputs+128)},
		Asked:      record.Tokens{Prompt: ptr(128.0), Output: ptr(float64(s.outputs))}, Got: record.Tokens{Prompt: ptr(128.0), Output: ptr(float64(s.outputs))},
		TokensFrom: record.FromUsage, Cached: ptr(int64(0)),
		FromIntent: record.FromIntended{TTFT: stats.Summarize(ttft), E2E: stats.Summarize(e2e)},
		Client: record.Client{Lag: stats.Summarize([]float64{0.03, 0.05, 0.09}), SchedDelay: stats.Summarize([]float64{0.01, 0.02, 0.05}),
			GCPauseMax: 0.2, CPU: 0.12, InFlight: record.InFlight{Asked: float64(load), Mean: float64(load) - 0.02, Max: load}},
		Anatomy: record.Anatomy{ClientWait: ptr(0.05), Connect: ptr(0.0), Network: ptr(0.7), Frontend: ptr(1.9), Queue: ptr(meanQueue),
			Prefill: ptr(meanTTFT - meanQueue - 2.6), FirstToken: ptr(meanTTFT), Decode: ptr(meanITL * float64(s.outputs-1)), Close: ptr(0.4),
			ServerTTFT: ptr(meanTTFT - 0.7), ServerKnown: true},
		Server: &record.Server{Samples: int(seconds), RunningMean: ptr(batch), RunningMax: ptr(batch), WaitingMean: ptr(float64(load) - batch),
			WaitingMax: ptr(float64(load) - batch), WaitingShare: ptr(share(load > s.slots)), KVUsageMean: ptr(batch * 0.011), KVUsageMax: ptr(batch * 0.0125),
			Preemptions: ptr(0.0), Finished: ptr(float64(n + warm)), TTFTMean: ptr(meanTTFT - 0.7), QueueMean: ptr(meanQueue), PrefillMean: ptr(meanTTFT - meanQueue - 2.6),
			DecodeMean: ptr(meanITL * float64(s.outputs-1)), MaxNumSeqs: ptr(float64(s.slots)), Engines: 1,
			Reconciled: []record.Check{
				{What: "output tokens", Client: float64((n + warm) * s.outputs), Server: float64((n + warm) * s.outputs), OK: true},
				{What: "requests", Client: float64(n + warm), Server: float64(n + warm), OK: true},
			}},
	}
	l.SLO = []record.Criterion{judged("ttft", "p95", 500, l.TTFT.P95), judged("itl", "p95", 50, l.ITL.P95)}
	if met := levelSLO(l); met == record.Met {
		l.Goodput = ptr(rps)
	} else {
		l.Goodput = ptr(0.31 * rps)
	}
	if f.price > 0 {
		l.USDPerM = ptr(f.price / 3600 / l.Throughput.OutputTokensPerS * 1e6)
	}
	f.watch(id, load, int(batch), begin)
	f.run.Levels = append(f.run.Levels, l)
	return &f.run.Levels[len(f.run.Levels)-1]
}

func share(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func judged(metric, percentile string, limit float64, v *float64) record.Criterion {
	c := record.Criterion{Metric: metric, Percentile: percentile, Limit: limit, Value: v, Verdict: record.Undecided}
	switch {
	case v == nil:
	case *v < limit:
		c.Verdict = record.Met
	default:
		c.Verdict = record.Missed
	}
	return c
}

// watch samples client and server once a second.
func (f *fixture) watch(id string, load, running int, begin time.Duration) {
	for at := begin + time.Second; at < f.clock; at += time.Second {
		us := at.Microseconds()
		f.client = append(f.client, record.ClientSample{AtUS: us, Level: id, InFlight: load, LagP50US: 20, LagP99US: 60 + f.rng.Int64N(60), LagMaxUS: 400,
			SchedP99US: 40, CPUCores: 0.12, HeapBytes: 40 << 20, RSSBytes: 80 << 20, Goroutines: load + 12})
		label := `{engine="0",model_name="m"}`
		f.metrics = append(f.metrics, record.MetricsSample{AtUS: us, Level: id, Source: "http://vllm.serving:8000/metrics", Values: map[string]float64{
			"vllm:num_requests_running" + label: float64(running), "vllm:num_requests_waiting" + label: float64(load - running),
			"vllm:kv_cache_usage_perc" + label: float64(running)*0.011 + 0.01*f.rng.Float64(), "vllm:num_preemptions_total" + label: 0}})
	}
}

// peak is the level of the highest throughput.
func (f *fixture) peak() *record.Point {
	var p record.Point
	for _, l := range f.run.Levels {
		if x := l.Throughput; x.OutputTokensPerS > p.OutputTokensPerS {
			p = record.Point{Load: l.Load.Value, RequestsPerS: x.RequestsPerS, OutputTokensPerS: x.OutputTokensPerS}
		}
	}
	return &p
}

func (f *fixture) input() Input {
	if f.run.End == nil && f.run.Complete {
		f.run.End = ptr(epoch.Add(f.clock + 300*time.Millisecond))
	}
	return Input{Run: f.run, Client: f.client, Metrics: f.metrics,
		Requests: func(each func(record.Request) error) error {
			for _, r := range f.requests {
				if err := each(r); err != nil {
					return err
				}
			}
			return nil
		}}
}

// saturationRun saturates near 28 and was refined by three more levels.
func saturationRun() *fixture {
	f := newFixture()
	f.price = 2.24
	for _, c := range []int{1, 5, 10, 20, 50, 100} {
		f.add(toy, "saturation", record.PassGrid, c, max(140, 4*c))
	}
	for _, c := range []int{28, 35, 24} {
		f.add(toy, "saturation", record.PassRefine, c, 220)
	}
	f.run.Saturation = &record.Saturation{Scenario: "saturation", Unit: "concurrency", Saturated: true,
		Knee: &record.Interval{Low: 26.4, High: 30.1}, KneeLevel: 0.95,
		Peak:           f.peak(),
		OperatingPoint: &record.OperatingPoint{Concurrency: 18.8, RequestsPerS: 28.1, OutputTokensPerS: 1800, LimitedBy: "knee", USDPerM: ptr(0.346)},
		Estimates: []record.KneeEstimate{
			{Method: "X_max / X(1)", Value: ptr(26.4), Low: ptr(25.9), High: ptr(27.0)},
			{Method: "broken stick", Value: ptr(30.1), Low: ptr(29.2), High: ptr(30.8)},
			{Method: "Kneedle", Value: ptr(28.0), Note: "always a level that was measured"},
			{Method: "USL N*", Note: "kappa's interval includes 0"}}}
	f.run.Bound = record.Bound{Verdict: record.BoundAdmission, Confidence: 0.9,
		Evidence: []record.Evidence{
			{Fact: "running sequences stay at the engine's limit", Metric: "vllm:num_requests_running", Value: ptr(28.0), Unit: "sequences", Source: "level saturation-c50, engine /metrics"},
			{Fact: "requests wait in every sample", Metric: "vllm:num_requests_waiting", Value: ptr(22.0), Unit: "requests", Source: "level saturation-c50, engine /metrics"}},
		Against: []record.Evidence{{Fact: "KV cache is mostly free", Metric: "vllm:kv_cache_usage_perc", Value: ptr(0.35), Unit: "share", Source: "level saturation-c50, engine /metrics"}},
		Missing: []string{"GPU metrics (dcgm-exporter)"},
		Next:    "raise --max-num-seqs to 64 and run the levels above 28 again"}
	f.run.SLO = record.SLO{Met: ptr(true), Criteria: []record.Criterion{judged("ttft", "p95", 500, ptr(96.2)), judged("itl", "p95", 50, ptr(11.9))}}
	f.run.Cost = &record.Cost{PricePerHour: 2.24, Source: "--price-per-hour"}
	f.run.Notes = []string{"the time budget cut levels 1 and 5 to 140 requests"}
	return f
}

// simulatedRun is a saturation run of the embedded engine.
func simulatedRun() *fixture {
	f := saturationRun()
	f.run.Target = record.Target{URL: "http://127.0.0.1:43125", Model: "llama-3.1-8b", API: "chat", Simulated: true, Preset: "llama-3.1-8b on 1x L4, simulated: max_num_seqs 28, max_num_batched_tokens 2048", Engine: record.TargetEngine{Name: "assay-sim"}}
	return f
}

// triedRun has GPUs in reach, a change to make, and a trial that supports the verdict.
func triedRun() *fixture {
	f := saturationRun()
	for i := range f.run.Levels {
		l := &f.run.Levels[i]
		load := min(l.Load.Value, 28) / 28
		l.GPU = &record.GPU{Source: "dcgm", Model: "NVIDIA L40S", Count: 1, Samples: 12, CollectS: ptr(1.0), EngineActive: ptr(0.99), SMActive: ptr(0.3 + 0.3*load), TensorActive: ptr(0.1 * load),
			DRAMActive: ptr(0.81), SMClockMHz: ptr(2490.0), SMClockMaxMHz: ptr(2520.0), PowerW: ptr(180 + 90*load), PowerLimitW: ptr(350.0), TempMaxC: ptr(58.0), ThermalShare: ptr(0.0), PowerCapShare: ptr(0.0)}
		l.Node = &record.Node{Samples: 4, CPUs: ptr(8.0), CPUBusy: ptr(1.6), PodCPU: ptr(1.4), CFSThrottled: ptr(0.0)}
		f.gpuLines(*l)
	}
	trial := f.add(toy, "saturation-trial", record.PassTrial, 200, 220)
	trial.ID = "saturation-trial-double-load-c200"
	f.run.Bound.Missing = nil
	f.run.Bound.Confidence = 0.95
	f.run.Bound.Change = &record.Change{Text: "let the batch hold more sequences; the KV cache has room for twice as many", Flag: "--max-num-seqs", From: "28", To: "56"}
	f.run.Bound.Experiment = &record.Experiment{Kind: record.DoubleLoad, Level: "saturation-c100", Load: trial.Load, Expect: "running requests become 1.00 times of what they were"}
	f.run.Bound.Trial = &record.Trial{Level: trial.ID, Verdict: record.Supported, Evidence: []record.Evidence{
		{Fact: "running requests became 1.00 times of what they were (28 from 28, give or take 14 %): 1.00 times were predicted if admission binds, 2.00 times if it does not", Metric: "running_max", Value: ptr(28.0), Unit: "requests", Source: "level " + trial.ID}}}
	return f
}

// gpuLines are what an exporter that collects every second showed of a level.
func (f *fixture) gpuLines(l record.Level) {
	from, to := l.Start.Sub(epoch).Microseconds(), l.End.Sub(epoch).Microseconds()
	for at, edge := from, "start"; at < to; at, edge = at+1_000_000, "" {
		f.metrics = append(f.metrics, record.MetricsSample{AtUS: at, Level: l.ID, Source: "http://node:9400/metrics", Of: record.OfGPU, Edge: edge, Values: map[string]float64{
			`DCGM_FI_PROF_SM_ACTIVE{UUID="GPU-1",gpu="0",modelName="NVIDIA L40S"}`:        *l.GPU.SMActive + 0.01*f.rng.Float64(),
			`DCGM_FI_PROF_GR_ENGINE_ACTIVE{UUID="GPU-1",gpu="0",modelName="NVIDIA L40S"}`: *l.GPU.EngineActive,
			`DCGM_FI_PROF_DRAM_ACTIVE{UUID="GPU-1",gpu="0",modelName="NVIDIA L40S"}`:      *l.GPU.DRAMActive,
			`DCGM_FI_DEV_SM_CLOCK{UUID="GPU-1",gpu="0",modelName="NVIDIA L40S"}`:          *l.GPU.SMClockMHz,
			`DCGM_FI_DEV_POWER_USAGE{UUID="GPU-1",gpu="0",modelName="NVIDIA L40S"}`:       *l.GPU.PowerW,
		}})
	}
}

// clientLimitedRun has a top level that the client spoiled and one that drifted.
func clientLimitedRun() *fixture {
	f := saturationRun()
	for i := range f.run.Levels {
		switch l := &f.run.Levels[i]; l.ID {
		case "saturation-c100":
			l.Validity = record.Validity{Verdict: record.ClientLimited, Reasons: []string{"scheduler delay p99 41 ms, more than 10 ms", "78 of 100 in flight"}}
		case "saturation-c50":
			l.Validity = record.Validity{Verdict: record.Unstable, Reasons: []string{"throughput fell by 18 % within the level"}}
		}
	}
	return f
}

// baselineRun is one level of fixed load with 100 requests: no p95.
func baselineRun() *fixture {
	f := newFixture()
	f.run.Command = []string{"assay", "bench", "baseline", "--target", "http://vllm.serving:8000"}
	f.add(toy, "baseline", record.PassGrid, 1, 100)
	f.run.Bound = record.Bound{Verdict: record.BoundNotSaturated, Confidence: 1}
	f.run.SLO = record.SLO{Criteria: []record.Criterion{judged("ttft", "p95", 500, nil), judged("itl", "p95", 50, nil)}}
	f.run.SLO.Criteria[0].Basis = "4 of 100 at or above the limit, by a binomial bound (99 %); p95 needs n=130"
	f.run.Levels[0].SLO = f.run.SLO.Criteria
	return f
}

// emptyRun was killed before its first level ended.
func emptyRun() *fixture {
	f := newFixture()
	f.run.Complete = false
	return f
}

// failedRun never reached its server.
func failedRun() *fixture {
	f := newFixture()
	l := f.add(toy, "saturation", record.PassGrid, 1, 20)
	for i := range f.requests {
		r := &f.requests[i]
		r.Error, r.Detail, r.ChunkUS, r.OutputTokens, r.PromptTokens = "connect", "dial tcp 10.0.0.7:8000: connection refused", nil, nil, nil
	}
	*l = record.Level{ID: l.ID, Scenario: l.Scenario, Pass: l.Pass, Load: l.Load, Start: l.Start, End: l.End, DurationS: l.DurationS,
		Requests: record.Requests{Failed: 20}, Errors: map[string]int{"connect": 19, "timeout": 1}, CutBy: "errors",
		Validity: record.Validity{Verdict: record.Invalid, Reasons: []string{"20 of 20 requests failed"}}}
	f.run.Complete = false
	f.run.End = ptr(epoch.Add(f.clock))
	f.metrics = nil
	return f
}

// longContextRun has the same load throughout and prompts from 4K to 32K.
func longContextRun() *fixture {
	f := newFixture()
	f.run.Command = []string{"assay", "bench", "long-context", "--target", "http://vllm.serving:8000"}
	for _, k := range []int{16, 4, 32, 8} {
		s := toy
		s.prefillMS = float64(k) * 55
		l := f.add(s, "long-context", record.PassGrid, 1, 30)
		l.Asked.Prompt, l.Got.Prompt = ptr(float64(k*1024)), ptr(float64(k*1024))
		id := fmt.Sprintf("long-context-p%d", k*1024)
		for i := range f.requests {
			if f.requests[i].Level == l.ID {
				f.requests[i].Level = id
			}
		}
		l.ID = id
		l.SLO = nil
	}
	f.run.Bound = record.Bound{Verdict: record.BoundNotSaturated, Confidence: 1}
	return f
}

// fewRun has too few requests at each length for any percentile.
func fewRun() *fixture {
	f := newFixture()
	f.run.Command = []string{"assay", "bench", "long-context", "--num-requests", "4"}
	for _, k := range []int{4, 8, 16} {
		s := toy
		s.prefillMS = float64(k) * 55
		l := f.add(s, "long-context", record.PassGrid, 1, 4)
		l.ID, l.SLO = fmt.Sprintf("long-context-p%d", k*1024), nil
		l.Asked.Prompt, l.Got.Prompt = ptr(float64(k*1024)), ptr(float64(k*1024))
	}
	f.run.Bound = record.Bound{Verdict: record.BoundNotSaturated, Confidence: 1}
	f.run.Notes = []string{"long-context-p4096: the time budget of 60 s ended it after 4 requests of 30"}
	return f
}

// rateRun is open loop, interrupted, without the engine's metrics.
func rateRun() *fixture {
	f := newFixture()
	f.run.Command = []string{"assay", "bench", "production", "--request-rate", "4,8,16"}
	f.run.Platform = record.Platform{}
	f.run.Target.Engine = record.TargetEngine{}
	for _, c := range []int{4, 8, 16} {
		l := f.add(toy, "production", record.PassGrid, c, 200)
		l.Load = record.Load{Kind: record.ByRate, Value: float64(c) * 1.3, Arrival: "poisson", Requests: 200}
		l.SLO = []record.Criterion{judged("ttft", "p95", 40, l.TTFT.P95)}
		l.Server = nil
		l.Anatomy = record.Anatomy{ClientWait: ptr(0.2), FirstToken: l.Anatomy.FirstToken, Decode: l.Anatomy.Decode, Close: l.Anatomy.Close}
	}
	f.metrics = nil
	f.run.Complete, f.run.Interrupted = false, true
	f.run.End = ptr(epoch.Add(f.clock))
	f.run.SLO = record.SLO{Met: ptr(false), Given: true, Criteria: []record.Criterion{judged("ttft", "p95", 40, ptr(72.0))}}
	return f
}

// unsaturatedRun grows to its last level.
func unsaturatedRun() *fixture {
	f := newFixture()
	wide := toy
	wide.slots = 256
	for _, c := range []int{1, 5, 10, 20, 50, 100} {
		f.add(wide, "saturation", record.PassGrid, c, 140+c)
	}
	f.run.Saturation = &record.Saturation{Scenario: "saturation", Unit: "concurrency",
		Peak:           f.peak(),
		OperatingPoint: &record.OperatingPoint{Concurrency: 100, RequestsPerS: f.peak().RequestsPerS, OutputTokensPerS: f.peak().OutputTokensPerS, LimitedBy: "grid"}}
	f.run.Bound = record.Bound{Verdict: record.BoundNotSaturated, Confidence: 0.8, Next: "raise --concurrency past 100"}
	f.run.SLO = record.SLO{Met: ptr(true), Given: true, Criteria: []record.Criterion{judged("ttft", "p95", 500, ptr(210.0))}}
	return f
}

// manyLevelsRun has twenty levels.
func manyLevelsRun() *fixture {
	f := saturationRun()
	for c := 2; len(f.run.Levels) < 20; c += 7 {
		f.add(toy, "saturation", record.PassRefine, c, 60)
	}
	return f
}

// fixtures are all shapes of run that a report must stand.
var fixtures = map[string]func() *fixture{
	"saturation":     saturationRun,
	"simulated":      simulatedRun,
	"client-limited": clientLimitedRun,
	"baseline":       baselineRun,
	"empty":          emptyRun,
	"failed":         failedRun,
	"long-context":   longContextRun,
	"few":            fewRun,
	"rate":           rateRun,
	"unsaturated":    unsaturatedRun,
	"many":           manyLevelsRun,
	"repeated":       repeatedRun,
	"tried":          triedRun,
	"refuted":        refutedRun,
}
