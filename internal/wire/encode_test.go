package wire

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Ours over the endpoint's extra fields, and those over a dataset's body, object
// by object; numbers stay as they are written.
func TestOverlay(t *testing.T) {
	c, err := New(Endpoint{URL: "http://h", Model: "m", Extra: map[string]any{
		"seed": json.Number("12345678901234567890"), "options": map[string]any{"a": json.Number("1")},
	}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	body := `{"model":"other","max_completion_tokens":9,"options":{"a":0,"b":2},"stream":false,"top_p":0.10}`
	for range 2 { // the second must not see what the first has put together
		got, err := c.Encode(Prompt{Body: json.RawMessage(body), MaxTokens: 4}, Dialect{})
		if err != nil {
			t.Fatal(err)
		}
		want := `{"max_tokens":4,"model":"m","options":{"a":1,"b":2},"seed":12345678901234567890,"stream":true,"top_p":0.10}`
		if d := cmp.Diff(want, string(got)); d != "" {
			t.Errorf("body (-want +got):\n%s", d)
		}
	}
	for _, bad := range []string{"null", "[1]"} {
		if got, err := c.Encode(Prompt{Body: json.RawMessage(bad)}, Dialect{}); err == nil || !strings.Contains(err.Error(), "dataset") {
			t.Errorf("body %s: %s, %v", bad, got, err)
		}
	}
}

// The body of each API, for the same prompts.
func TestEncode(t *testing.T) {
	const pixel = "data:image/png;base64,AAAA"
	text := Prompt{Text: "hi", MaxTokens: 4}
	turns := Prompt{Messages: []Message{{"system", "be"}, {"user", "a"}, {"assistant", "b"}, {"user", "c"}}, MaxTokens: 4, Model: "lora"}
	seen := Prompt{Text: "look", MaxTokens: 4, Images: []string{pixel}}
	for _, tt := range []struct {
		api    string
		prompt Prompt
		want   string // a body, or the beginning of an error
	}{
		{Chat, text, `{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true,"max_tokens":4}`},
		{Chat, turns, `{"model":"lora","messages":[{"role":"system","content":"be"},{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}],"stream":true,"max_tokens":4}`},
		{Chat, seen, `{"model":"m","messages":[{"role":"user","content":[{"image_url":{"url":"` + pixel + `"},"type":"image_url"},{"text":"look","type":"text"}]}],"stream":true,"max_tokens":4}`},
		{Completions, text, `{"model":"m","prompt":"hi","stream":true,"max_tokens":4}`},
		{Completions, turns, `{"model":"lora","prompt":"be\na\nb\nc\n","stream":true,"max_tokens":4}`},
		{Completions, seen, "error: a prompt with images"},
		{Responses, text, `{"model":"m","input":[{"role":"user","content":"hi"}],"stream":true,"store":false,"max_output_tokens":4}`},
		{Messages, text, `{"model":"m","messages":[{"role":"user","content":"hi"}],"max_tokens":4,"stream":true}`},
		{Messages, Prompt{Text: "hi"}, `{"model":"m","messages":[{"role":"user","content":"hi"}],"max_tokens":4096,"stream":true}`},
		{Messages, turns, `{"model":"lora","system":"be","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}],"max_tokens":4,"stream":true}`},
		{Messages, seen, `{"model":"m","messages":[{"role":"user","content":[{"source":{"data":"AAAA","media_type":"image/png","type":"base64"},"type":"image"},{"text":"look","type":"text"}]}],"max_tokens":4,"stream":true}`},
		{Messages, Prompt{Text: "x", Images: []string{"http://h/i.png"}}, "error: an image of a prompt is no data: URL"},
		{OllamaChat, text, `{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true,"options":{"num_predict":4}}`},
		{OllamaGenerate, Prompt{Text: "hi"}, `{"model":"m","prompt":"hi","stream":true}`},
		{OllamaChat, Prompt{Body: json.RawMessage(`{"messages":[],"options":{"seed":1,"num_predict":9}}`), MaxTokens: 4}, `{"messages":[],"model":"m","options":{"num_predict":4,"seed":1},"stream":true}`},
		{TGI, text, `{"inputs":"hi","parameters":{"max_new_tokens":4,"details":true}}`},
		{Embeddings, text, `{"model":"m","input":"hi"}`},
		{Embeddings, Prompt{Body: json.RawMessage(`{"input":["a","b"]}`)}, `{"input":["a","b"],"model":"m"}`},
		{Rerank, Prompt{Text: "Read a b c d e f g h i"}, `{"model":"m","query":"Which of these passages is about the sea?","documents":["Passage Read","Passage a","Passage b","Passage c d","Passage e","Passage f","Passage g","Passage h i"]}`},
		{Rerank, Prompt{Text: "Read"}, `{"model":"m","query":"Which of these passages is about the sea?","documents":["Passage","Passage","Passage","Passage","Passage","Passage","Passage","Passage Read"]}`},
	} {
		c, err := New(Endpoint{URL: "http://h", Model: "m", API: tt.api}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := c.Encode(tt.prompt, Dialect{})
		got := string(b)
		if err != nil {
			got = ("error: " + err.Error())
			got = got[:min(len(got), len(tt.want))]
		}
		if got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.api, got, tt.want)
		}
	}
}

// Anthropic takes the key by a name of its own, all others as OpenAI does.
func TestWhereTheKeyStands(t *testing.T) {
	for _, tt := range []struct{ url, api, bearer, own string }{
		{"https://api.anthropic.com", Messages, "", "k"},
		{"https://api.anthropic.com", Chat, "Bearer k", ""},
		{"http://vllm:8000", Messages, "Bearer k", ""},
		{"https://anthropic.com.example.org", Messages, "Bearer k", ""},
	} {
		c, err := New(Endpoint{URL: tt.url, API: tt.api, Key: NewKey("k")}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got, own := c.header.Get("Authorization"), c.header.Get("X-Api-Key"); got != tt.bearer || own != tt.own {
			t.Errorf("%s %s: Authorization %q, X-Api-Key %q", tt.url, tt.api, got, own)
		}
	}
}
