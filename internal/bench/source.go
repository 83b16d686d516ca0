package bench

import (
	"context"
	"sync"

	"assay/internal/load"
	"assay/internal/record"
	"assay/internal/wire"
)

// source is where a level's prompts come from. The levels of one scenario read
// on in its file, so that no level is served from a cache that another filled.
func (s *session) source(p PlannedLevel) (load.Source, error) {
	if p.Scenario.DatasetPath == "" {
		return load.NewSynthetic(s.calibration, p.Prompt, p.Output, p.Scenario.SharedPrefix, s.run.Nonce, p.ID), nil
	}
	if d, ok := s.datasets[p.Scenario.Name]; ok {
		return d, nil
	}
	d, err := s.openDataset(p)
	if err == nil {
		s.datasets[p.Scenario.Name] = d
	}
	return d, err
}

func (s *session) openDataset(p PlannedLevel) (*load.Dataset, error) {
	d, err := load.OpenDataset(p.Scenario.DatasetPath, load.DatasetOptions{
		Kind: p.Scenario.DatasetKind, API: s.opt.API, Output: p.Output,
	})
	if err != nil {
		return nil, &usageError{err}
	}
	return d, nil
}

// checkDatasets reads the first prompt of each dataset, so that a wrong file is
// found before anything is measured.
func (s *session) checkDatasets() error {
	for _, l := range s.plan.Levels {
		if l.Scenario.DatasetPath == "" {
			continue
		}
		d, err := s.openDataset(l)
		if err != nil {
			return err
		}
		_, err = d.Next(newRand(s.opt.Seed))
		if cerr := d.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return &usageError{err}
		}
	}
	return nil
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
