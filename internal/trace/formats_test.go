package trace

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func write(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t testing.TB, content string, o Options) *Reader {
	t.Helper()
	r, err := Open(write(t, content), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// all reads a file to its end, or to its first error.
func all(r *Reader) (rows []Row, err error) {
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
}

func ms(n int) *time.Duration { return new(time.Duration(n) * time.Millisecond) }

var noPlace = cmpopts.IgnoreFields(Row{}, "Place")

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		name, content string
		kind, why     string
		options       Options
		skipped       int
		want          []Row
	}{
		{
			name: "Mooncake",
			content: `{"timestamp": 27482, "input_length": 1024, "output_length": 52, "hash_ids": [46, 47]}` + "\n" +
				`{"timestamp": 30535, "input_length": 1025, "output_length": 26, "hash_ids": [46, 47, 2366]}` + "\n",
			kind: Mooncake, why: `its first row has "input_length" and "hash_ids"`,
			want: []Row{
				{At: ms(0), PromptTokens: new(1024), OutputTokens: new(52), Blocks: []uint64{46, 47}, BlockSize: 512, PartialBlock: true},
				{At: ms(3053), PromptTokens: new(1025), OutputTokens: new(26), Blocks: []uint64{46, 47, 2366}, BlockSize: 512, PartialBlock: true},
			},
		},
		{
			name: "AIPerf's extension of Mooncake",
			content: `{"session_id": "a", "input_length": 300, "output_length": 40}` + "\n" +
				`{"session_id": "b", "text_input": "hello"}` + "\n" +
				`{"session_id": "a", "delay": 2, "input_length": 150, "output_length": 20}` + "\n" +
				`{"timestamp": 1000, "messages": [{"role": "user", "content": "x"}], "tools": [{"type": "function"}]}` + "\n" +
				`{"session_id": "b", "message_mode": "delta", "messages": [{"role": "user", "content": "y"}]}` + "\n" +
				`{"payload": {"prompt": "p", "max_tokens": 5}, "extra": {"top_k": 1}}` + "\n",
			kind: Mooncake, why: `its first row has "input_length" and "output_length"`,
			want: []Row{
				{Session: "a", PromptTokens: new(300), OutputTokens: new(40)},
				{Session: "b", Text: "hello"},
				{Session: "a", Turn: 1, Continues: true, Delay: ms(2), PromptTokens: new(150), OutputTokens: new(20)},
				{At: ms(0), URL: "/v1/chat/completions", Body: json.RawMessage(`{"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function"}]}`)},
				{Session: "b", Turn: 1, Continues: true, Messages: json.RawMessage(`[{"role": "user", "content": "y"}]`)},
				{Body: json.RawMessage(`{"max_tokens":5,"prompt":"p","top_k":1}`)},
			},
		},
		{
			name:    "Mooncake in blocks of another size",
			content: `{"timestamp": 0, "input_length": 33, "output_length": 1, "hash_ids": [-1, 18446744073709551615, 2]}`,
			options: Options{BlockSize: 16, Kind: "mooncake_trace"},
			kind:    Mooncake, why: "the format was given",
			want: []Row{{At: ms(0), PromptTokens: new(33), OutputTokens: new(1), Blocks: []uint64{1<<64 - 1, 1<<64 - 1, 2}, BlockSize: 16, PartialBlock: true}},
		},
		{
			name: "Bailian",
			content: `{"chat_id": 159, "parent_chat_id": -1, "timestamp": 61.114, "input_length": 33, "output_length": 132, "type": "text", "turn": 1, "hash_ids": [7, 8, 9]}` + "\n" +
				`{"chat_id": 160, "parent_chat_id": 159, "timestamp": 62.5, "input_length": 48, "output_length": 80, "type": "text", "turn": 2, "hash_ids": [7, 8, 10]}` + "\n" +
				`{"chat_id": 161, "parent_chat_id": 160, "timestamp": 63.5, "input_length": 48, "output_length": 80, "type": "text", "turn": 3, "hash_ids": []}` + "\n",
			kind: Bailian, why: `its first row has "chat_id" and "parent_chat_id"`,
			want: []Row{
				{At: ms(0), Session: "159", PromptTokens: new(33), OutputTokens: new(132), Blocks: []uint64{7, 8, 9}, BlockSize: 16, PartialBlock: true},
				{At: ms(1386), Session: "159", Turn: 1, PromptTokens: new(48), OutputTokens: new(80), Blocks: []uint64{7, 8, 10}, BlockSize: 16},
				{At: ms(2386), Session: "159", Turn: 2, PromptTokens: new(48), OutputTokens: new(80)},
			},
		},
		{
			name:    "Azure 2023: CRLF, seven digits, no zone, no last end of line",
			content: "TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:17:03.9799600,4808,10\r\n2023-11-16 18:17:04.0319601,3180,8",
			kind:    Azure, why: `its header has "timestamp", "contexttokens" and "generatedtokens"`,
			want: []Row{
				{At: ms(0), PromptTokens: new(4808), OutputTokens: new(10)},
				{At: new(52_000_100 * time.Nanosecond), PromptTokens: new(3180), OutputTokens: new(8)},
			},
		},
		{
			name:    "Azure 2024: a zone, any number of digits",
			content: "TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-10 00:00:00.009930+00:00,2162,5\n2024-05-10 00:00:01+00:00,2399,6\n2024-05-10 02:00:00.5+02:00,76,15\n",
			kind:    Azure, why: `its header has "timestamp", "contexttokens" and "generatedtokens"`,
			want: []Row{
				{At: ms(0), PromptTokens: new(2162), OutputTokens: new(5)},
				{At: new(990_070 * time.Microsecond), PromptTokens: new(2399), OutputTokens: new(6)},
				{At: new(490_070 * time.Microsecond), PromptTokens: new(76), OutputTokens: new(15)},
			},
		},
		{
			name:    "Azure 2025, compressed",
			content: zipped(t, "TIMESTAMP,NumImages,ContextTokens,GeneratedTokens\n2024-10-15 00:00:00.1,3,162,5\n2024-10-15 00:00:00.2,0,99,7\n"),
			kind:    Azure, why: `its header has "timestamp", "contexttokens" and "generatedtokens"`,
			want: []Row{
				{At: ms(0), Images: new(3), PromptTokens: new(162), OutputTokens: new(5)},
				{At: ms(100), Images: new(0), PromptTokens: new(99), OutputTokens: new(7)},
			},
		},
		{
			name:    "BurstGPT, 6 columns",
			content: "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,472,18,490,Conversation log\n45.0,GPT-4,1087.0,0,1087,API log\n",
			kind:    BurstGPT, why: `its header has "timestamp", "request tokens" and "response tokens"`,
			want: []Row{
				{At: ms(0), Model: "ChatGPT", PromptTokens: new(472), OutputTokens: new(18)},
				{At: ms(40_000), Model: "GPT-4", PromptTokens: new(1087), OutputTokens: new(0), Failed: true},
			},
		},
		{
			name: "BurstGPT, 8 columns, not from zero",
			content: "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n" +
				"5270400,s1,2.5,ChatGPT,10,20,30,Conversation log\n5270401,,1,GPT-4,7,8,15,API log\n5270404,s1,1,ChatGPT,40,20,60,Conversation log\n",
			kind: BurstGPT, why: `its header has "timestamp", "request tokens" and "response tokens"`,
			want: []Row{
				{At: ms(0), Session: "s1", Latency: ms(2500), Model: "ChatGPT", PromptTokens: new(10), OutputTokens: new(20)},
				{At: ms(1000), Latency: ms(1000), Model: "GPT-4", PromptTokens: new(7), OutputTokens: new(8)},
				{At: ms(4000), Session: "s1", Turn: 1, Delay: ms(1500), Latency: ms(1000), Model: "ChatGPT", PromptTokens: new(40), OutputTokens: new(20)},
			},
		},
		{
			name: "ShareGPT",
			content: `[
				{"id": "a", "conversations": [{"from": "human", "value": "q"}, {"from": "gpt", "value": "r"}, {"from": "user", "value": "later"}, {"from": "chatgpt", "value": "s"}]},
				{"id": "b", "conversations": []},
				{"id": "c", "conversations": [{"from": "gpt", "value": "first"}, {"from": "human", "value": "after gpt"}]},
				{"id": "d", "conversations": [{"from": "human", "value": "x"}, {"from": "human", "value": " "}, {"from": "human", "value": "lost"}]}
			]`,
			kind: ShareGPT, why: `its first row has "conversations"`, skipped: 1,
			want: []Row{
				{Session: "1", Text: "q", Answer: "r"},
				{Session: "1", Turn: 1, Continues: true, Text: "later", Answer: "s"},
				{Session: "3", Text: "after gpt"},
				{Session: "4", Text: "x"},
			},
		},
		{
			name: "LMSYS",
			content: `{"conversation_id": "a", "model": "vicuna-13b", "conversation": [{"content": "q", "role": "user"}, {"content": "r", "role": "assistant"}], "turn": 1}` + "\n" +
				`{"conversation_id": "b", "model": "vicuna-13b", "conversation": [{"content": "r", "role": "assistant"}], "turn": 1}` + "\n",
			kind: LMSYS, why: `its first row has "conversation"`, skipped: 1,
			want: []Row{{Session: "1", Model: "vicuna-13b", Text: "q", Answer: "r"}},
		},
		{
			name: "WildChat: a time stamp of the last turn",
			content: `{"conversation_hash": "h", "model": "gpt-4", "timestamp": "2023-04-09 00:02:53+00:00", "conversation": [{"role": "user", "content": "q", "country": "x"}, {"role": "assistant", "content": "r"}, {"role": "user", "content": "s"}]}` + "\n" +
				`{"conversation_hash": "i", "model": "gpt-4", "timestamp": 1680998574500, "conversation": [{"role": "user", "content": "t"}]}` + "\n" +
				`{"conversation_hash": "j", "model": "gpt-4", "timestamp": null, "conversation": [{"role": "user", "content": "u"}]}` + "\n",
			kind: WildChat, why: `its first row has "conversation" and "conversation_hash"`,
			want: []Row{
				{Session: "1", Model: "gpt-4", Text: "q", Answer: "r"},
				{Session: "1", Turn: 1, Continues: true, Model: "gpt-4", Text: "s", At: ms(0)},
				{Session: "2", Model: "gpt-4", Text: "t", At: ms(1500)},
				{Session: "3", Model: "gpt-4", Text: "u"},
			},
		},
		{
			name:    "OpenAI batch",
			content: `{"custom_id":"1","method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[],"max_completion_tokens":7}}`,
			kind:    OpenAIBatch, why: `its first row has "body"`,
			want: []Row{{URL: "/v1/chat/completions", Model: "m", MaxTokens: 7, Body: json.RawMessage(`{"model":"m","messages":[],"max_completion_tokens":7}`)}},
		},
		{
			name: "AIPerf single turn",
			content: `{"text": "a", "timestamp": 500, "output_length": 3}` + "\n" +
				`{"texts": ["b", "c"], "timestamp": 1500}` + "\n" +
				`{"texts": [{"name": "n", "contents": ["d", "e"]}], "session_id": "s", "delay": 10}` + "\n" +
				`{"text": "f", "session_id": "s", "extra": {"temperature": 0}}` + "\n" +
				`{"text": "g", "image": "https://example.org/a.png"}` + "\n" +
				`{"text": " "}` + "\n",
			kind: SingleTurn, why: `its first row has "text" and "timestamp"`, skipped: 1,
			want: []Row{
				{Text: "a", At: ms(0), OutputTokens: new(3)},
				{Text: "b\nc", At: ms(1000)},
				{Text: "d\ne", Session: "s", Delay: ms(10)},
				{Session: "s", Turn: 1, URL: "/v1/chat/completions", Body: json.RawMessage(`{"messages":[{"content":"f","role":"user"}],"temperature":0}`)},
				{Images: new(1), Messages: json.RawMessage(`[{"content":[{"text":"g","type":"text"},{"image_url":{"url":"https://example.org/a.png"},"type":"image_url"}],"role":"user"}]`)},
			},
		},
		{
			name: "AIPerf multi turn",
			content: `{"session_id": "a", "turns": [{"text": "q"}, {"text": "r", "delay": 1000, "output_length": 9}, {"text": ""}, {"text": "lost"}]}` + "\n" +
				`{"turns": []}` + "\n",
			kind: MultiTurn, why: `its first row has "turns"`, skipped: 1,
			want: []Row{
				{Session: "a", Text: "q"},
				{Session: "a", Turn: 1, Continues: true, Text: "r", Delay: ms(1000), OutputTokens: new(9)},
			},
		},
		{
			name:    "AIPerf random pool",
			content: `{"type": "random_pool", "text": "a"}`,
			kind:    RandomPool, why: `its first row has "type": "random_pool"`,
			want: []Row{{Text: "a"}},
		},
		{
			name:    "Spec-Bench",
			content: `{"question_id": 81, "category": "writing", "turns": ["q", "r"]}`,
			kind:    SpecBench, why: `its first row has "turns" of texts`,
			want: []Row{{Session: "1", Text: "q"}, {Session: "1", Turn: 1, Continues: true, Text: "r"}},
		},
		{
			name: "GuideLLM lines",
			content: `{"prompt": "a", "prefix": "sys", "prompt_tokens_count": 12, "output_tokens_count": 5}` + "\n" +
				`{"prompt_0": "b", "prompt_1": "c", "output_tokens_count_1": 6, "prefix_0": "p"}` + "\n" +
				`{"prompt": ""}` + "\n",
			kind: GuideLLM, why: `its first row has "prompt_tokens_count"`, skipped: 1,
			want: []Row{
				{Text: "a", Prefix: "sys", PromptTokens: new(12), OutputTokens: new(5)},
				{Session: "2", Text: "b", Prefix: "p"},
				{Session: "2", Turn: 1, Continues: true, Text: "c", OutputTokens: new(6)},
			},
		},
		{
			name:    "GuideLLM CSV",
			content: "prompt,output_tokens_count,prefix\n\"two\nlines, \"\"quoted\"\"\",7,\nb,,sys\n",
			kind:    GuideLLM, why: `its header has "output_tokens_count"`,
			want: []Row{{Text: "two\nlines, \"quoted\"", OutputTokens: new(7)}, {Text: "b", Prefix: "sys"}},
		},
		{
			name:    "vLLM custom",
			content: `{"prompt": "a"}` + "\n" + `{"prompt": "b", "output_tokens": 3}`,
			kind:    JSONLines, why: "it is JSON of no other kind",
			want: []Row{{Text: "a"}, {Text: "b", OutputTokens: new(3)}},
		},
		{
			name:    "pretty printed documents",
			content: "{\n \"prompt\": \"a\"\n}\n{\n \"prompt\": \"b\"\n}\n",
			kind:    JSONLines, why: "it is JSON of no other kind",
			want: []Row{{Text: "a"}, {Text: "b"}},
		},
		{
			name:    "text with commas",
			content: "What, then?\nprompt\n",
			kind:    PlainText, why: "it is text, and neither JSON nor CSV with a header that is known",
			want: []Row{{Text: "What, then?"}, {Text: "prompt"}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := open(t, c.content, c.options)
			got, err := all(r)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got, noPlace); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if r.Kind() != c.kind || r.Why() != c.why || r.Skipped() != c.skipped {
				t.Errorf("kind %q because %s, %d skipped; want %q because %s, %d", r.Kind(), r.Why(), r.Skipped(), c.kind, c.why, c.skipped)
			}
			for _, row := range got {
				if row.Place == "" {
					t.Error("a row without a place")
				}
			}
			if err := r.Rewind(); err != nil {
				t.Fatal(err)
			}
			again, err := all(r)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(got, again); diff != "" {
				t.Errorf("second pass (-first +second):\n%s", diff)
			}
		})
	}
}

func zipped(t testing.TB, s string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
