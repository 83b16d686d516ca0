package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// apiHandlers are small servers of the APIs that the simulated engine has not.
// They count a word for a token and give what was asked for.
var apiHandlers = map[string]http.HandlerFunc{
	"embedder": embedder,
	"ollama":   ollama,
	"tgi":      tgi,
	"old-chat": openAIStreams, // Responses and Messages beside a model list
}

// busy is how long a request and a token take.
const busy = 2 * time.Millisecond

type apiQuestion struct {
	Input     json.RawMessage            `json:"input"`
	Documents []string                   `json:"documents"`
	Messages  []struct{ Content string } `json:"messages"`
	Prompt    string                     `json:"prompt"`
	Inputs    string                     `json:"inputs"`
	MaxTokens int                        `json:"max_tokens"`
	MaxOutput int                        `json:"max_output_tokens"`
	Options   struct {
		NumPredict int `json:"num_predict"`
	} `json:"options"`
	Parameters struct {
		MaxNewTokens int `json:"max_new_tokens"`
	} `json:"parameters"`
}

// asked reads a question, and how many words its prompt has.
func asked(r *http.Request) (q apiQuestion, words int) {
	_ = json.NewDecoder(r.Body).Decode(&q)
	text := string(q.Input) + " " + q.Prompt + " " + q.Inputs + " " + strings.Join(q.Documents, " ")
	for _, m := range q.Messages {
		text += " " + m.Content
	}
	return q, len(strings.Fields(text))
}

func models(w http.ResponseWriter, r *http.Request) bool {
	if r.URL.Path == "/v1/models" {
		fmt.Fprint(w, `{"data":[{"id":"small"}]}`)
	}
	return r.URL.Path == "/v1/models"
}

func embedder(w http.ResponseWriter, r *http.Request) {
	if models(w, r) {
		return
	}
	q, words := asked(r)
	time.Sleep(busy)
	switch r.URL.Path {
	case "/v1/embeddings":
		fmt.Fprintf(w, `{"object":"list","data":[{"index":0,"embedding":[0.5,0.25]}],"usage":{"prompt_tokens":%d,"total_tokens":%d}}`, words, words)
	case "/v1/rerank":
		var scores []string
		for i := range q.Documents {
			scores = append(scores, fmt.Sprintf(`{"index":%d,"relevance_score":0.5}`, i))
		}
		fmt.Fprintf(w, `{"results":[%s],"usage":{"prompt_tokens":%d}}`, strings.Join(scores, ","), words)
	default:
		http.NotFound(w, r)
	}
}

// stream writes n pieces, each with a flush, and the end.
func stream(w http.ResponseWriter, n int, piece, end string) {
	for range n {
		time.Sleep(busy)
		fmt.Fprint(w, piece)
		w.(http.Flusher).Flush()
	}
	fmt.Fprint(w, end)
}

func ollama(w http.ResponseWriter, r *http.Request) {
	q, words := asked(r)
	end := fmt.Sprintf(`{"done":true,"done_reason":"length","prompt_eval_count":%d,"eval_count":%d}`+"\n", words, q.Options.NumPredict)
	switch r.URL.Path {
	case "/api/tags":
		fmt.Fprint(w, `{"models":[{"name":"small:latest"}]}`)
	case "/api/version":
		fmt.Fprint(w, `{"version":"0.17.4"}`)
	case "/api/chat":
		stream(w, q.Options.NumPredict, `{"message":{"role":"assistant","content":" x"},"done":false}`+"\n", end)
	case "/api/generate":
		stream(w, q.Options.NumPredict, `{"response":" x","done":false}`+"\n", end)
	default:
		http.NotFound(w, r)
	}
}

func tgi(w http.ResponseWriter, r *http.Request) {
	q, words := asked(r)
	token := `data:{"token":{"id":1,"text":" x","special":false},"generated_text":`
	switch r.URL.Path {
	case "/info":
		fmt.Fprint(w, `{"model_id":"small","version":"1.0.3","max_total_tokens":4096}`)
	case "/generate_stream":
		stream(w, q.Parameters.MaxNewTokens-1, token+"null,\"details\":null}\n\n",
			fmt.Sprintf(token+`"x","details":{"finish_reason":"length","generated_tokens":%d,"input_length":%d}}`+"\n\n", q.Parameters.MaxNewTokens, words))
	default:
		http.NotFound(w, r)
	}
}

func openAIStreams(w http.ResponseWriter, r *http.Request) {
	if models(w, r) {
		return
	}
	q, words := asked(r)
	switch r.URL.Path {
	case "/v1/responses":
		var turns []struct{ Content string }
		_ = json.Unmarshal(q.Input, &turns)
		if len(turns) > 0 {
			words = len(strings.Fields(turns[0].Content))
		}
		stream(w, q.MaxOutput, "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\" x\"}\n\n",
			fmt.Sprintf("event: response.incomplete\ndata: {\"type\":\"response.incomplete\",\"response\":{\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"max_output_tokens\"},\"usage\":{\"input_tokens\":%d,\"output_tokens\":%d}}}\n\n", words, q.MaxOutput))
	case "/v1/messages":
		if r.Header.Get("Anthropic-Version") == "" {
			http.Error(w, "no version", http.StatusBadRequest)
			return
		}
		fmt.Fprintf(w, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":%d,\"output_tokens\":1}}}\n\n", words)
		stream(w, q.MaxTokens, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\" x\"}}\n\n",
			fmt.Sprintf("event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"max_tokens\"},\"usage\":{\"output_tokens\":%d}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n", q.MaxTokens))
	default:
		http.NotFound(w, r)
	}
}
