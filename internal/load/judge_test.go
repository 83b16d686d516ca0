package load

import (
	"strings"
	"testing"
	"time"

	"assay/internal/record"
)

func TestJudge(t *testing.T) {
	closed := Health{Concurrency: 100, Steady: true, InFlightMean: 99.8, LagMean: 40 * time.Microsecond, E2EMean: time.Second, TTFTMedian: 50 * ms, SchedP99: ms}
	open := Health{Rate: 10, SentRate: 9.99, LagP99: ms, TTFTMedian: 50 * ms}
	for _, c := range []struct {
		name   string
		base   Health
		spoil  func(*Health)
		reason string // "": valid
	}{
		{"closed loop kept full", closed, func(*Health) {}, ""},
		{"slots idle", closed, func(h *Health) { h.InFlightMean = 94 }, "94.0 of 100 requests were in flight"},
		{"short level, slots idle", closed, func(h *Health) { h.Steady, h.InFlightMean, h.LagMean = false, 30, 100*ms }, "the client took 100ms"},
		{"short level, drained tail", closed, func(h *Health) { h.Steady, h.InFlightMean = false, 30 }, ""},
		{"starved scheduler", closed, func(h *Health) { h.SchedP99 = 6 * ms }, "6ms for a CPU"},
		{"the same against a slow TTFT", closed, func(h *Health) { h.SchedP99, h.TTFTMedian = 6*ms, 100*ms }, ""},
		{"open loop on time", open, func(*Health) {}, ""},
		{"late", open, func(h *Health) { h.LagP99 = 12 * ms }, "12ms late at p99, above 10ms"},
		{"as late, long gaps", open, func(h *Health) { h.Rate, h.SentRate, h.LagP99 = 1, 1, 12*ms }, ""},
		{"rate not reached", open, func(h *Health) { h.SentRate = 9.5 }, "9.5 requests/s were sent of 10"},
		{"dropped", open, func(h *Health) { h.Dropped, h.Limit = 3, 900 }, "3 arrivals were not sent because 900"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := c.base
			c.spoil(&h)
			got := Judge(h)
			if c.reason == "" {
				if got.Verdict != record.Valid || len(got.Reasons) != 0 {
					t.Errorf("got %+v, want valid", got)
				}
				return
			}
			if got.Verdict != record.ClientLimited || !strings.Contains(strings.Join(got.Reasons, "\n"), c.reason) {
				t.Errorf("got %+v, want client-limited by %q", got, c.reason)
			}
		})
	}
}
