package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"assay/internal/bench"
	"assay/internal/record"
	"assay/internal/spec"
	"assay/internal/stats"
)

// server is what a simulated level is drawn from: latencies of lognormal shape
// whose neighbours in time are correlated.
type server struct {
	ttft, gap float64 // ms, medians
	phi       float64 // correlation of neighbours
	chunks    int     // of an answer, one token each
	failures  float64 // share
	slower    float64 // all times are as many times longer; 0: once
}

var plainServer = server{ttft: 80, gap: 10, phi: 0.6, chunks: 12}

// level is what a run holds of one level, and its requests.
type level struct {
	record.Level
	requests []record.Request
}

// closed simulates a closed loop of n measured requests at a concurrency.
func (s server) closed(rng *rand.Rand, id string, concurrency, n int) level {
	slots := make([]float64, concurrency) // when each is free, ms
	x := rng.NormFloat64()
	var out []record.Request
	for i := range n {
		x = s.phi*x + math.Sqrt(1-s.phi*s.phi)*rng.NormFloat64()
		first := 0
		for k, free := range slots {
			if free < slots[first] {
				first = k
			}
		}
		r := s.request(rng, id, i, slots[first], x)
		slots[first] = float64(r.EndUS) / 1000
		out = append(out, r)
	}
	return fold(id, record.Load{Kind: record.ByConcurrency, Value: float64(concurrency), Requests: n}, out)
}

// open simulates an open loop of Poisson arrivals.
func (s server) open(rng *rand.Rand, id string, rate float64, n int) level {
	at, x := 0.0, rng.NormFloat64()
	var out []record.Request
	for i := range n {
		x = s.phi*x + math.Sqrt(1-s.phi*s.phi)*rng.NormFloat64()
		at += 1000 / rate * rng.ExpFloat64()
		out = append(out, s.request(rng, id, i, at, x))
	}
	return fold(id, record.Load{Kind: record.ByRate, Value: rate, Arrival: "poisson", Requests: n}, out)
}

func (s server) request(rng *rand.Rand, id string, seq int, sentMS, x float64) record.Request {
	factor := math.Exp(0.3 * x)
	if s.slower > 0 {
		factor *= s.slower
	}
	r := record.Request{ID: fmt.Sprintf("%s-%d", id, seq), Level: id, Seq: seq, Phase: record.Measured, IntendedUS: int64(1000 * sentMS), SentUS: int64(1000 * sentMS),
		AskedPrompt: 64, AskedOutput: s.chunks, TokensFrom: record.FromUsage}
	if rng.Float64() < s.failures {
		r.Error, r.EndUS = "reset", r.SentUS+1000
		return r
	}
	t := s.ttft * factor
	for range s.chunks {
		r.ChunkUS = append(r.ChunkUS, int64(1000*t))
		t += s.gap * factor * math.Exp(0.2*rng.NormFloat64())
	}
	prompt, output, cached := 64, s.chunks, 0
	r.PromptTokens, r.OutputTokens, r.CachedTokens = &prompt, &output, &cached
	r.EndUS = r.SentUS + r.ChunkUS[len(r.ChunkUS)-1] + 100
	return r
}

// fold is the level as bench would record it, judged valid.
func fold(id string, load record.Load, requests []record.Request) level {
	slo, err := spec.ParseConditions([]string{"ttft.p95<200ms"})
	if err != nil {
		panic(err)
	}
	l := bench.Fold(bench.Recorded{
		Plan:     bench.PlannedLevel{ID: id, Scenario: spec.Scenario{Name: "saturation"}, Pass: record.PassGrid, Load: load},
		Requests: requests, SLO: slo, PricePerHour: 10, RunStart: time.Unix(0, 0),
	})
	l.Validity = record.Validity{Verdict: record.Valid}
	return level{l, requests}
}

// sideWith is a run of those levels.
func sideWith(name string, levels ...level) Side {
	run := record.Run{Schema: record.Schema, Complete: true, Tool: record.Tool{Name: "assay", Version: "v0"}, Target: record.Target{Model: "m", URL: "http://x"}}
	var all []record.Request
	for _, l := range levels {
		run.Levels, all = append(run.Levels, l.Level), append(all, l.requests...)
	}
	return Side{Name: name, Run: run, Requests: func(f func(record.Request) error) error {
		for _, r := range all {
			if err := f(r); err != nil {
				return err
			}
		}
		return nil
	}}
}

// pairOf are two runs of a level at 8 in flight.
func pairOf(seed uint64, base, next server, n int) (Side, Side) {
	return sideWith("base", base.closed(stats.NewRand(seed, 1), "saturation-c8", 8, n)), sideWith("new", next.closed(stats.NewRand(seed, 2), "saturation-c8", 8, n))
}

func runs(t testing.TB, base, next Side, gates ...string) *Comparison {
	t.Helper()
	var opt Options
	for _, s := range gates {
		g, err := spec.ParseGate(s)
		if err != nil {
			t.Fatal(err)
		}
		opt.Gates = append(opt.Gates, g)
	}
	c, err := Runs(base, next, opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// get is a figure of the only level.
func get(t testing.TB, c *Comparison, name string) Metric {
	t.Helper()
	for _, m := range c.Metrics {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("no metric %s among %d", name, len(c.Metrics))
	return Metric{}
}
