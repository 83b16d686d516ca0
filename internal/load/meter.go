package load

import (
	"sync"
	"time"

	"assay/internal/wire"
)

// meter counts what is open and what happened since it was last read.
type meter struct {
	mu       sync.Mutex
	inFlight int
	highest  int
	dropped  int
	reading
}

// reading is what happened between two reads.
type reading struct {
	sent, done int
	lags       []time.Duration // of the requests that ended
}

// reserve takes a place among the open requests, unless limit are open.
func (m *meter) reserve(limit int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.inFlight >= limit {
		return false
	}
	m.inFlight++
	return true
}

// release gives a place back that was not used.
func (m *meter) release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inFlight--
}

// begin counts a request whose place was reserved.
func (m *meter) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.highest = max(m.highest, m.inFlight)
	m.sent++
}

func (m *meter) end(o wire.Outcome, due time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inFlight--
	m.done++
	if !o.NotSent {
		m.lags = append(m.lags, lateness(o, due))
	}
}

// lateness is how long after its moment a request's bytes left, for reasons of
// the client: the time to open a connection is the network's and the server's.
func lateness(o wire.Outcome, due time.Duration) time.Duration {
	return o.Sent - o.Connect - due
}

// drop counts an arrival that the limit of open requests let not be sent.
func (m *meter) drop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dropped++
}

func (m *meter) counts() (inFlight, highest, dropped int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.inFlight, m.highest, m.dropped
}

// read takes what happened since the last read.
func (m *meter) read() (reading, int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.reading
	m.reading = reading{}
	return r, m.inFlight
}
