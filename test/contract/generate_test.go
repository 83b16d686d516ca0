package contract

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// testOutputLength asks for exact lengths, streamed and not.
func testOutputLength(t *testing.T, url string) {
	for _, n := range []int{1, 2, 17, 130} {
		body := object{"model": served, "messages": user("Hello"), "max_tokens": n, "min_tokens": n, "ignore_eos": true}
		whole := post[answer](t, url+chatPath, body)
		if whole.Usage.Completion != n || finish(whole) != "length" {
			t.Errorf("asked for %d tokens: got %d, finish_reason %q", n, whole.Usage.Completion, finish(whole))
		}
		body["stream"], body["stream_options"] = true, object{"include_usage": true}
		all := chunks(t, url+chatPath, body)
		last := all[len(all)-1]
		if len(last.Choices) != 0 || last.Usage == nil || last.Usage.Completion != n {
			t.Errorf("asked for a stream of %d tokens: the last chunk is %+v", n, last)
		}
		if got := finish(all[len(all)-2]); got != "length" {
			t.Errorf("asked for a stream of %d tokens: finish_reason %q before the usage chunk", n, got)
		}
	}
}

// testContinuousUsage checks the running count: it starts at 0 on the role
// chunk, never falls, and ends with the final usage.
func testContinuousUsage(t *testing.T, url string) {
	const n = 40
	all := chunks(t, url+chatPath, object{
		"model": served, "messages": user("Hello"), "max_tokens": n, "ignore_eos": true, "stream": true,
		"stream_options": object{"include_usage": true, "continuous_usage_stats": true},
	})
	before := 0
	for i, c := range all {
		if c.Usage == nil {
			t.Fatalf("chunk %d of %d has no usage", i, len(all))
		}
		if i == 0 && (c.Usage.Completion != 0 || c.Choices[0].Delta.Role != "assistant") {
			t.Errorf("first chunk: role %q, %d tokens; want the role and 0", c.Choices[0].Delta.Role, c.Usage.Completion)
		}
		if c.Usage.Completion < before || c.Usage.Total != c.Usage.Prompt+c.Usage.Completion {
			t.Errorf("chunk %d: usage %+v after %d tokens", i, *c.Usage, before)
		}
		before = c.Usage.Completion
	}
	if before != n {
		t.Errorf("%d tokens at the end, asked for %d", before, n)
	}
}

// testEndOfSequence forces the end-of-sequence token: it counts as a token, and
// ignore_eos goes past it.
func testEndOfSequence(t *testing.T, url string) {
	body := object{"model": served, "messages": user("Hello"), "max_tokens": 6, "logit_bias": object{"1": 100}}
	got := post[answer](t, url+chatPath, body)
	if got.Usage.Completion != 1 || finish(got) != "stop" {
		t.Errorf("end at once: %d tokens, finish_reason %q; want 1, stop", got.Usage.Completion, finish(got))
	}
	body["ignore_eos"] = true
	got = post[answer](t, url+chatPath, body)
	if got.Usage.Completion != 6 || finish(got) != "length" {
		t.Errorf("ignoring the end: %d tokens, finish_reason %q; want 6, length", got.Usage.Completion, finish(got))
	}
}

// testTokenize checks that /tokenize counts what usage counts: calibrating the
// length of prompts rests on it.
func testTokenize(t *testing.T, url string) {
	type tokens struct {
		Count  int   `json:"count"`
		Max    int   `json:"max_model_len"`
		Tokens []int `json:"tokens"`
	}
	for _, text := range []string{"Hello", "Hello world, please count the words", "안녕하세요, 你好", strings.Repeat("the server counts tokens ", 50)} {
		prompt := post[tokens](t, url+"/tokenize", object{"model": served, "prompt": text})
		if prompt.Max != contextLength || prompt.Count != len(prompt.Tokens) {
			t.Errorf("/tokenize %.20q: count %d of %d tokens, context %d", text, prompt.Count, len(prompt.Tokens), prompt.Max)
		}
		whole := post[answer](t, url+completionPath, object{"model": served, "prompt": text, "max_tokens": 1})
		if whole.Usage.Prompt != prompt.Count {
			t.Errorf("completion of %.20q: usage says %d prompt tokens, /tokenize %d", text, whole.Usage.Prompt, prompt.Count)
		}
		chat := post[tokens](t, url+"/tokenize", object{"model": served, "messages": user(text)})
		whole = post[answer](t, url+chatPath, object{"model": served, "messages": user(text), "max_tokens": 1})
		if whole.Usage.Prompt != chat.Count || chat.Count <= prompt.Count {
			t.Errorf("chat of %.20q: usage says %d prompt tokens, /tokenize %d (%d without the template)", text, whole.Usage.Prompt, chat.Count, prompt.Count)
		}
	}
}

// testPrefixCache sends one prompt twice: the second time part of it is cached.
func testPrefixCache(t *testing.T, url string) {
	text := fmt.Sprintf("%d %s", time.Now().UnixNano(), strings.Repeat("of these words many are alike ", 60))
	body := object{"model": served, "prompt": text, "max_tokens": 1}
	cached := func() int {
		got := post[answer](t, url+completionPath, body)
		if got.Usage.Details == nil {
			return 0
		}
		return got.Usage.Details.Cached
	}
	if n := cached(); n != 0 {
		t.Errorf("a new prompt: %d cached tokens", n)
	}
	if n := cached(); n < 128 {
		t.Errorf("the same prompt again: %d cached tokens, want whole blocks", n)
	}
}
