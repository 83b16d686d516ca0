package telemetry

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func endless(line string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		lines := []byte(strings.Repeat(line, 1<<8))
		for {
			if _, err := w.Write(lines); err != nil {
				return
			}
		}
	}
}

func TestScrape(t *testing.T) {
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		err     string
	}{
		{"fine", func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasPrefix(r.Header.Get("Accept"), "text/plain") {
				w.WriteHeader(http.StatusNotAcceptable)
			}
			io.WriteString(w, "vllm:num_requests_running 3\n")
		}, ""},
		{"no such route", http.NotFound, "HTTP 404"},
		{"HTML", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html><body>hi</body></html>\n") }, "not Prometheus text"},
		{"endless", endless("# a comment without end\n"), "more than 50000 lines"},
		{"endless, in long lines", endless("# " + strings.Repeat("a comment without end, ", 100) + "\n"), "larger than 16 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(c.handler)
			defer server.Close()
			before := time.Now()
			s, err := Scrape(t.Context(), server.URL+"/metrics?key=secret", server.Client())
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v, want %q in it", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if v, ok := s.Value(Running); !ok || v != 3 {
				t.Errorf("running = %v, %v; want 3", v, ok)
			}
			if s.At.Before(before) || s.At.After(time.Now()) {
				t.Errorf("At = %v, not within the call", s.At)
			}
		})
	}
}

func TestScrapeHidesTheURL(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	_, err := Scrape(t.Context(), server.URL+"/metrics?key=secret", http.DefaultClient)
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("error %v, want one without the key", err)
	}
	if _, err := Scrape(t.Context(), "http://host:bad/?key=secret", http.DefaultClient); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("error %v, want one without the key", err)
	}
}

// silent never answers.
type silent struct{}

func (silent) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestScrapeTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, err := Scrape(context.Background(), "http://server/metrics", &http.Client{Transport: silent{}})
		if err == nil {
			t.Fatal("no error from a server that never answers")
		}
		if !strings.Contains(err.Error(), "no whole answer within 5s") {
			t.Errorf("%v, which does not say that it took too long", err)
		}
		if took := time.Since(start); took != ScrapeTimeout {
			t.Errorf("took %v, want %v", took, ScrapeTimeout)
		}
	})
}
