package spec

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestParseCondition(t *testing.T) {
	for in, want := range map[string]Criterion{
		"ttft.p95<500ms":   {"ttft", "p95", 500},
		"ttft.p95=500ms":   {"ttft", "p95", 500},
		"ttft.p99 <= 1.5s": {"ttft", "p99", 1500},
		"tpot.mean<50":     {"itl", "mean", 50},
		"ITL<50ms":         {"itl", "p95", 50},
		"e2e.median=2s":    {"e2e", "p50", 2000},
		"ttft:200":         {"ttft", "p95", 200},
	} {
		got, err := ParseCondition(in)
		if err != nil || got != want {
			t.Errorf("ParseCondition(%q) = %v, %v; want %v", in, got, err, want)
		}
	}
	for in, want := range map[string]string{
		"ttft.p95":        "no < or =",
		"speed.p95<1s":    `metric "speed" is not one of ttft`,
		"ttft.p96<1s":     `percentile "p96" is not one of`,
		"ttft.p95<soon":   `limit "soon" is not a time`,
		"ttft.p95<0":      "not a positive time",
		"ttft.p95<-5ms":   "not a positive time",
		"ttft.p95<NaN":    "not a positive time",
		"ttft.p95<1e-7":   "not a positive time",
		"ttft.p95>=500ms": "is not one of",
	} {
		if _, err := ParseCondition(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseCondition(%q): %v; want %q in it", in, err, want)
		}
	}
}

func TestParseConditions(t *testing.T) {
	got, err := ParseConditions([]string{"ttft.p95<500ms,itl.p95<50ms", "ttft.p95=0.5s"})
	want := []Criterion{{"ttft", "p95", 500}, {"itl", "p95", 50}}
	if err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := ParseConditions([]string{"ttft.p95<500ms", "ttft.p95<400ms"}); err == nil {
		t.Error("two limits for one percentile were accepted")
	}
}

const documents = `
saturation:
  description: "Find maximum throughput"
  concurrency: [1, 5, 10, 20, 50, 100]
  num_requests: 500
  prompt_length: 256
  max_tokens: 512
`

func TestDocumentsScenarioRunsAtEitherPlace(t *testing.T) {
	want := []Scenario{{
		Name: "saturation", Description: "Find maximum throughput", Concurrency: []int{1, 5, 10, 20, 50, 100},
		NumRequests: 500, Exact: true, Prompt: Fixed(256), Output: Fixed(512),
	}}
	under := "scenarios:" + strings.ReplaceAll(documents, "\n", "\n  ")
	for _, text := range []string{documents, under} {
		got, err := Parse("assay.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got.Scenarios); d != "" {
			t.Errorf("scenarios of %s (-want +got):\n%s", text, d)
		}
	}
}

func TestParseWhole(t *testing.T) {
	got, err := Parse("assay.yaml", []byte(`
model: llama
workload: {isl: {mean: 500, stddev: 100, min: 10, max: 900}, osl: 128}
slo: [ttft.p95<300ms, itl.p95<40ms]
platform: {instance: p5.48xlarge, gpu: H100, count: 8, tp: 8, region: us-east-1, price_per_hour: 55.04}
diagnose: {thresholds: {kv-full: 0.9, queue_share: 0.25}}
scenarios:
  long_context:
    prompt_length: [4096, 8192]
    max_tokens: 64
  bursts:
    request_rate: [2.5, 5]
    arrival: gamma
    burstiness: 0.5
    duration: 90
    warmup: 0
    repeat: 3
    confirm_knee: never
    stop_oversaturated: always
    prompt_length: [100, 200]
  real-dataset:
    dataset: {path: chat.json, format: sharegpt}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := &Spec{
		Model:    "llama",
		Workload: Workload{Prompt: Lengths{Mean: 500, Stddev: 100, Min: 10, Max: 900}, Output: Fixed(128)},
		SLO:      []Criterion{{"ttft", "p95", 300}, {"itl", "p95", 40}},
		Platform: Platform{Instance: "p5.48xlarge", GPU: "H100", Count: 8, TP: 8, Region: "us-east-1", PricePerHour: 55.04},
		Diagnose: Diagnose{Thresholds: map[string]float64{"kv-full": 0.9, "queue-share": 0.25}},
		Scenarios: []Scenario{
			{Name: "long-context", PromptSet: []int{4096, 8192}, Output: Fixed(64)},
			{Name: "bursts", RequestRate: []float64{2.5, 5}, Arrival: "gamma", Burstiness: 0.5, Duration: 90 * time.Second,
				Warmup: -1, Prompt: Lengths{Choices: []int{100, 200}}, Repeat: 3, ConfirmKnee: Never, StopOversaturated: Always},
			{Name: "dataset", DatasetPath: "chat.json", DatasetKind: "sharegpt"},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestSLOAsMapping(t *testing.T) {
	got, err := Parse("f", []byte("slo:\n  ttft.p95: 300ms\n  itl.p95: <40ms\n"))
	want := []Criterion{{"ttft", "p95", 300}, {"itl", "p95", 40}}
	if err != nil || cmp.Diff(want, got.SLO) != "" {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestMistakesHaveAPlace(t *testing.T) {
	for text, want := range map[string]string{
		"saturation:\n  concurency: 5\n":                     `assay.yaml:2:3: unknown key "concurency" in scenario saturation; did you mean "concurrency"?`,
		"saturation:\n  concurrency: [1, x]\n":               `assay.yaml:2:20: concurrency must be a number, not "x"`,
		"saturation:\n  concurrency: 0\n":                    `assay.yaml:2:16: concurrency is 0; it must be at least 1`,
		"saturation:\n  concurrency: 1.5\n":                  `must be a whole number`,
		"saturation:\n  concurrency: []\n":                   `empty list`,
		"saturation: 5\n":                                    `assay.yaml:1:13: scenario saturation must be a mapping`,
		"scenarios:\n  'a b': {}\n":                          `scenario name "a b"`,
		"slo: ttft.p96<1s\n":                                 `assay.yaml:1:6: condition "ttft.p96<1s"`,
		"diagnose: {thresholds: {kv-full: high}}\n":          `diagnose.thresholds.kv-full must be a number`,
		"diagnose: {thresholds: [1]}\n":                      `diagnose.thresholds must be a mapping`,
		"diagnose: {thresholds: {kv-full: 1, kv_full: 1}}\n": `threshold "kv_full" stands twice`,
		"bogus: 1\n": `assay.yaml:1:1: unknown key "bogus" in the file; known keys: baseline`,
		"saturation: {concurrency: 1, request_rate: 2}\n":          "gives both",
		"saturation:\n  max_tokens: 1\n  max-tokens: 2\n":          `stands twice`,
		"model: a\n---\nmodel: b\n":                                `a second document`,
		"saturation: {}\nscenarios:\n  saturation: {}\n":           `scenario "saturation" stands twice`,
		"saturation:\n  duration: soon\n":                          `duration must be a positive duration`,
		"saturation:\n  prompt_length: {min: 9, max: 3}\n":         `min 9 is above max 3`,
		"saturation:\n  arrival: bursts\n":                         `arrival is "bursts"; it is one of constant, poisson, gamma`,
		"saturation:\n\tconcurrency: 1\n":                          "assay.yaml:",
		"saturation:\n  concurrency: 99999999999999999999999999\n": "below 2^31",
	} {
		_, err := Parse("assay.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q):\n  %v\n  want in it: %s", text, err, want)
		}
	}
}

func TestAllMistakesAtOnce(t *testing.T) {
	_, err := Parse("f", []byte("saturation:\n  concurrency: x\n  num_requests: -1\n"))
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("want two lines, got: %v", err)
	}
}

func TestManyMistakesAreCut(t *testing.T) {
	_, err := Parse("f", []byte("saturation:\n"+strings.Repeat("  x: 1\n", 1000)))
	if err == nil || strings.Count(err.Error(), "\n") > 25 || !strings.Contains(err.Error(), "and 980 more") {
		t.Errorf("%d lines: %.200v", strings.Count(err.Error(), "\n"), err)
	}
}

func TestOver(t *testing.T) {
	base := Default(Saturation)
	got := Scenario{Duration: time.Minute}.Over(base)
	if got.NumRequests != 0 || got.Duration != time.Minute {
		t.Errorf("a duration alone must take away the default count: %+v", got)
	}
	got = Scenario{RequestRate: []float64{3}}.Over(base)
	if got.Concurrency != nil || got.RequestRate[0] != 3 {
		t.Errorf("a rate must take away the concurrency: %+v", got)
	}
	got = Scenario{NumRequests: 7, Exact: true}.Over(base)
	if got.NumRequests != 7 || !got.Exact {
		t.Errorf("the count was lost: %+v", got)
	}
	if got := (Scenario{}).Over(base); cmp.Diff(base, got) != "" {
		t.Errorf("saying nothing changed the default: %+v", got)
	}
}

func TestDefaultsCanRun(t *testing.T) {
	for _, name := range []string{Baseline, Saturation, Production, LongContext} {
		if err := Default(name).Check(); err != nil {
			t.Error(err)
		}
	}
	if err := Default(Dataset).Check(); err == nil || !strings.Contains(err.Error(), "--dataset FILE") {
		t.Errorf("dataset without a file: %v", err)
	}
}

func TestCheck(t *testing.T) {
	for want, s := range map[string]Scenario{
		"no load":                {Name: "mine"},
		"closed loop has no arr": {Arrival: "poisson", Concurrency: []int{1}},
		"--repeat 101":           {Repeat: 101, Concurrency: []int{1}},
		"--confirm-knee \"so\"":  {ConfirmKnee: "so", Concurrency: []int{1}},
		"needs --arrival gamma":  {Burstiness: 2, RequestRate: []float64{1}},
		"leaves nothing":         {SharedPrefix: 256, Concurrency: []int{1}},
		"at most 1e6":            {RequestRate: []float64{1e9}},
	} {
		if err := s.Over(Default("mine")).Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v; want %q", s, err, want)
		}
	}
}

func TestLengthsStayWithinTheirCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Lengths{
			Mean: rapid.Float64Range(0, 1000).Draw(t, "mean"), Stddev: rapid.Float64Range(0, 500).Draw(t, "sd"),
			Min: rapid.IntRange(1, 50).Draw(t, "min"), Max: rapid.IntRange(50, 2000).Draw(t, "max"),
		}
		n := l.Sample(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)))
		if n < l.Min || n > l.Max {
			t.Fatalf("%+v gave %d", l, n)
		}
	})
}

func TestLengthsMean(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, l := range []Lengths{Fixed(64), {Mean: 200, Stddev: 20}, {Min: 10, Max: 20}, {Choices: []int{5, 15}}} {
		sum := 0
		for range 20000 {
			sum += l.Sample(rng)
		}
		if got, want := float64(sum)/20000, l.Expected(); got < want*0.98 || got > want*1.02 {
			t.Errorf("%+v: mean %.1f, want %.1f", l, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(documents))
	f.Add([]byte("a: &x {b: *x}\n"))
	f.Add([]byte("slo: {ttft.p95: 1}\nplatform: {tp: 2}\nworkload: {isl: [1, 2]}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse("f", data)
		if err != nil {
			return
		}
		for _, sc := range s.Scenarios {
			resolved := sc.Over(Default(sc.Name))
			_ = resolved.Check()
		}
	})
}

// A condition that is printed reads as the same one, however long the time.
func TestAConditionReadsAsItIsPrinted(t *testing.T) {
	for _, limit := range []float64{1e-6, 0.5, 500, 1e6, 111111111, 1e9} {
		c := Criterion{"e2e", "p95", limit}
		if got, err := ParseCondition(c.String()); err != nil || got != c {
			t.Errorf("%s reads as %v, %v", c, got, err)
		}
	}
}
