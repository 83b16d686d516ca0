package wire

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// Each scrape opens a connection, so that another replica may answer it.
func TestEachScrapeOpensAConnection(t *testing.T) {
	var opened atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
	s.Config.ConnState = func(_ net.Conn, is http.ConnState) {
		if is == http.StateNew {
			opened.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	client, err := New(Endpoint{URL: s.URL}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	scraper, err := client.Scraper(s.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		resp, err := scraper.Get(s.URL + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	if n := opened.Load(); n != 3 {
		t.Errorf("3 scrapes opened %d connections", n)
	}
}
