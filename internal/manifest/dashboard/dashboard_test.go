package dashboard

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/heatmap"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/statetimeline"
	grid "github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

var update = flag.Bool("update", false, "write the golden files")

// measured are options with everything in them.
var measured = Options{
	TTFT: time.Second, ITL: 100 * time.Millisecond, Objective: 0.9,
	OperatingPoint: &OperatingPoint{Running: 24, Source: "24 requests for each server: operating point of run-2026-11-30."},
}

func dashboards(t testing.TB, o Options) []Dashboard {
	t.Helper()
	boards, err := All(o)
	if err != nil {
		t.Fatal(err)
	}
	return boards
}

func TestDashboardsAreAsRecorded(t *testing.T) {
	boards := dashboards(t, Options{})
	for _, b := range boards {
		file := filepath.Join("testdata", b.Name+".json")
		if *update {
			if err := os.WriteFile(file, b.JSON, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(b.JSON)); diff != "" {
			t.Errorf("%s, -want +got (-update writes it):\n%s", b.Name, diff)
		}
	}
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) != len(boards) {
		t.Errorf("%d golden files for %d dashboards (%v)", len(files), len(boards), err)
	}
}

// decode reads a dashboard by Grafana's own types, strictly.
func decode(t testing.TB, text []byte) classic {
	t.Helper()
	runtime := cog.NewRuntime()
	runtime.RegisterPanelcfgVariant(stat.VariantConfig())
	runtime.RegisterPanelcfgVariant(timeseries.VariantConfig())
	runtime.RegisterPanelcfgVariant(heatmap.VariantConfig())
	runtime.RegisterPanelcfgVariant(grid.VariantConfig())
	runtime.RegisterPanelcfgVariant(statetimeline.VariantConfig())
	runtime.RegisterDataqueryVariant(prometheus.VariantConfig())
	if found := strict(text); found != "" {
		t.Fatal(found)
	}
	var d classic
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	if err := d.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, p := range d.Panels {
		if p.Panel == nil {
			continue
		}
		for i, q := range p.Panel.Targets { // decoded as pointers, built as values
			if q, ok := q.(*prometheus.Dataquery); ok {
				p.Panel.Targets[i] = *q
			}
		}
	}
	return d
}

// strict says what of a dashboard Grafana's types do not have. They answer with an
// empty list where they find nothing, and leave such a part out of the value.
func strict(text []byte) string {
	var d classic
	if err := d.UnmarshalJSONStrict(text); err != nil {
		return err.Error()
	}
	return ""
}

func TestUnknownFieldsAreFound(t *testing.T) {
	for _, b := range dashboards(t, Options{}) {
		decode(t, b.JSON)
		n := bytes.Count(b.JSON, []byte(`"legendFormat"`))
		found := strict(bytes.ReplaceAll(b.JSON, []byte(`"legendFormat"`), []byte(`"legendFromat"`)))
		if got := strings.Count(found, "legendFromat"); got != n || n == 0 {
			t.Errorf("%s: %d of %d mistakes found", b.Name, got, n)
		}
	}
}

func TestGrafanaKnowsEveryField(t *testing.T) {
	for name, o := range map[string]Options{"default": {}, "measured": measured} {
		for _, b := range dashboards(t, o) {
			d := decode(t, b.JSON)
			if len(d.Panels) < 10 {
				t.Errorf("%s, %s: %d panels", name, b.Name, len(d.Panels))
			}
			for _, p := range d.Panels {
				if p.Panel == nil {
					continue
				}
				for _, q := range p.Panel.Targets {
					if expression(q) == "" {
						t.Errorf("%s, %s, %q: a query of type %T", name, b.Name, *p.Panel.Title, q)
					}
				}
			}
		}
	}
}

func TestOptionsShapeTheQueries(t *testing.T) {
	boards := dashboards(t, measured)
	text := map[string]string{}
	for _, b := range boards {
		text[b.Name] = string(b.JSON)
	}
	for board, wants := range map[string][]string{
		"assay-overview": {`le=~\"1(\\\\.0)?\"`, `le=\"0.1\"`, "First token within 1 s"},
		"assay-service":  {"24 * count(count by (job, instance)", "24 requests for each server: operating point of run-2026-11-30."},
		"assay-slo":      {"the upper line", `/ 0.1)`, `"value": 8,`}, // 14.4 would be more than all tokens
	} {
		for _, want := range wants {
			if !strings.Contains(text[board], want) {
				t.Errorf("%s has no %s", board, want)
			}
		}
	}
	if plain := dashboards(t, Options{}); bytes.Contains(plain[1].JSON, []byte("operating point")) {
		t.Error("an operating point is drawn that nobody measured")
	}
}

func TestOptionsThatCannotBeMet(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{TTFT: 300 * time.Millisecond}, "TTFT: 300 ms is no boundary of vLLM's histogram, so nothing counts what is within it; there are 1 ms, 5 ms"},
		{Options{ITL: 60 * time.Millisecond}, "10 ms, 25 ms, 50 ms, 75 ms"},
		{Options{Objective: 99}, "an objective of 99: it is a share"},
		{Options{Objective: -0.1}, "an objective of -0.1"},
		{Options{OperatingPoint: &OperatingPoint{}}, "an operating point of 0 requests"},
	} {
		boards, err := All(c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) || boards != nil {
			t.Errorf("%+v: %d dashboards and %v, want %q", c.o, len(boards), err, c.want)
		}
	}
}

func TestEveryBoundaryHasAMatcher(t *testing.T) {
	for _, b := range []Boundaries{TTFTBoundaries, ITLBoundaries} {
		for _, v := range b {
			if _, err := b.Match(seconds(v)); err != nil {
				t.Errorf("%g s: %v", v, err)
			}
		}
	}
	for limit, want := range map[time.Duration]string{
		time.Millisecond:        `le="0.001"`,
		2500 * time.Millisecond: `le="2.5"`,
		40 * time.Second:        `le=~"40(\\.0)?"`,
	} {
		if got, err := TTFTBoundaries.Match(limit); got != want || err != nil {
			t.Errorf("%s: %s, %v, want %s", limit, got, err, want)
		}
	}
}

func TestWhatNothingPublishesFailsGeneration(t *testing.T) {
	for _, c := range []struct{ expr, want string }{
		{`vllm:num_requests_runing`, `no metric "vllm:num_requests_runing"`},
		{`rate({__name__=~"vllm:.*"}[5m])`, `no metric ""`},
		{`vllm:num_requests_running{model="x"}`, "has no label model"},
		{`sum by (finished_reason) (rate(vllm:generation_tokens_total[5m]))`, "has no label finished_reason"},
		{`sum by (le) (rate(vllm:time_to_first_token_seconds_count[5m]))`, "has no label le"},
		{`up and on (gpu) DCGM_FI_DEV_GPU_TEMP`, "has no label gpu"},
		{`sum(rate(vllm:generation_tokens_total)`, "parse error"},
	} {
		b := board{name: "x", title: "X", rows: []row{{"r", []panel{figure("p", "none", "It is.", c.expr).size(4, 4)}}}}
		if _, err := b.build(); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), `panel "p"`) {
			t.Errorf("%s: %v, want %q", c.expr, err, c.want)
		}
	}
	for _, expr := range []string{
		`sum by (le) (rate(vllm:time_to_first_token_seconds_bucket{le="0.5"}[$__rate_interval]))`,
		`sum by (of_pod) (label_replace(DCGM_FI_DEV_GPU_TEMP, "of_pod", "$1", "exported_pod", "(.+)"))`,
		`count(up{job=~"$job"} == 0) or vector(0)`,
	} {
		if _, err := check(expr); err != nil {
			t.Error(err)
		}
	}
}

func TestDescriptionsNameWhatIsRead(t *testing.T) {
	p, err := chart("t", "s", "It is.", stackedQueries()...).size(8, 8).draw()
	if err != nil {
		t.Fatal(err)
	}
	want := "It is.\n\nReads vllm:num_requests_running, vllm:num_requests_waiting."
	if *p.Description != want {
		t.Errorf("%q, want %q", *p.Description, want)
	}
}

func stackedQueries() []query {
	return []query{{expr: "sum(vllm:num_requests_waiting)"}, {expr: "sum(vllm:num_requests_running) + sum(vllm:num_requests_waiting)"}}
}

func TestMetricsAreAllThatIsRead(t *testing.T) {
	names := Metrics()
	for _, want := range []string{"DCGM_FI_PROF_SM_ACTIVE", "node_amazonefa_rx_drops", "up", "vllm:gpu_cache_usage_perc", "vllm:time_to_first_token_seconds_bucket"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not among %d metrics", want, len(names))
		}
	}
	for _, b := range dashboards(t, measured) {
		for _, p := range decode(t, b.JSON).Panels {
			if p.Panel == nil {
				continue
			}
			_, reads, _ := strings.Cut(*p.Panel.Description, "\n\nReads ")
			for m := range strings.SplitSeq(strings.TrimSuffix(reads, "."), ", ") {
				if !slices.Contains(names, m) {
					t.Errorf("%s reads %s, which is not listed", *p.Panel.Title, m)
				}
			}
		}
	}
}

func TestPlacingWraps(t *testing.T) {
	wide := func(n int, w, h uint32) panel {
		return figure(fmt.Sprint(n), "none", "It is.", "up").size(w, h)
	}
	placed, err := board{rows: []row{
		{"a", []panel{wide(1, 16, 4), wide(2, 8, 6), wide(3, 4, 2)}},
		{"b", []panel{wide(4, 24, 3)}},
	}}.place()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range placed {
		if p.RowPanel != nil {
			got = append(got, fmt.Sprintf("row %d", p.RowPanel.GridPos.Y))
			continue
		}
		got = append(got, fmt.Sprintf("%s at %d,%d", *p.Panel.Title, p.Panel.GridPos.X, p.Panel.GridPos.Y))
	}
	want := []string{"row 0", "1 at 0,1", "2 at 16,1", "3 at 0,7", "row 9", "4 at 0,10"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
