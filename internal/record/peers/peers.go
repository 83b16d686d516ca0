package peers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/internal/record"
)

// Names of the tools and their formats.
const (
	VLLM          = "vllm"
	SGLang        = "sglang"
	AIPerf        = "aiperf"
	GuideLLM      = "guidellm"
	InferencePerf = "inference-perf"
	LLMD          = "llm-d"
)

// File is another tool's result, in Assay's terms.
type File struct {
	Run record.Run
	// Requests are those that the file holds, in no order; none where it holds
	// aggregates alone.
	Requests []record.Request
	// Gaps is true where Requests know when each chunk came, not only the first
	// and the last.
	Gaps bool
}

// add appends a level and its requests under an id of its own: a file may hold one
// load several times.
func (f *File) add(l record.Level, requests []record.Request) {
	base := l.ID
	for n := 2; slices.ContainsFunc(f.Run.Levels, func(other record.Level) bool { return other.ID == l.ID }); n++ {
		l.ID = fmt.Sprintf("%s-%d", base, n)
	}
	for i := range requests {
		requests[i].Level = l.ID
	}
	f.Run.Levels, f.Requests = append(f.Run.Levels, l), append(f.Requests, requests...)
}

// EachRequest calls f for each request and stops at its first error.
func (f *File) EachRequest(fn func(record.Request) error) error {
	for _, r := range f.Requests {
		if err := fn(r); err != nil {
			return err
		}
	}
	return nil
}

// format is one tool's file: what tells it, and how it is read.
type format struct {
	tool string
	// keys must all be in the first JSON value (or YAML document) of the file;
	// a dot goes one level down.
	keys []string
	// names of files that hold the format, in a folder as the tool leaves it.
	names []string
	read  func(src source) (*File, error)
}

// formats in the order in which they are tried.
func formats() []format {
	return []format{
		{AIPerf, []string{"aiperf_version"}, []string{"profile_export_aiperf.json"}, readAIPerf},
		{AIPerf, []string{"metadata.request_start_ns", "metadata.benchmark_phase", "metrics"}, []string{"profile_export.jsonl"}, readAIPerfLines},
		{GuideLLM, []string{"metadata.guidellm_version", "benchmarks"}, []string{"benchmarks.json"}, readGuideLLM},
		{InferencePerf, []string{"load_summary", "successes", "failures"}, []string{"summary_lifecycle_metrics.json", "stage_*_lifecycle_metrics.json"}, readInferencePerf},
		{InferencePerf, []string{"start_time", "end_time", "info"}, []string{"per_request_lifecycle_metrics.json"}, readInferencePerf},
		{LLMD, []string{"version", "run", "results.request_performance"}, []string{"benchmark_report*.json", "benchmark_report*.yaml"}, readLLMD},
		{SGLang, []string{"backend", "completed", "request_throughput", "mean_e2e_latency_ms"}, []string{"*.jsonl"}, readSGLang},
		{VLLM, []string{"completed", "request_throughput", "total_token_throughput"}, []string{"*.json"}, readVLLM},
	}
}

// Open reads another tool's result: a file, or the folder that the tool left.
// Which tool's it is, is told from the content. The error for an unknown file
// names the formats that were tried and what each lacked.
func Open(path string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		if path, err = resultIn(path); err != nil {
			return nil, err
		}
	}
	first, err := probe(path)
	if err != nil {
		return nil, err
	}
	var lacks []string
	for _, f := range formats() {
		if missing := first.lacks(f.keys); missing != "" {
			lacks = append(lacks, f.tool+" has "+missing)
			continue
		}
		file, err := f.read(source{path: path})
		if err != nil {
			return nil, fmt.Errorf("read %s as a file of %s: %w", path, f.tool, err)
		}
		finish(file, f.tool)
		return file, nil
	}
	return nil, &UnknownError{Path: path, Lacks: slices.Compact(lacks)}
}

// UnknownError says that a file is in none of the formats.
type UnknownError struct {
	Path  string
	Lacks []string // for each format, the first key that the file lacks
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("%s is no result file that assay knows. Looked for and not found: %s", e.Path, strings.Join(e.Lacks, "; "))
}

// Hint is the way out.
func (e *UnknownError) Hint() string {
	return "give a run folder of assay bench, or what vllm bench serve --save-result, sglang.bench_serving --output-file, aiperf profile, guidellm run or inference-perf wrote, or a benchmark report of llm-d"
}

// resultIn finds the result in a folder: the first name that a format is known
// by, in the order of formats.
func resultIn(dir string) (string, error) {
	for _, f := range formats() {
		for _, name := range f.names {
			found, err := filepath.Glob(filepath.Join(quoteGlob(dir), name))
			if err != nil {
				return "", err
			}
			found = slices.DeleteFunc(found, func(p string) bool { first, err := probe(p); return err != nil || first.lacks(f.keys) != "" })
			if len(found) > 1 && f.tool != InferencePerf {
				return "", fmt.Errorf("%s holds %d files of %s, one level each: name one of them, such as %s", dir, len(found), f.tool, found[0])
			}
			if len(found) > 0 {
				return found[0], nil
			}
		}
	}
	return "", fmt.Errorf("%s is neither a run folder of assay bench (it has no %s) nor a folder that vllm, sglang, aiperf, guidellm, inference-perf or llm-d left", dir, record.RunFile)
}

// quoteGlob makes a folder's name mean itself in a pattern.
func quoteGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// finish fills what every run of another tool has alike.
func finish(f *File, tool string) {
	run := &f.Run
	run.Schema = record.Schema
	run.Tool.Name = cmp.Or(run.Tool.Name, tool)
	run.Spec = json.RawMessage("{}")
	run.Command = []string{}
	if run.Levels == nil {
		run.Levels = []record.Level{}
	}
	if run.End == nil && len(run.Levels) > 0 {
		end := run.Levels[len(run.Levels)-1].End
		run.End = &end
	}
	run.Bound = record.Bound{
		Verdict: record.BoundUnknown, Evidence: []record.Evidence{}, Against: []record.Evidence{},
		Missing: []string{"the engine's own metrics, which a file of " + tool + " does not hold"},
	}
	run.SLO.Criteria = []record.Criterion{}
	if strings.Contains(run.Tool.Version, byAssay) {
		measuredByAssay(run.Definitions)
	}
	if s := suspects(f.Requests, tool); s != "" {
		run.Notes = append(run.Notes, s)
	}
	for i := range run.Levels {
		l := &run.Levels[i]
		if l.Load.Value == 0 {
			run.Notes = append(run.Notes, "the file does not say which load was held")
		}
		if l.Errors == nil {
			l.Errors = map[string]int{}
		}
		if l.SLO == nil {
			l.SLO = []record.Criterion{}
		}
	}
}
