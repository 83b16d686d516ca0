package load

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
)

// item is a prompt ready to be sent.
type item struct {
	prompt Prompt
	body   []byte
	images int // that body holds
	turns  int // of its session that are played; 0: all
	bytes  int // of memory, with its session's
}

// Bounds on what is prepared ahead: enough for a burst, and little memory where
// single prompts are large.
const (
	minAhead      = 16
	maxAhead      = 1024
	maxAheadBytes = 64 << 20
)

// ahead is how many prompts a level has ready: for each slot one, or for a
// quarter of a second of arrivals.
func (l Level) ahead() int {
	n := l.Concurrency
	switch {
	case l.Replay:
		n = maxAhead // a trace may ask for all of them in one moment
	case !l.closed():
		n = int(min(maxAhead, math.Ceil(l.Rate/4)))
	}
	return min(max(n, minAhead), maxAhead)
}

// feed makes prompts ahead of time, so that neither drawing nor encoding one
// falls between the moment a request is due and the moment it is sent.
type feed struct {
	source Source
	encode func(Prompt) ([]byte, error)
	level  Level
	rng    *rand.Rand
	made   int

	items chan item // closed when the source failed or the level is over
	err   error     // why items was closed early; read only after that
	bytes atomic.Int64
	room  chan struct{} // poked when bytes went down
	// full is closed when as much is ready ahead as may be, or all there is.
	full     chan struct{}
	fullOnce sync.Once

	sessions atomic.Bool // a prompt began a session
}

func newFeed(r *Runner, l Level) *feed {
	return &feed{
		source: r.Source, encode: r.Encode, level: l,
		rng:   rand.New(rand.NewPCG(l.Seed, promptStream)),
		items: make(chan item, l.ahead()),
		room:  make(chan struct{}, 1),
		full:  make(chan struct{}),
	}
}

// The level's seed feeds independent streams, so that prompts repeat whatever
// the arrivals do.
const (
	promptStream  = 1
	arrivalStream = 2
)

// make draws and encodes the next prompt.
func (f *feed) make() (item, error) {
	p, err := f.source.Next(f.rng)
	if err != nil {
		return item{}, fmt.Errorf("prompt %d: %w", f.made+1, err)
	}
	if f.made < f.level.shortenedRequests() && p.MaxTokens > 0 {
		p.MaxTokens = shortened(p.MaxTokens, f.made, f.level.Concurrency)
		p.MinTokens = min(p.MinTokens, p.MaxTokens)
	}
	it, err := f.encoded(p)
	if err != nil {
		return item{}, fmt.Errorf("prompt %d: %w", f.made+1, err)
	}
	f.made++
	if p.Session != nil {
		f.sessions.Store(true)
		it.bytes += p.Session.Bytes()
	}
	return it, nil
}

// encoded is a prompt ready to be sent.
func (f *feed) encoded(p Prompt) (item, error) {
	body, err := f.encode(p)
	if err != nil {
		return item{}, fmt.Errorf("encode: %w", err)
	}
	p.Text, p.Body, p.Messages = "", nil, nil // body holds them
	images := len(p.Images)
	p.Images = nil
	return item{prompt: p, body: body, images: images, bytes: len(body)}, nil
}

// fill makes prompts until ctx ends or the source fails.
func (f *feed) fill(ctx context.Context, wg *sync.WaitGroup) {
	wg.Go(func() {
		defer f.isFull()
		defer close(f.items)
		for {
			it, err := f.make()
			if err != nil {
				f.err = err
				return
			}
			f.bytes.Add(int64(it.bytes))
			if len(f.items) == cap(f.items) {
				f.isFull()
			}
			select {
			case f.items <- it:
			case <-ctx.Done():
				return
			}
			for f.bytes.Load() > maxAheadBytes {
				f.isFull()
				select {
				case <-f.room:
				case <-ctx.Done():
					return
				}
			}
		}
	})
}

func (f *feed) isFull() { f.fullOnce.Do(func() { close(f.full) }) }

// next is the next prompt, or false when there is none to come.
func (f *feed) next() (item, bool) {
	it, ok := <-f.items
	if ok {
		f.bytes.Add(-int64(it.bytes))
		select {
		case f.room <- struct{}{}:
		default:
		}
	}
	return it, ok
}

// shortenedRequests is the number of requests, from the first, whose outputs
// are shortened to put the slots of a closed loop out of phase.
func (l Level) shortenedRequests() int {
	switch {
	case l.Warmup < 0:
		return 0
	case l.Warmup == 0:
		return l.Concurrency
	}
	return min(l.Warmup, l.Concurrency)
}
