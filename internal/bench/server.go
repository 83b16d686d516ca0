package bench

import (
	"fmt"
	"math"

	"assay/internal/record"
)

// addServer puts the engine's account beside the client's: the server's parts
// of a mean request, and whether both counted the same. whole says that its
// counters were read at both edges of the level.
func addServer(l *record.Level, server *record.Server, whole bool, requests []record.Request) {
	l.Server = server
	if server == nil {
		return
	}
	l.Anatomy.ServerTTFT, l.Anatomy.Queue, l.Anatomy.Prefill = server.TTFTMean, server.QueueMean, server.PrefillMean
	l.Anatomy.ServerKnown = server.TTFTMean != nil
	if client := meanTTFT(requests); client != nil && server.TTFTMean != nil {
		l.Anatomy.Network = difference(*client, *server.TTFTMean)
		if server.QueueMean != nil && server.PrefillMean != nil {
			l.Anatomy.Frontend = difference(*server.TTFTMean, *server.QueueMean+*server.PrefillMean)
		}
	}
	if whole {
		server.Reconciled = reconcile(server, requests)
	}
	server.Reconciled = append(server.Reconciled, inFlightChecks(*l, server)...)
}

func difference(a, b float64) *float64 {
	d := a - b
	return &d
}

// meanTTFT is over warm-up requests too, as the engine's histogram is.
func meanTTFT(requests []record.Request) *float64 {
	var m mean
	for i := range requests {
		if ms, ok := requests[i].TTFT(); ok && requests[i].OK() {
			m.add(ms)
		}
	}
	return m.value()
}

// reconcileWithin is the difference up to which both counts are called the same.
const reconcileWithin = 0.01

// reconcile compares what the client received over the level, warm-up
// included, with the engine's counters. It says nothing where requests failed:
// the engine's counters hold their tokens or not, depending on how they failed.
func reconcile(server *record.Server, requests []record.Request) []record.Check {
	var prompt, output, finished float64
	for i := range requests {
		r := &requests[i]
		if !r.OK() || r.OutputTokens == nil || r.PromptTokens == nil {
			return nil
		}
		prompt += float64(*r.PromptTokens)
		output += float64(*r.OutputTokens)
		finished++
	}
	var checks []record.Check
	add := func(what string, client float64, serverSays *float64) {
		if serverSays != nil {
			ok := math.Abs(client-*serverSays) <= reconcileWithin*max(client, *serverSays)
			checks = append(checks, record.Check{What: what, Client: client, Server: *serverSays, Tolerance: reconcileWithin, OK: ok})
		}
	}
	add("requests finished", finished, server.Finished)
	add("output tokens", output, server.OutputTokens)
	add("prompt tokens", prompt, server.PromptTokens)
	return checks
}

const (
	checkRunning  = "most requests running at once"
	checkInFlight = "requests in flight, mean"
	// runningWithin and inFlightWithin are the differences up to which requests in
	// flight are called the same, beside one request: a gauge is read between two
	// steps, and what is on the network is in flight for the client alone. Ours.
	runningWithin  = 0.05
	inFlightWithin = 0.2
	// leastScrapes are needed for a mean of gauges.
	leastScrapes = 10
)

// inFlightChecks compare what the client had open with what the engine's gauges
// show: never more than was asked for, and by Little's law on both sides of the
// network as many in the mean.
func inFlightChecks(l record.Level, server *record.Server) []record.Check {
	var checks []record.Check
	f := l.Client.InFlight
	if f.Asked > 0 && server.RunningMax != nil {
		checks = append(checks, record.Check{What: checkRunning, Client: f.Asked, Server: *server.RunningMax, Tolerance: runningWithin,
			OK: *server.RunningMax <= f.Asked*(1+runningWithin)+1})
	}
	if server.RunningMean != nil && server.WaitingMean != nil && server.Samples >= leastScrapes && l.Window.Steady {
		there := *server.RunningMean + *server.WaitingMean
		// Scrapes are few, and under Poisson arrivals each is off by the root.
		chance := 3 * math.Sqrt(f.Mean/float64(server.Samples))
		checks = append(checks, record.Check{What: checkInFlight, Client: f.Mean, Server: there, Tolerance: inFlightWithin,
			OK: math.Abs(there-f.Mean) <= inFlightWithin*f.Mean+chance+1})
	}
	return checks
}

// check is a level's check of that name; nil for none.
func check(server *record.Server, what string) *record.Check {
	if server == nil {
		return nil
	}
	for i := range server.Reconciled {
		if server.Reconciled[i].What == what {
			return &server.Reconciled[i]
		}
	}
	return nil
}

// unreconciled says in words which counts differ.
func unreconciled(l record.Level) []string {
	if l.Server == nil {
		return nil
	}
	var out []string
	for _, c := range l.Server.Reconciled {
		switch {
		case c.OK || c.What == checkRunning: // which the level's validity says
		case c.What == checkInFlight && l.Validity.Verdict == record.ClientLimited: // the client's doing
		case c.What == checkInFlight && c.Server < c.Client:
			out = append(out, fmt.Sprintf("%s: %.4g requests were in flight here, the engine ran or queued %.4g: something between holds the others back, such as a proxy's limit of connections",
				l.ID, c.Client, c.Server))
		default:
			out = append(out, fmt.Sprintf("%s: counted %.0f %s here, the engine says %.0f: others use it too, or one count is wrong",
				l.ID, c.Client, c.What, c.Server))
		}
	}
	return out
}
