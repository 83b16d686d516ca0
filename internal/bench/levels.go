package bench

import (
	"math"

	"assay/internal/load"
	"assay/internal/record"
)

// levels runs the plan level by level, and after the last level of a scenario
// that looks for the knee the levels that refine it.
func (s *session) levels() error {
	total := len(s.plan.Levels)
	given := map[string]int{} // the place of the load above which a scenario is given up
	for i, l := range s.plan.Levels {
		if s.interrupted() {
			return nil
		}
		if top, up := given[l.Scenario.Name]; up && l.place > top {
			s.passedOver = true
			continue
		}
		l, ok := s.withRate(l)
		if !ok {
			s.passedOver = true
			continue
		}
		done, err := s.level(l, i+1, total)
		if err != nil {
			return err
		}
		lastOfScenario := i+1 == total || s.plan.Levels[i+1].Scenario.Name != l.Scenario.Name
		if tooManyErrors(done.Requests, s.opt.MaxErrors) {
			given[l.Scenario.Name] = l.place
			if !lastOfScenario {
				s.note("%s: more than %g %% of the requests failed; higher levels of %s are not run (--max-errors)",
					l.ID, s.opt.MaxErrors*100, l.Scenario.Name)
			}
		}
		if _, up := given[l.Scenario.Name]; lastOfScenario && l.Scenario.LooksForKnee() && !up {
			if err := s.refine(l, total); err != nil {
				return err
			}
			if err := s.confirm(l, total); err != nil {
				return err
			}
		}
	}
	return s.trial(total)
}

// withRate gives a production level its rate: a share of the operating point.
func (s *session) withRate(l PlannedLevel) (PlannedLevel, bool) {
	if !needsRate(l.Scenario) {
		return l, true
	}
	sat := s.saturation()
	if sat == nil || sat.OperatingPoint == nil || sat.OperatingPoint.RequestsPerS <= 0 {
		s.note("%s is not run: no operating point was found to take its rate from (--request-rate gives one)", l.ID)
		return l, false
	}
	rate := newLevel(l.Scenario, record.ByRate, ProductionShare*sat.OperatingPoint.RequestsPerS)
	if l.Repeat > 0 {
		rate = rate.repeat(l.Repeat)
	}
	s.note("%s: %.4g requests/s, %g of the operating point's %.4g", rate.ID, rate.Load.Value, ProductionShare, sat.OperatingPoint.RequestsPerS)
	return rate, true
}

// refine adds levels around the knee and the SLO crossing.
func (s *session) refine(like PlannedLevel, total int) error {
	for n := 1; n <= s.plan.Refine && !s.interrupted(); n++ {
		load, why, ok := s.next(like.Scenario)
		if !ok {
			return nil
		}
		l := newLevel(like.Scenario, like.Load.Kind, load)
		l.Pass = record.PassRefine
		s.view.Note("refining: " + why)
		for _, again := range repeated([]PlannedLevel{l}, like.Scenario.Repeat) {
			if s.interrupted() {
				return nil
			}
			if _, err := s.level(again, total+n, total+s.plan.Refine); err != nil {
				return err
			}
		}
	}
	return nil
}

// level holds one level, folds it and saves the run.
func (s *session) level(p PlannedLevel, n, of int) (record.Level, error) {
	s.view.LevelStart(p, n, of)
	source, err := s.source(p)
	if err != nil {
		return record.Level{}, err
	}
	rec := Recorded{
		Plan: p, RunStart: s.start, SLO: s.opt.SLO, MaxErrors: s.opt.MaxErrors, PricePerHour: s.opt.Platform.PricePerHour, SimulatorInside: s.target.embedded != nil, Engine: s.target.info.Engine,
	}
	counter := s.newTextCounter()
	sender, err := s.sender(p, counter)
	if err != nil {
		return record.Level{}, err
	}
	overload, kept := newOverload(p), newLines()
	runner := load.Runner{
		Overload: overload.channel(),
		Client:   sender, Encode: load.Encoder(s.target.client, s.target.dialect), Source: source, RunID: "assay-" + s.run.Nonce,
		Stop: s.stop, Grace: s.opt.Grace,
		OnRequest: func(q record.Request) {
			counter.count(s.hard, &q)
			kept.add(q)
			overload.request(&q)
			s.writer.Request(q)
			s.view.Request(&q)
		},
		OnSample: func(c record.ClientSample) {
			rec.Client = append(rec.Client, c)
			overload.sample(c)
			s.writer.Client(c)
			s.view.Sample(c)
		},
		OnProgress: s.view.Tick,
	}
	rec.TemplateTokens, rec.CacheReset = s.plan.Options.Template, s.resetCache(p)
	end := s.watch.begin(s.hard, p.ID)
	result, runErr := runner.Run(s.hard, s.loadLevel(p))
	rec.Metrics = end()
	rec.CutBy, rec.Dropped, rec.Repeated = result.CutBy, result.Dropped, result.Repeated
	if s.writer.Err() != nil {
		rec.CutBy = cutDisk
	}
	if kept.n == 0 && runErr == nil {
		return record.Level{CutBy: rec.CutBy}, nil // interrupted before its first answer
	}
	if err := kept.into(&rec, s.writer.EachRequest); err != nil {
		return record.Level{}, err
	}
	folded := Fold(rec)
	s.run.Levels = append(s.run.Levels, folded)
	s.recorded = append(s.recorded, rec)
	s.view.LevelDone(folded)
	s.remark(p, folded, result.Repeated)
	s.remarkRows(p, folded, result)
	if err := s.writer.Err(); err != nil {
		return folded, err
	}
	if err := s.writer.SaveRun(s.run); err != nil {
		return folded, err
	}
	return folded, runErr
}

func (s *session) loadLevel(p PlannedLevel) load.Level {
	l := load.Level{
		ID: p.ID, Scenario: p.Scenario.Name, Arrival: p.Load.Arrival, Burstiness: p.Load.Burstiness,
		Requests: p.Load.Requests, Duration: p.Scenario.Duration, Warmup: p.Scenario.Warmup,
		MaxErrors: s.opt.MaxErrors, Seed: s.opt.Seed,
	}
	if s.target.embedded != nil {
		l.MaxInFlight = load.MostInFlight() / 2 // the engine holds the other end of each connection
	}
	if p.Load.Kind == record.ByConcurrency {
		l.Concurrency = int(p.Load.Value)
	} else {
		l.Rate = p.Load.Value / s.turnsOf(p) // sessions arrive, not requests
	}
	if p.Load.Arrival == record.ArrivalTrace {
		l.Replay, l.Once, l.Speed = true, true, p.Load.Speed
	}
	if !p.Scenario.Exact && p.Scenario.Duration == 0 {
		l.Budget = p.Scenario.Budget
	}
	return l
}

// remark says what a reader must know of a level's plan against what came.
func (s *session) remark(p PlannedLevel, l record.Level, repeated int) {
	if l.CutBy == load.CutBudget {
		s.note("%s: the time budget of %g s ended it after %d requests of %d (a default; --num-requests makes it exact, --level-budget moves it)",
			l.ID, p.Scenario.Budget.Seconds(), l.Requests.Completed, p.Load.Requests)
	}
	if l.CutBy == load.CutOversaturated {
		s.note("%s: ended after %d requests, for the server did not keep up with the arrivals (--stop-oversaturated never holds it to its end)", l.ID, l.Requests.Completed)
	}
	if repeated > 0 {
		s.note("%s: %d of its prompts had been sent before in this run (the dataset was begun anew, or another level has read it), and a prefix cache may have served them: --reset-cache empties it between levels", l.ID, repeated)
	}
	for _, what := range []struct {
		name       string
		asked, got *float64
	}{{"prompts", l.Asked.Prompt, l.Got.Prompt}, {"answers", l.Asked.Output, l.Got.Output}} {
		if what.asked != nil && what.got != nil && math.Abs(*what.got / *what.asked - 1) > load.Tolerance {
			s.note("%s: %s of %.0f tokens were asked for, %.0f came in the mean", l.ID, what.name, *what.asked, *what.got)
		}
	}
	if c := l.Cache; c != nil && c.Verdict == record.CacheUnexpected {
		s.view.Note(l.ID + ": " + c.Why) // the report says it of all levels at once
	} else if c != nil && c.Verdict == record.CacheNoHits {
		s.note("%s: %s", l.ID, c.Why)
	}
	for _, text := range unreconciled(l) {
		s.note("%s", text)
	}
}
