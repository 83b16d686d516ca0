package wire

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// decodeEach feeds each event at its own millisecond.
func decodeEach(events ...string) (Outcome, Facts) {
	out := Outcome{AnswerAt: -1}
	var facts Facts
	d := newDecoder(chatProtocol, nil, &out, &facts, false)
	for i, e := range events {
		if d.Feed([]byte("data: "+e+"\n\n"), time.Duration(i)*time.Millisecond) != nil {
			break
		}
	}
	d.Finish()
	return out, facts
}

func piece(text string) string { return `{"choices":[{"index":0,"delta":{"content":"` + text + `"}}]}` }

// Where usage stands must not make a token of a chunk without one, nor take the
// time of one away.
func TestUsageOnAnEmptyLastChunkIsNoToken(t *testing.T) {
	zero := `,"usage":{"prompt_tokens":0,"completion_tokens":0}}`
	for name, events := range map[string][]string{
		"on the finish alone": {
			piece("a"), piece("b"),
			`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`, "[DONE]",
		},
		"zeros on each chunk, the sum on the finish": {
			`{"choices":[{"index":0,"text":"a"}]` + zero, `{"choices":[{"index":0,"text":"b"}]` + zero,
			`{"choices":[{"index":0,"text":"","finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`, "[DONE]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			out, _ := decodeEach(events...)
			want := []Chunk{{At: 0}, {At: time.Millisecond}}
			if diff := cmp.Diff(want, out.Chunks); diff != "" {
				t.Errorf("chunks: %s", diff)
			}
			if out.Err != nil || out.Usage == nil || out.Usage.Completion != 2 || out.UsageContinuous {
				t.Errorf("got error %v, usage %v, continuous %v; want 2 tokens, not continuous", out.Err, out.Usage, out.UsageContinuous)
			}
		})
	}
}

func TestWhereTheAnswerBegins(t *testing.T) {
	for _, c := range []struct {
		name     string
		contents []string
		want     int
	}{
		{"at once", []string{"Hello", " you"}, 0},
		{"white space before thinking", []string{`\n`, "<think>", "hm", "</think>", "yes"}, 4},
		{"thinking in pieces", []string{"<", "thi", "nk>hm", "</th", "ink>", `\n\n`, "yes"}, 6},
		{"the end of thinking and an answer in one", []string{"<think>hm", "m</think> yes"}, 1},
		{"white space, and no thinking", []string{`\n`, "yes"}, 0},
		{"what only began like thinking", []string{"<", "b>"}, 0},
		{"nothing but what begins like thinking", []string{"<"}, 0},
		{"nothing but thinking", []string{"<think>", "hm"}, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var events []string
			for _, text := range c.contents {
				events = append(events, piece(text))
			}
			out, _ := decodeEach(append(events, "[DONE]")...)
			if out.AnswerAt != c.want {
				t.Errorf("the answer begins at chunk %d, want %d", out.AnswerAt, c.want)
			}
		})
	}
}
