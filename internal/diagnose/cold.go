package diagnose

import (
	"maps"
	"slices"

	"assay/internal/record"
)

// cold: the server was loading, warming up or restarting while it was looked at.
func (x *examination) cold() finding {
	f := finding{verdict: record.BoundCold,
		change: &record.Change{Text: "wait until the server answers steadily"},
		next:   "find why the server restarted (its log, or the pod's last state), wait until it answers steadily, and measure again: the levels should be valid"}
	for i := range x.levels {
		if s := x.levels[i].Server; s != nil && s.Changed != "" {
			weight := 0.7
			if x.top != nil {
				weight = 0.2 // other levels tell of the server as it is
			}
			f.speaksFor(weight, record.Evidence{Fact: s.Changed, Metric: "process_start_time_seconds", Source: "level " + x.levels[i].ID + ", engine /metrics"})
		}
	}
	for _, i := range x.Incidents {
		f.speaksFor(x.coldIncident(i.Kind), i.evidence())
	}
	return f
}

// coldIncident is how far an incident convinces that figures are of a start.
func (x *examination) coldIncident(kind string) float64 {
	switch kind {
	case OOMKilled, CrashLoop:
		return 0.7
	case Restarted, Evicted:
		return 0.5
	case NotReady:
		return 0.4
	}
	return 0
}

// failing: nothing is valid for another reason, errors most often. That is no
// bound, and the figures carry none.
func (x *examination) failing() record.Bound {
	b := record.Bound{Verdict: record.BoundUnknown, Missing: []string{"a valid level"},
		Next: "see what made the levels not valid, mend that, and measure again"}
	for _, l := range x.levels {
		for _, reason := range l.Validity.Reasons {
			b.Evidence = append(b.Evidence, record.Evidence{Fact: reason, Metric: "validity", Source: "level " + l.ID})
		}
		for _, kind := range slices.Sorted(maps.Keys(l.Errors)) {
			n := float64(l.Errors[kind])
			b.Evidence = append(b.Evidence, record.Evidence{Fact: "requests failed: " + kind, Metric: "errors", Value: &n, Unit: "requests", Source: "level " + l.ID})
		}
	}
	return b
}
