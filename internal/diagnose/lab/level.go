package lab

import (
	"fmt"
	"math/rand/v2"
	"time"

	"assay/internal/record"
	"assay/internal/saturate"
	"assay/internal/stats"
)

// epoch is when every run of the laboratory begins.
var epoch = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// ms is a time in milliseconds.
func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// level is what a bench would record of a level that began at a time of the run.
func (s System) level(l load, o *observed, at time.Duration, rng *rand.Rand) record.Level {
	done := o.measured()
	out := record.Level{
		Scenario: "saturation", Pass: record.PassGrid, Start: epoch.Add(at), End: epoch.Add(at + o.end), DurationS: o.end.Seconds(),
		Window:     record.Window{StartUS: (at + o.begin).Microseconds(), EndUS: (at + o.end).Microseconds(), Steady: true},
		Requests:   record.Requests{Completed: len(done), Failed: o.failures, Warmup: l.concurrency},
		Errors:     map[string]int{},
		TokensFrom: "usage", Reuse: record.ReuseNone,
	}
	if s.rig.work.shared > 0 {
		out.Reuse = record.ReusePrefix
	}
	if o.failures > 0 {
		out.Errors["server"] = o.failures
	}
	if l.rate > 0 {
		out.ID, out.Load = fmt.Sprintf("saturation-r%.3g", l.rate), record.Load{Kind: record.ByRate, Value: l.rate, Arrival: "gamma", Burstiness: 1 / (l.cv * l.cv)}
	} else {
		out.ID, out.Load = fmt.Sprintf("saturation-c%d", l.concurrency), record.Load{Kind: record.ByConcurrency, Value: float64(l.concurrency)}
	}
	out.Load.Requests = len(done)
	s.latencies(&out, done, o)
	out.Client = s.health(l, o)
	if s.view.server {
		out.Server = s.server(o, rng)
	}
	s.anatomy(&out, done, out.Server)
	w := o.after.Work.Minus(o.before.Work)
	out.GPU = s.view.gpu(s.rig.engine, w, o.end-o.begin, rng)
	out.Node = s.view.nodes(s.rig.engine, o.before, o.after, o.end-o.begin, rng)
	s.validity(&out, l, o)
	return out
}

// latencies are the client's figures.
func (s System) latencies(l *record.Level, done []*call, o *observed) {
	var ttft, itl, e2e, tps []float64
	var prompt, output float64
	cached := int64(0)
	for _, c := range done {
		ttft, e2e = append(ttft, ms(c.first-c.sent)), append(e2e, ms(c.last-c.sent))
		if c.tokens > 1 {
			itl = append(itl, ms(c.last-c.first)/float64(c.tokens-1))
		}
		tps = append(tps, float64(c.tokens)/(c.last-c.sent).Seconds())
		prompt, output = prompt+float64(c.prompt), output+float64(c.tokens)
		cached += int64(c.cached)
	}
	l.TTFT, l.TTFO, l.ITL, l.E2E = stats.Summarize(ttft), stats.Summarize(ttft), stats.Summarize(itl), stats.Summarize(e2e)
	l.ICL, l.TPSRequest = stats.Summarize(o.gaps), stats.Summarize(tps)
	l.FromIntent = record.FromIntended{TTFT: l.TTFT, E2E: l.E2E}
	if n := float64(len(done)); n > 0 {
		l.Got = record.Tokens{Prompt: number(prompt / n), Output: number(output / n)}
		l.Asked, l.Cached = l.Got, &cached
		perS := n / o.seconds()
		l.Throughput = record.Throughput{RequestsPerS: perS, OutputTokensPerS: perS * output / n, TotalTokensPerS: perS * (prompt + output) / n}
	}
}

// schedSamples are as many as a p99 needs.
const schedSamples = 700

// health is how the client did.
func (s System) health(l load, o *observed) record.Client {
	most := 0
	if l.concurrency > 0 {
		most = l.concurrency
	}
	lag, sched := make([]float64, schedSamples), make([]float64, schedSamples)
	busy := o.clientBusy.Seconds() / o.seconds()
	for i := range lag {
		lag[i], sched[i] = 0.05, 0.05
		if busy > 0.9 { // a core without rest: what is runnable waits for it
			sched[i] = 1 + 30*float64(i)/schedSamples
		}
	}
	delays := stats.Summarize(sched)
	return record.Client{
		Lag: stats.Summarize(lag), SchedDelay: delays, SchedWait: delays.Mean, CPU: 0.1 + busy,
		InFlight: record.InFlight{Asked: float64(l.concurrency), Mean: o.inFlight(), Max: most},
	}
}

// server is the engine's account by the definitions of telemetry.Fold.
func (s System) server(o *observed, rng *rand.Rand) *record.Server {
	a := &record.Server{Samples: len(o.samples), Engines: 1}
	if s.rig.cold.restarts {
		a.Changed = "the server's process start time went from 1793534400 to 1793534460: it restarted, or another replica answered"
		return a
	}
	if n := float64(len(o.samples)); n > 0 {
		var running, waiting, kv, runningMax, waitingMax, kvMax, waits, runs float64
		for _, x := range o.samples {
			running, waiting, kv = running+float64(x.running), waiting+float64(x.waiting), kv+x.kv
			runningMax, waitingMax, kvMax = max(runningMax, float64(x.running)), max(waitingMax, float64(x.waiting)), max(kvMax, x.kv)
			if x.waiting > 0 {
				waits++
			}
			if x.running > 0 {
				runs++
			}
		}
		a.RunningMean, a.WaitingMean, a.KVUsageMean = number(running/n), number(waiting/n), number(kv/n)
		a.RunningMax, a.WaitingMax, a.KVUsageMax = &runningMax, &waitingMax, &kvMax
		a.WaitingShare = number(waits / n)
		if s.view.reasons {
			a.WaitingCapacity, a.WaitingDeferred = number(waits/n), number(0)
		}
		if o.steps > 0 && runs > 0 {
			a.StepMS = number(1000 * o.seconds() * runs / n / o.steps)
		}
	}
	s.counters(a, o)
	cfg := s.limits
	if s.view.limits {
		a.MaxNumSeqs, a.MaxBatchedTokens = number(float64(cfg.MaxNumSeqs)), number(float64(cfg.MaxBatchedTokens))
	}
	if s.view.kvTokens {
		a.KVTokens = number(float64((cfg.KVBlocks - 1) * cfg.BlockSize))
	}
	if s.view.cpu {
		a.ProcessCPU = s.view.around(rng, (o.after.FrontendCPU-o.before.FrontendCPU).Seconds()/o.seconds())
	}
	if s.view.mfu {
		w, gpus := o.after.Work.Minus(o.before.Work), float64(max(s.rig.engine.TP, 1))
		a.FLOPs, a.MemoryBytes = s.view.around(rng, w.FLOPs/gpus/o.seconds()), s.view.around(rng, (w.Read+w.Written)/gpus/o.seconds())
	}
	return a
}

// counters are differences over the window, and means of what histograms saw in it.
func (s System) counters(a *record.Server, o *observed) {
	a.Preemptions = number(float64(o.after.Preemptions - o.before.Preemptions))
	a.PromptTokens, a.OutputTokens, a.Finished = number(o.prompts), number(o.outputs), number(o.ended)
	a.PrefixHits, a.PrefixQueries = number(float64(o.after.PrefixHits-o.before.PrefixHits)), number(float64(o.after.PrefixQueries-o.before.PrefixQueries))
	if o.steps > 0 {
		a.IterationTokens = number(o.iterations / o.steps)
	}
	if o.itls > 0 {
		a.ITLMean = number(1000 * o.itl / o.itls)
	}
	// Over the same requests as the client's figures, as bench's edges make them.
	var sum parts
	done := o.measured()
	for _, c := range done {
		sum.ttft, sum.queue, sum.prefill = sum.ttft+c.server.ttft, sum.queue+c.server.queue, sum.prefill+c.server.prefill
		sum.decode, sum.e2e = sum.decode+c.server.decode, sum.e2e+c.server.e2e
	}
	mean := func(seconds float64) *float64 { return number(1000 * seconds / float64(len(done))) }
	if len(done) > 0 {
		a.TTFTMean, a.QueueMean, a.PrefillMean, a.DecodeMean, a.E2EMean = mean(sum.ttft), mean(sum.queue), mean(sum.prefill), mean(sum.decode), mean(sum.e2e)
	}
}

// anatomy cuts a mean request into parts, as bench does.
func (s System) anatomy(l *record.Level, done []*call, server *record.Server) {
	a := &l.Anatomy
	a.ClientWait, a.Connect, a.FirstToken = number(0.05), number(0), l.TTFT.Mean
	var decode float64
	for _, c := range done {
		decode += ms(c.last - c.first)
	}
	if len(done) > 0 {
		a.Decode, a.Close = number(decode/float64(len(done))), number(0)
	}
	if server == nil || server.TTFTMean == nil || l.TTFT.Mean == nil {
		return
	}
	a.ServerKnown, a.ServerTTFT, a.Queue, a.Prefill = true, server.TTFTMean, server.QueueMean, server.PrefillMean
	a.Network = number(*l.TTFT.Mean - *server.TTFTMean)
	if server.QueueMean != nil && server.PrefillMean != nil {
		a.Frontend = number(*server.TTFTMean - *server.QueueMean - *server.PrefillMean)
	}
}

// curve is a level as package saturate takes it.
func curve(l record.Level, o *observed) saturate.Level {
	c := saturate.Level{
		ID: l.ID, Load: l.Load.Value, Pass: l.Pass, RequestsPerS: l.Throughput.RequestsPerS, TokensPerS: l.Throughput.OutputTokensPerS,
		InFlight: l.Client.InFlight.Mean, WindowS: o.seconds(), Valid: l.Validity.Verdict == record.Valid || saturate.Overloaded(&l),
	}
	if !c.Valid && len(l.Validity.Reasons) > 0 {
		c.Why = l.Validity.Verdict + ": " + l.Validity.Reasons[0]
	}
	for _, d := range o.measured() {
		c.Completions = append(c.Completions, saturate.Completion{EndS: d.last.Seconds(), LatencyS: (d.last - d.sent).Seconds(), Tokens: float64(d.tokens)})
	}
	return c
}
