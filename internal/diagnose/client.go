package diagnose

import (
	"fmt"
	"strings"

	"assay/internal/record"
)

// client: the highest load was spoiled by the client, and what is left does not
// show the server's limit.
func (x *examination) client() finding {
	f := finding{verdict: record.BoundClient}
	if len(x.levels) == 0 || x.Service {
		return f
	}
	l := x.levels[len(x.levels)-1]
	x.clientBusy(&f, &l)
	if l.Validity.Verdict != record.ClientLimited || x.saturated() {
		return f
	}
	x.clientReasons(&f, &l)
	return f
}

// clientBusy weighs a client that had no CPU for what was ready to run: it reads
// what the server sent late, in a level that may look valid.
func (x *examination) clientBusy(f *finding, l *record.Level) {
	f.change = &record.Change{Text: "run the client on a machine with more free cores, apart from the server"}
	f.next = "measure " + l.ID + " again from a machine with more free cores (`assay selftest` prints this one's ceiling): throughput or latency should be better"
	if wait := l.Client.SchedWait; wait != nil {
		f.speaksFor(0.85*ramp(*wait, x.at(clientWait)/2, 2*x.at(clientWait)), record.Evidence{Fact: fmt.Sprintf("what the client had to do waited %.1f ms for a CPU in the mean", *wait),
			Metric: "client.sched_wait_mean_ms", Value: wait, Unit: "ms", Source: "level " + l.ID})
	}
	x.clientQueue(f, l)
}

// clientQueue speaks against the client where the server had a queue all the same.
func (x *examination) clientQueue(f *finding, l *record.Level) {
	if l.Server != nil && l.Server.WaitingShare != nil && *l.Server.WaitingShare >= x.at(queueShare) {
		f.speaksAgainst(0.35, record.Evidence{Fact: "the server had a queue all the same", Metric: "waiting_share",
			Value: l.Server.WaitingShare, Unit: "share", Source: "level " + l.ID + ", engine /metrics"})
	}
}

// clientReasons are those for which the level was found to be limited by the client.
func (x *examination) clientReasons(f *finding, l *record.Level) {
	for _, reason := range l.Validity.Reasons {
		e := record.Evidence{Fact: reason, Metric: "validity", Source: "level " + l.ID}
		if o := l.Oversaturated; o != nil && o.Verdict == record.Oversaturated && strings.Contains(reason, o.Why) {
			f.speaksAgainst(0.35, e) // the server's, whoever was late
			continue
		}
		f.speaksFor(0.8, e)
	}
	if lag := l.Client.Lag.P99; lag != nil {
		f.speaksFor(0.5, record.Evidence{Fact: "requests left late", Metric: "client.lag_ms.p99", Value: lag, Unit: "ms", Source: "level " + l.ID})
	}
	if asked, mean := l.Client.InFlight.Asked, l.Client.InFlight.Mean; asked > 0 && mean < 0.95*asked {
		f.speaksFor(0.3, record.Evidence{Fact: fmt.Sprintf("%.0f requests were in flight of %.0f asked for", mean, asked), Metric: "client.in_flight.mean", Value: &mean, Unit: "requests", Source: "level " + l.ID})
	}
}
