package load

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/spec"
	"assay/internal/trace"
)

func write(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// read takes n prompts, or those before the first error.
func read(d *Dataset, n int) (prompts []Prompt, err error) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range n {
		p, err := d.Next(rng)
		if err != nil {
			return prompts, err
		}
		prompts = append(prompts, p)
	}
	return prompts, nil
}

func TestDatasets(t *testing.T) {
	text := func(s string) Prompt { return Prompt{Text: s, MaxTokens: 64} }
	for _, c := range []struct {
		name, content string
		kind          string // as found
		want          []Prompt
		skipped       int
	}{
		{
			name: "ShareGPT",
			content: `[
				{"id": "a", "conversations": [{"from": "human", "value": "first"}, {"from": "gpt", "value": "x"}, {"from": "human", "value": "later"}]},
				{"id": "b", "conversations": []},
				{"id": "c", "conversations": [{"from": "gpt", "value": "hello"}, {"from": "human", "value": "after gpt"}]},
				{"id": "d", "conversations": [{"from": "human", "value": ""}, {"from": "gpt", "value": "x"}]},
				{"id": "e", "conversations": [{"from": "system", "value": "s"}, {"from": "user", "value": "<b>user</b>"}]},
				{"id": "f", "conversations": [{"from": "gpt", "value": "only gpt"}]}
			]`,
			kind: trace.ShareGPT, skipped: 3,
			want: []Prompt{text("first"), text("after gpt"), text("<b>user</b>")},
		},
		{
			name:    "ShareGPT in lines",
			content: `{"conversations":[{"from":"human","value":"q"}]}` + "\n",
			kind:    trace.ShareGPT, want: []Prompt{text("q")},
		},
		{
			name: "OpenAI batch",
			content: `{"custom_id":"1","method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[{"role":"user","content":"q"}],"max_tokens":7}}` + "\r\n" +
				`{"custom_id":"2","method":"POST","url":"/v1/chat/completions","body":{"messages":[],"max_completion_tokens":9,"stream":true}}` + "\r\n" +
				`{"custom_id":"3","body":{"messages":[]}}`,
			kind: trace.OpenAIBatch,
			want: []Prompt{
				{Body: json.RawMessage(`{"model":"m","messages":[{"role":"user","content":"q"}],"max_tokens":7}`), MaxTokens: 7},
				{Body: json.RawMessage(`{"messages":[],"max_completion_tokens":9,"stream":true}`), MaxTokens: 9},
				{Body: json.RawMessage(`{"messages":[]}`), MaxTokens: 64},
			},
		},
		{
			name: "JSON lines",
			content: "\ufeff" + `{"prompt":"p","max_tokens":3}` + "\n\n" +
				`{"text":"t","output_length":5}` + "\n" +
				`{"prompt":""}` + "\n" +
				`{"messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"q"}]}],"output_tokens_count":8}`,
			kind: trace.JSONLines, skipped: 1,
			want: []Prompt{
				{Text: "p", MaxTokens: 3},
				{Text: "t", MaxTokens: 5, MinTokens: 5},
				{Body: json.RawMessage(`{"messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"q"}]}]}`), MaxTokens: 8, MinTokens: 8},
			},
		},
		{
			name: "text", content: "one\r\n\n  two\n[3] three", kind: trace.PlainText,
			want: []Prompt{text("one"), text("two"), text("[3] three")},
		},
		{
			name: "text that begins with a bracket", content: "[INST] hello\nworld\n", kind: trace.PlainText,
			want: []Prompt{text("[INST] hello"), text("world")},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := OpenDataset(write(t, "data", c.content), DatasetOptions{API: "chat", Output: spec.Fixed(64)})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			got, err := read(d, len(c.want))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("prompts (-want +got):\n%s", diff)
			}
			again, err := read(d, len(c.want)+1)
			if err != nil {
				t.Fatal(err)
			}
			for i := range again {
				if !again[i].Repeat {
					t.Error("a prompt of a later pass is not marked as repeated")
				}
				again[i].Repeat = false
			}
			if diff := cmp.Diff(c.want, again[:len(c.want)]); diff != "" {
				t.Errorf("prompts of the second pass (-want +got):\n%s", diff)
			}
			if d.Kind() != c.kind || d.Skipped() != c.skipped {
				t.Errorf("kind %q, skipped %d; want %q, %d", d.Kind(), d.Skipped(), c.kind, c.skipped)
			}
		})
	}
}

func TestBrokenDatasets(t *testing.T) {
	good := `{"prompt":"a"}` + "\n"
	for _, c := range []struct {
		name, content, kind, api string
		before                   int    // prompts that can be used
		want                     string // in the error
	}{
		{"array cut off", `[{"conversations":[{"from":"human","value":"a"}]}, {"conversations":[{"fr`, "", "", 1, "cut off in item 2"},
		{"array cut off after an item", `[{"conversations":[{"from":"human","value":"a"}]},`, "", "", 1, "cut off"},
		{"array with rubbish", `[{"conversations":[{"from":"human","value":"a"}]} oops]`, "", "", 1, "item"},
		{"lines cut off", good + good + `{"prompt":"b`, "", "", 2, "data:3: the row is cut off"},
		{"line of rubbish", good + "oops\n" + good, "", "", 1, "data:2: not a row of JSON"},
		{"wrong type", good + `{"prompt":5}`, "", "", 1, "data:2"},
		{"unknown keys", good + "\n" + `{"question":"a"}`, "", "", 1, `data:3: the row has none of "prompt"`},
		{"nothing", "", "", "", 0, "holds no prompt"},
		{"only blanks", "\n \n", "", "", 0, "holds no prompt"},
		{"empty array", "[]", "", "", 0, "holds no prompt"},
		{"no human turn", `[{"conversations":[]}]`, "", "", 0, "holds no prompt (1 rows"},
		{"body is no object", `{"custom_id":"1","body":[1]}`, "", "", 0, `data:1: a row of an OpenAI batch needs`},
		{"other API", `{"url":"/v1/completions","body":{"prompt":"a"}}`, "", "chat", 0, "data:1: the request is for /v1/completions"},
		{"other API, the other way", `{"url":"/v1/chat/completions","body":{}}`, "", "completions", 0, "data:1: the request is for /v1/chat/completions"},
		{"messages for completions", `{"messages":[{"role":"user"}]}`, "", "completions", 0, "data:1"},
		{"messages without a role", `{"messages":[{"content":"a"}]}`, "", "chat", 0, `message 1 has no "role"`},
		{"parquet", "PAR1\x15\x04", "", "", -1, "Parquet"},
		{"gzip", "\x1f\x8b\x08", "", "", -1, "gzip"},
		{"binary", "abc\x00", "", "", -1, "binary"},
		{"text as ShareGPT", "hello", trace.ShareGPT, "", -1, "not of kind"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := OpenDataset(write(t, "data", c.content), DatasetOptions{Kind: c.kind, API: c.api})
			var got []Prompt
			if err == nil {
				defer d.Close()
				got, err = read(d, 10)
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want one with %q", err, c.want)
			}
			if len(got) != max(0, c.before) {
				t.Errorf("%d prompts before the error, want %d", len(got), c.before)
			}
		})
	}
	if _, err := OpenDataset(filepath.Join(t.TempDir(), "absent"), DatasetOptions{}); err == nil {
		t.Error("a file that is not there was opened")
	}
}

// A large file must stream: its first prompt is had without reading the rest.
func TestDatasetsAreStreamed(t *testing.T) {
	item := fmt.Sprintf(`{"conversations":[{"from":"human","value":%q}]}`, strings.Repeat("word ", 200))
	for name, content := range map[string]string{
		"array": "[" + strings.Repeat(item+",\n", 8_000) + item + "]",
		"lines": strings.Repeat(item+"\n", 8_000),
	} {
		d, err := OpenDataset(write(t, "data", content), DatasetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		size := len(content)
		content = ""
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		rng := rand.New(rand.NewPCG(1, 1))
		highest := uint64(0)
		for i := range 8_000 {
			if _, err := d.Next(rng); err != nil {
				t.Fatal(err)
			}
			if i%2000 == 0 {
				runtime.GC()
				runtime.ReadMemStats(&after)
				highest = max(highest, after.HeapAlloc)
			}
		}
		if grown := int64(highest) - int64(before.HeapAlloc); grown > int64(size)/20 {
			t.Errorf("%s: the heap grew by %d of %d bytes", name, grown, size)
		}
	}
}

func FuzzDataset(f *testing.F) {
	for _, s := range []string{
		`[{"conversations":[{"from":"human","value":"a"}]}]`,
		`{"custom_id":"1","url":"/v1/chat/completions","body":{"messages":[],"max_tokens":7}}`,
		`{"prompt":"p","max_tokens":3}` + "\n" + `{"messages":[{"role":"user","content":"q"}]}`,
		"one\ntwo", "[", "{", "\ufeff", "[]", "[{}", "null", `{"body":null}`,
	} {
		for _, kind := range append(trace.Kinds(), "") {
			f.Add(s, kind)
		}
	}
	f.Fuzz(func(t *testing.T, content, kind string) {
		if strings.Trim(kind, "abcdefghijklmnopqrstuvwxyz-") != "" {
			return
		}
		d, err := OpenDataset(write(t, "data", content), DatasetOptions{Kind: kind, Output: spec.Fixed(4)})
		if err != nil {
			return
		}
		defer d.Close()
		prompts, err := read(d, 20)
		for _, p := range prompts {
			if p.Text == "" && p.Body == nil {
				t.Fatalf("empty prompt from %q", content)
			}
			if p.Body != nil && !json.Valid(p.Body) {
				t.Fatalf("body %q is not JSON", p.Body)
			}
			if p.MaxTokens < 1 {
				t.Fatalf("answer of %d tokens asked", p.MaxTokens)
			}
		}
		if err == nil && len(prompts) != 20 {
			t.Fatalf("%d prompts and no error", len(prompts))
		}
	})
}
