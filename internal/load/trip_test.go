package load

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/record"
	"assay/internal/wire"
)

func pointer[T any](x T) *T { return &x }

func TestRecordOfATrip(t *testing.T) {
	base := trip{id: "run-c-3", level: "c", seq: 3, due: 990 * ms, prompt: Prompt{Tokens: 20, MaxTokens: 8}}
	whole := wire.Outcome{
		Sent: time.Second, Connect: 2 * ms, Headers: 1010 * ms, End: 1300 * ms, Status: 200, Finish: "length", AnswerAt: 1,
		Chunks: []wire.Chunk{{At: 1100 * ms}, {At: 1150 * ms}, {At: 1290 * ms}},
	}
	want := record.Request{
		ID: "run-c-3", Level: "c", Seq: 3, Phase: record.Measured,
		IntendedUS: 990_000, SentUS: 1_000_000, ConnectUS: 2000, HeadersUS: 1_010_000, EndUS: 1_300_000,
		ChunkUS: []int64{100_000, 150_000, 290_000}, AnswerAt: 1,
		AskedPrompt: 20, AskedOutput: 8, Finish: "length", Status: 200,
	}
	continuous := func(tokens ...int) []wire.Chunk {
		chunks := append([]wire.Chunk(nil), whole.Chunks...)
		for i := range chunks {
			chunks[i].Tokens = tokens[i]
		}
		return chunks
	}
	for _, c := range []struct {
		name   string
		change func(*trip)
		want   func(*record.Request)
	}{
		{
			"usage", func(p *trip) {
				p.outcome.Usage = &wire.Usage{Prompt: 21, Completion: 8, Cached: pointer(16), Reasoning: pointer(2)}
			},
			func(q *record.Request) {
				q.PromptTokens, q.OutputTokens, q.CachedTokens, q.Reasoning = pointer(21), pointer(8), pointer(16), pointer(2)
				q.TokensFrom = record.FromUsage
			},
		},
		{
			"continuous usage, to the end", func(p *trip) {
				p.outcome.Chunks, p.outcome.UsageContinuous = continuous(3, 4, 1), true
				p.outcome.Usage = &wire.Usage{Prompt: 21, Completion: 8}
			},
			func(q *record.Request) {
				q.PromptTokens, q.OutputTokens = pointer(21), pointer(8)
				q.ChunkTokens, q.TokensFrom = []int{3, 4, 1}, record.FromUsage
			},
		},
		{
			"continuous usage, broken off", func(p *trip) {
				p.outcome.Chunks, p.outcome.UsageContinuous = continuous(3, 4, 1), true
				p.outcome.Err = &wire.Error{Kind: wire.KindReset, Detail: "connection reset"}
			},
			func(q *record.Request) {
				q.OutputTokens, q.ChunkTokens, q.TokensFrom = pointer(8), []int{3, 4, 1}, record.FromContinuousUsage
				q.Error, q.Detail = wire.KindReset, "connection reset"
			},
		},
		{
			"no usage", func(*trip) {},
			func(q *record.Request) { q.OutputTokens, q.TokensFrom = pointer(3), record.FromChunks },
		},
		{
			"warm-up", func(p *trip) { p.warm = true },
			func(q *record.Request) {
				q.Phase, q.OutputTokens, q.TokensFrom = record.Warmup, pointer(3), record.FromChunks
			},
		},
		{
			"never sent", func(p *trip) {
				p.outcome = wire.Outcome{NotSent: true, End: 1300 * ms, Err: &wire.Error{Kind: wire.KindConnect}}
			},
			func(q *record.Request) {
				*q = record.Request{
					ID: "run-c-3", Level: "c", Seq: 3, Phase: record.Measured, NotSent: true,
					IntendedUS: 990_000, EndUS: 1_300_000, AnswerAt: -1, AskedPrompt: 20, AskedOutput: 8, Error: wire.KindConnect,
				}
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, q := base, want
			p.outcome = whole
			c.change(&p)
			c.want(&q)
			if d := cmp.Diff(q, p.record()); d != "" {
				t.Errorf("record (-want +got):\n%s", d)
			}
		})
	}
}
