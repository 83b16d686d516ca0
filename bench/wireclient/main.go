// Command wireclient is the path of a request through Assay and nothing around
// it: package load's runner over package wire's client.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"assay/bench/result"
	"assay/internal/load"
	"assay/internal/record"
	"assay/internal/stats"
	"assay/internal/wire"
)

func main() {
	url := flag.String("url", "http://127.0.0.1:8099", "base URL")
	tokens := flag.Int("tokens", 64, "tokens of an answer")
	level := load.Level{ID: "bench", Arrival: load.Constant, Warmup: load.NoWarmup}
	flag.IntVar(&level.Concurrency, "streams", 64, "requests under way at once; 0: an open loop")
	flag.Float64Var(&level.Rate, "rate", 0, "requests a second of an open loop")
	flag.Float64Var(&level.OpenRate, "open-rate", 0, "streams opened a second; 0: the runner's own")
	flag.IntVar(&level.Requests, "requests", 640, "requests in all")
	flag.Parse()
	err := result.Run(func() (result.Result, error) { return run(*url, *tokens, level) })
	if err != nil {
		fmt.Fprintln(os.Stderr, "wireclient:", err)
		os.Exit(1)
	}
}

// question is a source of one prompt.
type question int

func (q question) Next(*rand.Rand) (load.Prompt, error) {
	return load.Prompt{Text: "Say null.", MaxTokens: int(q)}, nil
}

func run(url string, tokens int, level load.Level) (result.Result, error) {
	client, err := wire.New(wire.Endpoint{URL: url, Model: "null"}, wire.Options{Epoch: time.Now(), Timeout: 10 * time.Minute})
	if err != nil {
		return result.Result{}, err
	}
	defer client.Close()
	account := account{failures: map[string]bool{}}
	runner := load.Runner{
		Client: client, Source: question(tokens), RunID: "bench",
		Encode: func(p load.Prompt) ([]byte, error) {
			return client.Encode(wire.Prompt{Text: p.Text, MaxTokens: p.MaxTokens}, wire.Dialect{IncludeUsage: true})
		},
		OnRequest: account.add,
	}
	r, err := runner.Run(context.Background(), level)
	if err != nil {
		return result.Result{}, err
	}
	if r.Dropped > 0 {
		return result.Result{}, fmt.Errorf("%d arrivals dropped: raise the limit on open files", r.Dropped)
	}
	return account.result(r), nil
}

// account sums the requests up.
type account struct {
	tokens         int
	ttft, itl, lag []float64 // milliseconds
	failures       map[string]bool
}

func (a *account) add(r record.Request) {
	if r.Phase == record.Measured && !r.NotSent {
		a.lag = append(a.lag, r.LagMS())
	}
	if r.Error != "" {
		a.failures[r.Error+": "+r.Detail] = true
		return
	}
	if r.OutputTokens == nil {
		a.failures["no usage"] = true
		return
	}
	n := *r.OutputTokens
	a.tokens += n
	a.ttft = append(a.ttft, float64(r.ChunkUS[0])/1e3)
	if n > 1 {
		span := r.ChunkUS[len(r.ChunkUS)-1] - r.ChunkUS[0]
		a.itl = append(a.itl, float64(span)/1e3/float64(n-1))
	}
}

func (a *account) result(r load.Result) result.Result {
	out := result.Result{
		Requests: r.Requests.Completed, Failed: r.Requests.Failed + r.Requests.Cancelled, Tokens: a.tokens,
		TTFT: stats.Summarize(a.ttft), ITL: stats.Summarize(a.itl), Lag: stats.Summarize(a.lag), InFlight: r.InFlightMax,
	}
	for f := range a.failures {
		out.Errors = append(out.Errors, f)
	}
	return out
}
