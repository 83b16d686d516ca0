package contract

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// A stream of each kind. Outputs are long, so that there is a content chunk
// before the one that finishes, even where a busy server merges many tokens.
var streams = []exchange{
	{"chat", "POST", chatPath, `{"model":"tiny",` + hello + `,"max_tokens":100,"ignore_eos":true,"stream":true}`},
	{"chat-usage", "POST", chatPath, `{"model":"tiny",` + hello + `,"max_tokens":100,"ignore_eos":true,"stream":true,"stream_options":{"include_usage":true}}`},
	{"chat-continuous-usage", "POST", chatPath, `{"model":"tiny",` + hello + `,"max_tokens":100,"ignore_eos":true,"stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":true}}`},
	{"chat-continuous-usage-alone", "POST", chatPath, `{"model":"tiny",` + hello + `,"max_tokens":100,"ignore_eos":true,"stream":true,"stream_options":{"continuous_usage_stats":true}}`},
	{"chat-eos", "POST", chatPath, `{"model":"tiny",` + hello + `,"max_tokens":8,"stream":true,"logit_bias":{"1":100},"stream_options":{"include_usage":true}}`},
	{"completion", "POST", completionPath, `{"model":"tiny","prompt":"Hello world, please count","max_tokens":100,"ignore_eos":true,"stream":true}`},
	{"completion-usage", "POST", completionPath, `{"model":"tiny","prompt":"Hello world, please count","max_tokens":100,"ignore_eos":true,"stream":true,"stream_options":{"include_usage":true}}`},
	{"completion-continuous-usage", "POST", completionPath, `{"model":"tiny","prompt":"Hello world, please count","max_tokens":100,"ignore_eos":true,"stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":true}}`},
}

// testStreams compares the order and the shape of the chunks. Several tokens
// may share a chunk, so equal chunks in a row count as one.
func testStreams(t *testing.T, url string) {
	for _, x := range streams {
		t.Run(x.name, func(t *testing.T) {
			resp, body := call(t, x.method, url+x.path, x.body)
			var b strings.Builder
			b.WriteString(head(resp))
			last := ""
			for _, data := range events(t, body) {
				if data != "[DONE]" {
					shaped, err := shapeOfBody([]byte(data))
					if err != nil {
						t.Fatal(err)
					}
					data = shaped
				}
				if data != last {
					b.WriteString("data: " + data)
				}
				last = data
			}
			golden(t, "stream/"+x.name+".txt", b.String()+"\n")
		})
	}
}

// events splits a stream the way both servers frame it, strictly: `data: `,
// one line, one empty line.
func events(t *testing.T, body []byte) []string {
	t.Helper()
	text, ok := strings.CutSuffix(string(body), "\n\n")
	if !ok {
		t.Fatalf("the stream does not end with an empty line: %.300q", body)
	}
	var out []string
	for event := range strings.SplitSeq(text, "\n\n") {
		data, ok := strings.CutPrefix(event, "data: ")
		if !ok || strings.Contains(data, "\n") {
			t.Fatalf("an event is not one line of data: %q", event)
		}
		out = append(out, data)
	}
	return out
}

// chunks are the events of a stream that must end in [DONE], without it.
func chunks(t *testing.T, url string, body object) []answer {
	t.Helper()
	resp, out := call(t, http.MethodPost, url, encode(t, body))
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("POST %s: %s: %.300s", url, resp.Status, out)
	}
	all := events(t, out)
	if all[len(all)-1] != "[DONE]" {
		t.Fatalf("the stream ends with %q, not [DONE]", all[len(all)-1])
	}
	got := make([]answer, len(all)-1)
	for i, data := range all[:len(all)-1] {
		if err := json.Unmarshal([]byte(data), &got[i]); err != nil {
			t.Fatalf("chunk %d: %v: %s", i, err, data)
		}
	}
	return got
}

func finish(c answer) string {
	if len(c.Choices) == 0 || c.Choices[0].FinishReason == nil {
		return ""
	}
	return *c.Choices[0].FinishReason
}
