package load

import (
	"assay/internal/record"
	"assay/internal/wire"
)

// tally is what a level's Result needs of each request.
type tally struct {
	counts   record.Requests
	errors   map[string]int
	repeated int // measured requests
}

func (t *tally) add(p trip) {
	o := p.outcome
	if p.warm {
		t.counts.Warmup++
		return
	}
	if p.prompt.Repeat {
		t.repeated++
	}
	switch {
	case o.Err == nil:
		t.counts.Completed++
	case o.Err.Kind == wire.KindCancelled:
		t.counts.Cancelled++
	default:
		t.counts.Failed++
		if t.errors == nil {
			t.errors = map[string]int{}
		}
		t.errors[o.Err.Kind]++
	}
}
