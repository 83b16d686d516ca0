package bench

import (
	"encoding/json"
	"fmt"
	"slices"

	"assay/internal/record"
	"assay/internal/spec"
)

// More reasons for a level to end early, beside those of package load.
const (
	cutKilled = "kill" // told only from the folder, later
	cutDisk   = "disk" // the run folder could not be written any more
)

// Reopen reads a run folder. A run that a kill cut short is folded and judged
// again from its lines: the levels that had ended stand as they are, the one
// under way is folded from what was written of it, and the run says that it was
// cut short.
func Reopen(dir string) (*record.Folder, error) {
	folder, err := record.Open(dir)
	if err != nil || folder.Run.End != nil {
		return folder, err
	}
	run := &folder.Run
	var plan Plan
	if err := json.Unmarshal(run.Spec, &plan); err != nil {
		return nil, fmt.Errorf("%s/%s: spec: %w", dir, record.RunFile, err)
	}
	slo, err := spec.ParseConditions(plan.SLO)
	if err != nil {
		return nil, fmt.Errorf("%s/%s: spec: %w", dir, record.RunFile, err)
	}
	recorded, err := regroup(folder, plan, slo)
	if err != nil {
		return nil, err
	}
	for i := len(run.Levels); i < len(recorded); i++ {
		recorded[i].CutBy = cutKilled
		run.Levels = append(run.Levels, Fold(recorded[i]))
	}
	Conclude(run, recorded, Terms{SLO: slo, Seed: run.Seed, Thresholds: plan.Options.Thresholds})
	run.Complete = false
	return folder, nil
}

// regroup sorts the folder's lines by level: first those that run.json holds,
// in its order, then those that only the lines know.
func regroup(folder *record.Folder, plan Plan, slo []spec.Criterion) ([]Recorded, error) {
	run := folder.Run
	var out []Recorded
	add := func(id string) *Recorded {
		if i := slices.IndexFunc(out, func(r Recorded) bool { return r.Plan.ID == id }); i >= 0 {
			return &out[i]
		}
		r := Recorded{Plan: plan.level(id), RunStart: run.Start, SLO: slo, MaxErrors: plan.Options.MaxErrors, TemplateTokens: plan.Options.Template, CacheReset: plan.Options.ResetCache, SimulatorInside: run.Target.Preset != "", Engine: run.Target.Engine}
		if run.Cost != nil {
			r.PricePerHour = run.Cost.PricePerHour
		}
		out = append(out, r)
		return &out[len(out)-1]
	}
	for _, l := range run.Levels {
		r := add(l.ID)
		r.Plan.Load, r.Plan.Pass, r.Plan.Repeat, r.CutBy = l.Load, l.Pass, l.Repeat, l.CutBy
	}
	kept := map[string]*lines{}
	if err := folder.EachRequest(func(q record.Request) error {
		add(q.Level)
		if kept[q.Level] == nil {
			kept[q.Level] = newLines()
		}
		kept[q.Level].add(q)
		return nil
	}); err != nil {
		return nil, err
	}
	for i := range out {
		if k := kept[out[i].Plan.ID]; k != nil {
			if err := k.into(&out[i], folder.EachRequest); err != nil {
				return nil, err
			}
		}
	}
	client, err := folder.ClientSamples()
	if err != nil {
		return nil, err
	}
	metrics, err := folder.MetricsSamples()
	if err != nil {
		return nil, err
	}
	for i := range out {
		for _, c := range client {
			if c.Level == out[i].Plan.ID {
				out[i].Client = append(out[i].Client, c)
			}
		}
		for _, m := range metrics {
			if m.Level == out[i].Plan.ID {
				out[i].Metrics = append(out[i].Metrics, m)
			}
		}
	}
	return out, nil
}

// level is the planned level of that id. One that was added while the run went
// on is told from its id and the scenario that it refines.
func (p Plan) level(id string) PlannedLevel {
	for _, l := range p.Levels {
		if l.ID == id {
			return l
		}
	}
	if l, ok := p.trialCalled(id); ok {
		return l
	}
	base, n := record.CutRepeat(id)
	for _, l := range p.Levels {
		var rate float64
		if got, err := fmt.Sscanf(id, confirmName(l.Scenario)+"-r%g", &rate); got == 1 && err == nil {
			out := confirmLevel(l.Scenario, rate, 0)
			out.ID = id
			return out
		}
		var value float64
		kind, pass := record.ByConcurrency, record.PassRefine
		format := l.Scenario.Name + "-c%g"
		if l.Load.Kind == record.ByRate {
			kind, format = record.ByRate, l.Scenario.Name+"-r%g"
			if needsRate(l.Scenario) {
				pass = record.PassGrid
			}
		}
		if got, err := fmt.Sscanf(base, format, &value); got == 1 && err == nil {
			out := newLevel(l.Scenario, kind, value)
			out.ID, out.Pass, out.Repeat = id, pass, n
			return out
		}
	}
	return PlannedLevel{ID: id, Pass: record.PassGrid}
}
