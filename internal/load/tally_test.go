package load

import (
	"testing"
	"time"

	"assay/internal/record"
	"assay/internal/wire"
)

// fold folds trips given by when they were sent and ended.
func fold(warm int, spans ...span) *tally {
	var t tally
	for i, s := range spans {
		p := trip{seq: i, warm: i < warm, due: s.from, outcome: wire.Outcome{Sent: s.from, End: s.to, Chunks: []wire.Chunk{{At: s.to}}}}
		t.add(p, record.Request{})
	}
	return &t
}

func TestWindow(t *testing.T) {
	closed, open := Level{Concurrency: 2}, Level{Rate: 1}
	for _, c := range []struct {
		name     string
		level    Level
		tally    *tally
		from, to time.Duration
		full     bool
		inFlight float64
	}{
		{"closed loop: last warm-up end to last send", closed,
			fold(2, span{0, 50}, span{0, 100}, span{50, 150}, span{100, 200}, span{150, 250}, span{200, 300}),
			100, 200, true, 2},
		{"closed loop: slots idle", closed,
			fold(2, span{0, 50}, span{0, 100}, span{60, 150}, span{100, 200}, span{160, 250}, span{200, 300}),
			100, 200, true, 1.9},
		{"closed loop: all sent before the warm-up ended", closed,
			fold(2, span{0, 50}, span{0, 500}, span{50, 150}, span{150, 250}),
			50, 250, false, 2},
		{"closed loop without warm-up", closed,
			fold(0, span{10, 100}, span{10, 100}, span{100, 200}),
			10, 100, true, 2},
		{"open loop: first to last measured arrival", open,
			fold(1, span{0, 30}, span{20, 50}, span{40, 70}, span{60, 90}),
			20, 60, true, 1.5},
		{"one request", closed, fold(0, span{10, 20}), 10, 20, false, 1},
		{"nothing", closed, fold(0), 0, 0, false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			from, to, full := c.tally.window(c.level)
			if from != c.from || to != c.to || full != c.full {
				t.Errorf("window %d to %d, full %v; want %d to %d, %v", from, to, full, c.from, c.to, c.full)
			}
			if got := c.tally.inFlight(from, to); got != c.inFlight {
				t.Errorf("%g in flight in the mean, want %g", got, c.inFlight)
			}
		})
	}
}

// A level of fewer than two waves never was in a steady state.
func TestShortLevelIsNotSteady(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		tr := newTrial(newServer(perToken)).run(t.Context(), Level{ID: "c", Concurrency: 20, Requests: 25, OpenRate: 1e9})
		if tr.result.Steady {
			t.Errorf("25 requests over 20 slots count as steady, window %v to %v", tr.result.WindowStart, tr.result.WindowEnd)
		}
	})
}

func TestFailuresStayOutOfTheLatencies(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newServer(func(n int, _ []byte) (time.Duration, *wire.Error) {
			if n%2 == 0 {
				return ms, &wire.Error{Kind: wire.KindReset}
			}
			return 100 * ms, nil
		})
		r := newTrial(s).run(t.Context(), Level{ID: "c", Concurrency: 1, Requests: 20, Warmup: NoWarmup}).result
		if r.E2EMean != 100*ms || r.TTFTMedian != 100*ms {
			t.Errorf("mean E2E %v, median TTFT %v; want those of the successes, 100ms", r.E2EMean, r.TTFTMedian)
		}
		if r.Requests.Failed != 10 || r.Errors[wire.KindReset] != 10 {
			t.Errorf("requests %+v, errors %v", r.Requests, r.Errors)
		}
	})
}

// Over a network a handshake takes longer than any client's lateness may.
func TestConnectingIsNotLateness(t *testing.T) {
	var y tally
	y.add(trip{due: 100 * ms, outcome: wire.Outcome{Sent: 181 * ms, Connect: 80 * ms, End: 300 * ms}}, record.Request{})
	if got := y.lags[0]; got != ms {
		t.Errorf("lateness %v, want 1ms", got)
	}
}
