package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// written are files that the released packages wrote of the same load: every
// third of 30 answers died half-way.
const written = "../../internal/record/peers/testdata"

func TestReadersTakeWhatTheToolsReport(t *testing.T) {
	for _, c := range []struct {
		tool  tool
		files map[string]string // in the run's folder → below written
		want  Account
	}{
		{aiperfTool, map[string]string{
			"out/profile_export_aiperf.json": "aiperf-0.13.0/failed-c8/profile_export_aiperf.json",
			"out/profile_export.jsonl":       "aiperf-0.13.0/failed-c8/profile_export.jsonl",
		}, Account{Completed: 30, TTFTMean: new(78.302), TTFTP99: new(169.500), ITLMean: new(9.908), RequestsPerS: new(11.654)}},
		{guidellmTool, map[string]string{
			"benchmarks.json": "guidellm-0.8.1/failed-c8.json",
		}, Account{Completed: 20, Failed: 10, TTFTMean: new(58.056), TTFTP99: new(74.111), ITLMean: new(9.983), RequestsPerS: new(7.931)}},
		{inferencePerfTool, map[string]string{
			"out/stage_0_lifecycle_metrics.json": "inference-perf-0.7.0/failed-c8/stage_0_lifecycle_metrics.json",
		}, Account{Completed: 30, TTFTMean: new(57.974), TTFTP99: new(117.604), ITLMean: new(3.3065), RequestsPerS: new(11.740)}},
		{vllmTool, map[string]string{
			"result.json": "vllm-0.32.0/failed-c8.json",
		}, Account{Completed: 30, TTFTMean: new(69.388), TTFTP99: new(135.46), ITLMean: new(7.89), RequestsPerS: new(11.686)}},
	} {
		t.Run(c.tool.name, func(t *testing.T) {
			dir := t.TempDir()
			for to, from := range c.files {
				b, err := os.ReadFile(filepath.Join(written, from))
				if err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(dir, to)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, b, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			got, err := c.tool.read(setting{dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got, cmpopts.EquateApprox(0.0005, 0.005), cmpopts.IgnoreUnexported(Account{})); diff != "" {
				t.Errorf("account (-want +got):\n%s", diff)
			}
		})
	}
}
