package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// tool is one client that is measured.
type tool struct {
	name    string
	python  string // environment below the cache; empty: a Go program built from this repository
	ours    bool   // cheap enough to be repeated in every experiment
	note    string // what its ITL is, in its own words
	command func(setting) (client, error)
	read    func(setting) (Account, error)
}

// setting is one experiment as one tool does it.
type setting struct {
	experiment
	url   string
	model string
	dir   string // of this run, absolute: what the tool writes
	paths paths
}

// paths are where things lie, absolute.
type paths struct {
	root      string // the repository
	cache     string // environments, tokenizer, built programs
	vllmEnv   string
	vllmBench string // vllm_bench.py
}

func (p paths) program(name string) string { return filepath.Join(p.cache, "bin", name) }
func (p paths) tokenizer() string          { return filepath.Join(p.cache, "tiny") }
func (p paths) python(env, name string) string {
	return filepath.Join(p.cache, env, "bin", name)
}

// Account is what a tool reports of a run. Times are milliseconds. What it does
// not report is nil.
type Account struct {
	Completed    int      `json:"completed"`
	Failed       int      `json:"failed"`
	TTFTMean     *float64 `json:"ttft_mean_ms"`
	TTFTP99      *float64 `json:"ttft_p99_ms"`
	ITLMean      *float64 `json:"itl_mean_ms"`
	RequestsPerS *float64 `json:"requests_per_s"`
	Validity     string   `json:"validity,omitempty"` // its own verdict on the run

	// byID are the TTFT of the measured requests by X-Request-Id, nil for one
	// without, where the tool sends ids and writes them down: then truth is of the
	// same requests.
	byID map[string]*float64
}

var tools = []tool{assayTool, plainTool, aiperfTool, guidellmTool, inferencePerfTool, vllmTool}

// readJSON reads one of a tool's files.
func readJSON(path string, into any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// seconds makes milliseconds of them.
func seconds(v *float64) *float64 {
	if v == nil {
		return nil
	}
	ms := *v * 1000
	return &ms
}
