package lab

import (
	"slices"
	"time"

	"assay/internal/engine"
)

// call is one request as its client sees it. Times are of the level's own clock.
type call struct {
	index  int
	share  float64       // of its output that is asked for
	sent   time.Duration // by the client
	arrive time.Duration // at the proxy or server
	first  time.Duration // token at the client
	last   time.Duration

	prompt, cached, tokens int
	over, failed           bool
	server                 parts
}

// parts are what the server observes of a request, seconds.
type parts struct{ ttft, queue, prefill, decode, e2e float64 }

// sample is one reading of the engine's gauges.
type sample struct {
	running, waiting int
	kv               float64
}

// observed is all that happened in one level.
type observed struct {
	calls      []*call
	gaps       []float64 // between chunks at the client, milliseconds
	begin, end time.Duration
	samples    []sample

	before, after     engine.Counters
	steps, iterations float64 // with an output, and the tokens that vLLM counts in them
	prompts, outputs  float64 // tokens
	ended             float64
	itl, itls         float64 // seconds between tokens, and how many
	clientBusy        time.Duration
	failures          int
}

// seconds of the window.
func (o *observed) seconds() float64 { return (o.end - o.begin).Seconds() }

// throughput is tokens in and out per second, as the client received them.
func (o *observed) throughput() float64 {
	n := 0.0
	for _, c := range o.calls {
		if c.failed || c.tokens == 0 {
			continue
		}
		if c.first > o.begin && c.first <= o.end {
			n += float64(c.prompt)
		}
		if c.last <= o.begin || c.first > o.end {
			continue
		}
		// Tokens come evenly between the first and the last.
		from, to := max(c.first, o.begin), min(c.last, o.end)
		share := 1.0
		if c.last > c.first {
			share = float64(to-from) / float64(c.last-c.first)
		}
		n += share * float64(c.tokens)
	}
	return n / o.seconds()
}

// inFlight is the mean number of requests that the client had open.
func (o *observed) inFlight() float64 {
	sum := 0.0
	for _, c := range o.calls {
		last := o.end
		if c.over {
			last = min(c.last, o.end)
		}
		if from := max(c.sent, o.begin); last > from {
			sum += (last - from).Seconds()
		}
	}
	return sum / o.seconds()
}

// openAt is how many requests the client had open at a time.
func (o *observed) openAt(at time.Duration) int {
	n := 0
	for _, c := range o.calls {
		if c.sent <= at && (!c.over || c.last > at) {
			n++
		}
	}
	return n
}

// measured are the requests that ended within the window, in order of their end.
func (o *observed) measured() []*call {
	var out []*call
	for _, c := range o.calls {
		if c.over && !c.failed && c.last > o.begin && c.last <= o.end {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b *call) int { return int(a.last - b.last) })
	return out
}
