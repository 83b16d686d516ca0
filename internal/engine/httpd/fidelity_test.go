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

// TestTokensComeWhenTheEngineSays compares the times of tokens through HTTP
// with those of the same arrivals in virtual time. One good attempt is enough,
// and one on a machine that wakes a sleeper late proves nothing against it.
func TestTokensComeWhenTheEngineSays(t *testing.T) {
	const (
		allowed  = 5 * time.Millisecond
		noisy    = 2 * time.Millisecond
		attempts = 6
	)
	var quiet []time.Duration
	for range attempts {
		clock := startMetronome()
		got := lag(t)
		noise := clock.stop()
		if got < allowed {
			return
		}
		if noise < noisy {
			quiet = append(quiet, got)
		}
	}
	if quiet == nil {
		t.Skipf("the machine wakes a sleeper more than %v late: too busy to tell", noisy)
	}
	t.Errorf("tokens come %v after their time at the 99th percentile, want at most %v", quiet, allowed)
}

// metronome measures how late the machine wakes a sleeper.
type metronome struct {
	quit chan struct{}
	late chan []time.Duration
}

func startMetronome() metronome {
	m := metronome{make(chan struct{}), make(chan []time.Duration, 1)}
	go func() {
		var late []time.Duration
		for {
			select {
			case <-m.quit:
				m.late <- late
				return
			default:
			}
			const beat = time.Millisecond
			began := time.Now()
			time.Sleep(beat)
			late = append(late, time.Since(began)-beat)
		}
	}()
	return m
}

// stop returns the 99th percentile.
func (m metronome) stop() time.Duration {
	close(m.quit)
	late := <-m.late
	slices.Sort(late)
	return late[len(late)*99/100]
}

// lag is the 99th percentile of the distance between token times through HTTP
// and in virtual time.
func lag(t *testing.T) time.Duration {
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
	t.Logf("distance from virtual time: p50 %v, p99 %v, most %v", off[len(off)/2], off[len(off)*99/100], off[len(off)-1])
	return off[len(off)*99/100]
}
