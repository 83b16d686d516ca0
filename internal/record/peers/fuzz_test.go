package peers

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"assay/internal/record"
)

// FuzzOpen reads arbitrary bytes as a file of each format: an error or a run
// that can be written, never a panic.
func FuzzOpen(f *testing.F) {
	for _, pattern := range []string{"testdata/*-[0-9]*/*.json", "testdata/*-[0-9]*/*/*.json*"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range files {
			b, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			if len(b) < 6<<10 {
				f.Add(b, false)
			}
		}
	}
	for _, seed := range []string{
		`{"completed":1,"request_throughput":1,"total_token_throughput":1,"failed":0,"ttfts":[0.1],"itls":[[0.1,0.2]],"start_times":[1],"errors":[""],"output_lens":[3],"input_lens":[5]}`,
		`{"backend":"sglang","completed":9,"request_throughput":1,"mean_e2e_latency_ms":3,"p99_ttft_ms":NaN}`,
		`[{"start_time":1,"end_time":2,"info":{"response_metrics":{"output_token_times":[1,1,2]}},"error":null}]`,
		`{"metadata":{"guidellm_version":"1"},"benchmarks":[{"requests":{"successful":[{"info":{"timings":{"request_start":1}}}]}}]}`,
		`{"metadata":{"request_start_ns":5,"benchmark_phase":"profiling"},"metrics":{"time_to_first_token":{"value":1e300}}}`,
	} {
		f.Add([]byte(seed), false)
	}
	f.Add([]byte("version: \"0.2\"\nscenario: {load: {standardized: {concurrency: .inf}}}\nresults: {request_performance: {aggregate: {latency: {time_to_first_token: {units: ms, mean: .nan}}}}}\n"), true)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte, yaml bool) {
		name := "file.json"
		if yaml {
			name = "file.yaml"
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := Open(path)
		if err != nil {
			return
		}
		for _, l := range file.Run.Levels {
			if l.Requests.Completed < 0 || l.TTFT.N < 0 {
				t.Errorf("level %+v", l)
			}
		}
		if err := record.WriteRun(discard{}, &file.Run); err != nil {
			if _, bad := err.(*json.UnsupportedValueError); bad {
				t.Errorf("a run that cannot be written: %v", err)
			}
		}
	})
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
