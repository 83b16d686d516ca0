package load

import (
	"time"

	"assay/internal/record"
	"assay/internal/wire"
)

// trip is one request as scheduled and as it went.
type trip struct {
	id      string
	level   string
	seq     int
	warm    bool
	due     time.Duration // when the schedule said to send
	prompt  Prompt
	images  int
	bytes   int // of the request's body
	outcome wire.Outcome
}

// record is the trip as a line of requests.jsonl.
func (t trip) record() record.Request {
	o := t.outcome
	q := record.Request{
		ID: t.id, Level: t.level, Seq: t.seq, Phase: record.Measured,
		IntendedUS:  t.due.Microseconds(),
		NotSent:     o.NotSent,
		ConnectUS:   o.Connect.Microseconds(),
		HeadersUS:   o.Headers.Microseconds(),
		EndUS:       o.End.Microseconds(),
		AnswerAt:    o.AnswerAt,
		AskedPrompt: t.prompt.Tokens, AskedOutput: t.prompt.MaxTokens,
		Finish: o.Finish, Status: o.Status,
	}
	t.addPrompt(&q)
	if t.warm {
		q.Phase = record.Warmup
	}
	if !o.NotSent {
		q.SentUS = o.Sent.Microseconds()
	}
	if o.Err != nil {
		q.Error, q.Detail = o.Err.Kind, o.Err.Detail
	}
	if len(o.Chunks) == 0 {
		q.AnswerAt = -1
		if o.Err == nil { // in one piece: no tokens were to come
			q.AskedOutput = 0
		}
	}
	addChunks(&q, o)
	addCounts(&q, o)
	return q
}

// addPrompt keeps what was asked of whom, and in which conversation.
func (t trip) addPrompt(q *record.Request) {
	p := t.prompt
	q.Model, q.Session, q.Turn, q.Turns = p.Model, p.SessionID, p.Turn, p.Turns
	q.ThinkUS = p.Think.Microseconds()
	if q.Images = t.images; t.images > 0 {
		q.Bytes = t.bytes
	}
}

// addChunks keeps the arrival of each chunk, and the tokens in each where the
// server said them for all.
func addChunks(q *record.Request, o wire.Outcome) {
	if len(o.Chunks) == 0 {
		return
	}
	known := o.UsageContinuous
	q.ChunkUS = make([]int64, len(o.Chunks))
	for i, c := range o.Chunks {
		q.ChunkUS[i] = (c.At - o.Sent).Microseconds()
		known = known && c.Tokens > 0
	}
	if !known {
		return
	}
	q.ChunkTokens = make([]int, len(o.Chunks))
	for i, c := range o.Chunks {
		q.ChunkTokens[i] = c.Tokens
	}
}

// addCounts takes the tokens from the server's closing usage; where a stream
// had none, or did not live to see it, from the usage on its chunks; else from
// the number of chunks.
func addCounts(q *record.Request, o wire.Outcome) {
	if u := o.Usage; u != nil {
		if prompt := u.Prompt; prompt > 0 { // a prompt has tokens: 0 is not said
			q.PromptTokens = &prompt
		}
		q.CachedTokens, q.Reasoning = u.Cached, u.Reasoning
	}
	var output int
	switch {
	case len(o.Chunks) == 0 && (o.Usage == nil || o.Usage.Completion == 0): // such as a vector: no tokens at all
		return
	case o.Usage != nil && o.Err == nil:
		output, q.TokensFrom = o.Usage.Completion, record.FromUsage
	case o.UsageContinuous:
		for _, c := range o.Chunks {
			output += c.Tokens
		}
		q.TokensFrom = record.FromContinuousUsage
	case o.Usage != nil:
		output, q.TokensFrom = o.Usage.Completion, record.FromUsage
	default:
		output, q.TokensFrom = len(o.Chunks), record.FromChunks
	}
	q.OutputTokens = &output
}
