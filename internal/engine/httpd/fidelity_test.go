package httpd

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/internal/engine"
)

// wrongTime is a distance from virtual time that no busy machine explains: ten
// steps of the engine and more, or a clock that drifts.
const wrongTime = 250 * time.Millisecond

// TestTokensComeWhenTheEngineSays compares the times of tokens through HTTP
// with those of the same arrivals in virtual time. How close they come is
// BenchmarkFidelity's to say: it depends on what else the machine does.
func TestTokensComeWhenTheEngineSays(t *testing.T) {
	off := distances(t)
	if middle := off[len(off)/2]; middle > wrongTime {
		t.Errorf("half of the tokens come %v or more off their time", middle)
	}
}

// BenchmarkFidelity reports how far tokens through HTTP are from virtual time,
// milliseconds.
func BenchmarkFidelity(b *testing.B) {
	for b.Loop() {
		off := distances(b)
		b.ReportMetric(float64(off[len(off)/2])/1e6, "p50_ms")
		b.ReportMetric(float64(off[len(off)*99/100])/1e6, "p99_ms")
	}
}

// distances are those between the times of tokens through HTTP and in virtual
// time, sorted.
func distances(t testing.TB) []time.Duration {
	cfg := engine.Demo()
	cfg.NoPrefixCache = true
	s := serve(t, cfg, Options{})
	const requests, words, tokens = 40, 100, 40
	arrivals := make([]engine.Arrival, requests)
	times := make([][]time.Duration, requests)
	var wg sync.WaitGroup
	const lead = 50 * time.Millisecond // to get the goroutines going
	first := s.loop.now() + lead
	for i := range requests {
		at := first + time.Duration(i*i%97)*4*time.Millisecond
		arrivals[i] = engine.Arrival{At: at, Request: engine.Request{PromptLen: words, MaxTokens: tokens, IgnoreEOS: true}}
		wg.Go(func() {
			time.Sleep(at - s.loop.now())
			body := fmt.Sprintf(`{"prompt":%q,"stream":true,"max_tokens":%d,"ignore_eos":true}`, strings.Repeat(" word", words), tokens)
			answer, err := http.Post(s.URL()+textPath, "application/json", strings.NewReader(body))
			if err != nil {
				t.Error(err)
				return
			}
			defer answer.Body.Close()
			lines := bufio.NewScanner(answer.Body)
			for lines.Scan() {
				if bytes.HasPrefix(lines.Bytes(), []byte("data: {")) {
					times[i] = append(times[i], time.Since(s.loop.began))
				}
			}
		})
	}
	wg.Wait()
	want, err := engine.Simulate(cfg, arrivals)
	if err != nil {
		t.Fatal(err)
	}
	var off []time.Duration
	for i := range want {
		if len(times[i]) != tokens {
			t.Fatalf("request %d: %d tokens", i, len(times[i]))
		}
		for k := range want[i].Tokens {
			off = append(off, (times[i][k] - want[i].Tokens[k]).Abs())
		}
	}
	slices.Sort(off)
	return off
}
