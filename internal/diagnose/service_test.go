package diagnose

import (
	"fmt"
	"testing"
	"time"

	"assay/internal/record"
)

// span is a span of a service in production: no client, and the load that its
// engine had.
func span(n int, running, waiting float64, gpu *record.GPU, edit func(*record.Server)) record.Level {
	share := 0.0
	if waiting > 0 {
		share = 1
	}
	s := with(func(s *record.Server) {
		s.RunningMean, s.RunningMax, s.WaitingMean, s.WaitingMax, s.WaitingShare = p(running), p(running), p(waiting), p(waiting), p(share)
		s.IterationTokens, s.MaxNumSeqs, s.MaxBatchedTokens, s.OutputTokens, s.KVUsageMax = p(running), nil, nil, p(1000*running), p(running/100)
		edit(s)
	})
	at := time.Unix(int64(1000*n), 0)
	return record.Level{ID: fmt.Sprint("replica #", n), Load: record.Load{Kind: record.ByConcurrency, Value: running + waiting}, Start: at, End: at.Add(time.Minute),
		DurationS: 60, Validity: record.Validity{Verdict: record.Valid}, Server: s, GPU: gpu}
}

// A service that lets nothing wait is bound by nothing that a busy GPU shows: a
// memory that reads weights is busy at any load.
func TestBoundOfAService(t *testing.T) {
	as := func(*record.Server) {}
	reading := func() *record.GPU { return gpu(0.97, 0.9, 0.02, 0.72) }
	for _, c := range []struct {
		name    string
		levels  []record.Level
		sat     *record.Saturation
		verdict string
		most    float64
	}{
		{"no traffic", []record.Level{span(1, 0, 0, gpu(0, 0, 0, 0), as)}, nil, record.BoundNotSaturated, 1},
		{"one request at a time, a busy memory", []record.Level{span(1, 1, 0, reading(), as)}, nil, record.BoundNotSaturated, 1},
		{"a few requests, no word from the GPUs", []record.Level{span(1, 4, 0, nil, as)}, nil, record.BoundNotSaturated, 1},
		{"a few requests, gaps between steps", []record.Level{span(1, 2, 0, gpu(0.3, 0.3, 0.02, 0.2), as)}, nil, record.BoundNotSaturated, 1},
		{"below the knee", []record.Level{span(1, 4, 0, reading(), as), span(2, 16, 0, reading(), as)},
			&record.Saturation{Elasticities: []float64{0.95}}, record.BoundNotSaturated, 1},
		{"past the knee", []record.Level{span(1, 4, 0, reading(), as), span(2, 32, 40, reading(), as)},
			&record.Saturation{Elasticities: []float64{0.1}, Saturated: true}, record.BoundAdmission, 1},
		{"steady past the knee", []record.Level{span(1, 32, 40, reading(), as)}, nil, record.BoundAdmission, 0.8},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := Bound(Evidence{Levels: c.levels, Saturation: c.sat, Service: true})
			if b.Verdict != c.verdict || b.Confidence > c.most {
				t.Errorf("%s at %.2f, want %s at %.2f at most: %+v, against %+v", b.Verdict, b.Confidence, c.verdict, c.most, b.Evidence, b.Against)
			}
		})
	}
}

// What gets faster with time is a server that was starting, not steps that gave no
// token and so were not counted.
func TestASlowStepIsNoColdStart(t *testing.T) {
	for slow, want := range map[bool]string{true: record.BoundCold, false: record.BoundNotSaturated} {
		first := span(1, 2, 0, nil, func(s *record.Server) { s.StepMS, s.ITLMean = p(90), p(21) })
		if slow {
			first.Server.ITLMean = p(90)
		}
		last := span(2, 8, 0, nil, func(s *record.Server) { s.StepMS, s.ITLMean = p(22), p(22) })
		b := Bound(Evidence{Levels: []record.Level{first, last}, Saturation: &record.Saturation{Elasticities: []float64{0.95}}, Service: true})
		if b.Verdict != want {
			t.Errorf("a token that took 90 ms first, %v: %s at %.2f, want %s", slow, b.Verdict, b.Confidence, want)
		}
	}
}
