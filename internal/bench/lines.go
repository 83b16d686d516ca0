package bench

import (
	"assay/internal/record"
	"assay/internal/spec"
	"assay/internal/stats"
)

// mostChunks is how many arrivals of chunks one level's requests hold in memory,
// 8 bytes each. A level that comes to more keeps nothing: it is folded from the
// lines of the run folder, so that an hour needs no more memory than minutes.
const mostChunks = 8 << 20

// requestInChunks is what a request costs beside its chunks, in chunks.
const requestInChunks = 50

// lines are the requests of one level as they end.
type lines struct {
	requests []record.Request
	chunks   int
	most     int // chunks
	n        int // all that ended
	spilled  bool
}

func newLines() *lines { return &lines{most: mostChunks} }

func (k *lines) add(q record.Request) {
	k.n++
	if k.spilled {
		return
	}
	if k.chunks += len(q.ChunkUS) + requestInChunks; k.chunks > k.most {
		k.spilled, k.requests = true, nil
		return
	}
	k.requests = append(k.requests, q)
}

// into gives a level its requests: those that were kept or, where they were too
// many, those that each reads back. Of the latter only what figures of single
// requests need is kept; what goes over all chunks is folded here.
func (k *lines) into(in *Recorded, each func(func(record.Request) error) error) error {
	if !k.spilled {
		in.Requests = k.requests
		return nil
	}
	ours := func(fn func(*record.Request)) error {
		return each(func(q record.Request) error {
			if q.Level == in.Plan.ID {
				fn(&q)
			}
			return nil
		})
	}
	in.Requests = make([]record.Request, 0, k.n)
	same := shared{words: map[string]string{}, counts: map[int]*int{}}
	if err := ours(func(q *record.Request) {
		q.Slim()
		same.compact(q)
		in.Requests = append(in.Requests, *q)
	}); err != nil {
		return err
	}
	measured, warmup := split(in.Requests)
	w := window(measured, warmup, in.Plan.Load)
	c := newPerChunk(in.SLO)
	if err := ours(func(q *record.Request) { c.add(q, in.Plan.Load, w) }); err != nil {
		return err
	}
	in.chunks = c
	return nil
}

// shared lets many requests hold the same word or number once.
type shared struct {
	words  map[string]string
	counts map[int]*int
}

// compact makes a request small that is kept for its figures alone. No figure
// asks for its id.
func (s shared) compact(q *record.Request) {
	q.ID = ""
	for _, w := range []*string{&q.Level, &q.Phase, &q.Model, &q.TokensFrom, &q.Finish, &q.Error, &q.Detail} {
		if same, ok := s.words[*w]; ok {
			*w = same
		} else if len(s.words) < mostShared {
			s.words[*w] = *w
		}
	}
	for _, n := range []**int{&q.PromptTokens, &q.OutputTokens, &q.Reasoning, &q.CachedTokens} {
		if *n == nil {
			continue
		}
		if same, ok := s.counts[**n]; ok {
			*n = same
		} else if len(s.counts) < mostShared {
			s.counts[**n] = *n
		}
	}
}

// mostShared bounds the words and numbers that are looked up.
const mostShared = 10_000

// perChunk is what goes over every chunk of a level's requests.
type perChunk struct {
	slo    []spec.Criterion
	icl    stats.Pool
	over   []int   // gaps at or above the limit of each condition on them
	output float64 // tokens that arrived within the window
	good   float64 // requests that ended within it and met every condition
	// Answers of several chunks, and those of them that came at once after a wait.
	several, atOnce float64
}

func newPerChunk(slo []spec.Criterion) *perChunk {
	return &perChunk{slo: slo, over: make([]int, len(slo))}
}

// chunksOf folds the chunks of a level whose requests hold them.
func chunksOf(in Recorded, measured []*record.Request, w record.Window) *perChunk {
	if in.chunks != nil {
		return in.chunks
	}
	c := newPerChunk(in.SLO)
	for _, r := range bySend(measured) {
		c.add(r, in.Plan.Load, w)
	}
	for i := range in.Requests {
		if r := &in.Requests[i]; r.Phase == record.Warmup {
			c.add(r, in.Plan.Load, w)
		}
	}
	return c
}

func (c *perChunk) add(r *record.Request, load record.Load, w record.Window) {
	if r.Phase != record.Warmup && r.OK() {
		r.ICLs(c.gap)
		c.hold(r)
	}
	if !load.Credits(r) || w.Seconds() <= 0 {
		return
	}
	c.output += r.TokensWithin(w.StartUS, w.EndUS)
	if w.Ended(r) && meetsAll(r, c.slo) {
		c.good++
	}
}

func (c *perChunk) gap(ms float64) {
	c.icl.Add(ms)
	for i, s := range c.slo {
		if s.Metric == "icl" && ms >= s.Limit {
			c.over[i]++
		}
	}
}
