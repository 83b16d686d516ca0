package bench

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"time"

	"assay/internal/load"
	"assay/internal/nullserver"
	"assay/internal/record"
	"assay/internal/stats"
	"assay/internal/wire"
)

// SelftestResult is this machine's ceiling as a client, measured against a
// built-in server that knows what it wrote and when. Client and server share
// the machine, so a server elsewhere leaves the client more.
type SelftestResult struct {
	Host  record.Host     `json:"host"`
	Steps []SelftestStep  `json:"steps"`
	Start time.Time       `json:"start"`
	Spec  SelftestSetting `json:"spec"`
}

// SelftestSetting is how long each step is held.
type SelftestSetting struct {
	StepS float64 `json:"step_s"`
}

// SelftestStep is one load and how the client did under it.
type SelftestStep struct {
	Name           string          `json:"name"`
	Streams        int             `json:"streams,omitempty"`
	AskedPerS      float64         `json:"asked_requests_per_s,omitempty"`
	RequestsPerS   float64         `json:"requests_per_s"`
	TokensPerS     float64         `json:"tokens_per_s"`
	TTFTErrorMS    *float64        `json:"ttft_error_ms"` // mean reported - mean of the server's ledger
	Lag            stats.Dist      `json:"lag_ms"`
	CPUPerMTokens  *float64        `json:"cpu_s_per_million_tokens"` // client and server together
	Validity       record.Validity `json:"validity"`
	Requests       int             `json:"requests"`
	InFlightMean   float64         `json:"in_flight_mean"`
	SchedDelayP99  *float64        `json:"sched_delay_p99_ms"`
	ClientPlusNull float64         `json:"cpu_cores"` // client and server together
}

// selftestLoads are the loads of a self-test: streams of 100 tokens a second
// each, and short answers at a rate.
var selftestLoads = []struct {
	name      string
	ttft, itl time.Duration
	tokens    int
	level     load.Level
}{
	{"64 streams, 100 tokens/s each", 50 * time.Millisecond, 10 * time.Millisecond, 64, load.Level{Concurrency: 64}},
	{"256 streams, 100 tokens/s each", 50 * time.Millisecond, 10 * time.Millisecond, 64, load.Level{Concurrency: 256}},
	{"1,024 streams, 25 tokens/s each", 50 * time.Millisecond, 40 * time.Millisecond, 32, load.Level{Concurrency: 1024}},
	{"1,000 requests/s, one token each", 0, 0, 1, load.Level{Rate: 1000, Arrival: load.Poisson}},
	{"5,000 requests/s, one token each", 0, 0, 1, load.Level{Rate: 5000, Arrival: load.Poisson}},
}

// Selftest measures each load for that long and shows each step as it ends.
func Selftest(ctx context.Context, step time.Duration, done func(SelftestStep)) (SelftestResult, error) {
	result := SelftestResult{Host: host(), Start: time.Now().UTC(), Spec: SelftestSetting{StepS: step.Seconds()}}
	for _, l := range selftestLoads {
		s, err := selftestStep(ctx, l.name, nullserver.Options{TTFT: l.ttft, ITL: l.itl, Tokens: l.tokens}, l.level, step)
		if err != nil {
			return result, fmt.Errorf("self-test with %s: %w", l.name, err)
		}
		if ctx.Err() != nil {
			return result, context.Cause(ctx)
		}
		result.Steps = append(result.Steps, s)
		done(s)
	}
	return result, nil
}

// fixedPrompt gives one short prompt for ever.
type fixedPrompt struct{ tokens int }

func (f fixedPrompt) Next(*rand.Rand) (load.Prompt, error) {
	return load.Prompt{Text: "Say something.", MaxTokens: f.tokens}, nil
}

func selftestStep(ctx context.Context, name string, opt nullserver.Options, l load.Level, step time.Duration) (SelftestStep, error) {
	server, err := nullserver.Start(opt)
	if err != nil {
		return SelftestStep{}, err
	}
	defer server.Close()
	epoch := time.Now()
	client, err := wire.New(wire.Endpoint{URL: server.URL(), Model: server.Model(), API: wire.Chat}, wire.Options{Epoch: epoch})
	if err != nil {
		return SelftestStep{}, err
	}
	defer client.Close()
	l.ID, l.Duration, l.Seed = "selftest", step, 1
	rec := Recorded{RunStart: epoch, Plan: PlannedLevel{ID: l.ID, Load: record.Load{Kind: record.ByRate, Value: l.Rate}}}
	if l.Concurrency > 0 {
		rec.Plan.Load = record.Load{Kind: record.ByConcurrency, Value: float64(l.Concurrency)}
	}
	runner := load.Runner{
		Client: client, Encode: load.Encoder(client, wire.Dialect{IncludeUsage: true}), Source: fixedPrompt{opt.Tokens}, RunID: "selftest",
		OnRequest: func(q record.Request) { rec.Requests = append(rec.Requests, q) },
		OnSample:  func(c record.ClientSample) { rec.Client = append(rec.Client, c) },
	}
	if _, err := runner.Run(ctx, l); err != nil {
		return SelftestStep{}, err
	}
	folded := Fold(rec)
	out := SelftestStep{
		Name: name, Streams: l.Concurrency, AskedPerS: l.Rate,
		RequestsPerS: folded.Throughput.RequestsPerS, TokensPerS: folded.Throughput.OutputTokensPerS,
		Lag: folded.Client.Lag, Validity: folded.Validity, Requests: folded.Requests.Completed,
		InFlightMean: folded.Client.InFlight.Mean, SchedDelayP99: folded.Client.SchedDelay.P50, ClientPlusNull: folded.Client.CPU,
		TTFTErrorMS: ttftError(rec.Requests, server.Ledger()),
	}
	if out.TokensPerS > 0 {
		v := folded.Client.CPU / out.TokensPerS * 1e6
		out.CPUPerMTokens = &v
	}
	return out, nil
}

// ttftError is the mean over measured requests of the TTFT reported less that
// of the server's ledger, matched by id; nil for none.
func ttftError(requests []record.Request, ledger nullserver.Ledger) *float64 {
	truth := make(map[string]float64, len(ledger.Entries))
	for _, e := range ledger.Entries {
		truth[e.ID] = float64(e.First-e.Received) / float64(time.Millisecond)
	}
	var m mean
	for i := range requests {
		ms, ok := requests[i].TTFT()
		want, known := truth[requests[i].ID]
		if ok && known && requests[i].Phase == record.Measured {
			m.add(ms - want)
		}
	}
	return m.value()
}

// Text prints one step on a line.
func (s SelftestStep) Text(w io.Writer) {
	text := func(v *float64, format string) string {
		if v == nil || math.IsNaN(*v) {
			return "–"
		}
		return fmt.Sprintf(format, *v)
	}
	lag := s.Lag.P99
	fmt.Fprintf(w, "%-34s %8.0f req/s %9.0f tok/s   TTFT error %s ms   lag p99 %s ms   %s\n",
		s.Name, s.RequestsPerS, s.TokensPerS, text(s.TTFTErrorMS, "%+.2f"), text(lag, "%.2f"), s.Validity.Verdict)
	for _, r := range s.Validity.Reasons {
		fmt.Fprintf(w, "%-34s %s\n", "", r)
	}
}
