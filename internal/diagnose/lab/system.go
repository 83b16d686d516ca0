package lab

import (
	"math/rand/v2"
	"time"

	"assay/internal/engine"
	"assay/internal/facts"
	"assay/internal/record"
	"assay/internal/saturate"
)

// System is a service whose bound is known.
type System struct {
	Name   string // what was built, in words
	Seed   uint64
	Meant  string // the class that it was built to be of; Truth says what it is
	Varied bool   // it varies in ways that rules do not model

	rig         rig
	limits      engine.Config // the engine's, as resolved
	loads       []load
	concurrency int // the highest
	view        view
}

// Measurement is what a bench would know at the end of a run.
type Measurement struct {
	Levels     []record.Level
	Saturation *record.Saturation
	Platform   record.Platform
	Chip       *facts.Chip // nil: not known
}

// Measure holds every level and records it as bench would. The same system gives
// the same measurement.
func (s System) Measure() Measurement {
	run := run{System: s, rng: rand.New(rand.NewPCG(s.Seed, 11))}
	opt := saturate.Options{Scenario: "saturation", Unit: record.ByConcurrency, Seed: s.Seed, MaxRefine: mostRefined}
	for _, l := range s.loads {
		if l.rate > 0 {
			opt.Unit = record.ByRate
		}
		run.add(l, record.PassGrid)
	}
	for opt.Unit == record.ByConcurrency {
		n, _, ok := saturate.Next(run.points, opt)
		if !ok {
			break
		}
		run.add(load{concurrency: int(n)}, record.PassRefine)
	}
	m := Measurement{Levels: run.levels}
	saturation := saturate.Analyse(run.points, opt)
	m.Saturation = &saturation
	if s.view.chip {
		chip, count, tp := s.rig.engine.Chip, max(s.rig.engine.TP, 1), max(s.rig.engine.TP, 1)
		m.Chip = &chip
		m.Platform = record.Platform{GPU: &chip.Name, Count: &count, TP: &tp}
	}
	return m
}

// run is a measurement under way.
type run struct {
	System
	rng    *rand.Rand
	at     time.Duration
	levels []record.Level
	points []saturate.Level
}

// add holds one more level.
func (r *run) add(l load, pass string) {
	o, err := r.rig.hold(l, r.Seed+uint64(len(r.levels))<<32, r.at, measuredWaves, r.view.samples)
	if err != nil {
		panic(err) // a system's engine has been started before
	}
	level := r.level(l, o, r.at, r.rng)
	level.Pass = pass
	r.levels, r.points = append(r.levels, level), append(r.points, curve(level, o))
	r.at += o.end
}

// mostRefined are the levels that are added around the knee; a bench adds one more.
const mostRefined = 2

// measuredWaves is how many times over each slot of a level is measured.
const measuredWaves = 2.2
