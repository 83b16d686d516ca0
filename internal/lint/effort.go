package lint

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// mostEffort is what the rules that users write may cost in one run, in CEL's units: a
// field costs one, and a processor does some millions in a second.
const mostEffort = 50_000_000

// effort counts what rules cost that are not the program's own, and ends a run that
// would take too long. Whether a run ends so does not depend on the number of workers:
// the sum is the same in any order.
type effort struct {
	ctx   context.Context
	stop  context.CancelCauseFunc
	most  uint64
	spent atomic.Uint64
	mu    sync.Mutex
	of    map[string]uint64
}

func newEffort(ctx context.Context, most uint64) *effort {
	e := &effort{most: cmp.Or(most, mostEffort), of: map[string]uint64{}}
	e.ctx, e.stop = context.WithCancelCause(ctx)
	return e
}

// err is why the run ends early; nil: it does not.
func (e *effort) err() error { return context.Cause(e.ctx) }

// Spend counts what the pass's rule cost. Beyond what a run may cost, the run ends.
func (p *Pass) Spend(cost uint64) {
	e := p.effort
	e.mu.Lock()
	e.of[p.Rule.ID] += cost
	e.mu.Unlock()
	if e.spent.Add(cost) > e.most {
		e.stop(fmt.Errorf("own rules cost more than the %d million units of CEL that a run may: %s costs most; let it look at fewer kinds, or at less of an object", e.most/1_000_000, e.dearest()))
	}
}

func (e *effort) dearest() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	id, most := "", uint64(0)
	for rule, cost := range e.of {
		if cost > most || cost == most && rule < id {
			id, most = rule, cost
		}
	}
	return id
}

// Abort ends the run with an error.
func (p *Pass) Abort(err error) { p.effort.stop(err) }

// Done is closed when the run ends early.
func (p *Pass) Done() <-chan struct{} { return p.effort.ctx.Done() }
