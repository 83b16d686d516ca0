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
	rng := rand.New(rand.NewPCG(s.Seed, 11))
	var m Measurement
	var points []saturate.Level
	opt := saturate.Options{Scenario: "saturation", Unit: record.ByConcurrency, Seed: s.Seed}
	at := time.Duration(0)
	for i, l := range s.loads {
		o, err := s.rig.hold(l, s.Seed+uint64(i)<<32, at, measuredWaves, s.view.samples)
		if err != nil {
			panic(err) // a system's engine has been started before
		}
		level := s.level(l, o, at, rng)
		if l.rate > 0 {
			opt.Unit = record.ByRate
		}
		m.Levels, points = append(m.Levels, level), append(points, curve(level, o))
		at += o.end
	}
	saturation := saturate.Analyse(points, opt)
	m.Saturation = &saturation
	if s.view.chip {
		chip, count, tp := s.rig.engine.Chip, max(s.rig.engine.TP, 1), max(s.rig.engine.TP, 1)
		m.Chip = &chip
		m.Platform = record.Platform{GPU: &chip.Name, Count: &count, TP: &tp}
	}
	return m
}

// measuredWaves is how many times over each slot of a level is measured.
const measuredWaves = 2.2
