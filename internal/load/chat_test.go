package load

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/spec"
	"assay/internal/wire"
)

// What is new in a turn may be messages, may have fields of its own beside them,
// or a system prompt: it follows on what was said, and all of it is there.
func TestTurnsOfMessagesFollowOn(t *testing.T) {
	user := func(s string) wire.Message { return wire.Message{Role: "user", Content: s} }
	system := wire.Message{Role: "system", Content: "s"}
	answer := wire.Message{Role: "assistant", Content: "A"}
	first := `{"session_id":"a","messages":[{"role":"system","content":"s"},{"role":"user","content":"q1"}]}` + "\n"
	for _, c := range []struct {
		name, content string
		want          []wire.Message
		topK          bool // beside the messages
	}{
		{"messages", first + `{"session_id":"a","message_mode":"delta","messages":[{"role":"user","content":"q2"}]}`,
			[]wire.Message{system, user("q1"), answer, user("q2")}, false},
		{"messages and a field", first + `{"session_id":"a","message_mode":"delta","messages":[{"role":"user","content":"q2"}],"extra":{"top_k":1}}`,
			[]wire.Message{system, user("q1"), answer, user("q2")}, true},
		{"a system prompt", `{"prompt_0":"q1","prompt_1":"q2","prefix_1":"s"}`, []wire.Message{user("q1"), answer, system, user("q2")}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := read(openTrace(t, c.content, DatasetOptions{Sessions: true, API: wire.Chat}), 1)
			if err != nil {
				t.Fatal(err)
			}
			p, ok := got[0].Session.Next(Answer{Text: "A"})
			if !ok {
				t.Fatal("no second turn")
			}
			if c.topK {
				var body struct {
					Messages []wire.Message
					TopK     int `json:"top_k"`
				}
				if err := json.Unmarshal(p.Body, &body); err != nil || body.TopK != 1 {
					t.Fatalf("body %s: %v", p.Body, err)
				}
				p.Messages, p.Body = body.Messages, nil
			}
			if diff := cmp.Diff(c.want, p.Messages); diff != "" || len(p.Body) > 0 {
				t.Errorf("body %s, messages (-want +got):\n%s", p.Body, diff)
			}
		})
	}
	t.Run("parts cannot follow on", func(t *testing.T) {
		second := `{"session_id":"a","message_mode":"delta","messages":[{"role":"user","content":[{"type":"text","text":"q2"}]}]}`
		_, err := read(openTrace(t, first+second, DatasetOptions{Sessions: true, API: wire.Chat}), 1)
		if err == nil || !strings.Contains(err.Error(), "trace.jsonl:2") || !strings.Contains(err.Error(), "more than plain texts") {
			t.Errorf("error %v", err)
		}
	})
}

// A turn that follows on one which is not sent is not sent either, and counted.
func TestSessionsAreCutWhereATurnIsMissing(t *testing.T) {
	turn := func(session string, tokens int) string {
		return fmt.Sprintf(`{"session_id":%q,"input_length":%d,"output_length":5}`+"\n", session, tokens)
	}
	for _, c := range []struct {
		name, content string
		history       History
		turns         int // of the first session that is sent
		left          LeftOut
	}{
		{"the first turn", turn("a", 900) + turn("a", 10) + turn("a", 10) + turn("b", 11) + turn("b", 11), Answered, 2, LeftOut{TooLong: 1, Orphaned: 2}},
		{"a turn between", turn("a", 10) + turn("a", 900) + turn("a", 10) + turn("b", 11), Answered, 1, LeftOut{TooLong: 1, Orphaned: 1}},
		{"an answer", `[{"conversations":[{"from":"human","value":"q1"},{"from":"human","value":"q2"},{"from":"human","value":"q3"}]}]`, FromRecord, 1, LeftOut{Unanswered: 2}},
		{"an answer that is not needed", `[{"conversations":[{"from":"human","value":"q1"},{"from":"human","value":"q2"}]}]`, Answered, 2, LeftOut{}},
	} {
		d := openTrace(t, c.content, DatasetOptions{Sessions: true, Context: 100, History: c.history})
		got, err := read(d, 1)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got[0].Turns != c.turns || d.LeftOut() != c.left {
			t.Errorf("without %s: a session of %d turns, left out %+v; want %d, %+v", c.name, got[0].Turns, d.LeftOut(), c.turns, c.left)
		}
	}
}

// A cache may serve a text that was sent before, or blocks that this level has
// sent; words that are made anew it may not.
func TestRepeatedPromptsAreMarked(t *testing.T) {
	texts := `{"prompt":"a"}` + "\n" + `{"prompt":"b"}` + "\n"
	lengths := "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,48,1\n2023-11-16 18:17:04.0319600,31,8\n"
	blocks := mooncakeRow(0, 600, 1, 1, 2) + mooncakeRow(1, 600, 1, 1, 3)
	for _, c := range []struct {
		name, content string
		change        func(*Dataset)
		want          []bool // of two passes of two
	}{
		{"texts", texts, nil, []bool{false, false, true, true}},
		{"texts of which another level gave one", texts, func(d *Dataset) { d.GivenBefore(1) }, []bool{true, false, true, true}},
		{"lengths", lengths, nil, []bool{false, false, false, false}},
		{"blocks", blocks, nil, []bool{false, false, true, true}},
		{"blocks of which another level gave one", blocks, func(d *Dataset) { d.GivenBefore(1) }, []bool{false, false, true, true}},
	} {
		d := openTrace(t, c.content, DatasetOptions{Output: spec.Fixed(1)})
		if c.change != nil {
			c.change(d)
		}
		prompts, err := read(d, 4)
		if err != nil {
			t.Fatal(err)
		}
		var got []bool
		for _, p := range prompts {
			got = append(got, p.Repeat)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	d := openTrace(t, blocks, DatasetOptions{})
	if _, err := read(d, 3); err != nil { // into the second pass
		t.Fatal(err)
	}
	d.WriteWith(Estimate(), "run", "next level")
	if got, err := read(d, 1); err != nil || got[0].Repeat {
		t.Errorf("a level with words of its own: %v, repeated %t", err, got[0].Repeat)
	}
	if _, err := read(openTrace(t, texts, DatasetOptions{Replay: true}), 1); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("texts without times replayed: %v", err)
	}
}
