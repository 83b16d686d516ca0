package load

import (
	"testing"
	"time"

	"assay/internal/wire"
)

func TestFailuresAreCountedByKind(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newServer(func(n int, _ []byte) (time.Duration, *wire.Error) {
			if n%2 == 0 {
				return ms, &wire.Error{Kind: wire.KindReset}
			}
			return 100 * ms, nil
		})
		r := newTrial(s).run(t.Context(), Level{ID: "c", Concurrency: 1, Requests: 20, Warmup: NoWarmup}).result
		if r.Requests.Failed != 10 || r.Errors[wire.KindReset] != 10 {
			t.Errorf("requests %+v, errors %v", r.Requests, r.Errors)
		}
	})
}

// Over a network a handshake takes longer than any client's lateness may.
func TestConnectingIsNotLateness(t *testing.T) {
	if got := lateness(wire.Outcome{Sent: 181 * ms, Connect: 80 * ms, End: 300 * ms}, 100*ms); got != ms {
		t.Errorf("lateness %v, want 1ms", got)
	}
}
