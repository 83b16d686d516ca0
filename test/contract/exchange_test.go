package contract

import (
	"fmt"
	"mime"
	"net/http"
	"strings"
	"testing"
)

// exchange is one request whose whole answer is compared.
type exchange struct {
	name, method, path, body string
}

const (
	chatPath       = "/v1/chat/completions"
	completionPath = "/v1/completions"
	hello          = `"messages":[{"role":"user","content":"Hello, please count the words."}]`
)

// long is more tokens than the context has, for any tokenizer.
var long = strings.Repeat("word ", 2*contextLength)

var exchanges = []exchange{
	{"health", "GET", "/health", ""},
	{"ping", "GET", "/ping", ""},
	{"version", "GET", "/version", ""},
	{"models", "GET", "/v1/models", ""},
	{"load", "GET", "/load", ""},
	{"chat", "POST", chatPath, `{"model":"tiny",` + hello + `,"max_tokens":8,"ignore_eos":true}`},
	{"chat-two-choices", "POST", chatPath, `{"model":"tiny",` + hello + `,"max_tokens":4,"n":2,"ignore_eos":true}`},
	{"chat-no-model", "POST", chatPath, `{` + hello + `,"max_tokens":2,"ignore_eos":true}`},
	{"chat-max-completion-tokens", "POST", chatPath, `{"model":"tiny",` + hello + `,"max_completion_tokens":3,"ignore_eos":true}`},
	{"chat-unknown-field", "POST", chatPath, `{"model":"tiny",` + hello + `,"max_tokens":2,"ignore_eos":true,"no_such_field":1}`},
	{"completion", "POST", completionPath, `{"model":"tiny","prompt":"Hello world, please count","max_tokens":4,"ignore_eos":true}`},
	{"completion-default-length", "POST", completionPath, `{"model":"tiny","prompt":"Hello world","ignore_eos":true}`},
	{"completion-tokens", "POST", completionPath, `{"model":"tiny","prompt":[300,301,302],"max_tokens":2,"ignore_eos":true}`},
	{"tokenize", "POST", "/tokenize", `{"model":"tiny","prompt":"Hello world"}`},
	{"tokenize-chat", "POST", "/tokenize", `{"model":"tiny",` + hello + `}`},
	{"detokenize", "POST", "/detokenize", `{"model":"tiny","tokens":[300,301]}`},

	{"error-wrong-model", "POST", chatPath, `{"model":"nope",` + hello + `}`},
	{"error-wrong-model-stream", "POST", chatPath, `{"model":"nope","stream":true,` + hello + `}`},
	{"error-wrong-model-completion", "POST", completionPath, `{"model":"nope","prompt":"x"}`},
	{"error-bad-json", "POST", chatPath, `{"model":"tiny", bad`},
	{"error-empty-body", "POST", chatPath, ``},
	{"error-missing-messages", "POST", chatPath, `{"model":"tiny"}`},
	{"error-empty-messages", "POST", chatPath, `{"model":"tiny","messages":[],"max_tokens":2}`},
	{"error-max-tokens-0", "POST", chatPath, `{"model":"tiny",` + hello + `,"max_tokens":0}`},
	{"error-max-tokens-0-stream", "POST", chatPath, `{"model":"tiny",` + hello + `,"max_tokens":0,"stream":true}`},
	{"error-max-tokens-0-completion", "POST", completionPath, `{"model":"tiny","prompt":"x","max_tokens":0}`},
	{"error-max-tokens-negative", "POST", chatPath, `{"model":"tiny",` + hello + `,"max_tokens":-1}`},
	{"error-max-tokens-beyond-context", "POST", chatPath, `{"model":"tiny",` + hello + `,"max_tokens":100000}`},
	{"error-max-tokens-text", "POST", chatPath, `{"model":"tiny",` + hello + `,"max_tokens":"abc"}`},
	{"error-min-beyond-max-tokens", "POST", chatPath, `{"model":"tiny",` + hello + `,"max_tokens":2,"min_tokens":5}`},
	{"error-no-choices", "POST", chatPath, `{"model":"tiny",` + hello + `,"max_tokens":2,"n":0}`},
	{"error-temperature", "POST", chatPath, `{"model":"tiny",` + hello + `,"temperature":-1}`},
	{"error-stream-options-without-stream", "POST", chatPath, `{"model":"tiny",` + hello + `,"stream_options":{"include_usage":true}}`},
	{"error-token-out-of-vocabulary", "POST", completionPath, `{"model":"tiny","max_tokens":2,"prompt":[9999999]}`},
	{"error-over-long-chat", "POST", chatPath, `{"model":"tiny","max_tokens":5,"messages":[{"role":"user","content":"` + long + `"}]}`},
	{"error-over-long-chat-stream", "POST", chatPath, `{"model":"tiny","stream":true,"max_tokens":5,"messages":[{"role":"user","content":"` + long + `"}]}`},
	{"error-over-long-completion-stream", "POST", completionPath, `{"model":"tiny","stream":true,"max_tokens":5,"prompt":"` + long + `"}`},
	{"error-get-on-post", "GET", chatPath, ""},
	{"error-post-on-get", "POST", "/v1/models", "{}"},
	{"error-path", "GET", "/no/such/path", ""},
	{"error-model-path", "GET", "/v1/models/tiny", ""},
	{"error-root", "GET", "/", ""},
}

func testExchanges(t *testing.T, url string) {
	for _, x := range exchanges {
		t.Run(x.name, func(t *testing.T) {
			resp, body := call(t, x.method, url+x.path, x.body)
			shaped, err := shapeOfBody(body)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "exchange/"+x.name+".txt", head(resp)+shaped)
		})
	}
}

// head is the status and the media type: what a client goes by before the body.
func head(resp *http.Response) string {
	kind := resp.Header.Get("Content-Type")
	if parsed, _, err := mime.ParseMediaType(kind); err == nil {
		kind = parsed
	}
	return fmt.Sprintf("%d %s\n", resp.StatusCode, kind)
}
