package load

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"assay/internal/trace"
	"assay/internal/wire"
)

// prompt is what rows ask: a request, or a session of which it is the first.
func (d *Dataset) prompt(rows []trace.Row, rng *rand.Rand) (Prompt, error) {
	if !d.options.Sessions {
		p, err := d.whole(rows[0], rng)
		if rows[0].At != nil {
			p.At = *rows[0].At
		}
		return p, err
	}
	d.made++
	var turns []Turn
	for i, row := range rows {
		t, err := d.turn(row, rows[:i], rng)
		if err != nil {
			return Prompt{}, err
		}
		if t.Continues && d.options.History == FromRecord && turns[i-1].Recorded == "" {
			d.leave(&d.left.Unanswered, len(rows)-i)
			break
		}
		if t.Continues && (messagesOf(turns[i-1].Prompt) == nil || messagesOf(t.Prompt) == nil) {
			return Prompt{}, fmt.Errorf("%s: the turn or the one before it holds messages that are more than plain texts, which cannot be repeated", row.Place)
		}
		turns = append(turns, t)
	}
	p := NewChat(fmt.Sprintf("s%d", d.made), turns, d.options.History)
	p.At = turns[0].At
	return p, nil
}

// turn is a row among those of its session before it.
func (d *Dataset) turn(row trace.Row, before []trace.Row, rng *rand.Rand) (Turn, error) {
	t := Turn{Recorded: row.Answer, Continues: row.Continues && len(before) > 0}
	var err error
	switch fresh, ok := grown(row, before); {
	case ok && d.scribe != nil:
		t.Continues = true
		t.Prompt = Prompt{Text: d.scribe.phrase(fresh)}
		d.answer(&t.Prompt, row, rng)
	case len(before) > 0 && d.scribe != nil && !row.HasPrompt() && length(row) > 0:
		t.Prompt, t.Write, t.Holds = Prompt{Tokens: length(row)}, d.scribe.later(row, d.made), weight(row)
		d.answer(&t.Prompt, row, rng)
	default:
		if t.Prompt, err = d.whole(row, rng); err != nil {
			return t, err
		}
	}
	if d.scribe != nil && t.Recorded == "" && d.options.History == FromRecord && !row.HasPrompt() {
		t.Recorded = d.scribe.phrase(t.Prompt.MaxTokens)
	}
	switch {
	case len(before) == 0:
	case row.Delay != nil:
		t.Think = max(0, *row.Delay)
	case !d.options.Replay && recordedThought(row, before[len(before)-1]) != nil:
		t.Think = max(0, *recordedThought(row, before[len(before)-1]))
	case d.options.Replay && row.At != nil:
		t.Timed = true
	default:
		t.Think = d.options.Think.Sample(rng)
	}
	if row.At != nil {
		t.At = *row.At
	}
	return t, nil
}

// recordedThought is the time from the end of a turn to the next one, where the
// trace has the times of both and how long the answer took; nil otherwise.
func recordedThought(row, last trace.Row) *time.Duration {
	if row.At == nil || last.At == nil || last.Latency == nil {
		return nil
	}
	d := *row.At - *last.At - *last.Latency
	return &d
}

// grown is by how many tokens a turn's prompt exceeds all that was said before
// it, where rows say no more than lengths and the lengths can mean that.
func grown(row trace.Row, before []trace.Row) (tokens int, ok bool) {
	if len(before) == 0 || row.HasPrompt() || row.PromptTokens == nil || len(row.Blocks) > 0 {
		return 0, false
	}
	if row.Continues {
		return max(1, *row.PromptTokens), true
	}
	last := before[len(before)-1]
	if last.PromptTokens == nil || last.OutputTokens == nil {
		return 0, false
	}
	tokens = *row.PromptTokens - *last.PromptTokens - *last.OutputTokens
	return tokens, tokens > 0
}

// whole is what a row asks by itself.
func (d *Dataset) whole(row trace.Row, rng *rand.Rand) (Prompt, error) {
	p, err := d.words(row)
	if err != nil {
		return Prompt{}, fmt.Errorf("%s: %w", row.Place, err)
	}
	d.answer(&p, row, rng)
	p.ImageCount = row.Images
	return p, nil
}

// words are the prompt of a row.
func (d *Dataset) words(row trace.Row) (Prompt, error) {
	switch {
	case row.Messages != nil:
		body, err := messagesBody(row.Messages, d.options.API)
		return Prompt{Body: body}, err
	case row.Body != nil:
		return Prompt{Body: row.Body}, checkPath(row.URL, d.options.API)
	case row.Prefix != "":
		return Prompt{Messages: []wire.Message{{Role: "system", Content: row.Prefix}, {Role: "user", Content: row.Text}}}, nil
	case row.Text != "":
		return Prompt{Text: row.Text}, nil
	case length(row) == 0:
		return Prompt{}, errors.New("the row says neither what was asked nor how long it was")
	case d.scribe == nil:
		return Prompt{}, errors.New("the row says how long the prompt was, and not what it asked")
	}
	return Prompt{Text: d.scribe.write(row), Tokens: length(row)}, nil
}

// answer sets the length of the answer that is asked for.
func (d *Dataset) answer(p *Prompt, row trace.Row, rng *rand.Rand) {
	switch {
	case row.OutputTokens != nil && *row.OutputTokens > 0:
		p.MaxTokens, p.MinTokens = *row.OutputTokens, *row.OutputTokens
	case row.MaxTokens > 0:
		p.MaxTokens = row.MaxTokens
	case !d.options.Output.IsZero():
		p.MaxTokens = d.options.Output.Sample(rng)
	}
}

// messagesBody is the request body of a conversation.
func messagesBody(messages json.RawMessage, api string) (json.RawMessage, error) {
	if api == wire.Completions {
		return nil, errors.New(`"messages" cannot be sent to the completions API: choose the chat API, or give "prompt"`)
	}
	return json.Marshal(map[string]json.RawMessage{"messages": messages})
}
