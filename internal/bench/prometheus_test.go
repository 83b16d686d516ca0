package bench

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"assay/internal/record"
	"assay/internal/wire"
)

// recorded is a Prometheus server that scraped two engines every 5 s: one of the
// target's model and one of another.
func recorded(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		number := func(name string) float64 { v, _ := strconv.ParseFloat(r.FormValue(name), 64); return v }
		result := []any{}
		if strings.Contains(r.FormValue("query"), "vllm:generation_tokens_total") {
			for _, model := range []string{"m", "another"} {
				var values [][]any
				for at := number("start"); at <= number("end"); at += number("step") {
					scraped := float64(int64(at) / 5 * 5)
					values = append(values, []any{at, fmt.Sprint(100 * scraped)})
				}
				result = append(result, map[string]any{"values": values, "metric": map[string]string{
					"__name__": "vllm:generation_tokens_total", "engine": "0", "model_name": model, "namespace": "llm", "pod": "vllm-" + model, "instance": model + ":8000", "job": "vllm"}})
			}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"status": "success", "data": map[string]any{"resultType": "matrix", "result": result}})
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestALevelIsAskedOfPrometheus(t *testing.T) {
	url := recorded(t)
	client, err := wire.New(wire.Endpoint{URL: "http://127.0.0.1:1", API: wire.Chat, Model: "m"}, wire.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	asked := &target{client: client}
	asked.info.Model = "m"
	if err := asked.findMetrics(t.Context(), Metrics{Prometheus: Prometheus{URL: url + "?token=hush", Namespace: "llm"}}); err != nil || asked.past == nil {
		t.Fatalf("%v, %v", err, asked.noMetrics)
	}
	from := time.Unix(1_800_000_003, 0)
	lines := asked.past.level(t.Context(), "fixed-c4", from, from, from.Add(21*time.Second))
	var at []int64
	for _, l := range lines {
		at = append(at, l.AtUS/1e6)
		if l.Of != record.OfEngine || l.Source != url+" vllm-m" || l.Level != "fixed-c4" || l.Edge != "" {
			t.Errorf("line %+v", l)
		}
	}
	// Scrapes of the server at 5, 10, 15 and 20 s of its clock: the one before the level is left out.
	if fmt.Sprint(at) != "[2 7 12 17]" {
		t.Errorf("lines at %v s, want those of scrapes within the level, at 2, 7, 12 and 17", at)
	}
	a := accountsOf(from, lines)
	if a.server == nil || a.server.OutputTokens == nil || *a.server.OutputTokens != 1500 || a.whole {
		t.Errorf("account %+v, whole %v; want 1500 tokens between the first scrape and the last", a.server, a.whole)
	}

	// One that knows no engine of the model, and one that is not there.
	for where, want := range map[string]string{url: "records no engine that serves the model", "http://127.0.0.1:1": "refused"} {
		other := &target{client: client}
		other.info.Model = "a third"
		if err := other.findMetrics(t.Context(), Metrics{Prometheus: Prometheus{URL: where + "?token=hush"}}); err != nil || other.past != nil {
			t.Errorf("%s: %v, past %v", where, err, other.past)
		}
		if said := strings.Join(other.noMetrics, "\n"); !strings.Contains(said, want) || strings.Contains(said, "hush") {
			t.Errorf("%q does not say %q, or tells the key", said, want)
		}
	}
}
