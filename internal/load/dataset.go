package load

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"assay/internal/spec"
	"assay/internal/trace"
	"assay/internal/wire"
)

// DatasetOptions say how rows become prompts.
type DatasetOptions struct {
	Kind string // one of trace.Kinds; empty: by content
	// API is chat or completions: rows that cannot be sent to it are errors.
	// Empty: not checked.
	API string
	// Output is the answer's length where a row does not say it.
	Output spec.Lengths
}

// Dataset is a Source that streams prompts from a file. At the file's end it
// starts over, and marks what it gives from then on as repeated.
type Dataset struct {
	path    string
	options DatasetOptions
	rows    *trace.Reader
	passes  int // finished
	used    int // rows of the current pass that gave a prompt
	skipped int // rows that hold no prompt, in the first pass
}

var _ Source = (*Dataset)(nil)

// OpenDataset opens a file and finds out its kind. Close it after use.
func OpenDataset(path string, o DatasetOptions) (*Dataset, error) {
	rows, err := trace.Open(path, trace.Options{Kind: o.Kind})
	if err != nil {
		return nil, err
	}
	return &Dataset{path: path, options: o, rows: rows}, nil
}

// Kind is the kind of the file.
func (d *Dataset) Kind() string { return d.rows.Kind() }

// Skipped is the number of rows without a prompt: empty ones, and conversations
// without a human turn.
func (d *Dataset) Skipped() int {
	if d.passes == 0 {
		return d.rows.Skipped()
	}
	return d.skipped
}

// Close closes the file.
func (d *Dataset) Close() error { return d.rows.Close() }

// startOver goes back to the file's beginning.
func (d *Dataset) startOver() error {
	if d.used == 0 {
		return fmt.Errorf("dataset %s holds no prompt (%d rows without one)", d.path, d.rows.Skipped())
	}
	if d.passes == 0 {
		d.skipped = d.rows.Skipped()
	}
	d.passes++
	d.used = 0
	if err := d.rows.Rewind(); err != nil {
		return fmt.Errorf("start dataset %s over: %w: give a file with as many prompts as are asked for", d.path, err)
	}
	return nil
}

// Next gives the prompt of the next row that has one. Of a conversation it gives
// the first turn: the later ones are nothing without it.
func (d *Dataset) Next(rng *rand.Rand) (Prompt, error) {
	for {
		row, err := d.rows.Next()
		if errors.Is(err, io.EOF) {
			if err := d.startOver(); err != nil {
				return Prompt{}, err
			}
			continue
		}
		if err != nil {
			return Prompt{}, err
		}
		if row.Continues {
			continue
		}
		p, err := promptOf(row, d.options.API)
		if err != nil {
			return Prompt{}, fmt.Errorf("%s: %w", row.Place, err)
		}
		d.used++
		p.Repeat = d.passes > 0
		if p.MaxTokens == 0 && !d.options.Output.IsZero() {
			p.MaxTokens = d.options.Output.Sample(rng)
		}
		return p, nil
	}
}

// promptOf is what a row asks.
func promptOf(row trace.Row, api string) (Prompt, error) {
	p := Prompt{Text: row.Text, Body: row.Body, MaxTokens: row.MaxTokens}
	if row.OutputTokens != nil && *row.OutputTokens > 0 {
		p.MaxTokens, p.MinTokens = *row.OutputTokens, *row.OutputTokens
	}
	switch {
	case !row.HasPrompt():
		return Prompt{}, errors.New("the row says how long the prompt was, and not what it asked")
	case row.Messages != nil:
		body, err := messagesBody(row.Messages, api)
		p.Body = body
		return p, err
	case row.Body != nil:
		return p, checkPath(row.URL, api)
	}
	return p, nil
}

// messagesBody is the request body of a conversation.
func messagesBody(messages json.RawMessage, api string) (json.RawMessage, error) {
	if api == wire.Completions {
		return nil, errors.New(`"messages" cannot be sent to the completions API: choose the chat API, or give "prompt"`)
	}
	return json.Marshal(map[string]json.RawMessage{"messages": messages})
}
