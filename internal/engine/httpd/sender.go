package httpd

import (
	"container/heap"
	"sync"
	"time"

	"assay/internal/engine"
)

// sender hands outputs to their streams when an API server with few workers has
// come to them. Without a limit on workers the loop does so itself.
type sender struct {
	until func(time.Duration) time.Duration // real time to a time of the engine

	mu    sync.Mutex
	queue byReady
	count uint64

	wake chan struct{}
	done chan struct{}
}

func startSender(until func(time.Duration) time.Duration, quit <-chan struct{}) *sender {
	s := &sender{until: until, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go s.run(quit)
	return s
}

func (s *sender) add(outputs []engine.Output) {
	s.mu.Lock()
	for _, o := range outputs {
		s.count++
		heap.Push(&s.queue, due{o, s.count})
	}
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *sender) run(quit <-chan struct{}) {
	defer close(s.done)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		wait := s.send()
		timer.Reset(wait)
		select {
		case <-timer.C:
		case <-s.wake:
		case <-quit:
			return
		}
	}
}

// send pushes what is due and returns how long it is to the next.
func (s *sender) send() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) > 0 {
		if d := s.until(s.queue[0].Ready); d > 0 {
			return d
		}
		o := heap.Pop(&s.queue).(due)
		o.Owner.(*choice).push(o.Output)
	}
	return time.Hour
}

// due is an output that waits for its time; of two at one time the earlier goes first.
type due struct {
	engine.Output
	number uint64
}

type byReady []due

func (q byReady) Len() int { return len(q) }
func (q byReady) Less(i, j int) bool {
	if q[i].Ready != q[j].Ready {
		return q[i].Ready < q[j].Ready
	}
	return q[i].number < q[j].number
}
func (q byReady) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *byReady) Push(x any)   { *q = append(*q, x.(due)) }
func (q *byReady) Pop() any {
	old := *q
	o := old[len(old)-1]
	old[len(old)-1] = due{}
	*q = old[:len(old)-1]
	return o
}
