package httpd

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

const ten = `{` + hello + `,"stream":true,"max_tokens":10,"seed":1,"stream_options":{"include_usage":true}}`

func TestFaultsInAStream(t *testing.T) {
	s := serve(t, quick(), Options{})
	plain := read(t, s, ten)
	for name, tc := range map[string]struct {
		faults Faults
		check  func(told) bool
	}{
		"error in mid-stream": {Faults{ErrorAfter: 3}, func(g told) bool {
			return g.chunks == 3 && strings.HasPrefix(g.failure, "EngineCore") && g.done && g.finish == ""
		}},
		"error before the first token": {Faults{ErrorAfter: -1}, func(g told) bool { return g.chunks == 0 && g.failure != "" && g.done }},
		"no usage":                     {Faults{NoUsage: true}, func(g told) bool { return g.completion == -1 && g.text == plain.text && g.done }},
		"four tokens a chunk":          {Faults{ChunkTokens: 4}, func(g told) bool { return g.chunks == 3 && g.text == plain.text && g.completion == 10 }},
		"role with the first text":     {Faults{MergeFirst: true, ChunkTokens: 3}, func(g told) bool { return g.roles == 1 && g.chunks == 4 && g.text == plain.text }},
		"CRLF":                         {Faults{CRLF: true}, func(g told) bool { return g == plain }},
		"comments":                     {Faults{PingMS: 1, StallAfter: 2, StallMS: 20}, func(g told) bool { return g == plain }},
		"all at the end":               {Faults{Buffer: true}, func(g told) bool { return g == plain }},
		"reasoning": {Faults{Reasoning: 4}, func(g told) bool {
			return len(strings.Fields(g.reasoning)) == 4 && g.reasoning+g.text == plain.text && g.completion == 10
		}},
		"reasoning_content, several a chunk": {Faults{Reasoning: 5, ReasoningKey: "reasoning_content", ChunkTokens: 4}, func(g told) bool {
			return len(strings.Fields(g.reasoning)) == 5 && g.reasoning+g.text == plain.text
		}},
		"stall": {Faults{StallAfter: 5, StallMS: 30}, func(g told) bool { return g == plain }},
		"none":  {Faults{}, func(g told) bool { return g == plain }},
	} {
		t.Run(name, func(t *testing.T) {
			if err := s.SetFaults(tc.faults); err != nil {
				t.Fatal(err)
			}
			if got := read(t, s, ten); !tc.check(got) {
				t.Errorf("got %+v\nwithout fault %+v", got, plain)
			}
		})
	}
}

func TestStallHoldsTheStream(t *testing.T) {
	s := serve(t, quick(), Options{Faults: Faults{StallAfter: 4, StallMS: 200}})
	events, err := stream(t, s, chatPath, ten)
	if err != nil {
		t.Fatal(err)
	}
	// The role, four tokens, then a gap.
	if gap := events[5].at.Sub(events[4].at); gap < 150*time.Millisecond {
		t.Errorf("the gap after the fourth token is %v, want 200 ms", gap)
	}
}

func TestBufferHoldsAllToTheEnd(t *testing.T) {
	s := serve(t, slow(10*time.Millisecond), Options{Faults: Faults{Buffer: true}})
	events, err := stream(t, s, chatPath, ten)
	if err != nil {
		t.Fatal(err)
	}
	if spread := events[len(events)-1].at.Sub(events[0].at); spread > 50*time.Millisecond {
		t.Errorf("100 ms of tokens came over %v, want at once", spread)
	}
}

func TestResetBreaksTheConnection(t *testing.T) {
	s := serve(t, quick(), Options{Faults: Faults{ResetAfter: 4}})
	events, err := stream(t, s, chatPath, ten)
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("after %d events: %v, want a reset", len(events), err)
	}
	answer, err := http.Post(s.URL()+chatPath, "application/json", strings.NewReader(`{`+hello+`,"max_tokens":10}`))
	if err == nil {
		answer.Body.Close()
		t.Errorf("an answer that is no stream: status %d, want a reset", answer.StatusCode)
	}
}

func TestRefusalsByFault(t *testing.T) {
	s := serve(t, quick(), Options{})
	for _, tc := range []struct {
		faults      string
		status      int
		retry, body string
	}{
		{`{"error_rate":1}`, 500, "", `EngineCore`},
		{`{"error_rate":1,"error_status":429,"retry_after_s":7}`, 429, "7", `Rate limit`},
		{`{"error_rate":1,"error_status":503,"retry_after_s":2}`, 503, "2", `Service Unavailable`},
		{`{"html":true}`, 200, "", `<!DOCTYPE html>`},
		{`{"error_rate":0}`, 200, "", `chat.completion`},
		{`{"first_byte_ms":1}`, 200, "", `chat.completion`},
	} {
		if answer, body := ask(t, s, http.MethodPost, "/admin/faults", tc.faults); answer.StatusCode != 200 {
			t.Fatalf("set %s: %d %s", tc.faults, answer.StatusCode, body)
		}
		answer, body := ask(t, s, http.MethodPost, chatPath, `{`+hello+`,"max_tokens":1}`)
		if answer.StatusCode != tc.status || answer.Header.Get("Retry-After") != tc.retry || !strings.Contains(body, tc.body) {
			t.Errorf("%s: %d, Retry-After %q, %s", tc.faults, answer.StatusCode, answer.Header.Get("Retry-After"), body)
		}
	}
}

func TestErrorRateIsAShareOfRequests(t *testing.T) {
	s := serve(t, quick(), Options{Faults: Faults{ErrorRate: 0.3}})
	failed := 0
	for range 200 {
		if answer, _ := ask(t, s, http.MethodPost, chatPath, `{`+hello+`,"max_tokens":1}`); answer.StatusCode == 500 {
			failed++
		}
	}
	if failed < 35 || failed > 90 { // 60 ± 6.5, five deviations wide
		t.Errorf("%d of 200 failed, want about 60", failed)
	}
}

func TestFaultsThatMakeNoSenseAreRefused(t *testing.T) {
	s := serve(t, quick(), Options{})
	for _, f := range []string{`{"error_rate":2}`, `{"html":true}{}`, `{"reasoning_field":"` + strings.Repeat("x", maxFaultsBody) + `"}`, `{"stal_ms":5}`, `{"error_status":200}`, `{"stall_ms":-1}`, `{"reset_after_tokens":-2}`, `{"reasoning_field":"thought"}`, `x`} {
		if answer, _ := ask(t, s, http.MethodPost, "/admin/faults", f); answer.StatusCode != 400 {
			t.Errorf("%s: status %d, want 400", f, answer.StatusCode)
		}
	}
	if _, body := ask(t, s, http.MethodGet, "/admin/faults", ""); body != "{}" {
		t.Errorf("faults are now %s", body)
	}
	if _, err := Start(quick(), Options{Faults: Faults{Share: -1}}); err == nil {
		t.Error("a server starts with a share of -1")
	}
}

// A page that somebody on this machine visits must not change what it serves.
func TestOtherSitesCannotChangeFaults(t *testing.T) {
	s := serve(t, quick(), Options{})
	for name, tc := range map[string]struct {
		header map[string]string
		status int
	}{
		"a form":                   {map[string]string{"Content-Type": "text/plain"}, 415},
		"no content type":          {nil, 415},
		"another site":             {map[string]string{"Content-Type": "application/json", "Sec-Fetch-Site": "cross-site"}, 403},
		"another site, old client": {map[string]string{"Content-Type": "application/json", "Origin": "https://example.com"}, 403},
		"a tool":                   {map[string]string{"Content-Type": "application/json; charset=utf-8"}, 200},
	} {
		r, err := http.NewRequest(http.MethodPost, s.URL()+"/admin/faults", strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range tc.header {
			r.Header.Set(k, v)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != tc.status {
			t.Errorf("%s: status %d, want %d", name, answer.StatusCode, tc.status)
		}
	}
	if answer, _ := ask(t, s, http.MethodOptions, "/admin/faults", ""); answer.StatusCode != 405 {
		t.Errorf("OPTIONS: status %d, want 405: a preflight must fail", answer.StatusCode)
	}
}

func TestCommentsAndLineEnds(t *testing.T) {
	cfg := slow(20 * time.Millisecond)
	s := serve(t, cfg, Options{Faults: Faults{PingMS: 2, CRLF: true}})
	answer := open(t, s, ten)
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), "\r\n\r\n:\r\n\r\n") || strings.Contains(strings.ReplaceAll(string(b), "\r\n", ""), "\n") {
		t.Errorf("no comments between events, or bare line feeds:\n%q", b)
	}
}
