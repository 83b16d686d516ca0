package trace

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// FuzzOpen reads any bytes as each kind in turn: no input may end the program,
// and no row may say what cannot be.
func FuzzOpen(f *testing.F) {
	for _, s := range []string{
		`{"timestamp": 0, "input_length": 33, "output_length": 1, "hash_ids": [1, -2]}`,
		`{"session_id": "a", "message_mode": "delta", "messages": [{"role": "user", "content": "x"}], "extra": {}}`,
		`{"chat_id": 1, "parent_chat_id": -1, "timestamp": 6.1, "input_length": 33, "hash_ids": [7]}`,
		"TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:17:03.9799600,4808,10\r\n",
		"Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,s,2.5,m,10,0,10,x\n",
		wekaSample,
		`{"spans": [{"trace_id": "t", "start_time": 1, "attributes": {"gen_ai.usage.input_tokens": 1, "gen_ai.input.messages": "[{\"parts\":[{}]}]"}}]}`,
		`{"resourceSpans":[{"scopeSpans":[{"spans":[{"startTimeUnixNano":"1767225600000000000","attributes":[{"key":"gen_ai.prompt.0.content","value":{"stringValue":"x"}}]}]}]}]}`,
		`[{"conversations":[{"from":"human","value":"a"},{"from":"gpt","value":"b"}]}]`,
		`{"conversation_hash":"h","timestamp":"2023-04-09 00:02:53+00:00","conversation":[{"role":"user","content":"q"}]}`,
		`{"custom_id":"1","url":"/v1/chat/completions","body":{"messages":[],"max_tokens":7}}`,
		`{"texts": [{"contents": ["a"]}], "image": "data:x", "delay": 3}`,
		`{"turns": [{"text": "a", "delay": 1}]}`, `{"category": "x", "turns": ["a"]}`,
		"prompt,output_tokens_count\n\"a\nb\",7\n", `{"prompt_0": "a", "prompt_1": "b"}`,
		"{\n\"prompt\": \"a\"\n}", "one\ntwo", "[", "{", "\ufeff", "[]", "[{}", "null", `{"body":null}`, "\x1f\x8b\x08\x00",
	} {
		f.Add(s, uint8(0))
	}
	f.Add(zstdOf(f, "one\ntwo"), uint8(0))
	kinds := append([]string{""}, Kinds()...)
	f.Fuzz(func(t *testing.T, content string, n uint8) {
		for _, kind := range slices.Compact([]string{"", kinds[int(n)%len(kinds)]}) {
			r := &Reader{options: Options{Kind: kind}}
			if r.begin(strings.NewReader(content), "data") != nil {
				continue
			}
			for range 50 {
				row, err := r.Next()
				if err != nil {
					break
				}
				check(t, content, row)
			}
		}
	})
}

func check(t *testing.T, content string, row Row) {
	t.Helper()
	for _, n := range []*int{row.PromptTokens, row.OutputTokens, row.Images} {
		if n != nil && (*n < 0 || *n > maxTokens) {
			t.Fatalf("a length of %d from %q", *n, content)
		}
	}
	for _, raw := range []json.RawMessage{row.Messages, row.Body} {
		if raw != nil && !json.Valid(raw) {
			t.Fatalf("%q is not JSON, from %q", raw, content)
		}
	}
	if row.Place == "" || row.Blocks != nil && row.BlockSize <= 0 || row.Turn < 0 || row.Continues && row.Turn == 0 || row.MaxTokens < 0 {
		t.Fatalf("row %+v from %q", row, content)
	}
	if row.Delay != nil && row.Delay.Abs() > 1<<62 {
		t.Fatalf("a delay of %v from %q", *row.Delay, content)
	}
}
