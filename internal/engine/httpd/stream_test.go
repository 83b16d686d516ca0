package httpd

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"assay/internal/engine"
)

// event is one data line of a stream.
type event struct {
	at    time.Time
	raw   string
	chunk struct {
		Choices []struct {
			Index int
			Delta struct {
				Role             *string
				Content          *string
				Reasoning        *string
				ReasoningContent *string `json:"reasoning_content"`
			}
			Text         *string
			FinishReason *string `json:"finish_reason"`
			StopReason   any     `json:"stop_reason"`
		}
		Usage *struct {
			Prompt     int `json:"prompt_tokens"`
			Completion int `json:"completion_tokens"`
		}
		Error *struct {
			Message string
			Code    int
		}
	}
}

// stream reads an SSE answer to its end, or to the error that ends it.
func stream(t testing.TB, s *Server, path, body string) (events []event, err error) {
	t.Helper()
	answer, err := http.Post(s.URL()+path, "application/json", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("status %d", answer.StatusCode)
	}
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		e := event{at: time.Now(), raw: data}
		if data != "[DONE]" {
			if err := json.Unmarshal([]byte(data), &e.chunk); err != nil {
				t.Fatalf("event %q: %v", data, err)
			}
		}
		events = append(events, e)
	}
	return events, lines.Err()
}

// told is what a stream said, put together.
type told struct {
	text, reasoning, finish string
	stop                    any
	chunks, completion      int
	roles                   int
	done                    bool
	failure                 string
}

func tell(events []event) told {
	got := told{completion: -1}
	for _, e := range events {
		got.done = e.raw == "[DONE]"
		if e.chunk.Error != nil {
			got.failure = e.chunk.Error.Message
		}
		if u := e.chunk.Usage; u != nil {
			got.completion = u.Completion
		}
		for _, c := range e.chunk.Choices {
			add := func(to *string, s *string) {
				if s != nil && *s != "" {
					*to += *s
					got.chunks++
				}
			}
			add(&got.text, c.Delta.Content)
			add(&got.text, c.Text)
			add(&got.reasoning, c.Delta.Reasoning)
			add(&got.reasoning, c.Delta.ReasoningContent)
			if c.Delta.Role != nil {
				got.roles++
			}
			if c.FinishReason != nil {
				got.finish, got.stop = *c.FinishReason, c.StopReason
			}
		}
	}
	return got
}

const hello = `"messages":[{"role":"user","content":"Hello, please count the words."}]`

func read(t testing.TB, s *Server, body string) told {
	t.Helper()
	events, err := stream(t, s, chatPath, body)
	if err != nil {
		t.Fatal(err)
	}
	return tell(events)
}

func TestStreamSaysWhatWasAsked(t *testing.T) {
	s := serve(t, quick(), Options{})
	got := read(t, s, `{`+hello+`,"stream":true,"max_tokens":9,"stream_options":{"include_usage":true}}`)
	if got.chunks != 9 || got.completion != 9 || got.finish != "length" || !got.done || got.roles != 1 {
		t.Errorf("got %+v", got)
	}
	if words := strings.Fields(got.text); len(words) != 9 || !strings.HasPrefix(got.text, " ") {
		t.Errorf("text %q is not nine words", got.text)
	}
}

func TestChoicesInterleaveUnderTheirIndices(t *testing.T) {
	s := serve(t, quick(), Options{})
	events, err := stream(t, s, chatPath, `{`+hello+`,"stream":true,"max_tokens":4,"n":3,"stream_options":{"include_usage":true}}`)
	if err != nil {
		t.Fatal(err)
	}
	texts, order := map[int]string{}, ""
	for _, e := range events {
		for _, c := range e.chunk.Choices {
			if c.Delta.Role != nil {
				order += "r"
			} else if c.Delta.Content != nil {
				order += "c"
				texts[c.Index] += *c.Delta.Content
			}
		}
	}
	if order != "rrr"+strings.Repeat("c", 12) {
		t.Errorf("order of roles and contents: %s", order)
	}
	if texts[0] == texts[1] || texts[1] == texts[2] {
		t.Errorf("choices say the same: %v", texts)
	}
	if got := tell(events); got.completion != 12 {
		t.Errorf("usage counts %d tokens, want 12", got.completion)
	}
}

func TestSeedsRepeat(t *testing.T) {
	s := serve(t, quick(), Options{})
	text := func(more string) string { return read(t, s, `{`+hello+`,"stream":true,"max_tokens":20`+more+`}`).text }
	if a, b := text(`,"seed":5`), text(`,"seed":5`); a != b {
		t.Errorf("one seed, two texts: %q, %q", a, b)
	}
	if a, b := text(`,"temperature":0`), text(`,"temperature":0`); a != b {
		t.Errorf("greedy, two texts: %q, %q", a, b)
	}
	if a, b := text(`,"seed":5`), text(`,"seed":6`); a == b {
		t.Errorf("two seeds, one text: %q", a)
	}
	if a, b := text(``), text(``); a == b {
		t.Errorf("no seed, one text: %q", a)
	}
}

func TestStop(t *testing.T) {
	s := serve(t, quick(), Options{})
	whole := read(t, s, `{`+hello+`,"stream":true,"max_tokens":50,"seed":3}`).text
	words := strings.SplitAfter(whole, " ")
	stop := strings.TrimSpace(words[20]) + " " + strings.TrimSpace(words[21])[:1] // spans two tokens
	before, _, _ := strings.Cut(whole, stop)
	for _, streamed := range []string{"true", "false"} {
		body := `{` + hello + `,"stream":` + streamed + `,"max_tokens":50,"seed":3,"stop":["` + stop + `"]}`
		if streamed == "true" {
			if got := read(t, s, body); got.text != before || got.finish != "stop" || got.stop != stop {
				t.Errorf("stream: text %q, finish %s, stop %v; want %q, stop, %q", got.text, got.finish, got.stop, before, stop)
			}
			continue
		}
		_, answer := ask(t, s, http.MethodPost, chatPath, body)
		if !strings.Contains(answer, string(quoted(before))) || !strings.Contains(answer, `"stop_reason":`+string(quoted(stop))) {
			t.Errorf("whole: %s", answer)
		}
	}
	if got := read(t, s, `{`+hello+`,"stream":true,"max_tokens":50,"min_tokens":30,"seed":3,"stop":["`+stop+`"]}`); got.completion == 22 || len(strings.Fields(got.text)) < 30 {
		t.Errorf("min_tokens 30: %d words", len(strings.Fields(got.text)))
	}
}

func TestOverlongIsRefusedBeforeTheStream(t *testing.T) {
	cfg := quick()
	cfg.MaxModelLen = 100
	s := serve(t, cfg, Options{})
	for name, tc := range map[string]struct{ path, body, want string }{
		"text": {textPath, `{"stream":true,"max_tokens":5,"prompt":"` + strings.Repeat("word ", 150) + `"}`,
			`{"error":{"message":"This model's maximum context length is 100 tokens. However, your prompt contains at least 101 input tokens, which exceeds this limit even without any output tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=101)","type":"BadRequestError","param":"input_tokens","code":400}}`},
		"token ids": {textPath, `{"stream":true,"max_tokens":5,"prompt":[` + strings.Repeat("300,", 149) + `300]}`,
			`{"error":{"message":"max_tokens must be at least 1, got 0. (parameter=max_tokens, value=0)","type":"BadRequestError","param":"max_tokens","code":400}}`},
		"exactly the limit": {textPath, `{"stream":true,"max_tokens":5,"prompt":[` + strings.Repeat("300,", 99) + `300]}`,
			`{"error":{"message":"max_tokens must be at least 1, got 0. (parameter=max_tokens, value=0)","type":"BadRequestError","param":"max_tokens","code":400}}`},
	} {
		answer, body := ask(t, s, http.MethodPost, tc.path, tc.body)
		if answer.StatusCode != http.StatusBadRequest || body != tc.want {
			t.Errorf("%s: %d\n%s, want\n%s", name, answer.StatusCode, body, tc.want)
		}
	}
	events, err := stream(t, s, textPath, `{"stream":true,"max_tokens":50,"ignore_eos":true,"prompt":[`+strings.Repeat("300,", 97)+`300],"stream_options":{"include_usage":true}}`)
	if got := tell(events); err != nil || got.completion != 2 || got.finish != "length" {
		t.Errorf("98 tokens and 50 asked: %d tokens, %s, %v; want it cut to 2, in silence", got.completion, got.finish, err)
	}
}

// promptDetailsOf is what the last usage of an answer says of its prompt.
func promptDetailsOf(body string) string {
	_, after, _ := strings.Cut(body, `"prompt_tokens_details":`)
	details, _, _ := strings.Cut(after, "}")
	return details + "}"
}

// The answers to chats are those of a vLLM 0.32 whose blocks hold 16 tokens; see
// also the contract test.
func TestPromptTokensDetails(t *testing.T) {
	words := strings.Repeat("word ", 50) // 3 blocks, in a chat too
	chat := `{"messages":[{"role":"user","content":"` + words + `"}],"max_tokens":2,"ignore_eos":true`
	text := `{"prompt":"` + words + `","max_tokens":2,"ignore_eos":true`
	usage := `,"stream":true,"stream_options":{"include_usage":true}}`
	for name, tc := range map[string]struct{ path, body, first, again string }{
		"chat": {chatPath, chat + `}`,
			`{"cached_tokens":0,"created_cache_tokens":48,"multimodal_tokens":null}`, `{"cached_tokens":48,"created_cache_tokens":0,"multimodal_tokens":null}`},
		"chat stream": {chatPath, chat + usage,
			`{"cached_tokens":0,"created_cache_tokens":48}`, `{"cached_tokens":48,"created_cache_tokens":0}`},
		"chat, short": {chatPath, `{"messages":[{"role":"user","content":"Hi"}],"max_tokens":2,"ignore_eos":true}`,
			`{"cached_tokens":0,"created_cache_tokens":0,"multimodal_tokens":null}`, `{"cached_tokens":0,"created_cache_tokens":0,"multimodal_tokens":null}`},
		"chat, of two choices the last": {chatPath, chat + `,"n":2}`,
			`{"cached_tokens":48,"created_cache_tokens":0,"multimodal_tokens":null}`, `{"cached_tokens":48,"created_cache_tokens":0,"multimodal_tokens":null}`},
		"chat stream, of two choices the first": {chatPath, chat + `,"n":2` + usage,
			`{"cached_tokens":0,"created_cache_tokens":48}`, `{"cached_tokens":48,"created_cache_tokens":0}`},
		"completion": {textPath, text + `}`,
			`{"cached_tokens":0,"created_cache_tokens":null,"multimodal_tokens":null}`, `{"cached_tokens":48,"created_cache_tokens":null,"multimodal_tokens":null}`},
		"completion stream": {textPath, text + usage, `{"cached_tokens":0}`, `{"cached_tokens":48}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, quick(), Options{PromptTokensDetails: true})
			for i, want := range []string{tc.first, tc.again} {
				_, body := ask(t, s, http.MethodPost, tc.path, tc.body)
				if got := promptDetailsOf(body); got != want {
					t.Errorf("request %d: %s, want %s", i+1, got, want)
				}
			}
		})
	}
}

func TestTokenizeAgreesWithUsage(t *testing.T) {
	s := serve(t, quick(), Options{})
	for _, tc := range []struct{ path, ask string }{
		{textPath, `"prompt":"Extraordinary words, 12345 of them;\n\n  naïve ones"`},
		{chatPath, hello},
	} {
		var counted struct {
			Count  int
			Tokens []uint32
		}
		_, body := ask(t, s, http.MethodPost, "/tokenize", `{`+tc.ask+`}`)
		if err := json.Unmarshal([]byte(body), &counted); err != nil {
			t.Fatal(err)
		}
		var used struct {
			Usage struct {
				Prompt int `json:"prompt_tokens"`
			}
		}
		_, body = ask(t, s, http.MethodPost, tc.path, `{`+tc.ask+`,"max_tokens":1}`)
		if err := json.Unmarshal([]byte(body), &used); err != nil {
			t.Fatal(err)
		}
		if counted.Count != used.Usage.Prompt || counted.Count != len(counted.Tokens) || counted.Count == 0 {
			t.Errorf("%s: /tokenize counts %d, usage %d", tc.ask, counted.Count, used.Usage.Prompt)
		}
	}
}

func TestDetokenizeGivesBackWhatWasTokenized(t *testing.T) {
	s := serve(t, quick(), Options{})
	const text = "Extraordinary words, 12345 of them;\n\n  naïve ones"
	_, body := ask(t, s, http.MethodPost, "/tokenize", string(must(json.Marshal(map[string]any{"prompt": text}))))
	var ids struct {
		Tokens []uint32 `json:"tokens"`
	}
	if err := json.Unmarshal([]byte(body), &ids); err != nil {
		t.Fatal(err)
	}
	_, body = ask(t, s, http.MethodPost, "/detokenize", string(must(json.Marshal(ids))))
	if want := `{"prompt":` + string(quoted(text)) + `}`; body != want {
		t.Errorf("got %s, want %s", body, want)
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

func TestAPIKey(t *testing.T) {
	s := serve(t, quick(), Options{APIKey: "sesame"})
	for _, tc := range []struct {
		path, key string
		want      int
		body      string
	}{
		{"/v1/models", "", 401, `{"error":"Unauthorized"}`},
		{"/v1/models", "Bearer wrong", 401, `{"error":"Unauthorized"}`},
		{"/v1/nothing", "", 401, `{"error":"Unauthorized"}`},
		{"/v1/models", "bearer sesame", 200, ""},
		{"/admin/faults", "", 401, `{"error":"Unauthorized"}`},
		{"/admin/faults", "Bearer sesame", 200, ""},
		{"/health", "", 200, ""},
		{"/metrics", "", 200, ""},
	} {
		r, _ := http.NewRequest(http.MethodGet, s.URL()+tc.path, nil)
		if tc.key != "" {
			r.Header.Set("Authorization", tc.key)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, len(tc.body))
		_, _ = answer.Body.Read(b)
		answer.Body.Close()
		if answer.StatusCode != tc.want || string(b) != tc.body {
			t.Errorf("%s with key %q: %d %s, want %d %s", tc.path, tc.key, answer.StatusCode, b, tc.want, tc.body)
		}
	}
}

func TestRequestIDComesBack(t *testing.T) {
	s := serve(t, quick(), Options{})
	r, _ := http.NewRequest(http.MethodPost, s.URL()+chatPath, strings.NewReader(`{`+hello+`,"max_tokens":1}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Request-Id", "my-own-id-1")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var got struct{ ID string }
	if err := json.NewDecoder(answer.Body).Decode(&got); err != nil || got.ID != "chatcmpl-my-own-id-1" {
		t.Errorf("id %q, %v", got.ID, err)
	}
}

// slow is an engine that takes long enough for requests to be caught in flight.
func slow(step time.Duration) engine.Config {
	cfg := quick()
	cfg.Overheads.Step = step
	return cfg
}

func TestQueueLimit(t *testing.T) {
	cfg := slow(5 * time.Millisecond)
	cfg.MaxQueuedRequests = 1
	s := serve(t, cfg, Options{})
	first := open(t, s, `{`+hello+`,"stream":true,"max_tokens":8000}`)
	defer first.Body.Close()
	answer, body := ask(t, s, http.MethodPost, chatPath, `{`+hello+`,"stream":true}`)
	want := `{"error":{"message":"The engine is currently busy and cannot accept new requests. Please try again later or on a different instance.","type":"Service Unavailable","param":null,"code":503}}`
	if answer.StatusCode != 503 || body != want || answer.Header.Get("Retry-After") != "" {
		t.Errorf("%d %s", answer.StatusCode, body)
	}
	if got := value(scrape(t, s), "vllm:admission_rejections_total", "reason=max_num_queued_reqs"); got != 1 {
		t.Errorf("%g rejections counted, want 1", got)
	}
}

// open begins a stream and leaves it open; headers have come.
func open(t testing.TB, s *Server, body string) *http.Response {
	t.Helper()
	answer, err := http.Post(s.URL()+chatPath, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("status %d", answer.StatusCode)
	}
	return answer
}

// until waits for a condition that another goroutine brings about.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited a minute for %s", what)
		}
	}
}

func TestClientThatLeavesFreesItsBlocks(t *testing.T) {
	s := serve(t, slow(time.Millisecond), Options{})
	for _, streamed := range []string{"true", "false"} {
		ctx, leave := context.WithCancel(t.Context())
		r, _ := http.NewRequestWithContext(ctx, http.MethodPost, s.URL()+chatPath, strings.NewReader(`{`+hello+`,"stream":`+streamed+`,"max_tokens":8000}`))
		r.Header.Set("Content-Type", "application/json")
		go func() {
			if answer, err := http.DefaultClient.Do(r); err == nil {
				_, _ = io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
			}
		}()
		until(t, "the request to run", func() bool { return value(scrape(t, s), "vllm:num_requests_running") == 1 })
		leave()
		until(t, "the request to go", func() bool {
			m := scrape(t, s)
			return value(m, "vllm:num_requests_running") == 0 && value(m, "vllm:kv_cache_usage_perc") == 0
		})
	}
	if got := value(scrape(t, s), "vllm:request_success_total"); got != 0 {
		t.Errorf("%g requests counted as finished; vLLM counts none", got)
	}
}

func TestSpeed(t *testing.T) {
	body := `{` + hello + `,"stream":true,"ignore_eos":true,"max_tokens":20}`
	took := func(speed float64) time.Duration {
		s := serve(t, slow(20*time.Millisecond), Options{Speed: speed})
		began := time.Now()
		if got := read(t, s, body); got.chunks != 20 {
			t.Fatalf("%d tokens", got.chunks)
		}
		return time.Since(began)
	}
	if d := took(1); d < 390*time.Millisecond {
		t.Errorf("20 steps of 20 ms took %v in real time", d)
	}
	if d := took(20); d > 250*time.Millisecond {
		t.Errorf("the same at twenty times the speed took %v, want about 20 ms", d)
	}
	if _, err := Start(quick(), Options{Speed: -1}); err == nil {
		t.Error("a server starts with a negative speed")
	}
}
