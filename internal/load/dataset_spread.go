package load

import (
	"math/rand/v2"
	"slices"
	"time"

	"assay/internal/trace"
)

// spreader moves units that share a tick of a coarse clock to random moments
// before the next tick. The tick is the smallest gap between different times
// seen so far: where a trace's clock is fine, hardly anything moves.
type spreader struct {
	units units
	tick  time.Duration // 0: not known
	group [][]trace.Row // of one tick, spread and not yet given
	ahead []trace.Row   // the first of the next tick
	at    time.Duration // of the tick before
	last  time.Duration // into it, of its last unit
	ended error
}

func spread(u units) units { return &spreader{units: u} }

func (s *spreader) next(rng *rand.Rand) ([]trace.Row, error) {
	if len(s.group) == 0 {
		s.fill(rng)
	}
	if len(s.group) == 0 {
		return nil, s.ended
	}
	rows := s.group[0]
	s.group = s.group[1:]
	return rows, nil
}

// fill reads the units of one tick and spreads them.
func (s *spreader) fill(rng *rand.Rand) {
	if s.ahead == nil && !s.read(rng) {
		return
	}
	at := *s.ahead[0].At
	for s.ahead != nil && *s.ahead[0].At == at && len(s.group) < lookAheadRows {
		s.group = append(s.group, s.ahead)
		s.read(rng)
	}
	if s.ahead != nil {
		if gap := *s.ahead[0].At - at; gap > 0 && (s.tick == 0 || gap < s.tick) {
			s.tick = gap
		}
	}
	from := time.Duration(0)
	if at == s.at {
		from = s.last // the rest of a tick of more units than are read ahead
	}
	offsets := make([]time.Duration, len(s.group))
	for i := range offsets {
		offsets[i] = from + time.Duration(rng.Float64()*float64(max(0, s.tick-from)))
	}
	slices.Sort(offsets)
	s.at, s.last = at, offsets[len(offsets)-1]
	for i, rows := range s.group {
		moved := at + offsets[i]
		rows[0].At = &moved
	}
}

// read takes the next unit ahead.
func (s *spreader) read(rng *rand.Rand) bool {
	s.ahead = nil
	if s.ended == nil {
		s.ahead, s.ended = s.units.next(rng)
	}
	return s.ahead != nil
}
