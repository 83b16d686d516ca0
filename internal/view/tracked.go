package view

import (
	"maps"
	"slices"
	"sync"

	"assay/internal/record"
)

// tracked is a state that several goroutines change. Nothing is drawn or written
// under its lock, for a request that has ended waits for it.
type tracked struct {
	mu    sync.Mutex
	state state
}

func (t *tracked) change(f func(*state)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f(&t.state)
}

// Request counts an answer in.
func (t *tracked) Request(q *record.Request) { t.change(func(s *state) { s.request(q) }) }

// now is the state as it stands, which no later event changes.
func (t *tracked) now() (s state) {
	t.change(func(was *state) {
		s = *was
		s.done, s.rate.past, s.errors = slices.Clone(was.done), slices.Clone(was.rate.past), maps.Clone(was.errors)
		for _, r := range []*ring{&s.ttft, &s.itl, &s.e2e} {
			r.values = slices.Clone(r.values)
		}
	})
	return s
}
