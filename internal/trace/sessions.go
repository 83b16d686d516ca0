package trace

import (
	"fmt"
	"time"
)

// maxSessions bounds what is kept of the sessions of a file.
const maxSessions = 8 << 20

// sessions number the turns of sessions whose rows are mixed, by the hash of
// their names.
type sessions map[uint64]int

// turn is the next turn of a session.
func (s sessions) turn(id string) (int, error) {
	key := hash(id)
	n, known := s[key]
	if !known && len(s) >= maxSessions {
		return 0, fmt.Errorf("more than %d sessions: split the file", maxSessions)
	}
	s[key] = n + 1
	return n, nil
}

// ends are the moments at which the last turn of each session had been answered.
type ends map[uint64]time.Duration

// delay finds the think time of a turn where the row does not say it: from the
// answer's end to the next request. A request that came before has none.
func (e ends) delay(row *Row) {
	if row.Session == "" || row.At == nil {
		return
	}
	key := hash(row.Session)
	if end, known := e[key]; known && row.Turn > 0 && row.Delay == nil && *row.At >= end {
		d := *row.At - end
		row.Delay = &d
	}
	delete(e, key)
	if row.Latency != nil && *row.Latency >= 0 && len(e) < maxSessions {
		e[key] = *row.At + *row.Latency
	}
}
