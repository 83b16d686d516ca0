package wire

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// decode runs a stream through the decoder in the given pieces, which arrive a
// millisecond apart, and then ends it.
func decode(pieces ...string) (Outcome, Facts) {
	out, facts := Outcome{AnswerAt: -1}, Facts{}
	d := newDecoder(chatProtocol, nil, &out, &facts, true)
	for i, p := range pieces {
		if err := d.Feed([]byte(p), time.Duration(i+1)*time.Millisecond); err != nil {
			break
		}
	}
	d.Finish()
	return out, facts
}

// content, finish and usage are events as vLLM writes them.
func content(text string) string {
	return `data: {"choices":[{"index":0,"delta":{"content":"` + text + `"},"finish_reason":null}]}` + "\n\n"
}

const (
	role   = `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}` + "\n\n"
	last   = `data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"length"}]}` + "\n\n"
	usage2 = `data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}` + "\n\n"
	done   = "data: [DONE]\n\n"
)

func TestDecode(t *testing.T) {
	for _, tt := range []struct {
		name     string
		stream   string
		chunks   int
		kind     string
		finish   string
		answerAt int
		detail   string
	}{
		{name: "plain", stream: role + content("a") + last + usage2 + done, chunks: 2, finish: "length"},
		{name: "comments are no tokens", stream: ": ping\n\n:\n" + role + ":\n\n" + content("a") + last + done, chunks: 2, finish: "length"},
		{name: "crlf", stream: strings.ReplaceAll(role+content("a")+last+done, "\n", "\r\n"), chunks: 2, finish: "length"},
		{name: "cr", stream: strings.ReplaceAll(role+content("a")+last+done, "\n", "\r"), chunks: 2, finish: "length"},
		{name: "no space after data:", stream: strings.ReplaceAll(role+content("a")+last+done, "data: ", "data:"), chunks: 2, finish: "length"},
		{name: "spaces after the object", stream: strings.ReplaceAll(role+content("a")+last+done, "}\n\n", "} \n\n"), chunks: 2, finish: "length"},
		{name: "byte order mark", stream: "\ufeff" + role + content("a") + last + done, chunks: 2, finish: "length"},
		{name: "data over several lines", stream: "data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n" + done, chunks: 1, finish: "stop"},
		{name: "no empty lines between events", stream: strings.ReplaceAll(role+content("a")+last+done, "\n\n", "\n"), chunks: 2, finish: "length"},
		{name: "other fields", stream: "event: message\nid: 1\nretry: 5\n" + content("a") + last + done, chunks: 2, finish: "length"},
		{name: "null and missing content", stream: `data: {"choices":[{"delta":{"role":"assistant","content":null}}]}` + "\n\n" + `data: {"choices":[{"delta":{}}]}` + "\n\n" + content("a") + last + done, chunks: 2, finish: "length"},
		{name: "finish in a chunk of its own", stream: role + content("a") + `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n" + done, chunks: 1, finish: "stop"},
		{name: "end without [DONE] after a finish", stream: role + content("a") + last, chunks: 2, finish: "length"},
		{name: "end without the last line's end", stream: role + content("a") + strings.TrimRight(last, "\n"), chunks: 2, finish: "length"},
		{name: "reasoning is a token and no answer", stream: `data: {"choices":[{"delta":{"reasoning_content":"hm"}}]}` + "\n\n" + `data: {"choices":[{"delta":{"reasoning":"hm"}}]}` + "\n\n" + last + done, chunks: 3, finish: "length", answerAt: 2},
		{name: "think tags", stream: content("<thi") + content("nk>let me") + content(" see</th") + content("ink>\\n") + content("yes") + last + done, chunks: 6, finish: "length", answerAt: 4},
		{name: "only reasoning", stream: `data: {"choices":[{"delta":{"reasoning":"hm"},"finish_reason":"length"}]}` + "\n\n" + done, chunks: 1, finish: "length", answerAt: -1},
		{name: "tool call", stream: `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]},"finish_reason":"tool_calls"}]}` + "\n\n" + done, chunks: 1, finish: "tool_calls"},
		{name: "completions", stream: `data: {"choices":[{"text":"a","finish_reason":null}]}` + "\n\n" + `data: {"choices":[{"text":"b","finish_reason":"stop"}]}` + "\n\n" + done, chunks: 2, finish: "stop"},

		{name: "error object", stream: role + content("a") + `data: {"error":{"message":"boom","code":500}}` + "\n\n" + done, chunks: 1, kind: KindStreamError, detail: "boom"},
		{name: "error text", stream: role + `data: {"error":"boom","error_type":"overloaded"}` + "\n\n", kind: KindStreamError, detail: "boom"},
		{name: "error of old vLLM", stream: `data: {"object":"error","message":"boom","code":400}` + "\n\n" + done, kind: KindStreamError, detail: "boom"},
		{name: "null error is none", stream: `data: {"error":null,"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}` + "\n\n" + done, chunks: 1, finish: "stop"},
		{name: "aborted", stream: role + content("a") + `data: {"choices":[{"index":0,"delta":{"content":""},"finish_reason":"abort"}]}` + "\n\n" + usage2 + done, chunks: 1, finish: "abort", kind: KindAborted},
		{name: "cut off", stream: role + content("a"), chunks: 1, kind: KindTruncated},
		{name: "cut off in an event", stream: role + content("a") + `data: {"choi`, chunks: 1, kind: KindTruncated},
		{name: "empty", stream: "", kind: KindTruncated},
		{name: "only done", stream: done, kind: KindNoTokens},
		{name: "only roles", stream: role + `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n" + done, finish: "stop", kind: KindNoTokens},
		{name: "not json", stream: content("a") + "data: hello\n\n", chunks: 1, kind: KindMalformed, detail: "hello"},
		{name: "not an object", stream: "data: [1]\n\n", kind: KindMalformed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := decode(tt.stream)
			kind, detail := "", ""
			if got.Err != nil {
				kind, detail = got.Err.Kind, got.Err.Detail
			}
			if kind != tt.kind || !strings.Contains(detail, tt.detail) {
				t.Errorf("failure %q (%s), want %q (%s)", kind, detail, tt.kind, tt.detail)
			}
			if len(got.Chunks) != tt.chunks {
				t.Errorf("%d chunks with tokens, want %d", len(got.Chunks), tt.chunks)
			}
			if got.Finish != tt.finish {
				t.Errorf("finish %q, want %q", got.Finish, tt.finish)
			}
			if tt.kind == "" && got.AnswerAt != tt.answerAt {
				t.Errorf("answer at %d, want %d", got.AnswerAt, tt.answerAt)
			}
		})
	}
}

func TestDecodeUsage(t *testing.T) {
	on := func(text string, n string) string {
		return `data: {"choices":[{"delta":{"content":"` + text + `"}}],"usage":{"prompt_tokens":5,"completion_tokens":` + n + `}}` + "\n\n"
	}
	finish := `data: {"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":9}}` + "\n\n"
	for _, tt := range []struct {
		name, stream string
		want         []int // tokens of each chunk
		continuous   bool
		completion   int // -1: no usage
		place        string
	}{
		{"own chunk", role + content("a") + last + usage2 + done, []int{0, 0}, false, 2, "own"},
		{"every chunk", on("", "0") + on("ab", "3") + on("c", "4") + done + "", []int{3, 1}, true, 4, "every"},
		{"a token without text", on("", "0") + on("a", "1") + on("", "2") + on("b", "3") + done, []int{1, 1, 1}, true, 3, "every"},
		{"on the last content chunk only", content("a") + content("b") + `data: {"choices":[{"delta":{"content":"c"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":7}}` + "\n\n" + done, []int{0, 0, 0}, false, 7, "last-content"},
		{"on an empty finish chunk only", content("a") + content("b") + finish + done, []int{0, 0}, false, 9, "last-content"},
		{"zeros on every chunk", on("a", "0") + on("b", "0") + done, []int{0, 0}, false, -1, "every"},
		{"null on the others", `data: {"choices":[{"delta":{"content":"a"}}],"usage":null}` + "\n\n" + last + usage2 + done, []int{0, 0}, false, 2, "own"},
		{"none", content("a") + last + done, []int{0, 0}, false, -1, "none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, facts := decode(tt.stream)
			var tokens []int
			for _, c := range got.Chunks {
				tokens = append(tokens, c.Tokens)
			}
			if d := cmp.Diff(tt.want, tokens); d != "" {
				t.Errorf("tokens of the chunks (-want +got):\n%s", d)
			}
			completion := -1
			if got.Usage != nil {
				completion = got.Usage.Completion
			}
			if got.UsageContinuous != tt.continuous || completion != tt.completion || facts.UsageChunk != tt.place {
				t.Errorf("continuous %v, completion %d, place %q", got.UsageContinuous, completion, facts.UsageChunk)
			}
		})
	}
}

// The streams of a real vLLM 0.32, whatever way the network cuts them.
func TestCapturesAreTheSameForEverySplit(t *testing.T) {
	files, err := filepath.Glob("testdata/*.sse")
	if err != nil || len(files) == 0 {
		t.Fatalf("no captures: %v", err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(f), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { sameInPieces(t, Chat, string(b), pieces(t, string(b))...) })
		})
	}
}

func TestAnyStreamIsTheSameForEverySplit(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		role, content("a"), content("<think>"), content("</think>b"), last, usage2, done, ": c\n\n", "data:", "\r", "\n", "\r\n",
		"\ufeff", "data: {\n", "}\n\n", "data: x\n\n", `data: {"error":"e"}` + "\n\n", "event: y\n", "data: [DONE]\r\n\r\n",
	})
	rapid.Check(t, func(t *rapid.T) {
		stream := strings.Join(rapid.SliceOfN(piece, 1, 12).Draw(t, "stream"), "")
		sameInPieces(t, Chat, stream, pieces(t, stream)...)
	})
}

func TestCaptures(t *testing.T) {
	for _, tt := range []struct {
		file       string
		completion int
		finish     string
		kind       string
	}{
		{"chat-stream-usage", 8, "length", ""},
		{"chat-stream-cont-usage", 8, "length", ""},
		{"compl-stream-usage", 8, "length", ""},
		{"cached-2", 2, "length", ""},
		{"chat-stream-eos", 1, "stop", KindNoTokens},
		{"shutdown-D0-stream1-ends", 0, "abort", KindAborted},
		{"crash-stream-ends", 0, "", KindStreamError},
	} {
		b, err := os.ReadFile("testdata/vllm-" + tt.file + ".sse")
		if err != nil {
			t.Fatal(err)
		}
		got, _ := decode(string(b))
		kind := ""
		if got.Err != nil {
			kind = got.Err.Kind
		}
		if kind != tt.kind || got.Finish != tt.finish {
			t.Errorf("%s: failure %q, finish %q; want %q, %q", tt.file, kind, got.Finish, tt.kind, tt.finish)
		}
		if tt.completion > 0 && (got.Usage == nil || got.Usage.Completion != tt.completion) {
			t.Errorf("%s: usage %+v, want %d tokens", tt.file, got.Usage, tt.completion)
		}
		if tt.file == "cached-2" && (got.Usage.Cached == nil || *got.Usage.Cached != 512) {
			t.Errorf("%s: cached tokens %v, want 512", tt.file, got.Usage.Cached)
		}
	}
}

func TestEndlessLineIsBounded(t *testing.T) {
	out, facts := Outcome{AnswerAt: -1}, Facts{}
	d := newDecoder(chatProtocol, nil, &out, &facts, false)
	piece := []byte(strings.Repeat("x", 1<<20))
	var err error
	for range 10 {
		if err = d.Feed(piece, 0); err != nil {
			break
		}
	}
	d.Finish()
	if err == nil || out.Err == nil || out.Err.Kind != KindMalformed {
		t.Errorf("ten MiB without a line end: %v, %v", err, out.Err)
	}
}

func TestLongLineIsRead(t *testing.T) {
	got, _ := decode(content(strings.Repeat("y", 1<<20)) + last + done)
	if got.Err != nil || len(got.Chunks) != 2 {
		t.Errorf("%v, %d chunks", got.Err, len(got.Chunks))
	}
}

func FuzzDecode(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.sse")
	for _, name := range files {
		if b, err := os.ReadFile(name); err == nil {
			f.Add(b, uint8(7))
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte, step uint8) {
		n := int(step)%64 + 1
		var pieces []string
		for i := 0; i < len(stream); i += n {
			pieces = append(pieces, string(stream[i:min(i+n, len(stream))]))
		}
		whole, _ := decode(string(stream))
		cut, _ := decode(pieces...)
		if (whole.Err == nil) != (cut.Err == nil) || len(whole.Chunks) != len(cut.Chunks) || whole.AnswerAt != cut.AnswerAt {
			t.Errorf("whole %+v, cut %+v", whole, cut)
		}
		if whole.Err == nil && len(whole.Chunks) == 0 {
			t.Error("a success without a token")
		}
	})
}

// An event of many lines costs no more than its bytes: each line is looked at once.
func TestAnEventOfAMillionLines(t *testing.T) {
	var out Outcome
	d := newDecoder(chatProtocol, nil, &out, &Facts{}, false)
	lines := []byte(strings.Repeat("data: {}\n", 1000))
	err := d.Feed([]byte("data: {\n"), 1)
	for fed := 0; err == nil && fed < 2*maxEvent; fed += 3000 {
		err = d.Feed(lines, 1)
	}
	if err != errFailure || out.Err.Kind != KindMalformed {
		t.Errorf("got %v, %v", err, out.Err)
	}
}
