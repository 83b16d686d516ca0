package engine

import "container/heap"

// queue is the waiting requests.
type queue interface {
	push(*Sequence)
	unpop(*Sequence) // put back after preemption
	peek() *Sequence
	pop() *Sequence
	remove(*Sequence)
	size() int
}

// deque is first come, first served. The front grows downward, so that what is
// put back stands first.
type deque struct {
	items []*Sequence
	front int
}

const dequeRoom = 16

func (d *deque) push(s *Sequence) { d.items = append(d.items, s) }

// insert puts a request behind those that are queued no later.
func (d *deque) insert(s *Sequence) {
	d.items = append(d.items, s)
	for i := len(d.items) - 1; i > d.front && d.items[i-1].Queued > s.Queued; i-- {
		d.items[i-1], d.items[i] = s, d.items[i-1]
	}
}

func (d *deque) unpop(s *Sequence) {
	if d.front == 0 {
		room := dequeRoom + len(d.items)/2
		d.items = append(make([]*Sequence, room, 2*room+len(d.items)), d.items...)
		d.front = room
	}
	d.front--
	d.items[d.front] = s
}

func (d *deque) peek() *Sequence { return d.items[d.front] }

func (d *deque) pop() *Sequence {
	s := d.items[d.front]
	d.items[d.front] = nil
	d.front++
	if d.front == len(d.items) {
		d.items, d.front = d.items[:0], 0
	} else if d.front > dequeRoom && 2*d.front > len(d.items) {
		n := copy(d.items, d.items[d.front:])
		clear(d.items[n:])
		d.items, d.front = d.items[:n], 0
	}
	return s
}

func (d *deque) remove(s *Sequence) {
	for i := d.front; i < len(d.items); i++ {
		if d.items[i] == s {
			d.items = append(d.items[:i], d.items[i+1:]...)
			return
		}
	}
}

func (d *deque) size() int { return len(d.items) - d.front }

// byPriority is a heap by (priority, arrival).
type byPriority struct{ h seqHeap }

func (q *byPriority) push(s *Sequence)  { heap.Push(&q.h, s) }
func (q *byPriority) unpop(s *Sequence) { heap.Push(&q.h, s) }
func (q *byPriority) peek() *Sequence   { return q.h[0] }
func (q *byPriority) pop() *Sequence    { return heap.Pop(&q.h).(*Sequence) }
func (q *byPriority) size() int         { return len(q.h) }

func (q *byPriority) remove(s *Sequence) {
	for i, o := range q.h {
		if o == s {
			heap.Remove(&q.h, i)
			return
		}
	}
}

type seqHeap []*Sequence

func (h seqHeap) Len() int           { return len(h) }
func (h seqHeap) Less(i, j int) bool { return before(h[i], h[j]) }
func (h seqHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *seqHeap) Push(x any)        { *h = append(*h, x.(*Sequence)) }
func (h *seqHeap) Pop() any {
	old := *h
	s := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return s
}

// before orders by (priority, arrival).
func before(a, b *Sequence) bool {
	if a.Priority != b.Priority {
		return a.Priority < b.Priority
	}
	return a.number < b.number
}
