package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// engine is a real vLLM.
type engine struct {
	url   string
	model string
	stop  func() error
}

// connect asks the engine at url which model it serves.
func connect(ctx context.Context, url string, stop func() error) (*engine, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/v1/models", nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var models struct{ Data []struct{ ID string } }
	if err := json.NewDecoder(resp.Body).Decode(&models); err != nil {
		return nil, fmt.Errorf("%s/v1/models: %w", url, err)
	}
	if len(models.Data) == 0 {
		return nil, fmt.Errorf("%s/v1/models names no model", url)
	}
	return &engine{url: url, model: models.Data[0].ID, stop: stop}, nil
}

// warm makes the engine compile and cache what its first requests need.
func (e *engine) warm(ctx context.Context, p paths) error {
	out, err := exec.CommandContext(ctx, p.program("plainclient"), "-url", e.url, "-model", e.model,
		"-streams", "16", "-requests", "64", "-tokens", strconv.Itoa(outputTokens)).CombinedOutput()
	if err != nil {
		return fmt.Errorf("warm vLLM up: %w: %s", err, out)
	}
	return nil
}

// realEngine is the vLLM at b.vllm, or where that is empty a fresh one, warm.
func (b bench) realEngine(ctx context.Context) (*engine, error) {
	start := func() (*engine, error) { return startVLLM(ctx, b.paths, filepath.Join(b.out, "vllm")) }
	if b.vllm != "" {
		start = func() (*engine, error) {
			return connect(ctx, strings.TrimRight(b.vllm, "/"), func() error { return nil })
		}
	}
	e, err := start()
	if err != nil {
		return nil, err
	}
	if err := e.warm(ctx, b.paths); err != nil {
		return nil, errors.Join(err, e.stop())
	}
	return e, nil
}

// startVLLM starts the vLLM of test/vllm.
func startVLLM(ctx context.Context, p paths, state string) (*engine, error) {
	script := filepath.Join(p.root, "test", "vllm", "vllm.sh")
	command := func(ctx context.Context, verb string) *exec.Cmd {
		c := exec.CommandContext(ctx, script, verb)
		c.Env = append(os.Environ(), "STATE="+state, "WORK="+filepath.Dir(p.vllmEnv))
		c.Stderr = os.Stderr
		return c
	}
	out, err := command(ctx, "start").Output()
	if err != nil {
		return nil, fmt.Errorf("start vLLM: %w", err)
	}
	stop := func() error { return command(context.WithoutCancel(ctx), "stop").Run() }
	e, err := connect(ctx, strings.TrimSpace(string(out)), stop)
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	return e, nil
}

// counters are sums of an engine's own histograms and counters until now.
type counters struct {
	ttftSum, ttftCount float64 // seconds, requests
	itlSum, itlCount   float64 // seconds, gaps
	tokens             float64 // generated
}

// read asks the engine.
func (e *engine) read(ctx context.Context) (counters, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, e.url+"/metrics", nil)
	if err != nil {
		return counters{}, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return counters{}, err
	}
	defer resp.Body.Close()
	var c counters
	wanted := map[string]*float64{
		"vllm:time_to_first_token_seconds_sum": &c.ttftSum, "vllm:time_to_first_token_seconds_count": &c.ttftCount,
		"vllm:inter_token_latency_seconds_sum": &c.itlSum, "vllm:inter_token_latency_seconds_count": &c.itlCount,
		"vllm:generation_tokens_total": &c.tokens,
	}
	found := 0
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		name, _, _ := strings.Cut(lines.Text(), "{")
		into := wanted[name]
		if into == nil {
			continue
		}
		value, err := strconv.ParseFloat(lines.Text()[strings.LastIndexByte(lines.Text(), ' ')+1:], 64)
		if err != nil {
			return c, err
		}
		*into += value
		found++
	}
	if found < len(wanted) {
		return c, errors.New(e.url + "/metrics lacks series of vLLM: is it one?")
	}
	return c, nil
}

// since is what the engine did between two readings: all requests, warm-up
// included.
func (c counters) since(before counters) Truth {
	t := Truth{Tokens: int(c.tokens - before.tokens), Requests: int(c.ttftCount - before.ttftCount)}
	mean := func(sum, n float64) *float64 {
		if n <= 0 {
			return nil
		}
		ms := 1000 * sum / n
		return &ms
	}
	t.TTFTMean = mean(c.ttftSum-before.ttftSum, c.ttftCount-before.ttftCount)
	t.ITLMean = mean(c.itlSum-before.itlSum, c.itlCount-before.itlCount)
	return t
}
