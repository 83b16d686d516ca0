package nullserver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func serve(t *testing.T, o Options) *Server {
	t.Helper()
	s, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

// post gives the data of each event of the answer.
func post(t *testing.T, url, id, body string) (status int, events []string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Request-Id", id)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			events = append(events, data)
		}
	}
	return resp.StatusCode, events
}

func TestStreamsWhatWasAsked(t *testing.T) {
	url := serve(t, Options{Tokens: 3, Model: "m"}).URL()
	type chunk struct {
		Choices []struct {
			Delta        struct{ Content string }
			Text         string
			FinishReason string `json:"finish_reason"`
		}
		Usage *struct {
			Prompt     int `json:"prompt_tokens"`
			Completion int `json:"completion_tokens"`
		}
	}
	for _, c := range []struct {
		name, path, body string
		tokens, prompt   int // prompt 0: no usage is sent
	}{
		{"chat, its own length", "/v1/chat/completions", `{"stream":true,"messages":[{"role":"user","content":"a b"}]}`, 3, 0},
		{"chat with usage", "/v1/chat/completions", `{"stream":true,"max_tokens":5,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"a b"},{"content":"c"}]}`, 5, 3},
		{"the newer name of the length", "/v1/chat/completions", `{"stream":true,"max_completion_tokens":2,"messages":[]}`, 2, 0},
		{"completions, one token", "/v1/completions", `{"stream":true,"max_tokens":1,"stream_options":{"include_usage":true},"prompt":"a b c d"}`, 1, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, events := post(t, url+c.path, "r", c.body)
			if status != http.StatusOK || len(events) == 0 || events[len(events)-1] != "[DONE]" {
				t.Fatalf("got HTTP %d with %q, want a stream that ends in [DONE]", status, events)
			}
			tokens, prompt, finish := 0, 0, ""
			for _, e := range events[:len(events)-1] {
				var got chunk
				if err := json.Unmarshal([]byte(e), &got); err != nil {
					t.Fatalf("event %s: %v", e, err)
				}
				if u := got.Usage; u != nil {
					prompt = u.Prompt
					if u.Completion != c.tokens {
						t.Errorf("usage says %d tokens, want %d", u.Completion, c.tokens)
					}
				}
				for _, ch := range got.Choices {
					if ch.Delta.Content+ch.Text != "" {
						tokens++
					}
					finish += ch.FinishReason
				}
			}
			if tokens != c.tokens || prompt != c.prompt || finish != "length" {
				t.Errorf("got %d tokens, %d prompt tokens, finish %q; want %d, %d, length", tokens, prompt, finish, c.tokens, c.prompt)
			}
		})
	}
}

// A stream that fails began with 200 and ends in [DONE]: only the error object
// in it tells, and the connection serves the next request.
func TestEveryNthAnswerDiesHalfWay(t *testing.T) {
	s := serve(t, Options{Tokens: 8, FailEvery: 3})
	for i := range 6 {
		status, events := post(t, s.URL()+"/v1/chat/completions", fmt.Sprint("r", i), `{"stream":true,"messages":[]}`)
		if status != http.StatusOK || len(events) < 2 || events[len(events)-1] != "[DONE]" {
			t.Fatalf("answer %d: got HTTP %d with %q, want a stream that ends in [DONE]", i, status, events)
		}
		failed := strings.HasPrefix(events[len(events)-2], `{"error":`)
		tokens := strings.Count(strings.Join(events, ""), `" null"`)
		if want := i%3 == 2; failed != want || (failed && tokens != 4) || (!failed && tokens != 8) {
			t.Errorf("answer %d: failed %v after %d tokens, want failed %v", i, failed, tokens, want)
		}
	}
	if l := s.Ledger(); l.Completed != 4 || l.Failed != 2 || l.TTFT.N != 4 || !l.Entries[5].Failed || l.Entries[5].Tokens != 4 {
		t.Errorf("got %+v", l)
	}
}

func TestRefusals(t *testing.T) {
	url := serve(t, Options{}).URL()
	for path, body := range map[string]string{
		"/v1/chat/completions": `{"messages":[]}`, // not a stream
		"/v1/completions":      `{`,
	} {
		if status, _ := post(t, url+path, "", body); status != http.StatusBadRequest {
			t.Errorf("POST %s %s: got HTTP %d, want 400", path, body, status)
		}
	}
	if status, _ := post(t, url+"/v2", "", "{}"); status != http.StatusNotFound {
		t.Errorf("POST /v2: got HTTP %d, want 404", status)
	}
}

// The clock of a bubble moves only when all wait, so moments are exact.
func TestMomentsAreAbsolute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(Options{TTFT: 50 * time.Millisecond, ITL: 10 * time.Millisecond})
		client, server := net.Pipe()
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.converse(server)
		}()
		body := `{"stream":true,"max_tokens":4,"messages":[]}`
		fmt.Fprintf(client, "POST /v1/chat/completions HTTP/1.1\r\nHost: h\r\nX-Request-Id: one\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		r := bufio.NewReader(client)
		if _, err := r.Peek(1); err != nil {
			t.Fatal(err)
		}
		// A pipe has no buffer: this holds up the second token, and must not
		// move the later ones.
		if _, err := r.Discard(r.Buffered()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(15 * time.Millisecond)
		resp := make(chan error, 1)
		go func() {
			_, err := io.Copy(io.Discard, r)
			resp <- err
		}()
		time.Sleep(time.Second)
		client.Close()
		<-done
		<-resp
		want := []Entry{{ID: "one", Received: 0, First: 50 * time.Millisecond, Last: 80 * time.Millisecond, Tokens: 4}}
		if diff := cmp.Diff(want, s.Ledger().Entries); diff != "" {
			t.Error(diff)
		}
	})
}

func TestLedgerOverHTTP(t *testing.T) {
	s := serve(t, Options{Tokens: 2})
	url := s.URL()
	for i := range 3 {
		post(t, url+"/v1/completions", fmt.Sprint("r", i), `{"stream":true,"prompt":"a"}`)
		if got := s.Ledger().Completed; got != i+1 {
			t.Errorf("%d answers in the ledger once the client has read %d", got, i+1)
		}
	}
	get := func(method, path string) Ledger {
		t.Helper()
		req, _ := http.NewRequest(method, url+path, nil)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var l Ledger
		if err := json.NewDecoder(resp.Body).Decode(&l); err != nil {
			t.Fatal(err)
		}
		return l
	}
	l := get(http.MethodGet, "/ledger?entries")
	if l.Completed != 3 || l.Tokens != 6 || l.TTFT.N != 3 || l.ITL.N != 3 || len(l.Entries) != 3 || l.Entries[2].ID != "r2" || l.MostOpen != 1 {
		t.Errorf("got %+v", l)
	}
	if l := get(http.MethodGet, "/ledger"); l.Completed != 3 || l.Entries != nil {
		t.Errorf("without entries: got %+v", l)
	}
	get(http.MethodDelete, "/ledger")
	if l := get(http.MethodGet, "/ledger"); l.Completed != 0 {
		t.Errorf("after a reset: got %+v", l)
	}
}

func TestAnAnswerThatCloseEndsIsBroken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(Options{TTFT: time.Hour})
		client, server := net.Pipe()
		defer client.Close()
		if !s.add(server) {
			t.Fatal("a new server takes no connection")
		}
		go func() {
			defer s.remove(server)
			s.converse(server)
		}()
		body := `{"stream":true,"messages":[]}`
		fmt.Fprintf(client, "POST /v1/chat/completions HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		synctest.Wait()
		s.Close()
		if l := s.Ledger(); l.Broken != 1 || l.Completed != 0 {
			t.Errorf("got %d broken, %d completed; want 1, 0", l.Broken, l.Completed)
		}
	})
}
