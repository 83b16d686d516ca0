package trace

import (
	"container/heap"
	"time"
)

// window is how many times are held back to put them in order.
const window = 1 << 20

// ordered passes times on in order, where none stands more than a window away
// from its place.
type ordered struct {
	held   times
	to     func(time.Duration)
	before time.Duration // the last one seen
	passed time.Duration // the last one passed on
	any    bool
	begun  bool

	outOfOrder, left int
}

func (o *ordered) add(at time.Duration) {
	if o.any && at < o.before {
		o.outOfOrder++
	}
	o.before, o.any = at, true
	heap.Push(&o.held, at)
	if len(o.held) > window {
		o.pass()
	}
}

func (o *ordered) flush() {
	for len(o.held) > 0 {
		o.pass()
	}
}

func (o *ordered) pass() {
	at := heap.Pop(&o.held).(time.Duration)
	if o.begun && at < o.passed {
		o.left++
		return
	}
	o.passed, o.begun = at, true
	o.to(at)
}

// times is a heap of them, the earliest first.
type times []time.Duration

func (t times) Len() int           { return len(t) }
func (t times) Less(i, j int) bool { return t[i] < t[j] }
func (t times) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *times) Push(x any)        { *t = append(*t, x.(time.Duration)) }
func (t *times) Pop() any {
	last := len(*t) - 1
	x := (*t)[last]
	*t = (*t)[:last]
	return x
}
