package load

import (
	"container/heap"
	"math/rand/v2"
	"slices"
	"time"

	"assay/internal/trace"
)

// units yields what is asked together: a single row, or the turns of a session
// in order. io.EOF comes after the last.
type units interface {
	next(rng *rand.Rand) ([]trace.Row, error)
}

// Bounds on what is read ahead, to gather a session's turns and to put rows in
// order. A turn that stands further behind begins a session of its own.
const (
	lookAheadRows  = 4096
	lookAheadBytes = 64 << 20
)

// single yields each row by itself.
type single struct{ row func() (trace.Row, error) }

func one(row func() (trace.Row, error)) units { return single{row} }

func (s single) next(*rand.Rand) ([]trace.Row, error) {
	row, err := s.row()
	if err != nil {
		return nil, err
	}
	return []trace.Row{row}, nil
}

// gatherer yields sessions, in the order of their first rows.
type gatherer struct {
	row    func() (trace.Row, error)
	ended  error
	order  []*gathering
	byName map[string]*gathering
	rows   int
	bytes  int
}

// gathering are the turns of a session as far as they have been read.
type gathering struct {
	name string
	rows []trace.Row
}

func gather(row func() (trace.Row, error)) *gatherer {
	return &gatherer{row: row, byName: map[string]*gathering{}}
}

// fill reads as far ahead as is allowed.
func (g *gatherer) fill() {
	for g.ended == nil && g.rows < lookAheadRows && g.bytes < lookAheadBytes {
		row, err := g.row()
		if err != nil {
			g.ended = err
			return
		}
		g.add(row)
	}
}

func (g *gatherer) next(*rand.Rand) ([]trace.Row, error) {
	g.fill()
	if len(g.order) == 0 {
		return nil, g.ended
	}
	s := g.order[0]
	g.order = g.order[1:]
	if g.byName[s.name] == s {
		delete(g.byName, s.name)
	}
	g.rows -= len(s.rows)
	for _, r := range s.rows {
		g.bytes -= weight(r)
	}
	slices.SortStableFunc(s.rows, func(a, b trace.Row) int { return a.Turn - b.Turn })
	return s.rows, nil
}

func (g *gatherer) add(row trace.Row) {
	g.rows++
	g.bytes += weight(row)
	if s := g.byName[row.Session]; s != nil && row.Session != "" {
		s.rows = append(s.rows, row)
		return
	}
	s := &gathering{name: row.Session, rows: []trace.Row{row}}
	g.order = append(g.order, s)
	if row.Session != "" {
		g.byName[row.Session] = s
	}
}

// unbroken cuts each session before the first turn that follows on one that is
// not there: what was said before it is not known.
type unbroken struct {
	units units
	lost  func(turns int)
}

func (u unbroken) next(rng *rand.Rand) ([]trace.Row, error) {
	for {
		rows, err := u.units.next(rng)
		if err != nil {
			return nil, err
		}
		n := 0
		for n < len(rows) && (!rows[n].Continues || n > 0 && rows[n].Turn == rows[n-1].Turn+1) {
			n++
		}
		u.lost(len(rows) - n)
		if n > 0 {
			return rows[:n], nil
		}
	}
}

// weight is about the memory of a row, bytes.
func weight(r trace.Row) int {
	const fixed = 300
	return fixed + len(r.Text) + len(r.Messages) + len(r.Body) + len(r.Prefix) + len(r.Answer) + 8*len(r.Blocks)
}

// sorter yields units by the times of their first rows, with At since the first
// of all: files stand in the order in which requests ended, or in none.
type sorter struct {
	units  units
	ended  error
	lost   func(turns int)
	heap   byTime
	read   int
	bytes  int
	begun  bool
	origin time.Duration
	last   time.Duration
}

// inOrder tells lost of the turns of sessions that begin with none that has a
// time: their first ones were left out.
func inOrder(u units, lost func(turns int)) units { return &sorter{units: u, lost: lost} }

func (s *sorter) next(rng *rand.Rand) ([]trace.Row, error) {
	for s.ended == nil && len(s.heap) < lookAheadRows && s.bytes < lookAheadBytes {
		rows, err := s.units.next(rng)
		if err != nil {
			s.ended = err
			break
		}
		if rows[0].At == nil {
			s.lost(len(rows))
			continue
		}
		s.bytes += weight(rows[0])
		heap.Push(&s.heap, timedUnit{*rows[0].At, s.read, rows})
		s.read++
	}
	if len(s.heap) == 0 {
		return nil, s.ended
	}
	u := heap.Pop(&s.heap).(timedUnit)
	s.bytes -= weight(u.rows[0])
	if !s.begun {
		s.begun, s.origin = true, u.at
	}
	rows := slices.Clone(u.rows)
	for i := range rows {
		if rows[i].At != nil {
			// A row from further away than is read ahead is late; it is sent at once.
			at := max(*rows[i].At-s.origin, s.last)
			rows[i].At = &at
		}
	}
	s.last = *rows[0].At
	return rows, nil
}

// timedUnit is a unit, when it is due, and its place among those due then.
type timedUnit struct {
	at   time.Duration
	seq  int
	rows []trace.Row
}

type byTime []timedUnit

func (h byTime) Len() int { return len(h) }
func (h byTime) Less(i, j int) bool {
	if h[i].at != h[j].at {
		return h[i].at < h[j].at
	}
	return h[i].seq < h[j].seq
}
func (h byTime) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *byTime) Push(x any)   { *h = append(*h, x.(timedUnit)) }
func (h *byTime) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
