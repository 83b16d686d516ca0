package httpd

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// inFlight starts a stream and a whole answer of that many tokens and waits
// until the engine runs both.
func inFlight(t *testing.T, s *Server, tokens string) (streamed, whole <-chan string) {
	t.Helper()
	run := func(more string) <-chan string {
		answered := make(chan string, 1)
		go func() {
			answer, err := http.Post(s.URL()+chatPath, "application/json", strings.NewReader(`{`+hello+`,"ignore_eos":true,"max_tokens":`+tokens+more+`}`))
			if err != nil {
				answered <- err.Error()
				return
			}
			defer answer.Body.Close()
			b, err := io.ReadAll(answer.Body)
			if err != nil {
				b = append(b, err.Error()...)
			}
			answered <- string(b)
		}()
		return answered
	}
	streamed = run(`,"stream":true,"stream_options":{"include_usage":true}`)
	whole = run(``)
	until(t, "both to run", func() bool { return value(scrape(t, s), "vllm:num_requests_running") == 2 })
	return streamed, whole
}

func TestTerminateAtOnceEndsStreamsThatLookWell(t *testing.T) {
	s := serve(t, slow(time.Millisecond), Options{})
	streamed, whole := inFlight(t, s, "8000")
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := <-streamed
	if !strings.Contains(got, `"delta":{"content":""},"logprobs":null,"finish_reason":"abort","stop_reason":null`) ||
		!strings.Contains(got, `"usage":{"prompt_tokens"`) || !strings.HasSuffix(got, "data: [DONE]\n\n") {
		t.Errorf("the stream ends in …%s", got[max(0, len(got)-600):])
	}
	if got := <-whole; !strings.Contains(got, `"finish_reason":"abort"`) {
		t.Errorf("the whole answer is %.300s", got)
	}
	if _, err := http.Get(s.URL() + "/health"); err == nil {
		t.Error("the port still answers")
	}
}

func TestTerminateWithTimeLetsWorkFinish(t *testing.T) {
	s := serve(t, slow(time.Millisecond), Options{})
	streamed, whole := inFlight(t, s, "300")
	s.Terminate(20 * time.Second)
	if answer, _ := ask(t, s, http.MethodGet, "/health", ""); answer.StatusCode != 200 {
		t.Errorf("/health is %d while draining, want 200", answer.StatusCode)
	}
	answer, body := ask(t, s, http.MethodPost, chatPath, `{`+hello+`}`)
	if answer.StatusCode != 500 || !strings.Contains(body, "cannot schedule new futures after shutdown") {
		t.Errorf("a new request: %d %s", answer.StatusCode, body)
	}
	for name, got := range map[string]string{"stream": <-streamed, "whole": <-whole} {
		if !strings.Contains(got, `"finish_reason":"length"`) || !strings.Contains(got, `"completion_tokens":300`) {
			t.Errorf("%s did not finish: …%s", name, got[max(0, len(got)-300):])
		}
	}
	select {
	case <-s.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("the server does not end")
	}
}

func TestTerminateWithTooLittleTimeHangs(t *testing.T) {
	s := serve(t, slow(time.Millisecond), Options{})
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	r, _ := http.NewRequestWithContext(ctx, http.MethodPost, s.URL()+chatPath, strings.NewReader(`{`+hello+`,"stream":true,"max_tokens":8000}`))
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	ended := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, answer.Body)
		ended <- err
	}()
	s.Terminate(30 * time.Millisecond)
	until(t, "the port to be refused", func() bool {
		http.DefaultClient.CloseIdleConnections()
		a, err := http.Get(s.URL() + "/health")
		if err == nil {
			a.Body.Close()
		}
		return err != nil
	})
	select {
	case err := <-ended:
		t.Fatalf("the stream ended: %v", err)
	case <-s.Done():
		t.Fatal("the server left before its client")
	case <-time.After(100 * time.Millisecond): // no data, no error, no end
	}
	leave()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the stream ended with %v", err)
	}
	<-s.Done()
}

func TestShutdownIsForcedWhenItsContextEnds(t *testing.T) {
	s := serve(t, slow(time.Millisecond), Options{ShutdownTimeout: time.Hour})
	answer := open(t, s, `{`+hello+`,"stream":true,"max_tokens":8000}`)
	defer answer.Body.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if err := s.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if _, err := io.Copy(io.Discard, answer.Body); err == nil {
		t.Error("the stream ended well")
	}
}

func TestPortInUse(t *testing.T) {
	s := serve(t, quick(), Options{})
	_, err := Start(quick(), Options{Listen: strings.TrimPrefix(s.URL(), "http://")})
	if !errors.Is(err, syscall.EADDRINUSE) || !strings.Contains(err.Error(), "in use") || !strings.Contains(err.Error(), "another port") {
		t.Errorf("error %v", err)
	}
}
