package telemetry

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

func TestCatalogue(t *testing.T) {
	quantities, metrics := map[Quantity]bool{}, map[string]Quantity{}
	for _, e := range Catalogue {
		if quantities[e.Quantity] {
			t.Errorf("%s stands twice", e.Quantity)
		}
		quantities[e.Quantity] = true
		if e.Help == "" || e.Unit == "" || len(e.Names) == 0 {
			t.Errorf("%s: help %q, unit %q, %d names; want each", e.Quantity, e.Help, e.Unit, len(e.Names))
		}
		for _, sentence := range append([]string{e.Help}, e.Traps...) {
			if !strings.HasSuffix(sentence, ".") {
				t.Errorf("%s: %q is not a sentence", e.Quantity, sentence)
			}
		}
		for _, n := range e.Names {
			of, there := metrics[n.Metric]
			switch {
			case there && !n.Also:
				t.Errorf("%s stands for %s and for %s", n.Metric, of, e.Quantity)
			case !there && n.Also:
				t.Errorf("%s belongs to %s alone", n.Metric, e.Quantity)
			}
			metrics[n.Metric] = e.Quantity
			if n.Where != "" && e.Kind != Gauge {
				t.Errorf("%s: only gauges are told apart by a label", n.Metric)
			}
			if n.Engine == "" {
				t.Errorf("%s belongs to nobody", n.Metric)
			}
			if (n.Removed == "") != (n.Instead == "") {
				t.Errorf("%s is removed in %q and has %q instead", n.Metric, n.Removed, n.Instead)
			}
			if n.Default == (n.Enable != "") {
				t.Errorf("%s is there by default: %t, and is enabled by %q", n.Metric, n.Default, n.Enable)
			}
		}
	}
}

// ignored are series of recorded scrapes that say nothing of serving.
var ignored = []string{"python_", "go_", "promhttp_"}

func TestRecordedScrapesAreKnown(t *testing.T) {
	files, err := filepath.Glob("testdata/*.prom")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d recorded scrapes, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		unknown := map[string]bool{}
		for line := range strings.Lines(string(text)) {
			name := strings.FieldsFunc(line, func(r rune) bool { return r == '{' || r == ' ' || r == '\n' })
			if len(name) == 0 || strings.HasPrefix(line, "#") || slices.ContainsFunc(ignored, func(p string) bool { return strings.HasPrefix(line, p) }) {
				continue
			}
			if _, _, ok := Lookup(name[0]); !ok {
				unknown[name[0]] = true
			}
		}
		if len(unknown) > 0 {
			t.Errorf("%s: the catalogue lacks %q", file, slices.Sorted(maps.Keys(unknown)))
		}
	}
}

// What the catalogue says that a vLLM publishes unasked is in the scrape of one.
func TestNamesOfVLLMAreInItsScrape(t *testing.T) {
	text, err := os.ReadFile("testdata/vllm-0.32-full.prom")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 2 && fields[1] == "TYPE" {
			seen[fields[2]] = true
		}
	}
	n := 0
	for _, e := range Catalogue {
		for _, name := range e.Names {
			if !strings.HasPrefix(name.Metric, "vllm:") || !name.Default || name.Removed != "" {
				continue
			}
			n++
			if !seen[name.Metric] {
				t.Errorf("%s: the catalogue says that vLLM publishes it by default, and 0.32 does not", name.Metric)
			}
		}
	}
	if n < 30 {
		t.Errorf("%d names of vLLM", n)
	}
}

// Each label of a recorded series is one that the catalogue gives its metric, but
// for info metrics, whose labels are a configuration.
func TestRecordedLabelsAreKnown(t *testing.T) {
	files, err := filepath.Glob("testdata/*.prom")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		parser := expfmt.NewTextParser(model.UTF8Validation)
		families, err := parser.TextToMetricFamilies(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		for name, family := range families {
			_, n, ok := Lookup(name)
			if !ok {
				continue
			}
			for _, m := range family.Metric {
				for _, l := range m.Label {
					if !slices.Contains(n.Labels, l.GetName()) && len(n.Product) == 0 {
						t.Errorf("%s: %s has the label %s, which the catalogue does not give it", file, name, l.GetName())
					}
				}
			}
		}
	}
}

func TestLookup(t *testing.T) {
	for _, c := range []struct {
		series string
		want   Quantity
		metric string
	}{
		{"vllm:kv_cache_usage_perc", KVUsage, "vllm:kv_cache_usage_perc"},
		{"vllm:gpu_cache_usage_perc", KVUsage, "vllm:gpu_cache_usage_perc"},
		{"vllm:num_preemptions_total", Preemptions, "vllm:num_preemptions_total"},
		{"vllm:num_preemptions", Preemptions, "vllm:num_preemptions_total"},
		{"vllm:num_preemptions_created", Preemptions, "vllm:num_preemptions_total"},
		{"vllm:time_to_first_token_seconds", TTFT, "vllm:time_to_first_token_seconds"},
		{"vllm:time_to_first_token_seconds_bucket", TTFT, "vllm:time_to_first_token_seconds"},
		{"vllm:time_to_first_token_seconds_sum", TTFT, "vllm:time_to_first_token_seconds"},
		{"vllm:time_to_first_token_seconds_created", TTFT, "vllm:time_to_first_token_seconds"},
		{"vllm:iteration_tokens_total_count", IterationTokens, "vllm:iteration_tokens_total"},
		{"vllm:iteration_tokens_count", "", ""},
		{"vllm:time_to_first_token_seconds_total", "", ""},
		{"vllm:num_requests_running_bucket", "", ""},
		{"vllm:num_requests_running_total", "", ""},
		{"sglang:prompt_tokens_total", PromptTokens, "sglang:prompt_tokens_total"},
		{"tgi_request_input_length_sum", PromptTokens, "tgi_request_input_length_sum"},
		{"DCGM_FI_DEV_GPU_TEMP", GPUTemperature, "DCGM_FI_DEV_GPU_TEMP"},
		{"up", "up", "up"},
		{"vllm_num_requests_running", "", ""},
		{"", "", ""},
	} {
		e, n, ok := Lookup(c.series)
		if ok != (c.want != "") || e.Quantity != c.want || n.Metric != c.metric {
			t.Errorf("Lookup(%q) = %s, %s, %t; want %s, %s", c.series, e.Quantity, n.Metric, ok, c.want, c.metric)
		}
	}
}
