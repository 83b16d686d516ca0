package spec

import (
	"strings"
	"testing"
)

func TestParseGate(t *testing.T) {
	for s, want := range map[string]Gate{
		"ttft.p95>+10%":                        {Metric: "ttft.p95", Above: true, Limit: 10, Change: true},
		" TPOT > +2.5% ":                       {Metric: "itl.p95", Above: true, Limit: 2.5, Change: true},
		"e2e.median>=+0%@saturation":           {Metric: "e2e.p50", Above: true, Change: true, At: "saturation"},
		"throughput.output_tokens_per_s<-5%":   {Metric: OutputTokensPerS, Limit: -5, Change: true},
		"throughput<-5%@c10":                   {Metric: OutputTokensPerS, Limit: -5, Change: true, At: "c10"},
		"requests_per_s<100":                   {Metric: RequestsPerS, Limit: 100},
		"ttft.p95>500ms":                       {Metric: "ttft.p95", Above: true, Limit: 500},
		"ttft.p95>1.5s":                        {Metric: "ttft.p95", Above: true, Limit: 1500},
		"errors>1%":                            {Metric: ErrorShare, Above: true, Limit: 0.01},
		"errors>+1%":                           {Metric: ErrorShare, Above: true, Limit: 1, Change: true},
		"cost.usd_per_million_output_tokens>2": {Metric: CostPerMillion, Above: true, Limit: 2},
	} {
		got, err := ParseGate(s)
		if err != nil || got != want {
			t.Errorf("%q = %+v, %v; want %+v", s, got, err, want)
			continue
		}
		if again, err := ParseGate(got.String()); err != nil || again != got {
			t.Errorf("%q is printed as %q, which is %+v, %v", s, got, again, err)
		}
	}
}

func TestParseGateRefuses(t *testing.T) {
	for s, why := range map[string]string{
		"ttft.p95":        "no > or <",
		"ttft.p95>10%":    "neither + nor -",
		"ttft.p95>+50ms":  "in per cent",
		"ttft.p97>+1%":    `"p97"`,
		"tps>+1%":         `"tps"`,
		"ttft>soon":       `"soon"`,
		"errors>300%":     "between 0 and 100",
		"throughput<-x%":  `"-x%"`,
		"ttft.p95>+NaN%":  "not a number",
		"throughput<1e99": "not a number",
	} {
		_, err := ParseGate(s)
		if err == nil || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), "ttft.p95>+10%") {
			t.Errorf("%q: %v, want %q and an example", s, err, why)
		}
	}
}

func FuzzParseGate(f *testing.F) {
	for _, s := range []string{"ttft.p95>+10%", "errors>1%@c10", "throughput<-5%", "cost>2", "itl>1e3s@", "icl>111111111", "ttft>1e-7", "ttft<1e9"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		g, err := ParseGate(s)
		if err != nil {
			return
		}
		again, err := ParseGate(g.String())
		if err != nil || again.Metric != g.Metric || again.Above != g.Above || again.Change != g.Change {
			t.Fatalf("%q reads as %+v, printed %q reads as %+v, %v", s, g, g, again, err)
		}
	})
}
