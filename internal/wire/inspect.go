package wire

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// inspectTokens is the length of the inspected answer.
const inspectTokens = 16

// Inspection is what the first, unmeasured request showed.
type Inspection struct {
	Dialect          Dialect
	Outcome          Outcome
	Facts            Facts
	TokensPerChunk   float64
	FirstChunkTokens int
	Buffered         bool
	Remarks          []string
}

// bufferedAfter is the least time an answer must have taken for chunks that all
// came in one read to mean that something held them back.
const bufferedAfter = 20 * time.Millisecond

// Inspect sends one short request before any load, and where the server refuses
// a field that not every server knows, a few more. It finds out the dialect.
// An error is a *TargetError with the way out.
func (c *Client) Inspect(ctx context.Context, prompt Prompt) (Inspection, error) {
	prompt.MaxTokens, prompt.MinTokens = inspectTokens, inspectTokens
	in := Inspection{Dialect: c.protocol.dialect}
	for tries := 0; ; tries++ {
		body, err := c.Encode(prompt, in.Dialect)
		if err != nil {
			return in, err
		}
		in.Outcome, in.Facts = c.do(ctx, fmt.Sprintf("assay-inspect-%d", tries), body)
		if in.Outcome.Err == nil {
			break
		}
		if !in.changed() {
			return in, c.targetError(c.path(), in.Outcome.Err)
		}
	}
	in.read()
	return in, nil
}

// optional are the fields that not every server knows, in the order in which
// they are given up where the server does not say which one it refuses.
var optional = []struct {
	name   string // as it stands in a server's complaint
	remark string
	giveUp func(*Dialect) bool // false: not in use
}{
	{"continuous_usage_stats", "refuses continuous_usage_stats", func(d *Dialect) bool { return turnOff(&d.ContinuousUsage) }},
	{"min_tokens", "refuses min_tokens", func(d *Dialect) bool { return turnOff(&d.MinTokens) }},
	{"ignore_eos", "refuses ignore_eos: output lengths are the model's own", func(d *Dialect) bool { return turnOff(&d.IgnoreEOS) }},
	{maxTokens, "refuses max_tokens: max_completion_tokens is sent", func(d *Dialect) bool {
		was := d.MaxTokensField
		d.MaxTokensField = maxCompletionTokens
		return was == maxTokens
	}},
	{"stream_options", "refuses stream_options: tokens must be counted otherwise", func(d *Dialect) bool { return turnOff(&d.IncludeUsage) }},
}

func turnOff(b *bool) (was bool) {
	was, *b = *b, false
	return was
}

// changed reports that there is another dialect to try after a failure.
func (in *Inspection) changed() bool {
	switch in.Outcome.Err.Kind {
	case KindBadRequest:
		return in.simplify()
	case KindOverrun:
		if in.Dialect.MaxTokensField == maxTokens {
			in.Dialect.MaxTokensField = maxCompletionTokens
			in.Remarks = append(in.Remarks, "ignores max_tokens: max_completion_tokens is sent")
			return true
		}
	}
	return false
}

// simplify gives up the field that the server's complaint names, else the next.
func (in *Inspection) simplify() bool {
	complaint := in.Outcome.Err.Detail
	for _, named := range []bool{true, false} {
		for _, o := range optional {
			if named && !strings.Contains(complaint, o.name) {
				continue
			}
			if o.giveUp(&in.Dialect) {
				in.Remarks = append(in.Remarks, o.remark)
				return true
			}
		}
	}
	return false
}

// read draws the conclusions of a successful answer.
func (in *Inspection) read() {
	o := in.Outcome
	if o.Usage == nil {
		in.Remarks = append(in.Remarks, "sends no usage")
	}
	if len(o.Chunks) == 0 { // it came in one piece
		return
	}
	in.FirstChunkTokens = o.Chunks[0].Tokens
	tokens := 0
	if o.Usage != nil {
		tokens = o.Usage.Completion
		in.TokensPerChunk = float64(tokens) / float64(len(o.Chunks))
	}
	last := o.Chunks[len(o.Chunks)-1].At
	took := last - o.Sent
	if FlowOf(Bursts(o.Chunks), took) == Whole {
		in.Buffered = true
		in.Remarks = append(in.Remarks, fmt.Sprintf(
			"gave all %d chunks at once after %s: something between buffers the stream, so TTFT and ITL are not the engine's", len(o.Chunks), took.Round(time.Millisecond)))
	}
	// Usage on every chunk costs the server time; it is asked for only where
	// chunks hold several tokens and nothing else would say how many.
	several := o.UsageContinuous && (in.TokensPerChunk > 1.5 || in.FirstChunkTokens > 1)
	in.Dialect.ContinuousUsage = in.Dialect.ContinuousUsage && several
	if tokens > 0 && tokens != inspectTokens && in.Dialect.IgnoreEOS {
		in.Remarks = append(in.Remarks, fmt.Sprintf("was asked for %d output tokens with ignore_eos and gave %d: output lengths are not held", inspectTokens, tokens))
	}
	if over := max(tokens, len(o.Chunks)); over > inspectTokens && !in.Dialect.IgnoreEOS {
		in.Remarks = append(in.Remarks, fmt.Sprintf("was asked for %d output tokens and gave %d: it does not keep to the length", inspectTokens, over))
	}
	if in.Facts.Comments > 0 {
		in.Remarks = append(in.Remarks, fmt.Sprintf("sends %d pings (comment lines or events), which are not tokens", in.Facts.Comments))
	}
}
