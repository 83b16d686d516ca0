package bench

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"assay/internal/load"
	"assay/internal/record"
	"assay/internal/spec"
	"assay/internal/wire"
)

// View shows a run as it happens.
type View interface {
	Note(text string)
	LevelStart(l PlannedLevel, n, of int)
	Tick(load.Progress)
	LevelDone(record.Level)
}

// Run measures the plan. soft, once closed, ends it gently: what is in flight
// may finish for Options.Grace; hard's end ends it at once. What was measured
// is in the returned run and in the run folder, also beside an error; a nil run
// means that nothing was.
func Run(hard context.Context, soft <-chan struct{}, opt Options, plan Plan, view View) (*record.Run, error) {
	s := &session{opt: opt, plan: plan, view: view, hard: hard, soft: soft, start: time.Now(), datasets: map[string]*load.Dataset{}, ended: make(chan struct{})}
	defer close(s.ended)
	ready, cancel := s.untilInterrupt()
	defer cancel()
	if err := s.prepare(ready); err != nil {
		if s.target != nil {
			s.target.close()
		}
		if ready.Err() != nil {
			return nil, ErrInterrupted
		}
		return nil, err
	}
	defer s.target.close()
	defer s.closeDatasets()
	err := s.levels()
	if cerr := s.conclude(); err == nil {
		err = cerr
	}
	return s.run, err
}

// ErrInterrupted is an interrupt before anything was measured.
var ErrInterrupted = errors.New("interrupted before anything was measured")

// session is one run under way.
type session struct {
	opt   Options
	plan  Plan
	view  View
	hard  context.Context
	soft  <-chan struct{}
	start time.Time

	target      *target
	calibration *load.Calibration
	watch       *watcher
	datasets    map[string]*load.Dataset // open ones, by scenario
	writer      *record.Writer
	run         *record.Run
	recorded    []Recorded // one for each level of run.Levels
	early       []string   // notes from before there was a run
	passedOver  bool       // a planned level was not run
	ended       chan struct{}
}

// untilInterrupt is a context that ends with either interrupt.
func (s *session) untilInterrupt() (context.Context, func()) {
	ctx, cancel := context.WithCancel(s.hard)
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-s.soft:
			cancel()
		case <-ctx.Done():
		}
	})
	return ctx, func() { cancel(); wg.Wait() }
}

func (s *session) interrupted() bool {
	select {
	case <-s.soft:
		return true
	default:
		return s.hard.Err() != nil
	}
}

// prepare does all that comes before the first level.
func (s *session) prepare(ctx context.Context) error {
	if s.opt.Target == "" {
		s.view.Note("no --target: measuring the " + embeddedName + ", with a short workload of its own")
	}
	var err error
	if s.target, err = connect(ctx, s.opt, s.start); err != nil {
		return err
	}
	s.describeTarget()
	if err := s.fitToContext(); err != nil {
		return err
	}
	if err := s.calibrate(ctx); err != nil {
		return err
	}
	if err := s.checkDatasets(); err != nil {
		return err
	}
	s.newRun()
	if s.writer, err = record.Create(s.opt.Out, s.run); err != nil {
		return err
	}
	if t := s.target; t.metricsURL != "" {
		s.watch = &watcher{
			url: t.metricsURL, shown: wire.ShownURL(t.metricsURL), client: metricsClient, start: s.start, emit: s.writer.Metrics,
		}
	}
	return nil
}

func (s *session) describeTarget() {
	t := s.target
	name := t.info.Engine.Name
	if t.info.Simulated {
		name = t.info.Preset
		if t.info.Preset == "" {
			name = "a simulated engine (assay sim)"
		}
	}
	s.view.Note(fmt.Sprintf("target: %s  model %s  %s %s", t.info.URL, t.info.Model, name, t.info.Engine.Version))
	for _, r := range t.inspection.Remarks {
		s.view.Note("the endpoint " + r)
	}
	if t.metricsURL == "" && s.opt.MetricsURL != "none" {
		s.view.Note("no engine metrics in reach: what limits the service can only be told with them (--metrics URL)")
	}
}

// fitToContext leaves out prompts that the model's context does not hold.
func (s *session) fitToContext() error {
	limit := s.target.info.MaxLen
	if limit == 0 {
		return nil
	}
	kept := s.plan.Levels[:0:0]
	for _, l := range s.plan.Levels {
		if l.Scenario.DatasetPath != "" {
			kept = append(kept, l)
			continue
		}
		in, out := l.Prompt.Largest(), l.Output.Largest()
		switch {
		case in+out <= limit:
		case len(l.Scenario.PromptSet) > 0 && in > limit:
			s.note("%s is left out: the model's context is %d tokens", l.ID, limit)
			continue
		case len(l.Scenario.PromptSet) > 0:
			// The scenario asks for prompts of that size: the answer's place is taken from it.
			l.Prompt = spec.Fixed(max(1, limit-out))
			s.note("%s: prompts of %d tokens, so that %d of output fit into the model's context of %d", l.ID, limit-out, out, limit)
		default:
			return &usageError{fmt.Errorf("level %s asks for up to %d tokens in and %d out; the model's context is %d (--isl, --osl)", l.ID, in, out, limit)}
		}
		kept = append(kept, l)
	}
	if len(kept) == 0 {
		return &usageError{fmt.Errorf("no level fits into the model's context of %d tokens", limit)}
	}
	s.plan.Levels = kept
	return nil
}

// note keeps a remark for the report and shows it.
func (s *session) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.view.Note(text)
	if s.run != nil {
		s.run.Notes = append(s.run.Notes, text)
		return
	}
	s.early = append(s.early, text)
}

// calibrate covers the lengths of all levels with synthetic prompts.
func (s *session) calibrate(ctx context.Context) error {
	shortest, longest := 0, 0
	for _, l := range s.plan.Levels {
		if l.Scenario.DatasetPath != "" {
			continue
		}
		n := int(l.Prompt.Expected())
		if shortest == 0 || n < shortest {
			shortest = n
		}
		longest = max(longest, l.Prompt.Largest())
	}
	if longest == 0 {
		return nil
	}
	var err error
	if s.calibration, err = s.target.calibrate(ctx, shortest, longest); err != nil {
		return fmt.Errorf("calibrate prompt lengths: %w", err)
	}
	if s.calibration.Estimated {
		s.note("the server counts no tokens: prompt lengths are estimated as one token a word")
	}
	for _, c := range s.calibration.Checks {
		if c.Off() > load.Tolerance {
			s.note("prompts of %d tokens came to %d by the server's count", c.Asked, c.Got)
		}
	}
	return nil
}

func (s *session) newRun() {
	nonce := make([]byte, 6)
	_, _ = rand.Read(nonce) // never fails: crypto/rand ends the program instead
	s.run = &record.Run{
		Schema: record.Schema, Tool: tool(s.opt.Version), Command: s.opt.Command, Start: s.start.UTC(),
		Host: host(), Seed: s.opt.Seed, Nonce: hex.EncodeToString(nonce), Target: s.target.info,
		Platform: platform(s.opt.Platform), Spec: mustJSON(s.plan), Inspection: s.target.inspection,
		Levels: []record.Level{}, Notes: s.early, Bound: unknownYet(), SLO: record.SLO{Given: s.opt.SLOGiven, Criteria: criteria(s.opt.SLO)},
	}
	if s.opt.Platform.PricePerHour > 0 {
		s.run.Cost = &record.Cost{PricePerHour: s.opt.Platform.PricePerHour, Source: "given by the user"}
	}
}

func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // plans hold nothing that JSON cannot
	}
	return b
}

// levels runs the plan level by level, and after the last level of a scenario
// that looks for the knee the levels that refine it.
func (s *session) levels() error {
	total := len(s.plan.Levels)
	given := map[string]bool{} // scenarios that are given up
	for i, l := range s.plan.Levels {
		if s.interrupted() {
			return nil
		}
		if given[l.Scenario.Name] {
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
		if done.CutBy == load.CutErrors {
			given[l.Scenario.Name] = true
			s.note("%s: more than %g %% of the requests failed; higher levels of %s are not run (--max-errors)",
				l.ID, s.opt.MaxErrors*100, l.Scenario.Name)
		}
		lastOfScenario := i+1 == total || s.plan.Levels[i+1].Scenario.Name != l.Scenario.Name
		if lastOfScenario && l.Scenario.LooksForKnee() && !given[l.Scenario.Name] {
			if err := s.refine(l, total); err != nil {
				return err
			}
		}
	}
	return nil
}

// withRate gives a production level its rate: a share of the operating point.
func (s *session) withRate(l PlannedLevel) (PlannedLevel, bool) {
	if l.Load.Value > 0 {
		return l, true
	}
	sat := s.saturation()
	if sat == nil || sat.OperatingPoint == nil || sat.OperatingPoint.RequestsPerS <= 0 {
		s.note("%s is not run: no operating point was found to take its rate from (--request-rate gives one)", l.ID)
		return l, false
	}
	rate := newLevel(l.Scenario, record.ByRate, ProductionShare*sat.OperatingPoint.RequestsPerS)
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
		if _, err := s.level(l, total+n, total+s.plan.Refine); err != nil {
			return err
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
		Plan: p, RunStart: s.start, SLO: s.opt.SLO, PricePerHour: s.opt.Platform.PricePerHour, SimulatorInside: s.target.embedded != nil,
	}
	counter := s.newTextCounter()
	runner := load.Runner{
		Client: counter.sender(s.target.client), Encode: load.Encoder(s.target.client, s.target.dialect), Source: source, RunID: "assay-" + s.run.Nonce,
		Stop: s.stopOf(), Grace: s.opt.Grace,
		OnRequest: func(q record.Request) {
			counter.count(s.hard, &q)
			rec.Requests = append(rec.Requests, q)
			s.writer.Request(q)
		},
		OnSample: func(c record.ClientSample) {
			rec.Client = append(rec.Client, c)
			s.writer.Client(c)
		},
		OnProgress: s.view.Tick,
	}
	end := s.watch.begin(s.hard, p.ID)
	result, runErr := runner.Run(s.hard, s.loadLevel(p))
	rec.Metrics = end()
	rec.CutBy, rec.Dropped = result.CutBy, result.Dropped
	if s.writer.Err() != nil {
		rec.CutBy = cutDisk
	}
	if len(rec.Requests) == 0 && runErr == nil {
		return record.Level{CutBy: rec.CutBy}, nil // interrupted before its first answer
	}
	folded := Fold(rec)
	s.remark(p, folded, result.Repeated)
	s.run.Levels = append(s.run.Levels, folded)
	s.recorded = append(s.recorded, rec)
	s.view.LevelDone(folded)
	if err := s.writer.Err(); err != nil {
		return folded, err
	}
	if err := s.writer.SaveRun(s.run); err != nil {
		return folded, err
	}
	return folded, runErr
}

// stopOf ends sending on an interrupt, and when nothing can be recorded any more.
func (s *session) stopOf() <-chan struct{} {
	stop := make(chan struct{})
	go func() {
		select {
		case <-s.soft:
		case <-s.writer.Failed():
		case <-s.ended:
			return
		}
		close(stop)
	}()
	return stop
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
		l.Rate = p.Load.Value
	}
	if !p.Scenario.Exact && p.Scenario.Duration == 0 {
		l.Budget = p.Scenario.Budget
	}
	return l
}

// remark says what a reader must know of a level's plan against what came.
func (s *session) remark(p PlannedLevel, l record.Level, repeated int) {
	if l.CutBy == load.CutBudget {
		s.note("%s: the time budget of %s ended it after %d requests of %d (a default; --num-requests makes it exact, --level-budget moves it)",
			l.ID, p.Scenario.Budget, l.Requests.Completed, p.Load.Requests)
	}
	if repeated > 0 {
		s.note("%s: the dataset ended and was begun anew: %d of its prompts came a second time, and a prefix cache may have served them", l.ID, repeated)
	}
	for _, what := range []struct {
		name       string
		asked, got *float64
	}{{"prompts", l.Asked.Prompt, l.Got.Prompt}, {"answers", l.Asked.Output, l.Got.Output}} {
		if what.asked != nil && what.got != nil && abs(*what.got / *what.asked - 1) > load.Tolerance {
			s.note("%s: %s of %.0f tokens were asked for, %.0f came in the mean", l.ID, what.name, *what.asked, *what.got)
		}
	}
	for _, text := range unreconciled(l) {
		s.note("%s", text)
	}
}

// conclude judges the run and writes its last files.
func (s *session) conclude() error {
	s.run.Interrupted = s.interrupted()
	s.run.Complete = !s.run.Interrupted && !s.passedOver && !slices.ContainsFunc(s.run.Levels, func(l record.Level) bool {
		return l.CutBy == load.CutErrors || l.CutBy == load.CutInterrupt
	}) && len(s.run.Levels) > 0
	Conclude(s.run, s.recorded, s.opt.SLO, s.opt.Seed)
	end := time.Now().UTC()
	s.run.End = &end
	err := s.writer.Close()
	if serr := s.writer.SaveRun(s.run); err == nil {
		err = serr
	}
	return err
}

func abs(x float64) float64 {
	if x < 0 {
		return -x
	}
	return x
}
