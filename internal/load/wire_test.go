package load

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"assay/internal/record"
	"assay/internal/spec"
	"assay/internal/wire"
)

// streamer answers chat requests with as many chunks as tokens are asked, and
// counts words as tokens.
func streamer(open, highest *atomic.Int64) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		n := open.Add(1)
		defer open.Add(-1)
		for old := highest.Load(); n > old && !highest.CompareAndSwap(old, n); old = highest.Load() {
		}
		var body struct {
			Messages  []struct{ Content string }
			MaxTokens int `json:"max_tokens"`
		}
		if r.URL.Path != "/gateway/v1/chat/completions" || json.NewDecoder(r.Body).Decode(&body) != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for range body.MaxTokens {
			fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"x"}}]}`+"\n\n")
			w.(http.Flusher).Flush()
			time.Sleep(200 * time.Microsecond)
		}
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}`+"\n\n")
		fmt.Fprintf(w, `data: {"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`+"\n\ndata: [DONE]\n\n",
			7+len(strings.Fields(body.Messages[0].Content)), body.MaxTokens)
	}
}

// The whole way: count, calibrate, encode, send, read, record.
func TestLevelsOverHTTP(t *testing.T) {
	var open, highest atomic.Int64
	server := httptest.NewServer(streamer(&open, &highest))
	defer server.Close()
	client, err := wire.New(wire.Endpoint{URL: server.URL + "/gateway", Model: "m", API: wire.Chat}, wire.Options{Epoch: time.Now(), Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	dialect := wire.Dialect{IncludeUsage: true}
	count, how, err := FindCounter(t.Context(), client, dialect)
	if err != nil || how != CountsByUsage {
		t.Fatalf("counts by %q, error %v", how, err)
	}
	calibration, err := Calibrate(t.Context(), count, 32, 32)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []Level{
		{ID: "c", Concurrency: 8, Requests: 100},
		{ID: "r", Rate: 400, Requests: 100},
	} {
		highest.Store(0)
		measured := 0
		r := &Runner{
			Client: client, Encode: Encoder(client, dialect), RunID: "run",
			Source: NewSynthetic(calibration, spec.Fixed(32), spec.Fixed(10), Prefixes{}, "run", l.ID),
			OnRequest: func(q record.Request) {
				if q.Error != "" {
					t.Errorf("%s: %s: %s", q.ID, q.Error, q.Detail)
					return
				}
				if *q.PromptTokens != 32 || q.AskedPrompt != 32 {
					t.Errorf("prompt of %d tokens, asked %d, want 32", *q.PromptTokens, q.AskedPrompt)
				}
				if len(q.ChunkUS) != *q.OutputTokens || *q.OutputTokens != q.AskedOutput {
					t.Errorf("%d chunks, %d tokens, %d asked", len(q.ChunkUS), *q.OutputTokens, q.AskedOutput)
				}
				if q.Phase == record.Measured {
					measured++
				}
			},
		}
		result, err := r.Run(t.Context(), l)
		if err != nil {
			t.Fatal(err)
		}
		if measured != 100 || result.Requests.Completed != 100 {
			t.Errorf("level %s: %d records of measured requests, counted %+v; want 100", l.ID, measured, result.Requests)
		}
		if got := highest.Load(); l.Concurrency > 0 && got != int64(l.Concurrency) {
			t.Errorf("the server saw %d requests at once, want %d", got, l.Concurrency)
		}
	}
}
