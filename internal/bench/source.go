package bench

import (
	"context"
	"math/rand/v2"
	"sync"

	"assay/internal/load"
	"assay/internal/record"
	"assay/internal/stats"
	"assay/internal/wire"
)

// source is where a level's prompts come from. The levels of one scenario read
// on in its file, so that no level is served from a cache that another filled.
func (s *session) source(p PlannedLevel) (load.Source, error) {
	if p.Scenario.DatasetPath == "" {
		return load.NewSynthetic(s.calibration, p.Prompt, p.Output, load.Prefixes{Tokens: p.Scenario.SharedPrefix}, s.run.Nonce, p.ID), nil
	}
	return s.datasets[p.Scenario.Name], nil
}

// openDatasets opens each scenario's dataset and reads its first prompt, so that
// a wrong file is found before anything is measured. What was read is kept: a
// pipe cannot be read twice.
func (s *session) openDatasets() error {
	for _, l := range s.plan.Levels {
		name := l.Scenario.Name
		if l.Scenario.DatasetPath == "" || s.datasets[name] != nil {
			continue
		}
		d, err := load.OpenDataset(l.Scenario.DatasetPath, load.DatasetOptions{
			Kind: l.Scenario.DatasetKind, API: s.opt.API, Output: l.Output,
		})
		if err != nil {
			return &usageError{err}
		}
		read := &begunDataset{Dataset: d}
		s.datasets[name] = read
		if read.first, err = d.Next(stats.NewRand(s.opt.Seed, 0)); err != nil {
			return &usageError{err}
		}
		read.waiting = true
	}
	return nil
}

// begunDataset is a dataset whose first prompt has been read and is still to be
// given.
type begunDataset struct {
	*load.Dataset
	first   load.Prompt
	waiting bool
}

func (d *begunDataset) Next(rng *rand.Rand) (load.Prompt, error) {
	if d.waiting {
		d.waiting = false
		return d.first, nil
	}
	return d.Dataset.Next(rng)
}

func (s *session) closeDatasets() {
	for _, d := range s.datasets {
		_ = d.Close() // it was only read
	}
}

// textCounter counts the tokens of answers by /tokenize, for servers that send
// no usage. It does so off the path of the requests.
type textCounter struct {
	target *target
	mu     sync.Mutex
	texts  map[string]string // of requests that ended and are not counted yet
}

func (s *session) newTextCounter() *textCounter {
	return &textCounter{target: s.target, texts: map[string]string{}}
}

// sender keeps the text of each answer on its way where it must be counted.
func (c *textCounter) sender(client *wire.Client) load.Sender {
	if !c.target.countText {
		return client
	}
	return keepsText{client, c}
}

type keepsText struct {
	*wire.Client
	counter *textCounter
}

func (k keepsText) Do(ctx context.Context, id string, body []byte) wire.Outcome {
	o := k.Client.Do(ctx, id, body)
	if o.Err == nil && o.Usage == nil {
		k.counter.mu.Lock()
		k.counter.texts[id] = o.Text
		k.counter.mu.Unlock()
	}
	return o
}

// count puts the server's count in place of the number of chunks.
func (c *textCounter) count(ctx context.Context, q *record.Request) {
	c.mu.Lock()
	text, ok := c.texts[q.ID]
	delete(c.texts, q.ID)
	c.mu.Unlock()
	if !ok {
		return
	}
	if n, err := c.target.client.TokenizeText(ctx, text); err == nil && n > 0 {
		q.OutputTokens, q.TokensFrom = &n, record.FromTokenize
	}
}
