package lint

import (
	"context"
	"runtime"
	"sync"
	"time"

	"assay/internal/lint/source"
)

// runner is one run of rules. Workers judge batches of documents; what they found is
// put together in the order in which it was read.
type runner struct {
	Options
	byID   map[string]*Rule // those that run
	known  map[string]bool  // all IDs, those that are switched off too
	effort *effort
	total  part
}

func newRunner(opt Options) (*runner, error) {
	r := &runner{Options: opt, byID: map[string]*Rule{}, known: map[string]bool{}}
	for _, rule := range opt.Rules {
		r.known[rule.ID] = true
	}
	chosen, err := choose(opt)
	if err != nil {
		return nil, err
	}
	r.Rules = chosen
	for _, rule := range chosen {
		r.byID[rule.ID] = rule
	}
	if r.Now.IsZero() {
		r.Now = time.Now()
	}
	if r.Workers <= 0 {
		r.Workers = runtime.GOMAXPROCS(0)
	}
	return r, nil
}

// Bounds of a batch: enough documents that handing it over costs nothing beside
// judging it, few enough that little text is held.
const (
	batchBytes = 128 << 10
	batchDocs  = 200
)

// batch is what one worker judges at a time.
type batch struct {
	n        int
	docs     []source.Chunk
	files    []*source.File // Dockerfiles
	problems []source.Problem
	read     int // files that ended in it
	bytes    int
}

func (b *batch) full() bool { return b.bytes >= batchBytes || len(b.docs) >= batchDocs }

// part is what was found in a batch, or in several.
type part struct {
	n            int
	index        Index
	findings     []Finding
	suppressions []*suppression
	files        int
	objects      int
	pass         int
}

func (p *part) join(q part) {
	p.index.join(&q.index)
	p.findings = append(p.findings, q.findings...)
	p.suppressions = append(p.suppressions, q.suppressions...)
	p.files += q.files
	p.objects += q.objects
	p.pass += q.pass
}

// judge reads the input here and has workers judge it, until the context ends.
func (r *runner) judge(ctx context.Context, input Reading) {
	batches, parts := make(chan batch, r.Workers), make(chan part, r.Workers)
	var workers sync.WaitGroup
	for range r.Workers {
		workers.Go(func() {
			for b := range batches {
				parts <- r.batch(b)
			}
		})
	}
	var join sync.WaitGroup
	join.Go(func() { r.collect(parts) })
	cutInto(ctx, input, batches)
	close(batches)
	workers.Wait()
	close(parts)
	join.Wait()
}

// cutInto hands the input over in batches.
func cutInto(ctx context.Context, input Reading, out chan<- batch) {
	var b batch
	hand := func() bool {
		select {
		case out <- b:
			b = batch{n: b.n + 1}
			return true
		case <-ctx.Done():
			return false
		}
	}
	for file, problems := range input {
		b.problems = append(b.problems, problems...)
		if file != nil && file.Dockerfile {
			b.files = append(b.files, file)
			b.bytes += len(file.Body)
		}
		if file != nil && !file.Dockerfile {
			for _, c := range file.Chunks() {
				b.docs = append(b.docs, c)
				b.bytes += len(c.Text)
				if b.full() && !hand() {
					return
				}
			}
		}
		if file != nil {
			b.read++
		}
		if b.full() && !hand() || ctx.Err() != nil {
			return
		}
	}
	hand()
}

// collect joins parts in the order of their batches.
func (r *runner) collect(parts <-chan part) {
	waiting := map[int]part{}
	next := 0
	for p := range parts {
		waiting[p.n] = p
		for q, ok := waiting[next]; ok; q, ok = waiting[next] {
			delete(waiting, next)
			r.total.join(q)
			next++
		}
	}
}
