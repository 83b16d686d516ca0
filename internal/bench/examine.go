package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"assay/internal/load"
	"assay/internal/record"
	"assay/internal/wire"
)

const (
	// examinedTokens is how long the examined answers are: long enough for a
	// proxy's buffer of some kilobytes to show.
	examinedTokens = 128
	// examinedWords is the length of the prompt that is sent twice, words: more
	// than a block of any prefix cache.
	examinedWords = 400
)

// Examine asks an endpoint a few things without load and says how it answers:
// what a run will send, how its stream arrives, and what that means for
// figures. Errors are those of a run that cannot begin.
func Examine(ctx context.Context, opt Options) (*record.Examination, error) {
	epoch := time.Now()
	t, err := connect(ctx, opt, epoch)
	if err != nil {
		return nil, err
	}
	defer t.close()
	x := &record.Examination{Target: t.info, Inspection: *t.inspection, Dialect: record.DialectUsed{
		IncludeUsage: t.dialect.IncludeUsage, ContinuousUsage: t.dialect.ContinuousUsage, IgnoreEOS: t.dialect.IgnoreEOS,
		MinTokens: t.dialect.MinTokens, MaxTokensField: t.dialect.MaxTokensField,
	}}
	prompt := wire.Prompt{
		Text:      load.Estimate().Text(rand.New(rand.NewPCG(uint64(epoch.UnixNano()), 0)), examinedWords),
		MaxTokens: examinedTokens, MinTokens: examinedTokens,
	}
	for i, what := range []string{"a prompt that is new", "the same prompt again"} {
		a, err := t.examine(ctx, what, fmt.Sprintf("assay-examine-%d", i), prompt)
		if err != nil {
			return nil, fmt.Errorf("examine %s: %w", what, err)
		}
		x.Answers = append(x.Answers, a)
	}
	x.Findings = findings(x)
	return x, nil
}

func (t *target) examine(ctx context.Context, what, id string, prompt wire.Prompt) (record.Examined, error) {
	body, err := t.client.Encode(prompt, t.dialect)
	if err != nil {
		return record.Examined{}, err
	}
	out, facts := t.client.Look(ctx, id, body)
	if out.Err != nil {
		return record.Examined{}, t.client.Cannot(out.Err)
	}
	since := func(at time.Duration) float64 { return float64(at-out.Sent) / float64(time.Millisecond) }
	a := record.Examined{
		What: what, HeadersMS: since(out.Headers), E2EMS: since(out.End), AskedOutput: prompt.MaxTokens,
		Chunks: len(out.Chunks), Finish: out.Finish, Done: facts.Done, ReasoningName: facts.ReasoningField,
	}
	if out.Connect > 0 {
		ms := float64(out.Connect) / float64(time.Millisecond)
		a.ConnectMS = &ms
	}
	if u := out.Usage; u != nil {
		a.PromptTokens, a.OutputTokens, a.CachedTokens = said(u.Prompt), said(u.Completion), u.Cached
	}
	for _, b := range wire.Bursts(out.Chunks) {
		a.Reads = append(a.Reads, record.Arrival{AtMS: since(b.At), Chunks: b.Chunks, Tokens: b.Tokens})
	}
	if len(a.Reads) > 0 {
		a.TTFTMS = &a.Reads[0].AtMS
	}
	if out.AnswerAt > 0 {
		ms := since(out.Chunks[out.AnswerAt].At) - *a.TTFTMS
		a.ReasoningMS = &ms
	}
	return a, nil
}

// said is a count of tokens, nil for 0: a prompt has some, and so has an answer
// that is made of them.
func said(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

// findings are what the answers mean, trouble first.
func findings(x *record.Examination) []record.Finding {
	f := &finder{in: x.Inspection, a: x.Answers[0], again: x.Answers[1]}
	if len(f.a.Reads) > 0 {
		f.flow()
		f.firstChunk()
		f.framing()
		f.reasoning()
		f.length()
	}
	f.usage()
	f.cache()
	var out []record.Finding
	for _, status := range []string{record.Trouble, record.Remark, record.Fine} {
		for _, found := range f.found {
			if found.Status == status {
				out = append(out, found)
			}
		}
	}
	return out
}

type finder struct {
	in       record.Inspection
	a, again record.Examined
	found    []record.Finding
}

func (f *finder) add(status, means, format string, args ...any) {
	f.found = append(f.found, record.Finding{Status: status, What: fmt.Sprintf(format, args...), Means: means})
}

func (f *finder) flow() {
	reads := len(f.a.Reads)
	switch flowOf(f.a) {
	case wire.Whole:
		f.add(record.Trouble, "TTFT is the time of the whole answer and ITL is undefined. Turn off buffering in what stands between (nginx: proxy_buffering off; a gateway's response buffering or transformation), or measure behind it",
			"all %d chunks came at once, %.0f ms after the request: something between holds the stream back to its end", f.a.Chunks, f.a.E2EMS)
	case wire.Batched:
		f.add(record.Trouble, "TTFT is late by up to one batch, and gaps between chunks are the batches'. Turn off buffering in what stands between, or measure behind it",
			"%d chunks came in %d batches: something between gathers the stream", f.a.Chunks, reads)
	case wire.Unclear:
		f.add(record.Remark, "", "the answer was too short to tell whether something buffers the stream: %d chunks in %.0f ms", f.a.Chunks, f.a.E2EMS)
	default:
		f.add(record.Fine, "", "the stream flows: %d chunks in %d reads over %.0f ms; nothing between holds it back", f.a.Chunks, reads, f.a.E2EMS-*f.a.TTFTMS)
	}
}

func flowOf(a record.Examined) string {
	var bursts []wire.Burst
	for _, r := range a.Reads {
		bursts = append(bursts, wire.Burst{At: time.Duration(r.AtMS * float64(time.Millisecond)), Chunks: r.Chunks})
	}
	return wire.FlowOf(bursts, time.Duration(a.E2EMS*float64(time.Millisecond)))
}

func (f *finder) firstChunk() {
	if f.in.RoleChunkFirst {
		f.add(record.Fine, "", "the first chunk names the role and holds no token: it is not taken for the first token")
	}
	perChunk := 0.0
	if n := f.a.OutputTokens; n != nil && f.a.Chunks > 0 {
		perChunk = float64(*n) / float64(f.a.Chunks)
	}
	switch {
	case f.in.FirstChunkTokens > 1:
		f.add(record.Remark, "ITL is over the n − k tokens after it", "the first chunk holds k = %d tokens", f.in.FirstChunkTokens)
	case perChunk > 1.5:
		f.add(record.Remark, "gaps between chunks (ICL) are not gaps between tokens (ITL)", "%.1f tokens a chunk", perChunk)
	case perChunk > 0:
		f.add(record.Fine, "", "chunks hold one token each: %.3g in the mean", perChunk)
	}
}

func (f *finder) framing() {
	ends := "LF"
	if f.in.CRLF {
		ends = "CRLF"
	}
	if f.in.Comments > 0 {
		f.add(record.Fine, "", "%d pings (comment lines): they are not tokens", f.in.Comments)
	}
	if f.a.Done {
		f.add(record.Fine, "", "lines end in %s; the stream says where it ends, with finish %q", ends, f.a.Finish)
	} else {
		f.add(record.Remark, "a stream that breaks off behind its finish looks like a whole one", "lines end in %s; the stream has no closing mark, its finish is %q", ends, f.a.Finish)
	}
}

func (f *finder) reasoning() {
	if f.a.ReasoningMS == nil {
		return
	}
	where := "between <think> and </think>"
	if f.a.ReasoningName != "" {
		where = "in the field " + f.a.ReasoningName
	}
	f.add(record.Remark, "TTFT is to the first token of it, TTFO to the first token of the answer", "the model reasons first, %s, for %.0f ms here", where, *f.a.ReasoningMS)
}

func (f *finder) length() {
	n := f.a.OutputTokens
	switch {
	case n == nil:
	case *n > f.a.AskedOutput:
		f.add(record.Trouble, "throughput and E2E are of longer answers than asked for", "%d tokens came where %d were asked for: the limit is not kept", *n, f.a.AskedOutput)
	case *n < f.a.AskedOutput:
		f.add(record.Remark, "output lengths are the model's own, and differ between runs and models", "%d tokens came of %d asked for: the server does not hold the length", *n, f.a.AskedOutput)
	default:
		f.add(record.Fine, "", "the output length is held: %d tokens asked for, %d came", f.a.AskedOutput, *n)
	}
}

func (f *finder) usage() {
	switch {
	case f.a.PromptTokens == nil && f.a.OutputTokens == nil:
		f.add(record.Remark, "tokens are counted by /tokenize where there is one, else chunks stand for them, and the run says which", "no usage: the server does not say how many tokens there were")
	case f.in.UsageChunk == "every":
		f.add(record.Fine, "", "usage stands on every chunk, for an inspection asks for that (continuous_usage_stats)")
	case f.in.UsageChunk == "own":
		f.add(record.Fine, "", "usage stands in a chunk of its own at the end")
	case f.in.UsageChunk == "last-content":
		f.add(record.Fine, "", "usage stands on the last chunk with content")
	default:
		f.add(record.Fine, "", "usage is given")
	}
}

func (f *finder) cache() {
	cached := f.again.CachedTokens
	first := f.a.CachedTokens
	switch {
	case cached == nil:
		f.add(record.Remark, "a run cannot say by itself whether a prefix cache flattered it; the engine's metrics can (vLLM: --enable-prompt-tokens-details makes it say)", "cached tokens are not told")
	case *cached > 0:
		f.add(record.Fine, "prompts of a run are unique unless it is told otherwise", "a prefix cache is at work: of the same prompt again %s tokens were cached", share(*cached, f.again.PromptTokens))
	default:
		f.add(record.Fine, "", "no prefix cache: of the same prompt again no token was cached")
	}
	if first != nil && *first > 0 && f.a.PromptTokens != nil && *first*10 > *f.a.PromptTokens {
		f.add(record.Remark, "what a template or a system prompt shares is cached in a run, too", "of a prompt that is new %s tokens were cached", share(*first, f.a.PromptTokens))
	}
}

func share(n int, of *int) string {
	if of == nil {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d of %d", n, *of)
}

// Troubled reports a finding that spoils figures.
func Troubled(x *record.Examination) bool {
	for _, f := range x.Findings {
		if f.Status == record.Trouble {
			return true
		}
	}
	return false
}
