package diagnose

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/internal/record"
)

// client: the highest load was spoiled by the client, and what is left does not
// show the server's limit.
func (c *examination) client() (record.Bound, bool) {
	if len(c.levels) == 0 || c.saturated() {
		return record.Bound{}, false
	}
	l := c.levels[len(c.levels)-1]
	if l.Validity.Verdict != record.ClientLimited {
		return record.Bound{}, false
	}
	b := record.Bound{Verdict: record.BoundClient, Confidence: 0.9,
		Next: "run the client on a machine with more free cores, apart from the server (`assay selftest` prints this one's ceiling), and measure " + l.ID + " again: the level should be valid"}
	for _, reason := range l.Validity.Reasons {
		e := record.Evidence{Fact: reason, Metric: "validity", Source: "level " + l.ID}
		if o := l.Oversaturated; o != nil && o.Verdict == record.Oversaturated && strings.Contains(reason, o.Why) {
			b.Confidence = 0.6
			b.Against = append(b.Against, e) // the server's, whoever was late
			continue
		}
		b.Evidence = append(b.Evidence, e)
	}
	if lag := l.Client.Lag.P99; lag != nil {
		b.Evidence = append(b.Evidence, record.Evidence{Fact: "requests left late", Metric: "client.lag_ms.p99", Value: lag, Unit: "ms", Source: "level " + l.ID})
	}
	if l.Server != nil && l.Server.WaitingShare != nil && *l.Server.WaitingShare >= c.at(queueShare) {
		b.Confidence = 0.6
		b.Against = append(b.Against, record.Evidence{Fact: "the server had a queue all the same", Metric: "waiting_share",
			Value: l.Server.WaitingShare, Unit: "share", Source: "level " + l.ID + ", engine /metrics"})
	}
	return b, true
}

// cold: nothing is valid and the server restarted while it was measured, so it
// was loading or warming up.
func (c *examination) cold() (record.Bound, bool) {
	if c.top != nil {
		return record.Bound{}, false
	}
	for _, l := range c.levels {
		if l.Server != nil && l.Server.Changed != "" {
			return record.Bound{Verdict: record.BoundCold, Confidence: 0.7,
				Evidence: []record.Evidence{{Fact: l.Server.Changed, Metric: "process_start_time_seconds", Source: "level " + l.ID + ", engine /metrics"}},
				Next:     "find why the server restarted (its log, or the pod's last state), wait until it answers steadily, and measure again"}, true
		}
	}
	return record.Bound{}, false
}

// failing: nothing is valid for another reason, errors most often. That is no
// bound, and the figures carry none.
func (c *examination) failing() (record.Bound, bool) {
	if c.top != nil {
		return record.Bound{}, false
	}
	b := record.Bound{Verdict: record.BoundUnknown, Missing: []string{"a valid level"},
		Next: "see what made the levels not valid, mend that, and measure again"}
	for _, l := range c.levels {
		for _, reason := range l.Validity.Reasons {
			b.Evidence = append(b.Evidence, record.Evidence{Fact: reason, Metric: "validity", Source: "level " + l.ID})
		}
		for _, kind := range slices.Sorted(maps.Keys(l.Errors)) {
			n := float64(l.Errors[kind])
			b.Evidence = append(b.Evidence, record.Evidence{Fact: "requests failed: " + kind, Metric: "errors", Value: &n, Unit: "requests", Source: "level " + l.ID})
		}
	}
	return b, true
}

// notSaturated: throughput still grew at the highest load.
func (c *examination) notSaturated() (record.Bound, bool) {
	if c.sat == nil || c.sat.Saturated || len(c.sat.Elasticities) < levelsForKnee-1 {
		return record.Bound{}, false
	}
	e := c.sat.Elasticities[len(c.sat.Elasticities)-1]
	if e < c.at(grows) {
		return record.Bound{}, false
	}
	if waiting, _ := c.queue(); waiting {
		if b, ok := c.queued(); ok {
			b.Against = append(b.Against, elasticityFact(e))
			b.Confidence *= 0.7
			return b, true
		}
	}
	b := record.Bound{Verdict: record.BoundNotSaturated, Confidence: 0.7,
		Evidence: []record.Evidence{elasticityFact(e)},
		Next:     fmt.Sprintf("extend the grid past %g, to %g: throughput should stop growing somewhere", c.top.Load.Value, 2*c.top.Load.Value)}
	switch waiting, known := c.queue(); {
	case !known:
		b.Missing = append(b.Missing, "whether requests waited (the engine's metrics: --metrics URL)")
	case waiting:
		b.Confidence = 0.5
		b.Against = append(b.Against, c.queueFact())
	default:
		b.Confidence = 0.9
		b.Evidence = append(b.Evidence, c.fact("hardly any request waited", "waiting_share", c.server.WaitingShare, "share"))
		if kv := c.server.KVUsageMax; kv != nil && *kv < c.at(kvRoomy) {
			b.Evidence = append(b.Evidence, c.fact("the KV cache had room", "kv_usage_max", kv, "share"))
		}
	}
	if e < c.at(growsWell) {
		b.Confidence *= 0.7
	}
	if l, ok := c.spoiledAbove(); ok {
		b.Confidence *= 0.5
		load := l.Load.Value
		b.Against = append(b.Against, record.Evidence{Fact: "a higher load was tried and is not valid: " + validityOf(l), Metric: "validity", Value: &load, Unit: l.Load.Kind, Source: "level " + l.ID})
		b.Next = fmt.Sprintf("see why %s is not valid, and measure between %g and %g: throughput should stop growing somewhere", l.ID, c.top.Load.Value, load)
	}
	return b, true
}

// spoiledAbove is the lowest level above the highest valid one.
func (c *examination) spoiledAbove() (record.Level, bool) {
	for _, l := range c.levels {
		if l.Load.Value > c.top.Load.Value {
			return l, true
		}
	}
	return record.Level{}, false
}

// queued is the first kind of queue that binds.
func (c *examination) queued() (record.Bound, bool) {
	for _, ask := range []func() (record.Bound, bool){c.kvCache, c.admission, c.tokenBudget} {
		if b, ok := ask(); ok {
			return b, true
		}
	}
	return record.Bound{}, false
}

func elasticityFact(e float64) record.Evidence {
	return record.Evidence{Fact: fmt.Sprintf("throughput grew by %.2f %% for each %% of load in the last step", e),
		Metric: "elasticity", Value: &e, Unit: "%/%", Source: "saturation"}
}
