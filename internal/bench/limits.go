package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"assay/internal/record"
	"assay/internal/telemetry"
)

// vLLM publishes the limits of its scheduler in no metric. In development mode it
// tells its configuration (entrypoints/serve/dev/server_info, read in 0.32).
const serverInfo = "/server_info?config_format=json"

// mostInfo bounds its answer, which is about 40 KiB.
const mostInfo = 4 << 20

// askLimits asks a vLLM for its limits; one that does not tell them is the usual.
func (t *target) askLimits(ctx context.Context) {
	if t.info.Engine.Name != "vllm" {
		return
	}
	seqs, tokens, err := limitsAt(ctx, t.client.URL()+serverInfo, t.client.Scraper)
	if err == nil {
		t.info.Engine.MaxNumSeqs, t.info.Engine.MaxBatchedTokens = seqs, tokens
	}
}

func limitsAt(ctx context.Context, url string, reach func(string) (*http.Client, error)) (seqs, tokens int, err error) {
	client, err := reach(url)
	if err != nil {
		return 0, 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, telemetry.ScrapeTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, 0, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, 0, err
	}
	defer resp.Body.Close()
	var info struct {
		Config struct {
			Scheduler struct {
				Seqs   int `json:"max_num_seqs"`
				Tokens int `json:"max_num_batched_tokens"`
			} `json:"scheduler_config"`
		} `json:"vllm_config"`
	}
	if resp.StatusCode != http.StatusOK {
		return 0, 0, telemetry.StatusError(resp.StatusCode)
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, mostInfo)).Decode(&info); err != nil {
		return 0, 0, err
	}
	s := info.Config.Scheduler
	if s.Seqs < 1 || s.Tokens < 1 {
		return 0, 0, fmt.Errorf("no limits of a scheduler are there: %d sequences, %d tokens", s.Seqs, s.Tokens)
	}
	return s.Seqs, s.Tokens, nil
}

// addLimits puts the limits that the engine's configuration tells where its
// metrics do not. They are those of the one engine that was asked.
func addLimits(s *record.Server, e record.TargetEngine) {
	if s == nil || s.Engines > 1 || e.MaxNumSeqs < 1 {
		return
	}
	if s.MaxNumSeqs == nil {
		seqs := float64(e.MaxNumSeqs)
		s.MaxNumSeqs = &seqs
	}
	if s.MaxBatchedTokens == nil && e.MaxBatchedTokens > 0 {
		tokens := float64(e.MaxBatchedTokens)
		s.MaxBatchedTokens = &tokens
	}
}
