package httpd

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"assay/internal/engine"

	"github.com/google/go-cmp/cmp"
)

// quick is an engine whose steps take next to no time.
func quick() engine.Config {
	cfg := engine.Demo()
	cfg.Overheads = engine.Overheads{}
	cfg.BandwidthScale, cfg.ComputeScale = 100, 100
	cfg.EOSProbability = 0
	return cfg
}

func serve(t testing.TB, cfg engine.Config, opt Options) *Server {
	t.Helper()
	s, err := Start(cfg, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // closes at once what a test left open
		_ = s.Shutdown(ctx)
	})
	return s
}

// ask sends a request and reads the whole answer.
func ask(t testing.TB, s *Server, method, path, body string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, s.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(b)
}

const (
	chatPath = "/v1/chat/completions"
	textPath = "/v1/completions"
)

// varying is what differs from one answer to the next, and what stands in its place.
var varying = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`"id":"(chatcmpl|cmpl|modelperm)-[0-9a-z-]+?"`), `"id":"$1-X"`},
	{regexp.MustCompile(`"created":\d+`), `"created":0`},
	{regexp.MustCompile(`"(content|text)":"(?:[^"\\]|\\.)+"`), `"$1":"X"`},
	{regexp.MustCompile(`"system_fingerprint":"[^"]*"`), `"system_fingerprint":"X"`},
	{regexp.MustCompile(`"(prompt_tokens|total_tokens)":\d+`), `"$1":0`},
	{regexp.MustCompile(`"count":\d+`), `"count":0`},
	{regexp.MustCompile(`"root":"[^"]*"`), `"root":"X"`},
	{regexp.MustCompile(`"tokens":\[[0-9,]*\]`), `"tokens":[X]`},
	{regexp.MustCompile(`"token_strs":\["[^\]]*\]`), `"token_strs":[X]`},
	// What pydantic and encoding/json say about the same mistake.
	{regexp.MustCompile(`"message":"1 validation error:.*?","type"`), `"message":"1 validation error","type"`},
	{regexp.MustCompile(`"param":"body\.\d+"`), `"param":"body.N"`},
}

func shape(s string) string {
	for _, v := range varying {
		s = v.pattern.ReplaceAllString(s, v.with)
	}
	return s
}

// TestAnswersHaveTheShapeOfVLLM holds answers against those that a vLLM 0.32
// gave to the same requests, byte for byte but for what varies.
func TestAnswersHaveTheShapeOfVLLM(t *testing.T) {
	s := serve(t, quick(), Options{ServedModel: "tiny"})
	files, err := filepath.Glob("testdata/vllm-0.32/*.txt")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d answers to compare with, %v", len(files), err)
	}
	gets := map[string]string{
		"get-health": "/health", "get-ping": "/ping", "get-version": "/version", "get-models": "/v1/models",
		"get-load": "/load", "get-models-one": "/v1/models/tiny", "get-root": "/", "err-405": chatPath,
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(unframed(raw))), nil)
			if err != nil {
				t.Fatal(err)
			}
			wantBody, _ := io.ReadAll(want.Body)
			var got *http.Response
			var body string
			if path, ok := gets[name]; ok {
				got, body = ask(t, s, http.MethodGet, path, "")
			} else {
				request, err := os.ReadFile(strings.TrimSuffix(file, ".txt") + ".req.json")
				if err != nil {
					t.Fatal(err)
				}
				path := chatPath
				switch {
				case strings.HasPrefix(name, "tokenize"):
					path = "/tokenize"
				case strings.HasPrefix(name, "compl"), strings.HasSuffix(name, "compl"), strings.Contains(name, "token-id"):
					path = textPath
				}
				got, body = ask(t, s, http.MethodPost, path, string(request))
			}
			if got.StatusCode != want.StatusCode {
				t.Errorf("status %d, want %d", got.StatusCode, want.StatusCode)
			}
			if g, w := got.Header.Get("Content-Type"), want.Header.Get("Content-Type"); len(wantBody) > 0 && g != w {
				t.Errorf("content type %q, want %q", g, w)
			}
			if g := got.Header.Get("Server"); g != serverName {
				t.Errorf("server %q does not say that this is no vLLM", g)
			}
			if diff := cmp.Diff(strings.Split(shape(string(wantBody)), "\n"), strings.Split(shape(body), "\n")); diff != "" {
				t.Errorf("body (-vLLM +simulator):\n%s", diff)
			}
		})
	}
}

// unframed drops the header of a framing that curl has already undone.
func unframed(b []byte) []byte {
	head, body, _ := strings.Cut(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n\n")
	head = regexp.MustCompile(`(?im)^(transfer-encoding|content-length):.*\n?`).ReplaceAllString(head+"\n", "")
	return []byte(head + "\n" + body)
}
