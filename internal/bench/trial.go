package bench

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/diagnose"
	"assay/internal/record"
	"assay/internal/spec"
)

// experiments are the kinds that a trial can be.
var experiments = []string{record.HalveOutput, record.OneToken, record.SharedPrompts, record.UniquePrompts, record.DoubleLoad}

// sharedPart is the part of a prompt that the shared-prompts trial shares.
const sharedPart = 0.9

// trialName is the scenario under which the trial of another's verdict stands.
func trialName(s spec.Scenario) string { return s.Name + "-trial" }

// triable is the longest level whose scenario wants its verdict tried.
func (p Plan) triable() (longest PlannedLevel, ok bool) {
	for _, l := range p.Levels {
		if l.Scenario.Confirm && (!ok || l.Load.Requests > longest.Load.Requests) {
			longest, ok = l, true
		}
	}
	return longest, ok
}

// trial holds the level that would refute the verdict on what binds.
func (s *session) trial(total int) error {
	if _, wanted := s.plan.triable(); !wanted || s.interrupted() || len(s.run.Levels) == 0 {
		return nil
	}
	so := *s.run
	Conclude(&so, s.recorded, s.terms())
	x := so.Bound.Experiment
	if x == nil {
		s.note("the verdict %q is not tried (--confirm): no experiment that is a matter of load would refute it", so.Bound.Verdict)
		return nil
	}
	base, ok := s.held(x.Level)
	if !ok || !base.Scenario.Confirm {
		return nil
	}
	l, why := trialLevel(base, *x)
	if why != "" {
		s.note("the verdict %q is not tried (--confirm): %s", so.Bound.Verdict, why)
		return nil
	}
	s.view.Note(fmt.Sprintf("trying the verdict %q by %s: %s", so.Bound.Verdict, x.Kind, x.Expect))
	n := max(total, len(s.run.Levels)) + 1 // refinements came on top of what was planned
	_, err := s.level(l, n, n)
	return err
}

// held is the plan of a level that was held, by its id or that of its repeats.
func (s *session) held(id string) (PlannedLevel, bool) {
	for _, r := range s.recorded {
		if base, _ := record.CutRepeat(r.Plan.ID); r.Plan.ID == id || base == id {
			return r.Plan, true
		}
	}
	return PlannedLevel{}, false
}

// trialLevel is the base level with one thing changed; why says what makes that
// impossible.
func trialLevel(base PlannedLevel, x record.Experiment) (l PlannedLevel, why string) {
	sc := base.Scenario
	if sc.Timed() {
		return l, "a replay sends what its file says"
	}
	if sc.DatasetPath != "" && x.Kind != record.DoubleLoad {
		return l, "the dataset says what is asked"
	}
	l = base
	l.Scenario.Name, l.Scenario.Description, l.Scenario.Repeat = trialName(sc), "Trial of the verdict on "+base.ID+": "+x.Kind, 0
	l.Pass, l.Repeat, l.Load = record.PassTrial, 0, x.Load
	switch x.Kind {
	case record.HalveOutput:
		l.Output = halved(base.Output)
	case record.OneToken:
		l.Output = spec.Fixed(1)
	case record.SharedPrompts:
		l.Scenario.SharedPrefix, l.Scenario.PrefixGroups, l.Scenario.PrefixSkew = int(sharedPart*base.Prompt.Expected()), 0, 0
	case record.UniquePrompts:
		l.Scenario.SharedPrefix, l.Scenario.PrefixGroups, l.Scenario.PrefixSkew = 0, 0, 0
	case record.DoubleLoad:
		// Its queue takes twice as long to fill, and answers to come.
		l.Load.Requests *= 2
		l.Scenario.NumRequests, l.Scenario.Duration, l.Scenario.Budget = 2*sc.NumRequests, 2*sc.Duration, 2*sc.Budget
	default:
		return l, fmt.Sprintf("this assay does not know the experiment %q", x.Kind)
	}
	l.ID = levelID(l.Scenario.Name+"-"+x.Kind, x.Load.Kind, x.Load.Value)
	return l, ""
}

func halved(l spec.Lengths) spec.Lengths {
	half := func(n int) int {
		if n == 0 {
			return 0
		}
		return max(1, n/2)
	}
	out := spec.Lengths{Mean: l.Mean / 2, Stddev: l.Stddev / 2, Min: half(l.Min), Max: half(l.Max)}
	if out.Mean > 0 {
		out.Mean = max(1, out.Mean)
	}
	for _, c := range l.Choices {
		out.Choices = append(out.Choices, half(c))
	}
	return out
}

// trialCalled is the trial of that id, as far as its id and the plan tell.
func (p Plan) trialCalled(id string) (PlannedLevel, bool) {
	for _, l := range p.Levels {
		rest, ok := strings.CutPrefix(id, trialName(l.Scenario)+"-")
		if !ok {
			continue
		}
		for _, kind := range experiments {
			if tail, ok := strings.CutPrefix(rest, kind+"-"); ok {
				return trialAt(l, kind, tail, id)
			}
		}
	}
	return PlannedLevel{}, false
}

func trialAt(like PlannedLevel, kind, tail, id string) (PlannedLevel, bool) {
	load := like.Load
	if _, err := fmt.Sscanf(tail, map[string]string{record.ByConcurrency: "c%g", record.ByRate: "r%g"}[load.Kind], &load.Value); err != nil {
		return PlannedLevel{}, false
	}
	l, why := trialLevel(like, record.Experiment{Kind: kind, Load: load})
	l.ID = id
	return l, why == ""
}

func withoutTrials(levels []record.Level) []record.Level {
	return slices.DeleteFunc(levels, func(l record.Level) bool { return l.Pass == record.PassTrial })
}

// tried is a bound with its trial, where one was held.
func tried(b record.Bound, levels []record.Level) record.Bound {
	if b.Experiment == nil {
		return b
	}
	var base, trial *record.Level
	for i := range levels {
		switch l := &levels[i]; {
		case l.Pass == record.PassTrial && strings.Contains(l.ID, "-trial-"+b.Experiment.Kind+"-"):
			trial = l
		case l.ID == b.Experiment.Level || l.Base() == b.Experiment.Level && base == nil:
			base = l
		}
	}
	if base == nil || trial == nil {
		return b
	}
	return diagnose.Tried(b, diagnose.Judge(b, *base, *trial))
}
