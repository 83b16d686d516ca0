package view

import (
	"encoding/json"
	"io"
	"sync"
	"time"

	"assay/internal/bench"
	"assay/internal/load"
	"assay/internal/record"
)

// JSONL writes one JSON object a line: each has "event" and "time", and a field
// named after the event that holds it. Events are note, level_start, progress
// (once a second), level (as in run.json) and, by Run, run.
type JSONL struct {
	tracked
	writing sync.Mutex
	enc     *json.Encoder
	err     error
}

var _ bench.View = (*JSONL)(nil)

// NewJSONL writes to w.
func NewJSONL(w io.Writer) *JSONL { return &JSONL{enc: json.NewEncoder(w)} }

type event struct {
	Event      string         `json:"event"`
	Time       time.Time      `json:"time"`
	Note       string         `json:"note,omitempty"`
	LevelStart *startEvent    `json:"level_start,omitempty"`
	Progress   *progressEvent `json:"progress,omitempty"`
	Level      *record.Level  `json:"level,omitempty"`
	Run        *record.Run    `json:"run,omitempty"`
	Folder     string         `json:"folder,omitempty"`
}

type startEvent struct {
	ID       string      `json:"id"`
	Scenario string      `json:"scenario"`
	Pass     string      `json:"pass"`
	Load     record.Load `json:"load"`
	N        int         `json:"n"`
	Of       int         `json:"of"`
}

// progressEvent is of the moment; null is not known yet.
type progressEvent struct {
	Level           string         `json:"level"`
	Phase           string         `json:"phase"`
	ElapsedS        float64        `json:"elapsed_s"`
	Asked           int            `json:"asked"` // measured requests; 0: by time
	Sent            int            `json:"sent"`
	Finished        int            `json:"finished"`
	Failed          int            `json:"failed"`
	Errors          map[string]int `json:"errors"`
	InFlight        int            `json:"in_flight"`
	RequestsPerS    *float64       `json:"requests_per_s"` // of the last seconds
	OutputTokensPer *float64       `json:"output_tokens_per_s"`
	TTFTP50         *float64       `json:"latest_ttft_p50_ms"` // of the latest answers
	TTFTP95         *float64       `json:"latest_ttft_p95_ms"`
	LagP99          float64        `json:"lag_p99_ms"` // of the last second
}

// Note writes a remark.
func (j *JSONL) Note(text string) { j.write(event{Event: "note", Note: text}) }

// LevelStart writes which level begins.
func (j *JSONL) LevelStart(l bench.PlannedLevel, n, of int) {
	j.change(func(s *state) { s.levelStart(l, n, of) })
	j.write(event{Event: "level_start", LevelStart: &startEvent{
		ID: l.ID, Scenario: l.Scenario.Name, Pass: l.Pass, Load: l.Load, N: n, Of: of,
	}})
}

// Sample writes how far the level is: it comes once a second.
func (j *JSONL) Sample(c record.ClientSample) {
	var p *progressEvent
	j.change(func(s *state) {
		s.sample = c
		p = s.progress()
	})
	j.write(event{Event: "progress", Progress: p})
}

// Tick keeps the counts for the next progress.
func (j *JSONL) Tick(p load.Progress) { j.change(func(s *state) { s.tickTo(p) }) }

// LevelDone writes a level as run.json has it.
func (j *JSONL) LevelDone(l record.Level) {
	j.change(func(s *state) { s.levelDone(l) })
	j.write(event{Event: "level", Level: &l})
}

// Run writes the finished run, as in run.json, and gives the first error of any
// write.
func (j *JSONL) Run(run *record.Run, folder string) error {
	j.write(event{Event: "run", Run: run, Folder: folder})
	return j.err
}

func (j *JSONL) write(e event) {
	j.writing.Lock()
	defer j.writing.Unlock()
	e.Time = time.Now().UTC()
	if err := j.enc.Encode(e); err != nil && j.err == nil {
		j.err = err
	}
}

func (s *state) progress() *progressEvent {
	t := s.tick
	p := &progressEvent{
		Level: t.Level, Phase: t.Phase, ElapsedS: t.Elapsed.Seconds(), Asked: t.Asked, Sent: t.Measured,
		Finished: t.Finished, Failed: t.Failed, Errors: map[string]int{}, InFlight: t.InFlight,
		TTFTP50: s.ttft.percentile(50), TTFTP95: s.ttft.percentile(95), LagP99: float64(s.sample.LagP99US) / 1000,
	}
	for kind, n := range s.errors {
		p.Errors[kind] = n
	}
	if requests, tokens, ok := s.rate.perSecond(); ok {
		p.RequestsPerS, p.OutputTokensPer = &requests, &tokens
	}
	return p
}
