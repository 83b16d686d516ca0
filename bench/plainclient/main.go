// Command plainclient is the client that anyone would write first: net/http, a
// bufio.Scanner, encoding/json. It is correct and does nothing but time tokens:
// the floor that Assay's own client is compared with.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"assay/bench/result"
	"assay/internal/stats"
)

type chunk struct {
	Choices []struct {
		Delta struct {
			Content string `json:"content"`
		} `json:"delta"`
	} `json:"choices"`
	Usage *struct {
		CompletionTokens int `json:"completion_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type answer struct {
	tokens    int
	ttft, itl float64 // milliseconds
	err       error
}

func main() {
	url := flag.String("url", "http://127.0.0.1:8099", "base URL")
	model := flag.String("model", "null", "model to ask for")
	streams := flag.Int("streams", 64, "requests under way at once")
	requests := flag.Int("requests", 640, "requests in all")
	tokens := flag.Int("tokens", 64, "tokens of an answer")
	flag.Parse()
	err := result.Run(func() (result.Result, error) {
		return run(*url, *model, *streams, *requests, *tokens), nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "plainclient:", err)
		os.Exit(1)
	}
}

// run holds streams requests open until all have been answered.
func run(url, model string, streams, requests, tokens int) result.Result {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: streams}}
	body := fmt.Appendf(nil, `{"model":%q,"stream":true,"stream_options":{"include_usage":true},"max_tokens":%d,"ignore_eos":true,"messages":[{"role":"user","content":"Say null."}]}`, model, tokens)
	jobs := make(chan struct{}, requests)
	for range requests {
		jobs <- struct{}{}
	}
	close(jobs)
	answers := make(chan answer, requests)
	var slots sync.WaitGroup
	for range streams {
		slots.Go(func() {
			for range jobs {
				answers <- ask(client, url+"/v1/chat/completions", body)
			}
		})
	}
	slots.Wait()
	close(answers)
	r := result.Result{InFlight: streams}
	var ttft, itl []float64
	for a := range answers {
		if a.err != nil {
			r.Failed++
			r.Errors = append(r.Errors, a.err.Error())
			continue
		}
		r.Requests++
		r.Tokens += a.tokens
		ttft, itl = append(ttft, a.ttft), append(itl, a.itl)
	}
	r.TTFT, r.ITL = stats.Summarize(ttft), stats.Summarize(itl)
	return r
}

// ask sends one request and times its tokens.
func ask(client *http.Client, url string, body []byte) (a answer) {
	start := time.Now()
	resp, err := client.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return answer{err: err}
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return answer{err: errors.New(resp.Status)}
	}
	var first, last time.Time
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var c chunk
		if err := json.Unmarshal([]byte(data), &c); err != nil {
			return answer{err: err}
		}
		if len(c.Error) > 0 {
			return answer{err: errors.New(string(c.Error))}
		}
		if c.Usage != nil {
			a.tokens = c.Usage.CompletionTokens
		}
		if len(c.Choices) > 0 && c.Choices[0].Delta.Content != "" {
			last = time.Now()
			if first.IsZero() {
				first = last
			}
		}
	}
	if err := lines.Err(); err != nil {
		return answer{err: err}
	}
	if first.IsZero() {
		return answer{err: errors.New("no token")}
	}
	a.ttft = first.Sub(start).Seconds() * 1e3
	a.itl = last.Sub(first).Seconds() * 1e3 / float64(max(1, a.tokens-1))
	return a
}
