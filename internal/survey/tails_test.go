package survey

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/telemetry"
)

// bucketed is a scrape with a TTFT histogram: how many took up to 0.1, 0.5 and
// 2.5 s, and how many at all.
func bucketed(t *testing.T, engine int, counts [4]float64) telemetry.Snapshot {
	t.Helper()
	values := map[string]float64{
		`vllm:num_requests_running{engine="0"}`:                                    1,
		fmt.Sprintf(`vllm:time_to_first_token_seconds_sum{engine="%d"}`, engine):   counts[3] / 2,
		fmt.Sprintf(`vllm:time_to_first_token_seconds_count{engine="%d"}`, engine): counts[3],
	}
	for i, le := range []string{"0.1", "0.5", "2.5", "+Inf"} {
		values[fmt.Sprintf(`vllm:time_to_first_token_seconds_bucket{engine="%d",le="%s"}`, engine, le)] = counts[i]
	}
	s, err := telemetry.FromValues(epoch, values)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTails(t *testing.T) {
	for _, c := range []struct {
		name  string
		after [4]float64 // before all are 1000
		want  []Tail
	}{
		{"a p95 of 200", [4]float64{1150, 1195, 1200, 1200}, []Tail{{Metric: "ttft", N: 200, Percentile: "p95", AboveS: 0.1, AtMostS: p(0.5), MaxAtMostS: p(2.5)}}},
		{"a p99 of 1000", [4]float64{1100, 1980, 1995, 2000}, []Tail{{Metric: "ttft", N: 1000, Percentile: "p99", AboveS: 0.5, AtMostS: p(2.5)}}},
		{"too few for any", [4]float64{1002, 1005, 1005, 1005}, []Tail{{Metric: "ttft", N: 5, MaxAtMostS: p(0.5)}}},
		{"beyond the last boundary", [4]float64{1000, 1000, 1000, 1020}, []Tail{{Metric: "ttft", N: 20, Percentile: "p50", AboveS: 2.5}}},
		{"none", [4]float64{1000, 1000, 1000, 1000}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := tailsIn([]telemetry.Snapshot{bucketed(t, 0, [4]float64{1000, 1000, 1000, 1000}), bucketed(t, 0, c.after)})
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}
