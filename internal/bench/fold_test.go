package bench

import (
	"math"
	"strings"
	"testing"
	"time"

	"assay/internal/load"
	"assay/internal/record"
	"assay/internal/spec"
	"assay/internal/stats"
)

func ptr[T any](v T) *T { return &v }

// closedLoop is a recorded closed loop of c slots: each answer takes 100 ms to
// the first of ten tokens and 10 ms to each further one; one warm-up request a
// slot, then n measured ones. Slots are out of phase.
func closedLoop(c, n int) Recorded {
	const answerUS = 190_000
	rec := Recorded{
		RunStart: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC), SLO: spec.DefaultSLO(),
		Plan: PlannedLevel{ID: "l", Scenario: spec.Default(spec.Saturation), Load: record.Load{Kind: record.ByConcurrency, Value: float64(c)}},
	}
	for i := range c + n {
		slot, round := i%c, i/c
		at := int64(slot*answerUS/c + round*answerUS)
		rec.Requests = append(rec.Requests, answer(at, i < c))
	}
	return rec
}

func answer(at int64, warm bool) record.Request {
	r := record.Request{
		Level: "l", Phase: record.Measured, IntendedUS: at, SentUS: at + 100, EndUS: at + 190_000,
		PromptTokens: ptr(20), OutputTokens: ptr(10), TokensFrom: record.FromUsage, AskedPrompt: 20, AskedOutput: 10,
	}
	if warm {
		r.Phase = record.Warmup
	}
	for k := range int64(10) {
		r.ChunkUS = append(r.ChunkUS, 99_900+k*10_000)
	}
	return r
}

func TestFoldClosedLoop(t *testing.T) {
	l := Fold(closedLoop(10, 200))
	if l.Requests != (record.Requests{Completed: 200, Warmup: 10}) {
		t.Errorf("requests = %+v", l.Requests)
	}
	near(t, "TTFT mean", *l.TTFT.Mean, 99.9, 0.01)
	near(t, "TTFT from intended", *l.FromIntent.TTFT.Mean, 100, 0.01)
	near(t, "ITL mean", *l.ITL.Mean, 10, 0.01)
	near(t, "ICL mean", *l.ICL.Mean, 10, 0.01)
	near(t, "E2E mean", *l.E2E.Mean, 189.9, 0.01)
	// Ten slots of 0.19 s each: Little's law without the ends.
	near(t, "requests/s", l.Throughput.RequestsPerS, 10/0.19, 0.02*10/0.19)
	near(t, "output tokens/s", l.Throughput.OutputTokensPerS, 100/0.19, 0.02*100/0.19)
	near(t, "total tokens/s", l.Throughput.TotalTokensPerS, 300/0.19, 0.02*300/0.19)
	near(t, "in flight", l.Client.InFlight.Mean, 10, 0.1)
	if l.Client.InFlight.Max != 10 {
		t.Errorf("at most %d in flight, want 10", l.Client.InFlight.Max)
	}
	if l.Validity.Verdict != record.Valid {
		t.Errorf("validity = %+v", l.Validity)
	}
	if l.TTFT.P99 != nil || len(l.TTFT.Unsupported) != 1 {
		t.Errorf("p99 of 200 samples is given: %v", l.TTFT)
	}
	near(t, "goodput", *l.Goodput, l.Throughput.RequestsPerS, 0.05*l.Throughput.RequestsPerS)
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within {
		t.Errorf("%s = %v, want %v ± %v", what, got, want, within)
	}
}

func TestWindow(t *testing.T) {
	type span struct{ from, to int64 }
	closed, open := record.Load{Kind: record.ByConcurrency, Value: 2}, record.Load{Kind: record.ByRate, Value: 1}
	for _, tt := range []struct {
		name     string
		load     record.Load
		warm     int
		spans    []span
		want     record.Window
		inFlight float64
	}{
		{"closed loop: last warm-up end to last send", closed, 2,
			[]span{{0, 50}, {0, 100}, {50, 150}, {100, 200}, {150, 250}, {200, 300}}, record.Window{StartUS: 100, EndUS: 200, Steady: true}, 2},
		{"closed loop: slots idle", closed, 2,
			[]span{{0, 50}, {0, 100}, {60, 150}, {100, 200}, {160, 250}, {200, 300}}, record.Window{StartUS: 100, EndUS: 200, Steady: true}, 1.9},
		{"closed loop: all sent before the warm-up ended", closed, 2,
			[]span{{0, 50}, {0, 500}, {50, 150}, {150, 250}}, record.Window{StartUS: 50, EndUS: 250}, 2},
		{"open loop: first to last measured send", open, 1,
			[]span{{0, 30}, {20, 50}, {40, 70}, {60, 90}}, record.Window{StartUS: 20, EndUS: 60, Steady: true}, 1.5},
		{"one request", closed, 0, []span{{10, 20}}, record.Window{StartUS: 10, EndUS: 20}, 1},
		{"nothing", closed, 0, nil, record.Window{}, 0},
	} {
		rec := Recorded{Plan: PlannedLevel{Load: tt.load}}
		for i, s := range tt.spans {
			r := record.Request{Phase: record.Measured, IntendedUS: s.from, SentUS: s.from, EndUS: s.to, ChunkUS: []int64{1}}
			if i < tt.warm {
				r.Phase = record.Warmup
			}
			rec.Requests = append(rec.Requests, r)
		}
		l := Fold(rec)
		if l.Window != tt.want || l.Client.InFlight.Mean != tt.inFlight {
			t.Errorf("%s: %+v with %g in flight, want %+v with %g", tt.name, l.Window, l.Client.InFlight.Mean, tt.want, tt.inFlight)
		}
	}
}

// What is served at an open loop of few arrivals follows what chance offered,
// not the rate that was asked: that is no plateau.
func TestIdleOpenLoopIsNotSaturated(t *testing.T) {
	for seed := range uint64(20) {
		rng := stats.NewRand(seed, 0)
		scenario := spec.Scenario{Name: "rates", RequestRate: []float64{2, 4, 8}}
		var recorded []Recorded
		var levels []record.Level
		for _, rate := range scenario.RequestRate {
			rec := Recorded{Plan: PlannedLevel{ID: levelID("rates", record.ByRate, rate), Scenario: scenario, Load: record.Load{Kind: record.ByRate, Value: rate}}, SLO: spec.DefaultSLO()}
			at := 0.0
			for i := 0; at < 25e6; i++ {
				r := answer(int64(at), i < 2)
				rec.Requests = append(rec.Requests, r)
				// Gamma of shape 0.5: a squared normal.
				x := rng.NormFloat64()
				at += x * x * 1e6 / rate
			}
			recorded, levels = append(recorded, rec), append(levels, Fold(rec))
		}
		if s := saturationOf(mergeRepeats(recorded, levels), seed); s.Saturated {
			t.Errorf("seed %d: saturated, knee %v, estimates %+v", seed, s.Knee, s.Elasticities)
		}
	}
}

func TestGoodputCountsWhatThroughputCounts(t *testing.T) {
	for _, kind := range []string{record.ByConcurrency, record.ByRate} {
		rec := closedLoop(10, 200)
		rec.Plan.Load.Kind = kind
		l := Fold(rec)
		if *l.Goodput != l.Throughput.RequestsPerS {
			t.Errorf("%s: every request met the SLO, but goodput is %v of %v requests/s", kind, *l.Goodput, l.Throughput.RequestsPerS)
		}
	}
}

func TestFailedRequestsHaveNoPartInLatencyOrThroughput(t *testing.T) {
	rec := closedLoop(4, 100)
	for i := range rec.Requests {
		if i%2 == 1 {
			rec.Requests[i].Error = "reset"
			rec.Requests[i].ChunkUS = []int64{1}
		}
	}
	l := Fold(rec)
	if l.Errors["reset"] != 50 || l.Requests.Failed != 50 || l.Requests.Completed != 50 {
		t.Errorf("counts = %+v, %v", l.Requests, l.Errors)
	}
	near(t, "TTFT min", *l.TTFT.Min, 99.9, 0.01)
	near(t, "requests/s", l.Throughput.RequestsPerS, 2/0.19, 0.1*2/0.19)
}

func TestValidity(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Recorded)
		want   string
	}{
		{"steady", func(*Recorded) {}, record.Valid},
		{"interrupted", func(r *Recorded) { r.CutBy = load.CutInterrupt }, record.Invalid},
		{"killed", func(r *Recorded) { r.CutBy = cutKilled }, record.Invalid},
		{"too many errors", func(r *Recorded) { r.CutBy = load.CutErrors }, record.Invalid},
		{"budget", func(r *Recorded) { r.CutBy = load.CutBudget }, record.Valid},
		{"nothing succeeded", func(r *Recorded) {
			for i := range r.Requests {
				r.Requests[i].Error = "connect"
			}
		}, record.Invalid},
		{"fewer than a wave", func(r *Recorded) { r.Requests = r.Requests[:14] }, record.Unstable},
		{"slots that idle", func(r *Recorded) {
			for i := range r.Requests {
				q := &r.Requests[i]
				q.SentUS += 60_000
				for k := range q.ChunkUS {
					q.ChunkUS[k] /= 2
				}
				q.EndUS = q.SentUS + q.ChunkUS[9]
			}
		}, record.ClientLimited},
		{"a starved client", func(r *Recorded) {
			r.Client = []record.ClientSample{{SchedP99US: 50_000}}
		}, record.ClientLimited},
		{"a buffered stream", func(r *Recorded) {
			for i := range r.Requests {
				for k := range r.Requests[i].ChunkUS {
					r.Requests[i].ChunkUS[k] = 189_000 + int64(k)
				}
			}
		}, record.Invalid},
		{"failures above the limit, to its end", func(r *Recorded) {
			r.MaxErrors = 0.1
			for i := range r.Requests {
				if i%8 == 0 {
					r.Requests[i].Error = "reset"
				}
			}
		}, record.Invalid},
		{"most requests fail, and the user lets it pass", func(r *Recorded) {
			r.MaxErrors = 1
			for i := range r.Requests {
				if i%4 > 0 {
					r.Requests[i].Error = "reset"
				}
			}
		}, record.Invalid},
		{"failures below the limit", func(r *Recorded) {
			r.MaxErrors = 0.1
			for i := range r.Requests {
				if i%20 == 0 {
					r.Requests[i].Error = "reset"
				}
			}
		}, record.Valid},
		{"a drift", func(r *Recorded) {
			for i := range r.Requests {
				q := &r.Requests[i]
				for k := range q.ChunkUS {
					q.ChunkUS[k] += int64(i) * 400
				}
			}
		}, record.Unstable},
		{"a replay of a trace that changes so", func(r *Recorded) {
			r.Plan.Load = record.Load{Kind: record.ByRate, Arrival: record.ArrivalTrace, Speed: 1}
			for i := range r.Requests {
				q := &r.Requests[i]
				for k := range q.ChunkUS {
					q.ChunkUS[k] += int64(i) * 400
				}
			}
		}, record.Valid},
		{"another replica", func(r *Recorded) {
			r.Metrics = []record.MetricsSample{
				{AtUS: 0, Edge: "start", Values: map[string]float64{`vllm:generation_tokens_total{engine="0",model_name="m"}`: 500}},
				{AtUS: 9e6, Edge: "end", Values: map[string]float64{`vllm:generation_tokens_total{engine="0",model_name="m"}`: 20}},
			}
		}, record.Unstable},
	} {
		rec := closedLoop(10, 200)
		tt.change(&rec)
		got := Fold(rec).Validity
		if got.Verdict != tt.want || (got.Verdict == record.Valid) != (len(got.Reasons) == 0) {
			t.Errorf("%s: %+v, want %s", tt.name, got, tt.want)
		}
	}
}

func TestJudgeAShortLevelByABound(t *testing.T) {
	slo := []spec.Criterion{{Metric: "ttft", Percentile: "p95", Limit: 500}}
	for _, tt := range []struct {
		n, over int
		want    string
	}{
		{20, 0, record.Undecided}, // 0.95^20 = 36 %
		{100, 0, record.Met},      // 0.95^100 = 0.6 %
		{20, 6, record.Missed},
		{200, 0, record.Met}, // supported: by its value
		{200, 20, record.Missed},
	} {
		rec := closedLoop(1, tt.n)
		rec.SLO = slo
		for i := range tt.over {
			rec.Requests[len(rec.Requests)-1-i].ChunkUS = []int64{900_000, 900_001}
		}
		l := Fold(rec)
		if got := l.SLO[0]; got.Verdict != tt.want || got.Basis == "" {
			t.Errorf("%d of %d over: %+v, want %s", tt.over, tt.n, got, tt.want)
		}
	}
}

func TestServerAccountIsReconciled(t *testing.T) {
	rec := closedLoop(10, 200)
	at := func(us int64, edge string, finished, output, ttftSum, queueSum, prefillSum float64) record.MetricsSample {
		l := `{engine="0",model_name="m"}`
		return record.MetricsSample{AtUS: us, Edge: edge, Values: map[string]float64{
			`vllm:generation_tokens_total` + l: output,
			`vllm:prompt_tokens_total` + l:     2 * output,
			`vllm:request_success_total{engine="0",finished_reason="length",model_name="m"}`: finished,
			`vllm:time_to_first_token_seconds_sum` + l:                                       ttftSum,
			`vllm:time_to_first_token_seconds_count` + l:                                     finished,
			`vllm:request_queue_time_seconds_sum` + l:                                        queueSum,
			`vllm:request_queue_time_seconds_count` + l:                                      finished,
			`vllm:request_prefill_time_seconds_sum` + l:                                      prefillSum,
			`vllm:request_prefill_time_seconds_count` + l:                                    finished,
			`vllm:num_requests_running` + l:                                                  8,
			`vllm:num_requests_waiting` + l:                                                  2,
		}}
	}
	rec.Metrics = []record.MetricsSample{
		at(0, "start", 5, 50, 1, 1, 1), at(1e6, "", 100, 1000, 8, 3, 5), at(5e6, "end", 215, 2150, 1+0.09*210, 1+0.04*210, 1+0.03*210),
	}
	l := Fold(rec)
	if l.Server == nil || len(l.Server.Reconciled) != 4 {
		t.Fatalf("server = %+v", l.Server)
	}
	for _, c := range l.Server.Reconciled {
		if !c.OK {
			t.Errorf("%+v", c)
		}
	}
	near(t, "network", *l.Anatomy.Network, 99.9-90, 0.01)
	near(t, "queue", *l.Anatomy.Queue, 40, 0.01)
	near(t, "frontend", *l.Anatomy.Frontend, 20, 0.01)
	if got := unreconciled(l); len(got) != 0 {
		t.Errorf("unreconciled: %v", got)
	}
	rec.Metrics[2].Values[`vllm:generation_tokens_total{engine="0",model_name="m"}`] = 9999
	if got := unreconciled(Fold(rec)); len(got) != 1 {
		t.Errorf("unreconciled: %v, want one", got)
	}
}

func TestCost(t *testing.T) {
	rec := closedLoop(10, 200)
	rec.PricePerHour = 36
	l := Fold(rec)
	// 36 dollars an hour is a cent a second.
	near(t, "USD per million", *l.USDPerM, 0.01/l.Throughput.OutputTokensPerS*1e6, 1e-9)
}

func TestRunSLOTrustsOnlyWhatIsValid(t *testing.T) {
	for _, tt := range []struct {
		validity, level, want string
	}{
		{record.Valid, record.Met, record.Met},
		{record.Valid, record.Missed, record.Missed},
		{record.ClientLimited, record.Met, record.Met},
		{record.ClientLimited, record.Missed, record.Undecided},
		{record.Unstable, record.Met, record.Undecided},
		{record.Invalid, record.Missed, record.Undecided},
	} {
		l := record.Level{Scenario: "fixed", Validity: record.Validity{Verdict: tt.validity}}
		l.SLO = []record.Criterion{{Metric: "ttft", Percentile: "p95", Limit: 500, Value: ptr(1.0), Verdict: tt.level}}
		run := &record.Run{Levels: []record.Level{l}}
		got := sloOf(run, []spec.Criterion{{Metric: "ttft", Percentile: "p95", Limit: 500}})
		met := map[string]bool{record.Met: true}
		if (got.Met != nil) != (tt.want != record.Undecided) || got.Met != nil && *got.Met != met[tt.want] || got.Criteria[0].Verdict != tt.want {
			t.Errorf("%s and %s: met %v, %+v; want %s", tt.validity, tt.level, got.Met, got.Criteria[0], tt.want)
		}
	}
}

func TestExitCodes(t *testing.T) {
	level := func(completed int, verdict string) record.Level {
		return record.Level{Requests: record.Requests{Completed: completed}, Validity: record.Validity{Verdict: verdict}}
	}
	missed := record.SLO{Given: true, Met: ptr(false)}
	for _, tt := range []struct {
		name string
		run  record.Run
		want int
	}{
		{"fine", record.Run{Levels: []record.Level{level(9, record.Valid)}}, 0},
		{"SLO given and missed", record.Run{SLO: missed, Levels: []record.Level{level(9, record.Valid)}}, 1},
		{"default SLO missed", record.Run{SLO: record.SLO{Met: ptr(false)}, Levels: []record.Level{level(9, record.Valid)}}, 0},
		{"SLO given and undecided", record.Run{SLO: record.SLO{Given: true}, Levels: []record.Level{level(9, record.Valid)}}, 0},
		{"not valid before SLO", record.Run{SLO: missed, Levels: []record.Level{level(9, record.Valid), level(9, record.Unstable)}}, 4},
		{"nothing succeeded before not valid", record.Run{SLO: missed, Levels: []record.Level{level(0, record.Invalid)}}, 3},
		{"interrupted before all", record.Run{Interrupted: true, Levels: []record.Level{level(0, record.Invalid)}}, 130},
		{"no level", record.Run{}, 3},
	} {
		if got := ExitCode(&tt.run); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// A replay that is over before its first answer has measured nothing, though
// nothing failed.
func TestNothingButWarmupIsSaid(t *testing.T) {
	rec := closedLoop(10, 20)
	for i := range rec.Requests {
		rec.Requests[i].Phase = record.Warmup
	}
	got := Fold(rec).Validity
	if got.Verdict != record.Invalid || len(got.Reasons) != 1 || !strings.Contains(got.Reasons[0], "--warmup -1") {
		t.Errorf("%+v", got)
	}
}

// A condition is below its limit, for goodput as for the SLO.
func TestALatencyAtTheLimitIsNotGood(t *testing.T) {
	rec := closedLoop(10, 200)
	for _, tc := range []struct {
		limit   float64
		good    bool
		verdict string
	}{{99.9, false, record.Missed}, {99.901, true, record.Met}} {
		rec.SLO = []spec.Criterion{{Metric: "ttft", Percentile: "p95", Limit: tc.limit}}
		l := Fold(rec)
		if good := *l.Goodput > 0; good != tc.good || l.SLO[0].Verdict != tc.verdict {
			t.Errorf("TTFT of 99.9 ms below %g: goodput %g, SLO %s", tc.limit, *l.Goodput, l.SLO[0].Verdict)
		}
	}
}

// The answers that end first in an open loop's window are of requests that the
// warm-up sent.
func TestAnOpenLoopsFirstAnswersAreNoDrift(t *testing.T) {
	rec := Recorded{Plan: PlannedLevel{Load: record.Load{Kind: record.ByRate, Value: 10, Arrival: "poisson"}}}
	at := 0.0
	for i := range 1500 {
		r := answer(int64(at), i < 500)
		r.EndUS = r.SentUS + 40e6 // four tenths of the window
		rec.Requests = append(rec.Requests, r)
		at += 1e5 * (1 - 0.00002*float64(i)) // 3 % more often at the end
	}
	if l := Fold(rec); l.Validity.Verdict != record.Valid {
		t.Errorf("%+v", l.Validity)
	}
}
