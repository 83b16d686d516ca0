package wire

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// server answers paths as given; an answer that begins with a number and a
// space has that status, and one that is missing is 404.
func server(t *testing.T, name string, answers map[string]string) (url string, asked *[]string) {
	t.Helper()
	var paths []string
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.Method+" "+r.URL.Path)
		if name != "" {
			w.Header().Set("Server", name)
		}
		answer, ok := answers[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		var status int
		if n, _ := fmt.Sscanf(answer, "%d ", &status); n == 1 {
			_, answer, _ = strings.Cut(answer, " ")
			w.WriteHeader(status)
		}
		io.WriteString(w, answer)
	}))
	t.Cleanup(h.Close)
	return h.URL, &paths
}

// A gateway that keeps its list to itself may be asked for a chat all the same.
func TestAnAPIIsTakenWhereTheListIsRefused(t *testing.T) {
	url, _ := server(t, "", map[string]string{"/v1/models": `403 {"error":"not yours"}`})
	found, err := client(t, url).Find(t.Context(), Auto)
	if err == nil || found.API != Chat {
		t.Errorf("API %q, error %v", found.API, err)
	}
	if found, _ := client(t, url).Find(t.Context(), Messages); found.API != Messages {
		t.Errorf("API %q in place of the one asked for", found.API)
	}
}

func TestFind(t *testing.T) {
	models := func(owner string) string { return `{"data":[{"id":"m","owned_by":"` + owner + `"}]}` }
	list := func(owner string) []Model { return []Model{{ID: "m", OwnedBy: owner}} }
	for _, tt := range []struct {
		name    string
		header  string
		answers map[string]string
		want    Found
	}{
		{"vllm", "uvicorn", map[string]string{"/v1/models": models("vllm"), "/version": `{"version":"0.32.0"}`}, Found{Chat, list("vllm"), "vllm", "0.32.0"}},
		{"assay-sim", "assay-sim", map[string]string{"/v1/models": models("vllm"), "/version": `{"version":"0.32.0"}`}, Found{Chat, list("vllm"), "assay-sim", "0.32.0"}},
		{"sglang", "", map[string]string{"/v1/models": models("sglang"), "/get_server_info": `{"version":"0.5.2","tp_size":2}`}, Found{Chat, list("sglang"), "sglang", "0.5.2"}},
		{"sglang under another owner", "", map[string]string{"/v1/models": models("me"), "/server_info": `{"version":"0.5.2","tp_size":2}`}, Found{Chat, list("me"), "sglang", "0.5.2"}},
		{"tensorrt-llm", "", map[string]string{"/v1/models": models("tensorrt_llm"), "/version": `{"version":"1.1.0"}`}, Found{Chat, list("tensorrt_llm"), "tensorrt-llm", "1.1.0"}},
		{"llama.cpp", "llama.cpp", map[string]string{"/v1/models": models("llamacpp"), "/props": `{"build_info":"b6400-abc","total_slots":4}`}, Found{Chat, list("llamacpp"), "llama.cpp", "b6400-abc"}},
		{"lmdeploy", "", map[string]string{"/v1/models": models("lmdeploy")}, Found{Chat, list("lmdeploy"), "lmdeploy", ""}},
		{"ollama", "", map[string]string{"/v1/models": models("library"), "/api/version": `{"version":"0.17.4"}`, "/api/tags": `{"models":[]}`}, Found{Chat, list("library"), "ollama", "0.17.4"}},
		{"ollama without OpenAI's API", "", map[string]string{"/api/version": `{"version":"0.1.20"}`, "/api/tags": `{"models":[{"name":"m:latest"},{"name":"two\nlines"}]}`}, Found{OllamaChat, []Model{{ID: "m:latest"}}, "ollama", "0.1.20"}},
		{"tgi", "", map[string]string{"/v1/models": models("m"), "/info": `{"model_id":"m","version":"3.3.7","router":"text-generation-router","max_total_tokens":4096}`}, Found{Chat, list("m"), "tgi", "3.3.7"}},
		{"tgi without OpenAI's API", "", map[string]string{"/info": `{"model_id":"m","version":"1.1.0","max_total_tokens":2048}`}, Found{TGI, []Model{{ID: "m", MaxModelLen: 2048}}, "tgi", "1.1.0"}},
		{"a gateway", "", map[string]string{"/v1/models": models("me")}, Found{Chat, list("me"), "", ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url, _ := server(t, tt.header, tt.answers)
			got, err := client(t, url).Find(t.Context(), Auto)
			if d := cmp.Diff(tt.want, got); d != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, d)
			}
		})
	}
}

func TestFindSaysWhatWasTried(t *testing.T) {
	url, _ := server(t, "", map[string]string{"/v1/models": "<html>hi</html>", "/info": `{"model_id":"m","model_type":{"embedding":{}}}`})
	found, err := client(t, url).Find(t.Context(), Auto)
	if err == nil || found.API != Chat {
		t.Fatalf("found %+v, %v", found, err)
	}
	for _, words := range []string{"GET /v1/models: HTTP 200 with an HTML page", "GET /api/tags: HTTP 404", "GET /info: HTTP 200, and not from"} {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("%q is not in: %s", words, err)
		}
	}
}

// A failure that every question would meet is told at once and as it is.
func TestFindStopsWhereAllFails(t *testing.T) {
	for _, answer := range []string{`401 {"error":"Unauthorized"}`, `503 {"error":"loading"}`} {
		url, asked := server(t, "", map[string]string{"/v1/models": answer})
		_, err := client(t, url).Find(t.Context(), Auto)
		if err == nil || !strings.Contains(err.Error(), "HTTP "+answer[:3]) || len(*asked) != 1 {
			t.Errorf("%v after %v", err, *asked)
		}
	}
}

// Each API asks for its models where they stand.
func TestFindOfAGivenAPI(t *testing.T) {
	url, _ := server(t, "", map[string]string{
		"/v1/models": `{"data":[{"id":"of openai"}]}`, "/api/tags": `{"models":[{"name":"of ollama"}]}`, "/info": `{"model_id":"of tgi","router":"r"}`,
	})
	for api, want := range map[string]string{Chat: "of openai", Embeddings: "of openai", Messages: "of openai", OllamaGenerate: "of ollama", TGI: "of tgi"} {
		got, err := client(t, url).Find(t.Context(), api)
		if err != nil || got.API != api || len(got.Models) != 1 || got.Models[0].ID != want {
			t.Errorf("%s: %+v, %v; want the model %q", api, got, err, want)
		}
	}
}

func TestInstead(t *testing.T) {
	for _, tt := range []struct {
		answers map[string]string
		want    string
	}{
		{map[string]string{"/v1/embeddings": `{"data":[{"embedding":[1]}]}`}, Embeddings},
		{map[string]string{"/v1/embeddings": `{"error":{"message":"no"}}`, "/v1/rerank": `{"results":[]}`}, Rerank},
		{map[string]string{"/v1/completions": `{"choices":[{"text":"x"}]}`, "/v1/embeddings": "400 no"}, Completions},
		{map[string]string{"/v1/chat/completions": `{}`}, ""},
	} {
		url, _ := server(t, "", tt.answers)
		if got := client(t, url).Instead(t.Context()); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.answers, got, tt.want)
		}
	}
}
