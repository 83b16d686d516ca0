package bench

import (
	"cmp"
	"math"
	"slices"
	"time"

	"assay/internal/record"
	"assay/internal/spec"
	"assay/internal/stats"
	"assay/internal/wire"
)

// Recorded is what the run folder holds of one level: enough to fold it, live
// or years later.
type Recorded struct {
	Plan     PlannedLevel
	RunStart time.Time
	Requests []record.Request // warm-up and measured, any order
	chunks   *perChunk        // nil: Requests hold all their chunks
	Client   []record.ClientSample
	Metrics  []record.MetricsSample
	CutBy    string
	SLO      []spec.Criterion
	// PricePerHour is of what serves the target, US dollars; 0: not given.
	PricePerHour float64
	// MaxErrors is the share of failures above which a level is no measurement.
	MaxErrors float64
	// Dropped are arrivals that the client's limit of open requests let not be sent.
	Dropped int
	// Repeated are measured prompts that a dataset had given before.
	Repeated int
	// CacheReset says that the prefix cache was emptied before the level, and
	// TemplateTokens how many tokens the template puts around a prompt; 0: not known.
	CacheReset     bool
	TemplateTokens int
	// Engine is the target's, whose limits stand where its metrics do not say them.
	Engine record.TargetEngine
	// SimulatorInside says that the client's CPU includes the embedded engine's.
	SimulatorInside bool
}

// Fold turns the lines of one level into its figures and judges them. It is a
// pure function of what was recorded.
func Fold(in Recorded) record.Level {
	measured, warmup := split(in.Requests)
	l := record.Level{
		ID: in.Plan.ID, Scenario: in.Plan.Scenario.Name, Pass: in.Plan.Pass, Repeat: in.Plan.Repeat, Load: in.Plan.Load,
		Errors: map[string]int{}, CutBy: in.CutBy, Reuse: reuseOf(in.Plan),
	}
	l.Start, l.End, l.DurationS = span(in.RunStart, in.Requests)
	l.Requests = count(measured, l.Errors)
	l.Requests.Warmup = len(warmup)
	l.Window = window(measured, warmup, in.Plan.Load)
	foldLatency(&l, measured)
	chunks := chunksOf(in, measured, l.Window)
	l.ICL = chunks.icl.Dist()
	l.Throughput = throughput(credited(in.Requests, in.Plan.Load), chunks.output, l.Window)
	l.Asked, l.Got, l.TokensFrom, l.Cached = tokenCounts(measured)
	l.Models = modelsOf(measured)
	l.Sessions = sessionsOf(measured, l.Window, in.Requests)
	if l.Load.Arrival == record.ArrivalTrace {
		l.Load.Value = offeredMean(in.Requests)
	}
	l.SLO = judge(measured, chunks, l, in.SLO)
	l.Goodput = perSecond(chunks.good, l.Window)
	l.Client = foldClient(measured, in, l.Window)
	l.Anatomy = anatomy(measured, l)
	said := accountsOf(in.RunStart, in.Metrics)
	l.GPU, l.Node = said.gpu, said.node
	addLimits(said.server, in.Engine)
	addServer(&l, said.server, said.whole, in.Requests)
	l.USDPerM = usdPerMillion(in.PricePerHour, l.Throughput.OutputTokensPerS)
	l.Oversaturated = oversaturation(in, measured)
	l.Little = littlesLaw(l, in.Requests)
	l.Cache = cacheOf(l, in, measured)
	l.Validity = validity(l, in, measured, chunks)
	return l
}

func split(all []record.Request) (measured, warmup []*record.Request) {
	for i := range all {
		if all[i].Phase == record.Warmup {
			warmup = append(warmup, &all[i])
		} else {
			measured = append(measured, &all[i])
		}
	}
	return measured, warmup
}

func span(start time.Time, all []record.Request) (from, to time.Time, seconds float64) {
	if len(all) == 0 {
		return start, start, 0
	}
	first, last := int64(math.MaxInt64), int64(0)
	for i := range all {
		first = min(first, all[i].IntendedUS)
		last = max(last, all[i].EndUS)
	}
	at := func(us int64) time.Time { return start.Add(time.Duration(us) * time.Microsecond).UTC() }
	return at(first), at(last), float64(last-first) / 1e6
}

func count(measured []*record.Request, errors map[string]int) (n record.Requests) {
	for _, r := range measured {
		switch {
		case r.OK():
			n.Completed++
		case r.Error == wire.KindCancelled:
			n.Cancelled++
		default:
			n.Failed++
			errors[r.Error]++
		}
	}
	return n
}

// window is the part of the level under full load: from the end of the last
// warm-up request (or the first measured send) to the last measured send,
// after which slots empty. Where that is shorter than one mean answer there
// was no steady state, and the span of the measured requests stands in.
func window(measured, warmup []*record.Request, load record.Load) record.Window {
	var w record.Window
	first, lastSent, lastEnd := int64(math.MaxInt64), int64(0), int64(0)
	sum, n := 0.0, 0
	for _, r := range measured {
		if r.NotSent {
			continue
		}
		first, lastSent, lastEnd = min(first, r.SentUS), max(lastSent, r.SentUS), max(lastEnd, r.EndUS)
		if ms, ok := r.E2E(); ok && r.OK() {
			sum, n = sum+ms, n+1
		}
	}
	if n == 0 {
		return w
	}
	w.StartUS, w.EndUS = first, lastSent
	if load.Kind == record.ByConcurrency {
		for _, r := range warmup {
			w.StartUS = max(w.StartUS, r.EndUS)
		}
	}
	if meanUS := sum / float64(n) * 1000; float64(w.EndUS-w.StartUS) >= meanUS {
		w.Steady = true
		return w
	}
	return record.Window{StartUS: first, EndUS: lastEnd}
}

// foldLatency takes the requests in order of their sending, which is what the
// bounds of the percentiles read their dependence from.
func foldLatency(l *record.Level, measured []*record.Request) {
	var ttft, ttfo, itl, e2e, tps, fromTTFT, fromE2E []float64
	for _, r := range bySend(measured) {
		if !r.OK() {
			continue
		}
		wait := r.WaitMS()
		if ms, ok := r.TTFT(); ok {
			ttft, fromTTFT = append(ttft, ms), append(fromTTFT, ms+wait)
		}
		if ms, ok := r.E2E(); ok {
			e2e, fromE2E = append(e2e, ms), append(fromE2E, ms+wait)
		}
		ttfo = appendDefined(ttfo, r.TTFO)
		itl = appendDefined(itl, r.ITL)
		tps = appendDefined(tps, r.TPS)
	}
	l.TTFT, l.TTFO, l.ITL = stats.SummarizeInOrder(ttft), stats.SummarizeInOrder(ttfo), stats.SummarizeInOrder(itl)
	l.E2E, l.TPSRequest = stats.SummarizeInOrder(e2e), stats.SummarizeInOrder(tps)
	l.FromIntent = record.FromIntended{TTFT: stats.SummarizeInOrder(fromTTFT), E2E: stats.SummarizeInOrder(fromE2E)}
}

// bySend are the requests in order of their sending.
func bySend(requests []*record.Request) []*record.Request {
	out := slices.Clone(requests)
	slices.SortStableFunc(out, func(a, b *record.Request) int { return cmp.Compare(a.SentUS, b.SentUS) })
	return out
}

func appendDefined(to []float64, measure func() (float64, bool)) []float64 {
	if x, ok := measure(); ok {
		return append(to, x)
	}
	return to
}

// credited are the requests whose work in the window counts.
func credited(all []record.Request, load record.Load) []*record.Request {
	var out []*record.Request
	for i := range all {
		if r := &all[i]; load.Credits(r) {
			out = append(out, r)
		}
	}
	return out
}

func throughput(counted []*record.Request, output float64, w record.Window) record.Throughput {
	seconds := w.Seconds()
	if seconds <= 0 {
		return record.Throughput{}
	}
	var requests, prompt float64
	for _, r := range counted {
		if w.Ended(r) {
			requests++
		}
		if first := r.SentUS + firstChunk(r); r.PromptTokens != nil && first >= w.StartUS && first < w.EndUS {
			prompt += float64(*r.PromptTokens)
		}
	}
	return record.Throughput{
		RequestsPerS: requests / seconds, OutputTokensPerS: output / seconds, TotalTokensPerS: (output + prompt) / seconds,
	}
}

// firstChunk is when the prompt had been read, since the sending. An answer in
// one piece says it with its end.
func firstChunk(r *record.Request) int64 {
	switch {
	case len(r.ChunkUS) > 0:
		return r.ChunkUS[0]
	case r.OK():
		return r.EndUS - r.SentUS
	}
	return 0
}

func tokenCounts(measured []*record.Request) (asked, got record.Tokens, from string, cached *int64) {
	var askedPrompt, askedOutput, prompt, output mean
	for _, r := range measured {
		if !r.OK() {
			continue
		}
		askedPrompt.addKnown(r.AskedPrompt)
		askedOutput.addKnown(r.AskedOutput)
		if r.PromptTokens != nil {
			prompt.add(float64(*r.PromptTokens))
		}
		if r.OutputTokens != nil {
			output.add(float64(*r.OutputTokens))
		}
		if r.CachedTokens != nil {
			if cached == nil {
				cached = new(int64)
			}
			*cached += int64(*r.CachedTokens)
		}
		switch from {
		case "", r.TokensFrom:
			from = r.TokensFrom
		default:
			from = record.FromMixed
		}
	}
	asked = record.Tokens{Prompt: askedPrompt.value(), Output: askedOutput.value()}
	got = record.Tokens{Prompt: prompt.value(), Output: output.value()}
	return asked, got, from, cached
}

// mean is a running mean; its value is nil for no samples.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(x float64) { m.sum, m.n = m.sum+x, m.n+1 }

// addKnown leaves out 0, which stands for "not asked".
func (m *mean) addKnown(n int) {
	if n > 0 {
		m.add(float64(n))
	}
}

func (m *mean) value() *float64 {
	if m.n == 0 {
		return nil
	}
	v := m.sum / float64(m.n)
	return &v
}

// perSecond is a count over the window; nil without one.
func perSecond(n float64, w record.Window) *float64 {
	seconds := w.Seconds()
	if seconds <= 0 {
		return nil
	}
	n /= seconds
	return &n
}

func meetsAll(r *record.Request, slo []spec.Criterion) bool {
	return !slices.ContainsFunc(slo, func(c spec.Criterion) bool { return !r.Within(c.Metric, c.Limit) })
}

// anatomy is the client's half of a mean request's parts; the server's half
// comes with its metrics.
func anatomy(measured []*record.Request, l record.Level) record.Anatomy {
	var wait, connect, decode, closing mean
	for _, r := range measured {
		if !r.OK() || len(r.ChunkUS) == 0 {
			continue
		}
		last := r.ChunkUS[len(r.ChunkUS)-1]
		wait.add(r.LagMS())
		connect.add(float64(r.ConnectUS) / 1000)
		decode.add(float64(last-r.ChunkUS[0]) / 1000)
		closing.add(float64(r.EndUS-r.SentUS-last) / 1000)
	}
	return record.Anatomy{
		ClientWait: wait.value(), Connect: connect.value(), FirstToken: l.TTFT.Mean,
		Decode: decode.value(), Close: closing.value(),
	}
}
