package load

import (
	"fmt"
	"time"

	"assay/internal/record"
)

// Thresholds beyond which the client, not the server, shaped a level. CPU use
// is not among them: the simulated engine may share the process, and a busy core
// that delays nothing spoils nothing. Scheduler delay is what a starved client
// shows.
const (
	// MinInFlight is the share of the asked concurrency that must be open in the
	// mean. Source: decision table of the diagnosis, rule G0.
	MinInFlight = 0.95
	// MinRate is the share of the scheduled rate that must be sent. Source: G0.
	MinRate = 0.97
	// MaxLagOfGap bounds an open loop's p99 lateness by the mean gap between
	// arrivals, and MaxLag where gaps are short: more changes the process of
	// arrivals. Ours.
	MaxLagOfGap = 0.1
	MaxLag      = 10 * time.Millisecond
	// MaxSchedOfTTFT bounds the p99 of the scheduler's delay by the median TTFT,
	// and MaxSched where that is short: it adds to each time that is measured.
	// Ours.
	MaxSchedOfTTFT = 0.1
	MaxSched       = 5 * time.Millisecond
)

// Health is what the judgement on the client rests on.
type Health struct {
	Concurrency  int  // asked, of a closed loop; else 0
	Steady       bool // InFlightMean was taken under full load
	InFlightMean float64
	LagMean      time.Duration
	E2EMean      time.Duration

	Rate     float64 // scheduled, of an open loop, requests per second; else 0
	SentRate float64 // as sent
	LagP99   time.Duration
	Dropped  int
	Limit    int // of open requests, which dropped them

	SchedP99   time.Duration // 0: not known
	TTFTMedian time.Duration // 0: not known
}

// Judge says whether the client spoiled a level: valid, or client-limited with
// each reason in words and numbers.
func Judge(h Health) record.Validity {
	var reasons []string
	if h.Concurrency > 0 {
		reasons = h.judgeClosed(reasons)
	} else {
		reasons = h.judgeOpen(reasons)
	}
	limit := max(MaxSched, time.Duration(MaxSchedOfTTFT*float64(h.TTFTMedian)))
	if h.SchedP99 > limit {
		reasons = append(reasons, fmt.Sprintf(
			"the client's goroutines waited %s for a CPU at p99, above %s: measured times include that",
			shown(h.SchedP99), shown(limit)))
	}
	if len(reasons) == 0 {
		return record.Validity{Verdict: record.Valid, Reasons: []string{}}
	}
	return record.Validity{Verdict: record.ClientLimited, Reasons: reasons}
}

// judgeClosed asks whether the slots were full. A level too short for a window
// under full load is judged by what the slots idle between two requests.
func (h Health) judgeClosed(reasons []string) []string {
	if h.Steady {
		if h.InFlightMean < MinInFlight*float64(h.Concurrency) {
			reasons = append(reasons, fmt.Sprintf(
				"%.1f of %d requests were in flight in the mean, below %g %%",
				h.InFlightMean, h.Concurrency, 100*MinInFlight))
		}
		return reasons
	}
	if whole := h.LagMean + h.E2EMean; h.E2EMean > 0 && float64(h.LagMean) > (1-MinInFlight)*float64(whole) {
		reasons = append(reasons, fmt.Sprintf(
			"the client took %s in the mean from the end of a request to the next, of %s for each: slots were less than %g %% full",
			shown(h.LagMean), shown(whole), 100*MinInFlight))
	}
	return reasons
}

// judgeOpen asks whether the schedule was kept.
func (h Health) judgeOpen(reasons []string) []string {
	if h.Dropped > 0 {
		reasons = append(reasons, fmt.Sprintf(
			"%d arrivals were not sent because %d requests were open already, the client's limit: raise it or lower the rate",
			h.Dropped, h.Limit))
	}
	if h.Rate <= 0 {
		return reasons
	}
	if h.SentRate > 0 && h.SentRate < MinRate*h.Rate {
		reasons = append(reasons, fmt.Sprintf(
			"%.4g requests/s were sent of %.4g scheduled, below %g %%", h.SentRate, h.Rate, 100*MinRate))
	}
	limit := max(MaxLag, time.Duration(MaxLagOfGap/h.Rate*float64(time.Second)))
	if h.LagP99 > limit {
		reasons = append(reasons, fmt.Sprintf(
			"requests left %s late at p99, above %s", shown(h.LagP99), shown(limit)))
	}
	return reasons
}

// shown is a duration to three digits or so.
func shown(d time.Duration) string {
	switch {
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(time.Microsecond).String()
}
