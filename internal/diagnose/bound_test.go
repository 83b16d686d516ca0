package diagnose

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"assay/internal/record"
	"assay/internal/stats"
)

func p(v float64) *float64 { return &v }

// full is the account of a server with a queue behind max-num-seqs 32.
func full() *record.Server {
	return &record.Server{Samples: 60, RunningMean: p(31.9), RunningMax: p(32), WaitingMean: p(60), WaitingMax: p(68), WaitingShare: p(1),
		KVUsageMean: p(0.35), KVUsageMax: p(0.4), Preemptions: p(0), IterationTokens: p(60), TTFTMean: p(900), PrefillMean: p(40),
		StepMS: p(20), MaxNumSeqs: p(32), MaxBatchedTokens: p(2048), KVTokens: p(100000), Engines: 1}
}

func with(edit func(*record.Server)) *record.Server {
	s := full()
	edit(s)
	return s
}

// run is a saturation scenario whose top levels have these accounts.
func run(saturated bool, below, top *record.Server) Evidence {
	e := Evidence{Saturation: &record.Saturation{Unit: "concurrency", Saturated: saturated, Elasticities: []float64{1, 0.9, 0.8, 0.7, 0.65}}}
	if saturated {
		e.Saturation.Knee = &record.Interval{Low: 28, High: 32}
		e.Saturation.Elasticities = []float64{1, 1, 0.9, 0.2, 0.01}
	}
	for _, n := range []float64{100, 1, 5, 10, 20, 50} { // any order will do
		l := record.Level{ID: fmt.Sprintf("saturation-c%g", n), Load: record.Load{Kind: record.ByConcurrency, Value: n}, Validity: record.Validity{Verdict: record.Valid}}
		switch n {
		case 50:
			l.Server = below
		case 100:
			l.Server = top
		}
		e.Levels = append(e.Levels, l)
	}
	return e
}

// spoil changes the validity of every level at or above a load.
func spoil(e Evidence, from float64, verdict, reason string) Evidence {
	for i := range e.Levels {
		if e.Levels[i].Load.Value >= from {
			e.Levels[i].Validity = record.Validity{Verdict: verdict, Reasons: []string{reason}}
			e.Levels[i].Client.Lag = stats.Dist{P99: p(42)}
			e.Levels[i].Errors = map[string]int{"reset": 7, "timeout": 3}
		}
	}
	return e
}

// few keeps the first levels, as run lists them.
func few(e Evidence, n int) Evidence {
	e.Levels, e.Saturation = e.Levels[:n], nil
	return e
}

// lastStep sets the elasticity of the last step.
func lastStep(e Evidence, last float64) Evidence {
	e.Saturation.Elasticities[len(e.Saturation.Elasticities)-1] = last
	return e
}

func TestBound(t *testing.T) {
	kv := func(edit func(*record.Server)) *record.Server {
		return with(func(s *record.Server) {
			s.KVUsageMax, s.Preemptions, s.RunningMax, s.MaxNumSeqs = p(0.99), p(12), p(40), p(256)
			edit(s)
		})
	}
	keep := func(*record.Server) {}
	for _, c := range []struct {
		name      string
		in        Evidence
		verdict   string
		low, high float64 // confidence
		says      []string
		missing   string
		against   string
	}{
		{"max-num-seqs, scraped between steps", run(true, nil, with(func(s *record.Server) { s.RunningMax, s.RunningMean = p(31), p(30) })), record.BoundAdmission, 0.85, 1, []string{"31 running of max-num-seqs 32"}, "", ""},
		{"admission", run(true, full(), full()), record.BoundAdmission, 0.85, 1,
			[]string{"32 running of max-num-seqs 32", "waited in 100 %", "40 % in use at most", "--max-num-seqs 64"}, "", ""},
		{"admission, as much as the KV cache allows", run(true, full(), with(func(s *record.Server) { s.KVUsageMax = p(0.6) })), record.BoundAdmission, 0.85, 1,
			[]string{"--max-num-seqs 48"}, "", ""},
		{"admission by the plateau alone", run(true, with(func(s *record.Server) { s.MaxNumSeqs = nil }), with(func(s *record.Server) { s.MaxNumSeqs = nil })),
			record.BoundAdmission, 0.7, 0.8, []string{"stopped growing at 32 from load 50 to 100"}, "max-num-seqs", ""},
		{"admission, KV usage missing is not 0", run(true, full(), with(func(s *record.Server) { s.KVUsageMax = nil })), record.BoundAdmission, 0.6, 0.7,
			nil, "KV cache usage", ""},
		{"admission, KV nearly full", run(true, full(), with(func(s *record.Server) { s.KVUsageMax = p(0.92) })), record.BoundAdmission, 0.65, 0.75,
			[]string{"no room for more"}, "", "nearly full"},
		{"KV cache", run(true, full(), kv(keep)), record.BoundKVCache, 0.85, 1,
			[]string{"full at 99 %", "preempted 12 times", "--kv-cache-dtype fp8", "100000 tokens"}, "", ""},
		{"KV cache, the preemption counter lags", run(true, full(), kv(func(s *record.Server) { s.Preemptions = p(0) })), record.BoundKVCache, 0.7, 0.8,
			nil, "", "no preemption was counted"},
		{"KV cache, preemptions missing are not 0", run(true, full(), kv(func(s *record.Server) { s.Preemptions = nil })), record.BoundKVCache, 0.7, 0.85,
			nil, "preemptions", ""},
		{"KV cache with the batch full too", run(true, full(), kv(func(s *record.Server) { s.RunningMax, s.MaxNumSeqs = p(32), p(32) })), record.BoundKVCache, 0.4, 0.5,
			nil, "", "the batch was at its limit"},
		{"KV cache without room for another prompt", run(true, nil, with(func(s *record.Server) {
			s.KVUsageMax, s.RunningMax, s.MaxNumSeqs, s.PromptTokens, s.Finished = p(0.8), p(3), p(256), p(1_000_000), p(50) // 20,000 of 100,000 tokens
		})), record.BoundKVCache, 0.6, 0.75, []string{"80 % in use at most, and a prompt takes 20 %"}, "", "no preemption was counted"},
		{"long prompts, but the batch is at its limit", run(true, nil, with(func(s *record.Server) {
			s.KVUsageMax, s.PromptTokens, s.Finished = p(0.8), p(1_000_000), p(50)
		})), record.BoundAdmission, 0.8, 1, nil, "", ""},
		{"a packed KV cache without a queue is healthy", run(true, full(), kv(func(s *record.Server) { s.Preemptions, s.WaitingShare = p(0), p(0) })), record.BoundUnknown, 0, 0,
			nil, "--dcgm", ""},
		{"token budget", run(true, full(), with(func(s *record.Server) {
			s.MaxNumSeqs, s.IterationTokens, s.MaxBatchedTokens, s.PrefillMean = p(256), p(120), p(128), p(700)
		})), record.BoundTokenBudget, 0.75, 1, []string{"120 tokens, 94 % of max-num-batched-tokens 128", "--max-num-batched-tokens 256"}, "", ""},
		{"a budget that fills the tensor cores: it or they", run(true, full(), with(func(s *record.Server) {
			s.MaxNumSeqs, s.IterationTokens, s.StepMS, s.PrefillMean = p(256), p(1900), p(400), p(700)
		})), record.BoundUnknown, 0, 0, []string{"nearest is"}, "--dcgm", ""},
		{"a token budget that is not known decides nothing", run(true, nil, with(func(s *record.Server) {
			s.MaxNumSeqs, s.IterationTokens, s.MaxBatchedTokens = p(256), p(1900), nil
		})), record.BoundUnknown, 0, 0, nil, "max-num-batched-tokens", ""},
		{"not saturated", run(false, full(), with(func(s *record.Server) { s.WaitingShare, s.RunningMax = p(0), p(9) })), record.BoundNotSaturated, 0.7, 0.8,
			[]string{"grew by 0.65 %", "hardly any request waited", "to 200"}, "", "the knee may be near"},
		{"not saturated, in proportion", lastStep(run(false, full(), with(func(s *record.Server) { s.WaitingShare, s.RunningMax = p(0), p(9) })), 0.95), record.BoundNotSaturated, 0.85, 1,
			[]string{"grew by 0.95 %"}, "", ""},
		{"not saturated, engine out of reach", run(false, nil, nil), record.BoundNotSaturated, 0.55, 0.65, nil, "--metrics", "the knee may be near"},
		{"a queue below saturation binds, less surely", run(false, full(), full()), record.BoundAdmission, 0.6, 0.7, nil, "", "grew by 0.65 %"},
		{"plateau without the engine's metrics", run(true, nil, nil), record.BoundUnknown, 0, 0,
			[]string{"stops growing between 28 and 32 concurrency", "--metrics"}, "--metrics", ""},
		{"the client spoiled the top", spoil(run(false, full(), with(func(s *record.Server) { s.WaitingShare = p(0) })), 50, record.ClientLimited, "p99 lag 42 ms"), record.BoundClient, 0.9, 0.9,
			[]string{"p99 lag 42 ms", "assay selftest"}, "", ""},
		{"the client spoiled the top, yet the server queued", spoil(run(false, full(), full()), 100, record.ClientLimited, "p99 lag 42 ms"), record.BoundClient, 0.55, 0.65,
			nil, "", "queue all the same"},
		{"the client spoiled the top, past a knee that valid levels show", spoil(run(true, full(), full()), 100, record.ClientLimited, "p99 lag 42 ms"), record.BoundAdmission, 0.6, 1,
			[]string{"saturation-c50"}, "", ""},
		{"nothing valid", spoil(run(false, nil, nil), 0, record.Invalid, "20 % failed"), record.BoundUnknown, 0, 0, []string{"20 % failed"}, "a valid level", ""},
		{"nothing valid, restarts", spoil(run(false, nil, with(func(s *record.Server) { s.Changed = "start time changed" })), 0, record.Unstable, "restart"), record.BoundCold, 0.6, 0.8,
			[]string{"start time changed"}, "", ""},
		{"three levels, one of them valid", spoil(few(run(false, nil, nil), 3), 5, record.Unstable, "throughput drifts"), record.BoundUnknown, 0, 0,
			[]string{"measure them again"}, "1 of 3 are, and it takes three to see saturation; not valid: saturation-c5 unstable: throughput drifts; saturation-c100 unstable: throughput drifts", ""},
		{"hardly growing: not shown either way", lastStep(run(false, nil, nil), 0.1), record.BoundUnknown, 0, 0, []string{"grew by 0.10 %", "past 100, to 200"}, "", ""},
		{"growing little", lastStep(run(false, full(), with(func(s *record.Server) { s.WaitingShare, s.RunningMax = p(0), p(9) })), 0.4), record.BoundNotSaturated, 0.5, 0.65, nil, "", "the knee may be near"},
		{"growing up to a load that fails", spoil(run(false, with(func(s *record.Server) { s.WaitingShare, s.RunningMax = p(0), p(9) }), nil), 100, record.Invalid, "31 % of requests failed"),
			record.BoundNotSaturated, 0.4, 0.5, []string{"between 50 and 100"}, "", "31 % of requests failed"},
		{"one level", Evidence{Levels: run(true, nil, nil).Levels[:1]}, record.BoundUnknown, 0, 0, nil, "takes three", ""},
		{"one level with a queue", Evidence{Levels: run(true, nil, full()).Levels[:1]}, record.BoundAdmission, 0.85, 1, nil, "", ""},
		{"nothing", Evidence{}, record.BoundUnknown, 0, 0, nil, "a valid level", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := Bound(c.in)
			text, err := json.Marshal(b)
			if err != nil {
				t.Fatal(err)
			}
			if b.Verdict != c.verdict || b.Confidence < c.low-1e-9 || b.Confidence > c.high+1e-9 {
				t.Errorf("%s at %.2f, want %s at %.2f to %.2f\n%s", b.Verdict, b.Confidence, c.verdict, c.low, c.high, text)
			}
			for _, s := range c.says {
				if !strings.Contains(string(text), s) {
					t.Errorf("%q is not said in %s", s, text)
				}
			}
			if !strings.Contains(strings.Join(b.Missing, "; "), c.missing) {
				t.Errorf("missing %q, want %q in it", b.Missing, c.missing)
			}
			against := ""
			for _, a := range b.Against {
				against += a.Fact + "; "
			}
			if !strings.Contains(against, c.against) || (c.against == "" && against != "") {
				t.Errorf("against %q, want %q", against, c.against)
			}
			if len(b.Evidence) > maxEvidence || b.Next == "" || b.Evidence == nil || b.Against == nil || b.Missing == nil {
				t.Errorf("%d facts, next %q, in %s", len(b.Evidence), b.Next, text)
			}
			for _, e := range append(b.Evidence, b.Against...) {
				if e.Fact == "" || e.Metric == "" || e.Source == "" {
					t.Errorf("evidence without fact, metric or source: %+v", e)
				}
			}
		})
	}
}

func TestStepElasticity(t *testing.T) {
	low := with(func(s *record.Server) { s.RunningMean, s.StepMS = p(8), p(10) })
	high := with(func(s *record.Server) {
		s.RunningMean, s.StepMS, s.WaitingShare = p(64), p(20), p(0)
	})
	b := Bound(run(true, low, high))
	for _, e := range b.Evidence {
		if e.Metric == "step_elasticity" {
			if v := *e.Value; v < 0.33 || v > 0.34 { // ln 2 / ln 8
				t.Errorf("step elasticity %v, want a third", v)
			}
			return
		}
	}
	t.Errorf("no step elasticity in %+v", b.Evidence)
}
