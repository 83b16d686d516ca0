package wire

import (
	"fmt"
	"strings"
	"testing"
)

// Tokens and a [DONE] do not make an error a success, whatever form it has, and
// the server's words are kept whether or not a token came before.
func TestErrorsInAStream(t *testing.T) {
	for _, tt := range []struct{ event, kind, words string }{
		{`data: {"error":""}`, KindStreamError, "without words"},
		{`data: {"error":{"message":" \n "}}`, KindStreamError, "without words"},
		{`data: {"error":"\u001b"}`, KindStreamError, "without words"},
		{`data: {"error":{}}`, KindStreamError, "{}"},
		{`data: {"error":["boom"]}`, KindStreamError, "boom"},
		{`data: {"error":true,"message":"boom"}`, KindStreamError, "true"},
		{"event: error\ndata: {\"message\":\"boom\",\"code\":500}", KindStreamError, "boom"},
		{"event: Error\ndata: boom", KindStreamError, "boom"},
		{"event:error\nid: 1\ndata: {\"id\":\"boom\"}", KindStreamError, "boom"},
		{"event: error", KindStreamError, "without data"},
		{`data: {"choices":[{"index":0,"delta":{},"error":{"message":"boom"},"finish_reason":"error"}]}`, KindStreamError, "boom"},
		{`data: {"choices":[{"index":1,"delta":{},"error":"boom"}]}`, KindStreamError, "boom"},
		{`data: {"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}`, KindStreamError, `finish_reason "error"`},
		{`data: {"choices":[{"index":0,"delta":{},"finish_reason":{"type":"abort"}}]}`, KindAborted, "abort"},
		{`data: {"choices":[{"index":0,"delta":{},"finish_reason":"internal_error"}]}`, KindStreamError, "internal_error"},
		{`data: {"message":"boom","code":500}`, KindStreamError, "boom"},
		{`data: {"choices":[],"message":"boom"}`, KindStreamError, "boom"},
		{`data: {"errors":[{"message":"boom"}]}`, KindStreamError, "boom"},
		{`data: {"errors":[{"message":"boom"},{"message":"bang"}]}`, KindStreamError, "bang"},
		{`data: {"status":"error","message":"boom"}`, KindStreamError, "boom"},
		{`data: {"type":"error","message":"boom"}`, KindStreamError, "boom"},
		{`data: {"Error":{"Message":"boom"}}`, KindStreamError, "boom"},
		{`data: {"code":500}`, KindStreamError, "500"},
		{`{"error":{"message":"boom"}}`, KindStreamError, "boom"},
		{`{"message":"boom","code":500}`, KindStreamError, "boom"},
		{"Internal Server Error", KindMalformed, "Internal Server Error"},
		{"<html>boom</html>", KindMalformed, "boom"},
		{"boom", KindMalformed, "boom"},

		{`data: {"error":null,"errors":[],"message":null,"choices":[]}`, "", ""},
		{`data: {"choices":[{"index":0,"delta":{"content":"b"},"error":null,"message":"x"}],"code":0}`, "", ""},
		{`data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2},"status":"completed"}`, "", ""},
		{`data: {"type":"ping"}`, "", ""},
		{"event: ping\nid: 7\nretry: 10\nx-field: what\nid", "", ""},
		{"   ", "", ""},
	} {
		t.Run(tt.event, func(t *testing.T) {
			for _, before := range []string{"", role, content("a")} {
				if tt.kind == "" {
					before = content("a")
				}
				for _, gap := range []string{"\n\n", "\n"} {
					if gap == "\n" && !strings.HasSuffix(tt.event, "}") {
						continue // without its empty line it may go on
					}
					out, _ := decode(before + tt.event + gap + last + done)
					failed(t, out, tt.kind, tt.words)
				}
			}
		})
	}
}

func TestUsageThatCannotBe(t *testing.T) {
	const many = `1000000000000000000`
	for _, tt := range []struct {
		name, usage string
		want        string // completion, cached and reasoning tokens; empty: no usage
	}{
		{"good", `"prompt_tokens":5,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":1}`, "2 4 1"},
		{"whole numbers with a point", `"prompt_tokens":5.0,"completion_tokens":2.0`, "2 - -"},
		{"negative", `"prompt_tokens":5,"completion_tokens":-2`, ""},
		{"a negative prompt", `"prompt_tokens":-5,"completion_tokens":2`, ""},
		{"a fraction", `"prompt_tokens":5,"completion_tokens":2.5`, ""},
		{"a text", `"prompt_tokens":5,"completion_tokens":"2"`, ""},
		{"beyond counting", `"prompt_tokens":5,"completion_tokens":` + many, ""},
		{"a prompt beyond counting", `"prompt_tokens":1e300,"completion_tokens":2`, ""},
		{"more than its chunks hold", `"prompt_tokens":5,"completion_tokens":2001`, ""},
		{"all that its chunks may hold", `"prompt_tokens":5,"completion_tokens":2000`, "2000 - -"},
		{"negative parts", `"prompt_tokens":5,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":-1},"completion_tokens_details":{"reasoning_tokens":-1}`, "2 - -"},
		{"parts above the whole", `"prompt_tokens":5,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":6},"completion_tokens_details":{"reasoning_tokens":3}`, "2 - -"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, facts := decode(content("a") + last + `data: {"choices":[],"usage":{` + tt.usage + "}}\n\n" + done)
			failed(t, out, "", "")
			if got := usageText(out.Usage); got != tt.want {
				t.Errorf("usage %q, want %q", got, tt.want)
			}
			if out.Usage == nil && (facts.UsageChunk != "none" || out.UsageContinuous) {
				t.Errorf("no usage, but at %q", facts.UsageChunk)
			}
		})
	}
}

// A server that holds its whole answer back sends many tokens in one chunk.
func TestAWholeAnswerInOneChunkKeepsItsUsage(t *testing.T) {
	out, _ := decode(content(strings.Repeat("word ", 4000)) + `data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":4000}}` + "\n\n" + done)
	if got := usageText(out.Usage); got != "4000 - -" {
		t.Errorf("usage %q", got)
	}
}

func TestACountThatFallsIsDiscarded(t *testing.T) {
	on := func(n string) string {
		return `data: {"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":5,"completion_tokens":` + n + `}}` + "\n\n"
	}
	out, _ := decode(on("1") + on("2") + on("1") + on("3") + on("0") + done)
	failed(t, out, "", "")
	if out.Usage == nil || out.Usage.Completion != 3 || out.UsageContinuous {
		t.Errorf("usage %+v, continuous %v; want 3, false", out.Usage, out.UsageContinuous)
	}
	for i, c := range out.Chunks {
		if c.Tokens != 0 {
			t.Errorf("chunk %d has %d tokens", i, c.Tokens)
		}
	}
}

// usageText is a usage in short: completion, cached and reasoning tokens.
func usageText(u *Usage) string {
	if u == nil {
		return ""
	}
	part := func(n *int) string {
		if n == nil {
			return "-"
		}
		return fmt.Sprint(*n)
	}
	return fmt.Sprint(u.Completion, " ", part(u.Cached), " ", part(u.Reasoning))
}
