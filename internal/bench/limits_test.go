package bench

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"assay/internal/record"
)

func TestLimitsOfVLLMInDevelopmentMode(t *testing.T) {
	for name, c := range map[string]struct {
		status       int
		body         string
		seqs, tokens int
	}{
		"told":           {200, `{"vllm_config":{"scheduler_config":{"max_num_seqs":4,"max_num_batched_tokens":2048,"policy":"fcfs"},"model_config":{}},"vllm_env":{}}`, 4, 2048},
		"as text":        {200, `{"vllm_config":"model='tiny', max_num_seqs=4"}`, 0, 0},
		"not this shape": {200, `{"vllm_config":{"scheduler_config":{"max_num_seqs":-1,"max_num_batched_tokens":0}}}`, 0, 0},
		"not told":       {404, `{"detail":"Not Found"}`, 0, 0},
		"no JSON":        {200, `<html>`, 0, 0},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/server_info" || r.URL.Query().Get("config_format") != "json" {
				t.Errorf("asked for %s", r.URL)
			}
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}))
		seqs, tokens, err := limitsAt(t.Context(), s.URL+serverInfo, func(string) (*http.Client, error) { return s.Client(), nil })
		if seqs != c.seqs || tokens != c.tokens || (err == nil) != (c.seqs > 0) {
			t.Errorf("%s: %d sequences, %d tokens, %v", name, seqs, tokens, err)
		}
		s.Close()
	}
}

func TestLimitsStandWhereMetricsDoNotSay(t *testing.T) {
	e := record.TargetEngine{Name: "vllm", MaxNumSeqs: 4, MaxBatchedTokens: 2048}
	silent, said, several := record.Server{Engines: 1}, record.Server{Engines: 1, MaxNumSeqs: ptr(8.0)}, record.Server{Engines: 2}
	for _, s := range []*record.Server{&silent, &said, &several, nil} {
		addLimits(s, e)
	}
	if silent.MaxNumSeqs == nil || *silent.MaxNumSeqs != 4 || silent.MaxBatchedTokens == nil || *silent.MaxBatchedTokens != 2048 {
		t.Errorf("limits %v, %v; want 4 and 2048", silent.MaxNumSeqs, silent.MaxBatchedTokens)
	}
	if *said.MaxNumSeqs != 8 || several.MaxNumSeqs != nil {
		t.Errorf("limits %v where metrics say 8, %v of two engines", *said.MaxNumSeqs, several.MaxNumSeqs)
	}
}
