package bench

import (
	"math"
	"slices"
	"strings"
	"testing"

	"assay/internal/load"
	"assay/internal/record"
	"assay/internal/saturate"
	"assay/internal/spec"
	"assay/internal/stats"
)

// Faults that other benchmarks were reported for, each with its issue, and what
// must become of such a level here.
func TestKnownFaultsOfBenchmarks(t *testing.T) {
	reason := func(l record.Level, verdict, words string) bool {
		return l.Validity.Verdict == verdict && strings.Contains(strings.Join(l.Validity.Reasons, "; "), words)
	}
	for _, tc := range []struct {
		issue  string
		change func(*Recorded)
		holds  func(record.Level) bool
	}{
		{"vllm #50677, #35471: tokens counted as chunks, so that the peak lies below the mean", func(r *Recorded) {
			for i := range r.Requests { // four tokens a chunk
				q := &r.Requests[i]
				q.ChunkUS, q.OutputTokens = q.ChunkUS[:5], ptr(20)
				q.ChunkTokens = []int{4, 4, 4, 4, 4}
			}
		}, func(l record.Level) bool {
			return math.Abs(l.Throughput.OutputTokensPerS/l.Throughput.RequestsPerS-20) < 0.5
		}},
		{"aiperf #1279: a first chunk of several tokens inflates the speed", func(r *Recorded) {
			for i := range r.Requests {
				q := &r.Requests[i]
				q.ChunkTokens = []int{7, 1, 1, 1}
				q.ChunkUS = []int64{100_000, 120_000, 140_000, 160_000}
			}
		}, func(l record.Level) bool { return math.Abs(*l.ITL.Mean-20) < 1e-9 }},
		{"vllm #21104: the rate that was asked is not delivered", func(r *Recorded) {
			r.Plan.Load = record.Load{Kind: record.ByRate, Value: 20}
			for i := range r.Requests {
				q := &r.Requests[i]
				late := q.IntendedUS / 20 // 5 % slower than the schedule
				q.SentUS, q.EndUS = q.SentUS+late, q.EndUS+late
			}
		}, func(l record.Level) bool { return reason(l, record.ClientLimited, "scheduled, below 97 %") }},
		{"vllm #54101: latency without the wait in the client", func(r *Recorded) {
			for i := range r.Requests {
				r.Requests[i].IntendedUS -= 40_000
			}
		}, func(l record.Level) bool { return math.Abs(*l.FromIntent.TTFT.Mean-*l.TTFT.Mean-40.1) < 0.01 }},
		{"inference-perf #319: more in flight than was asked for", func(r *Recorded) {
			r.Metrics = running(17)
		}, func(l record.Level) bool {
			return reason(l, record.Unstable, "the engine ran 17 requests at once where 10")
		}},
		{"guidellm #487, #70: fewer in flight than was asked for", func(r *Recorded) {
			r.Plan.Load.Value = 20 // ten slots send
		}, func(l record.Level) bool {
			return l.Client.InFlight.Max == 10 && reason(l, record.ClientLimited, "of 20 requests were in flight")
		}},
		{"inference-perf #189: successes without a token", func(r *Recorded) {
			for i := range r.Requests {
				if q := &r.Requests[i]; i%2 == 0 {
					q.ChunkUS, q.OutputTokens, q.Error = nil, nil, "no-tokens"
				}
			}
		}, func(l record.Level) bool {
			return l.Requests.Completed == 100 && l.Requests.Failed == 100 && *l.TTFT.Min > 90
		}},
		{"guidellm #444: failures drag the latencies down", func(r *Recorded) {
			for i := range r.Requests {
				if q := &r.Requests[i]; i%20 == 0 {
					q.Error, q.ChunkUS = "http", []int64{1}
				}
			}
		}, func(l record.Level) bool { return *l.TTFT.Min > 90 && l.Errors["http"] == 10 }},
		{"evalscope #1627, aws-do-eks #88: the first wave makes the p99", func(r *Recorded) {
			for i := range r.Requests[:10] {
				q := &r.Requests[i]
				q.ChunkUS = []int64{80_000, 88_000}
				q.Phase = record.Warmup
				q.ChunkUS[0] = 1
			}
		}, func(l record.Level) bool { return l.Requests.Warmup == 10 && *l.TTFT.Min > 90 }},
		{"vllm #16858: an engine that is cold at first", func(r *Recorded) {
			for i := range r.Requests {
				q := &r.Requests[i]
				for k := range q.ChunkUS {
					q.ChunkUS[k] += int64(200-i) * 400
				}
			}
		}, func(l record.Level) bool { return reason(l, record.Unstable, "TTFT changed by -") }},
		{"vllm #17408, #25544: prompts of another length than asked", func(r *Recorded) {
			for i := range r.Requests {
				r.Requests[i].PromptTokens = ptr(11)
			}
		}, func(l record.Level) bool { return *l.Asked.Prompt == 20 && *l.Got.Prompt == 11 }},
		{"vllm #20083, #33907: random prompts that a cache serves", func(r *Recorded) {
			r.TemplateTokens = 2
			for i := range r.Requests {
				r.Requests[i].CachedTokens = ptr(19)
			}
		}, func(l record.Level) bool { return l.Cache.Verdict == record.CacheUnexpected }},
		{"sglang #24254, dynamo #723: outputs shorter than asked", func(r *Recorded) {
			for i := range r.Requests {
				r.Requests[i].AskedOutput = 64
			}
		}, func(l record.Level) bool { return *l.Asked.Output == 64 && *l.Got.Output == 10 }},
		{"aiperf's parity audit: a cancelled run looks complete", func(r *Recorded) {
			r.CutBy = load.CutInterrupt
			r.Requests[200].Error = "cancelled"
		}, func(l record.Level) bool {
			return l.Requests.Cancelled == 1 && l.Requests.Failed == 0 && reason(l, record.Invalid, "interrupt")
		}},
		{"aiperf's parity audit: a counter since boot taken for a difference", func(r *Recorded) {
			r.Metrics = hits(30, 100)
		}, func(l record.Level) bool { return *l.Server.PrefixHits == 30 && *l.Server.PrefixQueries == 100 }},
		{"aiperf's parity audit: an answer of one token has a speed", func(r *Recorded) {
			for i := range r.Requests {
				q := &r.Requests[i]
				q.ChunkUS, q.OutputTokens = q.ChunkUS[:1], ptr(1)
			}
		}, func(l record.Level) bool { return l.ITL.N == 0 && l.ITL.Mean == nil }},
		{"mlcommons endpoints: a percentile of too few", func(r *Recorded) {
			r.Requests = r.Requests[:60]
		}, func(l record.Level) bool {
			return l.TTFT.P90 == nil && slices.Contains(l.TTFT.Unsupported, "p90") && l.TTFT.P50 != nil
		}},
	} {
		rec := closedLoop(10, 200)
		tc.change(&rec)
		if l := Fold(rec); !tc.holds(l) {
			t.Errorf("%s: not so: validity %+v, requests %+v, throughput %+v, TTFT %+v, ITL %+v", tc.issue, l.Validity, l.Requests, l.Throughput, l.TTFT, l.ITL)
		}
	}
}

// running are scrapes of a level whose engine ran that many requests.
func running(n float64) []record.MetricsSample {
	var out []record.MetricsSample
	for s := range 14 {
		m := record.MetricsSample{AtUS: int64(s) * 300_000, Values: map[string]float64{
			`vllm:num_requests_running{engine="0",model_name="m"}`: n, `vllm:num_requests_waiting{engine="0",model_name="m"}`: 0}}
		switch s {
		case 0:
			m.Edge = "start"
		case 13:
			m.Edge = "end"
		}
		out = append(out, m)
	}
	return out
}

// vllm #50677, #35471: the throughput of the best second must not lie below that
// of the whole, and the seconds must come to the whole.
func TestTokensOfSecondsComeToTheWhole(t *testing.T) {
	rec := closedLoop(10, 400)
	rng := stats.NewRand(3, 1)
	for i := range rec.Requests { // chunks of one to three tokens
		q := &rec.Requests[i]
		n := 0
		for range q.ChunkUS {
			k := 1 + rng.IntN(3)
			q.ChunkTokens, n = append(q.ChunkTokens, k), n+k
		}
		q.OutputTokens = &n
	}
	l := Fold(rec)
	const parts = 20
	width := float64(l.Window.EndUS-l.Window.StartUS) / parts
	best, sum := 0.0, 0.0
	for p := range parts {
		tokens := 0.0
		from, to := l.Window.StartUS+int64(float64(p)*width), l.Window.StartUS+int64(float64(p+1)*width)
		for i := range rec.Requests {
			if r := &rec.Requests[i]; r.Phase == record.Measured {
				tokens += r.TokensWithin(from, to)
			}
		}
		best, sum = max(best, tokens/(width/1e6)), sum+tokens
	}
	if best < l.Throughput.OutputTokensPerS {
		t.Errorf("the best part gives %.1f tokens/s, the whole %.1f", best, l.Throughput.OutputTokensPerS)
	}
	near(t, "tokens of all parts", sum/(parts*width/1e6), l.Throughput.OutputTokensPerS, 1e-6*sum)
}

// inference-perf #300: a sweep ends with a result whatever its levels gave.
func TestASweepAlwaysEndsWithAResult(t *testing.T) {
	s := spec.Scenario{Name: "sweep", Concurrency: []int{1, 5, 10, 20}}
	broken := map[string]func(*Recorded){
		"nothing was sent": func(r *Recorded) { r.Requests = nil },
		"all failed": func(r *Recorded) {
			for i := range r.Requests {
				r.Requests[i].Error, r.Requests[i].ChunkUS = "reset", nil
			}
		},
		"one request": func(r *Recorded) { r.Requests = r.Requests[:1] },
		"no counts of tokens": func(r *Recorded) {
			for i := range r.Requests {
				r.Requests[i].OutputTokens, r.Requests[i].PromptTokens = nil, nil
			}
		},
		"all at one instant": func(r *Recorded) {
			for i := range r.Requests {
				r.Requests[i] = answer(0, false)
			}
		},
	}
	for name, change := range broken {
		for bad := range s.Concurrency {
			run := &record.Run{}
			var recorded []Recorded
			for i, c := range s.Concurrency {
				rec := closedLoop(c, 40*c)
				rec.Plan = newLevel(s, record.ByConcurrency, float64(c))
				if i == bad || name == "all failed" {
					change(&rec)
				}
				recorded, run.Levels = append(recorded, rec), append(run.Levels, Fold(rec))
			}
			Conclude(run, recorded, Terms{SLO: spec.DefaultSLO(), Seed: 1})
			if run.Saturation == nil || run.Bound.Verdict == "" || run.Saturation.OperatingPoint == nil && run.Saturation.WhyNoPoint == "" {
				t.Errorf("%s at %d in flight: %+v", name, s.Concurrency[bad], run.Saturation)
			}
			for _, l := range run.Levels {
				if l.Validity.Verdict == record.Valid && run.Saturation.Peak != nil && l.Throughput.OutputTokensPerS > run.Saturation.Peak.OutputTokensPerS+1e-9 {
					t.Errorf("%s: %s gives more than the peak", name, l.ID)
				}
			}
		}
	}
}

func TestLittlesLaw(t *testing.T) {
	l := Fold(closedLoop(10, 200))
	if l.Little == nil || !l.Little.OK || math.Abs(l.Little.Product-10) > 0.5 {
		t.Errorf("a steady level: %+v", l.Little)
	}

	// Half of the slots hang: they are in flight, and nothing of them ends.
	rec := closedLoop(10, 200)
	var kept []record.Request
	for i, r := range rec.Requests {
		switch slot := i % 10; {
		case slot < 5 || i < 10:
			kept = append(kept, r)
		case i < 20:
			r.EndUS, r.Error = 60_000_000, "timeout"
			kept = append(kept, r)
		}
	}
	rec.Requests = kept
	l = Fold(rec)
	if l.Little == nil || l.Little.OK || !strings.Contains(strings.Join(l.Validity.Reasons, "; "), "Little's law") || l.Validity.Verdict != record.Unstable {
		t.Errorf("half of the slots hang: %+v, %+v", l.Little, l.Validity)
	}

	if l := Fold(openLoop(600, 50_000, 65_000)); l.Little != nil {
		t.Errorf("a level that the server falls behind is no case for it: %+v", l.Little)
	}
}

func TestRequestsInFlightAreComparedWithTheEngines(t *testing.T) {
	for _, tc := range []struct {
		ran             float64
		most, mean      bool
		noted, unstable bool
	}{
		{10, true, true, false, false},
		{11, true, true, false, false}, // read between two steps
		{16, false, false, true, true},
		{3, true, false, true, false}, // something between holds them back
	} {
		rec := closedLoop(10, 200)
		rec.Metrics = running(tc.ran)
		l := Fold(rec)
		most, mean := check(l.Server, checkRunning), check(l.Server, checkInFlight)
		if most == nil || mean == nil || most.OK != tc.most || mean.OK != tc.mean {
			t.Errorf("%g running: most %+v, mean %+v", tc.ran, most, mean)
		}
		if got := len(unreconciled(l)) > 0; got != tc.noted {
			t.Errorf("%g running: noted %v: %q", tc.ran, got, unreconciled(l))
		}
		if got := l.Validity.Verdict == record.Unstable; got != tc.unstable {
			t.Errorf("%g running: %+v", tc.ran, l.Validity)
		}
	}
	// NVIDIA/aicr #1197 is in package saturate; the merge must not hide a level.
	if got := len(saturate.Merge([]record.Level{{ID: "a"}, {ID: "a"}})); got != 2 {
		t.Errorf("two levels of one id became %d", got)
	}
}
