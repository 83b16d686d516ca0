package bench

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/internal/load"
	"assay/internal/record"
	"assay/internal/spec"
	"assay/internal/stats"
	"assay/internal/wire"
)

// replaysOf are the levels of a replay by time stamps, one for each speed. What
// rate they offer only the file says.
func replaysOf(s spec.Scenario) []PlannedLevel {
	speeds := s.Speed
	if len(speeds) == 0 {
		speeds = []float64{1}
	}
	var out []PlannedLevel
	for _, speed := range speeds {
		l := newLevel(s, record.ByRate, 0)
		l.ID, l.Load.Arrival, l.Load.Speed = fmt.Sprintf("%s-replay-x%g", s.Name, speed), record.ArrivalTrace, speed
		if !slices.ContainsFunc(out, func(o PlannedLevel) bool { return o.ID == l.ID }) {
			out = append(out, l)
		}
	}
	return out
}

// offeredMean is the rate at which a level's requests were due in the mean,
// requests per second; 0 for fewer than two.
func offeredMean(requests []record.Request) float64 {
	first, last, n := int64(math.MaxInt64), int64(0), 0
	for i := range requests {
		if r := &requests[i]; r.Phase != record.Warmup {
			first, last, n = min(first, r.IntendedUS), max(last, r.IntendedUS), n+1
		}
	}
	if n < 2 || last <= first {
		return 0
	}
	return float64(n-1) / (float64(last-first) / 1e6)
}

// reuseOf is what a level's prompts share by intent.
func reuseOf(p PlannedLevel) string {
	s := p.Scenario
	switch {
	case s.InSessions():
		return record.ReuseSession
	case p.Blocks:
		return record.ReuseTrace
	case s.DatasetPath != "":
		return record.ReuseDataset
	case s.SharedPrefix > 0:
		return record.ReusePrefix
	}
	return record.ReuseNone
}

// mixedModels are those that levels ask for by weight.
func mixedModels(scenarios []spec.Scenario) []string {
	var names []string
	for _, s := range scenarios {
		for _, m := range s.Models {
			if !slices.Contains(names, m.Model) {
				names = append(names, m.Model)
			}
		}
	}
	return names
}

// modelsOf parts a level that mixes models by the model asked for, in the order
// in which they were first asked; nil where none is named.
func modelsOf(measured []*record.Request) []record.ModelLevel {
	var order []string
	by := map[string][]*record.Request{}
	for _, r := range measured {
		if r.Model == "" {
			continue
		}
		if by[r.Model] == nil {
			order = append(order, r.Model)
		}
		by[r.Model] = append(by[r.Model], r)
	}
	var out []record.ModelLevel
	for _, name := range order {
		m := record.ModelLevel{Model: name, Requests: count(by[name], map[string]int{})}
		var ttft, itl, e2e []float64
		for _, r := range by[name] {
			if r.OK() {
				ttft, itl, e2e = appendDefined(ttft, r.TTFT), appendDefined(itl, r.ITL), appendDefined(e2e, r.E2E)
			}
		}
		m.TTFT, m.ITL, m.E2E = stats.Summarize(ttft), stats.Summarize(itl), stats.Summarize(e2e)
		out = append(out, m)
	}
	return out
}

// sessionsOf counts a level's conversations; nil where requests are none's turns.
func sessionsOf(measured []*record.Request, w record.Window, all []record.Request) *record.Sessions {
	var out record.Sessions
	last := map[string]*record.Request{}
	for _, r := range measured {
		if r.Session == "" {
			continue
		}
		out.Turns++
		if l := last[r.Session]; l == nil || r.Turn > l.Turn {
			last[r.Session] = r
		}
	}
	if len(last) == 0 {
		return nil
	}
	for _, r := range last {
		switch {
		case r.OK() && r.Turn == r.Turns:
			out.Completed++
		case r.OK(), r.Error == wire.KindCancelled:
			out.Cut++
		default:
			out.Failed++
		}
	}
	out.Turns /= float64(len(last))
	out.InProgress = inProgress(all, w)
	return &out
}

// inProgress is the mean number of sessions within the window that wait for an
// answer or whose user thinks about one. A session that the level's end cut was
// in progress until then.
func inProgress(all []record.Request, w record.Window) float64 {
	if w.EndUS <= w.StartUS {
		return 0
	}
	busy := 0.0
	add := func(from, to int64) { busy += float64(max(0, min(to, w.EndUS)-max(from, w.StartUS))) }
	last := map[string]*record.Request{}
	for i := range all {
		r := &all[i]
		add(r.IntendedUS-r.ThinkUS, r.EndUS)
		if l := last[r.Session]; l == nil || r.Turn > l.Turn {
			last[r.Session] = r
		}
	}
	for _, r := range last {
		// The first sessions of slots end early on purpose: they are warm-up.
		if r.OK() && r.Turn < r.Turns && r.Phase != record.Warmup {
			add(r.EndUS, w.EndUS)
		}
	}
	return busy / float64(w.EndUS-w.StartUS)
}

// remarkRows says what a level left out of its dataset, and what a replay did
// not come to.
func (s *session) remarkRows(p PlannedLevel, l record.Level, result load.Result) {
	s.remarkTraffic(p, l)
	if d := s.datasets[p.Scenario.Name]; d != nil && p.Scenario.DatasetPath != "" {
		if left := d.LeftOut(); left.Total() > 0 {
			s.note("%s: left out of the rows read so far: %s", l.ID, left)
		}
	}
	if asked := p.Load.Requests; result.SourceEnded && asked > 0 && l.Requests.Total() < asked {
		s.note("%s: %d requests were asked for, but %s ended after %d", l.ID, asked, p.Scenario.DatasetPath, l.Requests.Total())
	}
	if result.Dropped > 0 {
		s.note("%s: %d requests were due while the client had as many open as it may: they were not sent", l.ID, result.Dropped)
	}
}

// remarkTraffic says what a level's requests were, where they were not each by
// itself for one model.
func (s *session) remarkTraffic(p PlannedLevel, l record.Level) {
	if p.Load.Arrival == record.ArrivalTrace {
		s.note("%s: replay of %s at %gx: %.4g requests/s in the mean", l.ID, p.Scenario.DatasetPath, p.Load.Speed, l.Load.Value)
	}
	if n := l.Sessions; n != nil {
		s.note("%s: %d sessions played to their end, %d cut by the level's end and %d by a failure, of %.3g turns in the mean; %.3g in progress",
			l.ID, n.Completed, n.Cut, n.Failed, n.Turns, n.InProgress)
	}
	if len(l.Models) > 1 {
		var parts []string
		for _, m := range l.Models {
			parts = append(parts, fmt.Sprintf("%s (%d: TTFT %s, ITL %s)", m.Model, m.Requests.Completed, ms(m.TTFT.Mean), ms(m.ITL.Mean)))
		}
		s.note("%s: the figures are of a mix of models; means of each: %s", l.ID, strings.Join(parts, ", "))
	}
}

func ms(v *float64) string {
	if v == nil {
		return "not known"
	}
	return fmt.Sprintf("%.4g ms", *v)
}
