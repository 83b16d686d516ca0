package contract

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

var client = &http.Client{Timeout: time.Minute}

// call sends one request and reads the whole answer.
func call(t *testing.T, method, url, body string) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, out
}

// post sends a body that must be answered with 200, and decodes the answer.
func post[T any](t *testing.T, url string, body any) T {
	t.Helper()
	resp, out := call(t, http.MethodPost, url, encode(t, body))
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("POST %s: %s: %.300s", url, resp.Status, out)
	}
	var v T
	if err := json.Unmarshal(out, &v); err != nil {
		t.Fatalf("POST %s: %v: %.300q", url, err, out)
	}
	return v
}

func encode(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// object is a JSON object in a request.
type object = map[string]any

// usage is what vLLM counts.
type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
	Details    *struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// choice has the fields of a whole answer and of a chunk, of both APIs.
type choice struct {
	Index   int    `json:"index"`
	Text    string `json:"text"`
	Message struct {
		Content string `json:"content"`
	} `json:"message"`
	Delta struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"delta"`
	FinishReason *string `json:"finish_reason"`
}

type answer struct {
	ID      string   `json:"id"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage"`
}

func user(text string) []object { return []object{{"role": "user", "content": text}} }
