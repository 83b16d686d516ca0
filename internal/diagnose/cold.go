package diagnose

import (
	"fmt"
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
	x.warmsUp(&f)
	if x.top != nil && len(f.pro) > 0 {
		x.requestsElsewhere(&f)
	}
	for _, i := range x.Incidents {
		f.speaksFor(x.coldIncident(i.Kind), i.evidence())
	}
	return f
}

// warmsUp weighs a server that got faster with time: in steps of no more tokens, one
// took longer in an earlier level than in a later one of more load.
func (x *examination) warmsUp(f *finding) {
	worst, at := 1.0, -1
	for i := range x.levels {
		for k := i + 1; k < len(x.levels); k++ {
			if r := slower(&x.levels[i], &x.levels[k]); r > worst {
				worst, at = r, i
			}
		}
	}
	if at >= 0 {
		weight := 0.75
		if x.levels[at].Server == nil {
			weight = 0.4 // the tokens of a step are not known, and may be why
		}
		f.speaksFor(weight*ramp(worst, 1.15, 1.6), record.Evidence{Fact: fmt.Sprintf("a token took %.2f times as long as at a later level of more load: the server was still getting faster", worst),
			Metric: "slower", Value: &worst, Unit: "ratio", Source: "level " + x.levels[at].ID})
	}
}

// slower is how many times as long a token took at the earlier level, or where that
// is not known a step, which counts those alone that gave a token. 0: not known, or
// it may be the work's.
func slower(early, late *record.Level) float64 {
	if !early.Start.Before(late.Start) || !lessWork(early, late) {
		return 0
	}
	if itl, ok := ratio(tokenTime(early), tokenTime(late)); ok || early.Server == nil || late.Server == nil {
		return itl
	}
	step, _ := ratio(early.Server.StepMS, late.Server.StepMS)
	return step
}

// tokenTime is the mean time between tokens, ms: the client's, else the engine's.
func tokenTime(l *record.Level) *float64 {
	if l.ITL.Mean == nil && l.Server != nil {
		return l.Server.ITLMean
	}
	return l.ITL.Mean
}

// lessWork says whether the steps of a level held no more tokens than another's; by
// the load where the engine does not tell.
func lessWork(a, b *record.Level) bool {
	if a.Server == nil && b.Server == nil {
		return a.Load.Value < b.Load.Value
	}
	return a.Server != nil && b.Server != nil && a.Server.IterationTokens != nil && b.Server.IterationTokens != nil &&
		*a.Server.IterationTokens <= *b.Server.IterationTokens
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
	if x.Service && len(x.levels) == 0 {
		b.Missing, b.Next = []string{"traffic in the window"}, "look again while requests are served"
	}
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
