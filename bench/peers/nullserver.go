package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/internal/nullserver"
	"assay/internal/stats"
)

// Truth is what the server did, of the requests that the client measured.
type Truth struct {
	Completed    int      `json:"completed"`
	Failed       int      `json:"failed"` // ended half-way on purpose
	TTFTMean     *float64 `json:"ttft_mean_ms"`
	TTFTP99      *float64 `json:"ttft_p99_ms"`
	ITLMean      *float64 `json:"itl_mean_ms"`
	RequestsPerS *float64 `json:"requests_per_s"` // completed, from the first request's arrival to the last token
	MostOpen     int      `json:"most_open"`      // at once, warm-up included
	Tokens       int      `json:"tokens"`         // streamed in all, warm-up included
	Requests     int      `json:"requests"`       // in all, warm-up included

	// Reported − written of the same request, where ids tell which is which.
	ErrorMean *float64 `json:"ttft_error_mean_ms"`
	ErrorP99  *float64 `json:"ttft_error_p99_ms"`
}

// server is a null server in a process of its own. zero is its clock's begin on
// this process's.
type server struct {
	url     string
	zero    time.Time
	process *exec.Cmd
}

// clockReadings are taken of the server's clock: the quickest is the nearest.
const clockReadings = 10

func serve(ctx context.Context, p paths, x experiment) (*server, error) {
	c := exec.CommandContext(ctx, p.program("nullserver"), "-listen", "127.0.0.1:0", "-model", modelName, "-text", tokenText,
		"-ttft", serverTTFT.String(), "-itl", x.itl.String(), "-tokens", strconv.Itoa(outputTokens), "-fail-every", strconv.Itoa(x.failEvery))
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("the null server did not start: %w", c.Wait())
	}
	s := &server{url: strings.TrimSpace(line), process: c}
	quickest := time.Hour
	for range clockReadings {
		asked := time.Now()
		l, err := s.ledger(ctx)
		if err != nil {
			s.stop()
			return nil, err
		}
		if took := time.Since(asked); took < quickest {
			quickest, s.zero = took, asked.Add(took/2-l.Now)
		}
	}
	return s, nil
}

func (s *server) stop() {
	_ = s.process.Process.Signal(os.Interrupt)
	_ = s.process.Wait() // how a server ends that has been read is of no interest
}

// ledger reads the server's account.
func (s *server) ledger(ctx context.Context) (nullserver.Ledger, error) {
	var l nullserver.Ledger
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/ledger?entries", nil)
	if err != nil {
		return l, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return l, err
	}
	defer resp.Body.Close()
	return l, json.NewDecoder(resp.Body).Decode(&l)
}

// truth sums up what the server did for the requests of a's ids, or for all
// where the tool gives none.
func truth(l nullserver.Ledger, a Account) Truth {
	t := Truth{MostOpen: l.MostOpen, Tokens: l.Tokens, Requests: len(l.Entries)}
	var ttft, itl, errors []float64
	var first, last time.Duration
	known := slices.ContainsFunc(l.Entries, func(e nullserver.Entry) bool { _, ok := a.byID[e.ID]; return ok })
	for _, e := range l.Entries {
		reported, measured := a.byID[e.ID]
		if known && !measured || e.Broken {
			continue
		}
		if e.Failed {
			t.Failed++
			continue
		}
		t.Completed++
		written := milliseconds(e.First - e.Received)
		ttft = append(ttft, written)
		if e.Tokens > 1 {
			itl = append(itl, milliseconds(e.Last-e.First)/float64(e.Tokens-1))
		}
		if reported != nil {
			errors = append(errors, *reported-written)
		}
		if t.Completed == 1 {
			first = e.Received
		}
		first, last = min(first, e.Received), max(last, e.Last)
	}
	d := stats.Summarize(ttft)
	t.TTFTMean, t.TTFTP99, t.ITLMean = d.Mean, d.P99, stats.Summarize(itl).Mean
	e := stats.Summarize(errors)
	t.ErrorMean, t.ErrorP99 = e.Mean, e.P99
	if span := (last - first).Seconds(); t.Completed > 1 && span > 0 {
		rate := float64(t.Completed) / span
		t.RequestsPerS = &rate
	}
	return t
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
