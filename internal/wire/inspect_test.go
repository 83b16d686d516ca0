package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// strict is a server that refuses fields, and says so in its own way.
type strict struct {
	refused  []string
	silent   bool // does not name what it refuses
	perChunk int  // tokens in each chunk
	requests int
}

func (s *strict) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests++
	body, _ := io.ReadAll(r.Body)
	for _, name := range s.refused {
		if !strings.Contains(string(body), `"`+name+`"`) {
			continue
		}
		w.WriteHeader(http.StatusBadRequest)
		if s.silent {
			name = "an argument"
		}
		fmt.Fprintf(w, `{"error":{"message":"Unrecognized: %s"}}`, name)
		return
	}
	var asked struct {
		Old           int `json:"max_tokens"`
		New           int `json:"max_completion_tokens"`
		StreamOptions struct {
			Usage      bool `json:"include_usage"`
			Continuous bool `json:"continuous_usage_stats"`
		} `json:"stream_options"`
	}
	_ = json.Unmarshal(body, &asked)
	for n := s.perChunk; n <= max(asked.Old, asked.New); n += s.perChunk {
		usage := ""
		if asked.StreamOptions.Continuous {
			usage = fmt.Sprintf(`,"usage":{"prompt_tokens":3,"completion_tokens":%d}`, n)
		}
		fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":{"content":"x"}}]%s}`+"\n\n", usage)
	}
	fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}`+"\n\n")
	if asked.StreamOptions.Usage {
		fmt.Fprintf(w, `data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":%d}}`+"\n\n", max(asked.Old, asked.New))
	}
	fmt.Fprint(w, done)
}

func TestInspectNegotiates(t *testing.T) {
	all := Dialect{IncludeUsage: true, IgnoreEOS: true, MinTokens: true, MaxTokensField: maxTokens}
	but := func(change func(*Dialect)) Dialect {
		d := all
		change(&d)
		return d
	}
	for _, tt := range []struct {
		name     string
		server   strict
		want     Dialect
		requests int
		remark   string
	}{
		{"takes all", strict{}, all, 1, ""},
		{"several tokens in a chunk", strict{perChunk: 4}, but(func(d *Dialect) { d.ContinuousUsage = true }), 1, ""},
		{"no continuous usage", strict{refused: []string{"continuous_usage_stats"}, perChunk: 4}, all, 2, "continuous_usage_stats"},
		{"no lengths", strict{refused: []string{"ignore_eos", "min_tokens"}}, but(func(d *Dialect) { d.IgnoreEOS, d.MinTokens = false, false }), 3, "the model's own"},
		{"the newer name of the length", strict{refused: []string{"max_tokens"}}, but(func(d *Dialect) { d.MaxTokensField = maxCompletionTokens }), 2, "max_completion_tokens is sent"},
		{"no usage", strict{refused: []string{"stream_options"}}, but(func(d *Dialect) { d.IncludeUsage = false }), 2, "sends no usage"},
		{"one field that it does not name", strict{refused: []string{"ignore_eos"}, silent: true}, but(func(d *Dialect) { d.IgnoreEOS, d.MinTokens = false, false }), 4, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.server.perChunk = max(1, tt.server.perChunk)
			h := httptest.NewServer(&tt.server)
			defer h.Close()
			in, err := client(t, h.URL).Inspect(t.Context(), Prompt{Text: "hi"})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, in.Dialect); diff != "" {
				t.Errorf("dialect (-want +got):\n%s", diff)
			}
			if tt.server.requests != tt.requests {
				t.Errorf("%d requests, want %d", tt.server.requests, tt.requests)
			}
			if tt.remark != "" && !strings.Contains(strings.Join(in.Remarks, "; "), tt.remark) {
				t.Errorf("remarks %q, want one about %q", in.Remarks, tt.remark)
			}
			if in.Buffered {
				t.Error("an answer that took no time is taken for buffered")
			}
		})
	}
}

func TestInspectSeesABufferedStream(t *testing.T) {
	const thinking = 2 * bufferedAfter
	var long []string
	for range 40 { // 5 kB: more than one read of the client's
		long = append(long, content("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"))
	}
	all := strings.Join(long, "")
	for _, tt := range []struct {
		name   string
		events []string
		want   bool
	}{
		{"all at once", []string{all + last + done}, true},
		{"as they come", []string{content("a"), content("b"), content("c"), content("d"), last, done}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in, err := client(t, listen(t, slowly(thinking, tt.events...)).url).Inspect(t.Context(), Prompt{Text: "hi"})
			if err != nil {
				t.Fatal(err)
			}
			if in.Buffered != tt.want {
				t.Errorf("buffered: %v, want %v (%d reads)", in.Buffered, tt.want, in.Facts.Reads)
			}
		})
	}
}

func TestWhyATargetCannotBeMeasured(t *testing.T) {
	held := make(chan struct{})
	defer close(held)
	answer := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	for _, tt := range []struct {
		name   string
		key    string
		handle http.HandlerFunc
		kind   string
		words  string
		hint   string
	}{
		{"no key", "", answer(401, "text/plain", "who are you"), KindUnauthorized, "who are you", "ASSAY_API_KEY"},
		{"a wrong key", "k", answer(403, "text/plain", ""), KindUnauthorized, "403", "refuses the key that was sent"},
		{"a wrong model", "", answer(404, "application/json", `{"error":{"message":"The model m does not exist."}}`), KindNotFound, "does not exist", "--model"},
		{"a web page", "", answer(200, "text/html", "<html>"), KindNotAStream, "an HTML page", "base URL"},
		{"overload", "", answer(429, "text/plain", "slow down"), KindRateLimited, "slow down", "sheds load"},
		{"refuses everything", "", answer(400, "text/plain", "no"), KindBadRequest, "no", ""},
		{"silence", "", func(http.ResponseWriter, *http.Request) { <-held }, KindStall, "no byte", "--stall-timeout"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := httptest.NewServer(tt.handle)
			t.Cleanup(h.CloseClientConnections)
			c := client(t, h.URL, withKey(tt.key), limits(200*time.Millisecond, 5*time.Second))
			_, err := c.Inspect(t.Context(), Prompt{Text: "hi"})
			var target *TargetError
			if !errors.As(err, &target) {
				t.Fatalf("got %v, want a TargetError", err)
			}
			if target.Cause.Kind != tt.kind || !strings.Contains(err.Error(), tt.words) || !strings.Contains(target.Hint(), tt.hint) {
				t.Errorf("got %s: %s (%s); want %s: %s (%s)", target.Cause.Kind, err, target.Hint(), tt.kind, tt.words, tt.hint)
			}
		})
	}
}

func TestQuestions(t *testing.T) {
	var keys []string
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.Header.Get("Authorization"))
		io.WriteString(w, `{"data":[{"id":"m","max_model_len":4096,"owned_by":"vllm"},{"id":"lora"}]}`)
	})
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, `{"version":"0.32.0"}`) })
	mux.HandleFunc("POST /tokenize", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, `{"count":%d}`, strings.Count(string(body), "x"))
	})
	h := httptest.NewServer(mux)
	defer h.Close()
	c := client(t, h.URL+"/v1", withKey("k"))
	models, err := c.Models(t.Context())
	want := []Model{{ID: "m", MaxModelLen: 4096, OwnedBy: "vllm"}, {ID: "lora"}}
	if diff := cmp.Diff(want, models); diff != "" || err != nil {
		t.Errorf("models: %v\n%s", err, diff)
	}
	if name, version := c.Engine(t.Context(), models); name != "vllm" || version != "0.32.0" {
		t.Errorf("engine %q %q", name, version)
	}
	if n, err := c.Tokenize(t.Context(), Prompt{Text: "x x x"}); n != 3 || err != nil {
		t.Errorf("got %d tokens, %v; want 3", n, err)
	}
	if !slices.Equal(keys, []string{"Bearer k"}) {
		t.Errorf("keys %q", keys)
	}
}

// A key must not follow a redirect, nor stand in what a question says of it.
func TestQuestionsKeepTheKey(t *testing.T) {
	var elsewhere int
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	defer other.Close()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/"+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), http.StatusTemporaryRedirect)
	}))
	defer h.Close()
	_, err := client(t, h.URL, withKey("sk-very-secret")).Models(t.Context())
	if err == nil || elsewhere != 0 || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "redirects to "+other.URL) {
		t.Errorf("got %v, %d requests elsewhere", err, elsewhere)
	}
}
