package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"assay/internal/wire"
)

func TestWhatServesBesideMetricsIsAsked(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/props" {
			w.WriteHeader(http.StatusNotImplemented)
			return
		}
		_, _ = io.WriteString(w, `{"build_info":"b9000"}`)
	}))
	defer s.Close()
	p, err := placeOf(&Env{}, "--metrics", s.URL, "/metrics", wire.Endpoint{})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Engine(t.Context()); got != "llama.cpp" || p.URL != s.URL+"/metrics" {
		t.Errorf("%q serves at %s", got, p.URL)
	}
}
