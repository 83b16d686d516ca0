package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"assay/internal/load"
	"assay/internal/record"
	"assay/internal/wire"
)

// View shows a run as it happens.
type View interface {
	Note(text string)
	LevelStart(l PlannedLevel, n, of int)
	Request(*record.Request)    // it ended; not kept or changed
	Sample(record.ClientSample) // once a second
	Tick(load.Progress)         // four times a second
	LevelDone(record.Level)
}

// Run measures the plan. soft, once closed, ends it gently: what is in flight
// may finish for Options.Grace; hard's end ends it at once. What was measured
// is in the returned run and in the run folder, also beside an error; a nil run
// means that nothing was.
func Run(hard context.Context, soft <-chan struct{}, opt Options, plan Plan, view View) (*record.Run, error) {
	s := &session{opt: opt, plan: plan, view: view, hard: hard, soft: soft, start: time.Now(), datasets: map[string]*load.Dataset{}, read: map[string][]*load.Dataset{}, stop: make(chan struct{})}
	ready, cancel := s.untilInterrupt()
	defer cancel()
	if err := s.prepare(ready); err != nil {
		if s.target != nil {
			s.target.close()
		}
		s.closeDatasets()
		if ready.Err() != nil {
			return nil, ErrInterrupted
		}
		return nil, err
	}
	defer s.target.close()
	defer s.closeDatasets()
	defer func() {
		if s.talking != nil {
			s.talking.Close()
		}
	}()
	defer s.watchForStop()()
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
	datasets    map[string]*load.Dataset   // open ones, by scenario
	read        map[string][]*load.Dataset // those of a file from which levels have taken prompts
	lengthsOnly bool                       // a dataset needs texts to be made for its rows
	talking     *wire.Client               // keeps the text of answers; nil until a level needs it
	writer      *record.Writer
	run         *record.Run
	recorded    []Recorded    // one for each level of run.Levels
	early       []string      // notes from before there was a run
	passedOver  bool          // a planned level was not run
	stop        chan struct{} // closed when nothing more is to be sent
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

// watchForStop closes stop on an interrupt, and when nothing can be recorded any
// more. The function that it returns ends the watch.
func (s *session) watchForStop() (end func()) {
	ended := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-s.soft:
			close(s.stop)
		case <-s.writer.Failed():
			close(s.stop)
		case <-ended:
		}
	})
	return func() { close(ended); wg.Wait() }
}

func (s *session) interrupted() bool {
	select {
	case <-s.soft:
		return true
	default:
		return s.hard.Err() != nil
	}
}

// lacking reports a level that was cut short, so that the run lacks what was asked
// for. A trial that errors ended is undecided, and nothing else rests on it.
func lacking(l record.Level) bool {
	return (l.CutBy == load.CutErrors && l.Pass != record.PassTrial) || l.CutBy == load.CutInterrupt || l.CutBy == cutDisk
}

// conclude judges the run and writes its last files.
func (s *session) conclude() error {
	s.noteConnections()
	s.run.Interrupted = s.interrupted()
	s.run.Complete = !s.run.Interrupted && !s.passedOver && !slices.ContainsFunc(s.run.Levels, lacking) && len(s.run.Levels) > 0
	Conclude(s.run, s.recorded, s.terms())
	end := time.Now().UTC()
	s.run.End = &end
	err := s.writer.Close()
	if serr := s.writer.SaveRun(s.run); err == nil {
		err = serr
	}
	return err
}

// noteConnections says how HTTP/2 spread the requests: that a server allows few
// at once on a connection is part of how it was measured.
func (s *session) noteConnections() {
	if n, limit := s.target.client.Multiplexed(); n > 0 {
		s.run.Notes = append(s.run.Notes, fmt.Sprintf("HTTP/2: %d connections, on each of which the server allows %d requests at once", n, limit))
	}
}
