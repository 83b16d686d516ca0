package view

import (
	"assay/internal/bench"
	"assay/internal/load"
	"assay/internal/record"
)

// All is a view that shows each event in each of several.
func All(views ...bench.View) bench.View { return all(views) }

type all []bench.View

func (a all) Note(text string) {
	for _, v := range a {
		v.Note(text)
	}
}

func (a all) LevelStart(l bench.PlannedLevel, n, of int) {
	for _, v := range a {
		v.LevelStart(l, n, of)
	}
}

func (a all) Request(q *record.Request) {
	for _, v := range a {
		v.Request(q)
	}
}

func (a all) Sample(c record.ClientSample) {
	for _, v := range a {
		v.Sample(c)
	}
}

func (a all) Tick(p load.Progress) {
	for _, v := range a {
		v.Tick(p)
	}
}

func (a all) LevelDone(l record.Level) {
	for _, v := range a {
		v.LevelDone(l)
	}
}
