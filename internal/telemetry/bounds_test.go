package telemetry

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"assay/internal/record"
)

func TestParseRefusesTooMuch(t *testing.T) {
	many := func(metric string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%s{engine=\"%d\"} 1\n", metric, i)
		}
		return b.String()
	}
	for _, c := range []struct{ name, text, want string }{
		{"series", many("vllm:num_requests_running", mostSeries), ""},
		{"a series too many", many("vllm:num_requests_running", mostSeries+1), "10001 series"},
		{"lines of no engine", many("other", mostLines+1), "more than 50000 lines"},
		{"a long token", "vllm:num_requests_running " + strings.Repeat("x", 1<<20) + "\n", "not Prometheus text"},
	} {
		_, err := Parse(strings.NewReader(c.text))
		switch {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		case err != nil && len(err.Error()) > 1000:
			t.Errorf("%s: an error of %d bytes", c.name, len(err.Error()))
		}
	}
}

func TestLongLabelsAreShortenedAndStayApart(t *testing.T) {
	long := strings.Repeat("é", 1<<19)
	s := parse(t, fmt.Sprintf("vllm:generation_tokens_total{model_name=\"%s1\"} 5\nvllm:generation_tokens_total{model_name=\"%s2\"} 7\n", long, long), 0)
	if len(s.Values()) != 2 {
		t.Errorf("%d series, want 2", len(s.Values()))
	}
	for key := range s.Values() {
		if len(key) > 3*mostLabel || !utf8.ValidString(key) {
			t.Errorf("a key of %d bytes: %.80q", len(key), key)
		}
	}
	var labels strings.Builder
	for i := range mostLabels + 1 {
		fmt.Fprintf(&labels, "l%d=\"\",", i)
	}
	for name, text := range map[string]string{
		"labels without end": "vllm:num_requests_running{" + labels.String() + "} 1\n",
		"a long name":        "vllm:num_requests_running{" + strings.Repeat("l", mostLabel+1) + "=\"\"} 1\n",
	} {
		if s := parse(t, text, 0); !s.Empty() {
			t.Errorf("%s: kept %d series", name, len(s.Values()))
		}
	}
}

func TestChangedIsBrief(t *testing.T) {
	text := func(prefix string) string {
		var b strings.Builder
		for i := range 2000 {
			fmt.Fprintf(&b, "vllm:num_requests_running{engine=\"%s%d\"} 1\n", strings.Repeat(prefix, 100), i)
		}
		return b.String()
	}
	d := Delta(parse(t, text("é"), 0), parse(t, text("b"), 1))
	if d.Changed == "" || len(d.Changed) > 700 || !utf8.ValidString(d.Changed) {
		t.Errorf("Changed has %d bytes: %.100s", len(d.Changed), d.Changed)
	}
	label := strings.Repeat("m", 300)
	one := func(v int) Snapshot {
		return parse(t, fmt.Sprintf("vllm:generation_tokens_total{model_name=%q} %d\n", label, v), 0)
	}
	if got := Delta(one(2), one(1)).Changed; len(got) > 700 || !strings.Contains(got, "fell from 2 to 1") {
		t.Errorf("Changed = %q", got)
	}
}

func TestFiguresThatOverflowAreAbsent(t *testing.T) {
	s := parse(t, `vllm:cache_config_info{block_size="1e300",num_gpu_blocks="1e300"} 1
vllm:num_requests_running{engine="0"} 1.7e308
vllm:num_requests_running{engine="1"} 1.7e308
vllm:kv_cache_usage_perc{engine="0"} 1.7e308
vllm:kv_cache_usage_perc{engine="1"} 1.7e308
`, 0)
	for _, q := range []Quantity{KVTokens, Running, KVUsage} {
		if v, ok := s.Value(q); ok {
			t.Errorf("%s = %v, want none", q, v)
		}
	}
}

// Whatever finite numbers a server gives, an account can be recorded.
func TestAccountsAreFinite(t *testing.T) {
	odd := rapid.SampledFrom([]float64{0, 5e-324, 1e-300, 1, 1e300, 1.7e308, math.MaxFloat64, -1e300})
	rapid.Check(t, func(t *rapid.T) {
		var snapshots []Snapshot
		for i := range 3 {
			values := map[string]float64{}
			for _, name := range slices.Sorted(maps.Keys(known)) {
				n := known[name].name
				if name == "process_start_time_seconds" {
					continue
				}
				labels := []string{"", `{engine="1"}`}
				switch {
				case len(n.Product) > 0:
					labels = []string{fmt.Sprintf(`{%s="%g"}`, n.Product[0], odd.Draw(t, "label"))}
				case n.Engine == "dcgm":
					labels = []string{`{gpu="0",clock_event="hw_thermal",xid="79"}`, `{gpu="1"}`}
				case n.Engine == "node":
					labels = []string{`{cpu="0",mode="user"}`}
				case n.Engine == "kubelet":
					labels = []string{`{container="c",pod="p"}`}
				}
				for _, l := range labels {
					values[name+l] = odd.Draw(t, name)
				}
			}
			s, err := FromValues(time.Unix(int64(i), 0), values)
			if err != nil {
				t.Fatal(err)
			}
			snapshots = append(snapshots, s)
		}
		for _, a := range []any{Fold(snapshots), FoldGPU(snapshots), FoldNode(snapshots)} {
			if _, err := json.Marshal(a); err != nil {
				t.Fatalf("%v: %+v", err, a)
			}
		}
		d := Difference{from: snapshots[0], to: snapshots[2]} // also where a counter fell
		var b record.Server
		counters(&b, d)
		for i, v := 0, reflect.ValueOf(b); i < v.NumField(); i++ {
			if p, ok := v.Field(i).Interface().(*float64); ok && p != nil && !finite(*p) {
				t.Fatalf("%s = %g", v.Type().Field(i).Name, *p)
			}
		}
	})
}
