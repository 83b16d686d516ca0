package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"assay/internal/record"
	"assay/internal/wire"
)

// server is a fake Sender whose requests take a time of our choosing on the
// test's clock.
type server struct {
	epoch time.Time
	// serve is how long request n (from 0) takes and how it ends.
	serve func(n int, body []byte) (time.Duration, *wire.Error)

	mu       sync.Mutex
	calls    int
	open     int
	highest  int
	openings []time.Duration // when each request came
	openAt   []int           // how many were open then, it included
}

func newServer(serve func(n int, body []byte) (time.Duration, *wire.Error)) *server {
	return &server{epoch: time.Now(), serve: serve}
}

// takes is a server whose requests all take that long and succeed.
func takes(d time.Duration) *server {
	return newServer(func(int, []byte) (time.Duration, *wire.Error) { return d, nil })
}

func (s *server) Now() time.Duration { return time.Since(s.epoch) }

func (s *server) Do(ctx context.Context, id string, body []byte) wire.Outcome {
	s.mu.Lock()
	n := s.calls
	s.calls++
	s.open++
	s.highest = max(s.highest, s.open)
	s.openings = append(s.openings, s.Now())
	s.openAt = append(s.openAt, s.open)
	s.mu.Unlock()

	o := wire.Outcome{Sent: s.Now(), Status: 200, AnswerAt: -1}
	took, failure := s.serve(n, body)
	timer := time.NewTimer(took)
	defer timer.Stop()
	select {
	case <-timer.C:
		o.Err = failure
	case <-ctx.Done():
		o.Err = &wire.Error{Kind: wire.KindCancelled}
	}
	o.End = s.Now()
	if o.Err == nil {
		o.Chunks = []wire.Chunk{{At: o.End}}
		o.AnswerAt = 0
	}
	s.mu.Lock()
	s.open--
	s.mu.Unlock()
	return o
}

// fixed is a Source of numbered prompts with one output length.
type fixed struct {
	maxTokens int
	n         int
	failAt    int // the prompt that cannot be had; 0: none
}

func (f *fixed) Next(*rand.Rand) (Prompt, error) {
	f.n++
	if f.n == f.failAt {
		return Prompt{}, fmt.Errorf("prompts.jsonl:%d: cut off", f.n)
	}
	return Prompt{Text: strconv.Itoa(f.n), Tokens: 10, MaxTokens: f.maxTokens}, nil
}

// encodeLength is the output length alone, which servers of these tests read.
func encodeLength(p Prompt) ([]byte, error) { return []byte(strconv.Itoa(p.MaxTokens)), nil }

// trial is one level run against a fake server on a fake clock.
type trial struct {
	runner  *Runner
	result  Result
	err     error
	records []record.Request
	samples []record.ClientSample
}

func newTrial(s *server) *trial {
	t := &trial{runner: &Runner{
		Client: s, Encode: encodeLength, Source: &fixed{maxTokens: 100}, RunID: "run",
		newWaiter: newTimerWaiter,
	}}
	t.runner.OnRequest = func(q record.Request) { t.records = append(t.records, q) }
	t.runner.OnSample = func(s record.ClientSample) { t.samples = append(t.samples, s) }
	return t
}

func (t *trial) run(ctx context.Context, l Level) *trial {
	t.result, t.err = t.runner.Run(ctx, l)
	return t
}

// inBubble runs f on a fake clock that stands still while anything can run.
func inBubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}
