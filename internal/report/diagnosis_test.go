package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/record"
	"assay/internal/survey"
)

// lookAt is a look at three replicas, one of which is throttled, with all that a
// result can hold.
func lookAt() *survey.Result {
	v := func(x float64) *float64 { return &x }
	at := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	replica := func(name, verdict string, step, clock float64) survey.Instance {
		return survey.Instance{
			Name: name, Model: "llama-3.1-8b", Engine: "vllm",
			Bound:  record.Bound{Verdict: verdict, Confidence: 0.8},
			Server: &record.Server{RunningMean: v(20), WaitingMean: v(3.5), KVUsageMax: v(0.62), StepMS: &step, TTFTMean: v(210)},
			GPU:    &record.GPU{SMClockMHz: &clock},
		}
	}
	slow := replica("llm-2", record.BoundThrottled, 31, 930)
	slow.Odd, slow.Why = true, []string{"SM clock 930 MHz, the median of all is 1755 MHz", "step time 31 ms, the median of all is 12 ms"}
	slow.Restarts = []survey.Restart{{At: at.Add(3 * time.Minute), Why: "the server's process start time went from 100 to 200"}}
	first := replica("llm-0", record.BoundNotSaturated, 12, 1755)
	first.Tails = []survey.Tail{
		{Metric: "ttft", N: 140, Percentile: "p95", AboveS: 0.25, AtMostS: v(0.5), MaxAtMostS: v(2.5)},
		{Metric: "itl", N: 90_000, Percentile: "p99", AboveS: 80},
		{Metric: "e2e", N: 4},
	}
	lost := survey.Instance{Name: "llm-3", Odd: true, Why: []string{"could not be read: http://llm-3:8000/metrics: connection refused"}, Failed: "http://llm-3:8000/metrics: connection refused",
		Bound: record.Bound{Verdict: record.BoundUnknown, Missing: []string{"the replica's metrics"}}}
	return &survey.Result{
		Bound: record.Bound{Verdict: record.BoundThrottled, Confidence: 0.8,
			Evidence: []record.Evidence{{Fact: "1 of 4 replicas says so; the facts are of llm-2", Metric: "replicas", Value: v(1), Source: "survey"}, {Fact: "heat held the clock back in 60 % of the samples", Metric: "thermal_share", Value: v(0.6), Unit: "share", Source: "level llm-2 #1, dcgm"}},
			Against:  []record.Evidence{{Fact: "hardly any request waited", Metric: "waiting_share", Value: v(0.02), Unit: "share", Source: "level llm-2 #1, engine /metrics"}},
			Missing:  []string{"the node's metrics (--node)"},
			Change:   &record.Change{Text: "drain the node and look at its cooling"},
			Next:     "run the same load on another node: its clock should stay up"},
		Instances: []survey.Instance{first, replica("llm-1", record.BoundNotSaturated, 12.4, 1740), slow, lost},
		WindowS:   1800, From: at, To: at.Add(30 * time.Minute), Source: survey.FromPrometheus,
		Incidents:   []survey.Incident{{Kind: "oom-killed", Object: "pod llm/llm-2", Fact: "the container vllm was killed for memory, exit code 137", Source: "Kubernetes API", At: at.Add(2 * time.Minute)}},
		Remarks:     []string{"the Prometheus server warns: a store gateway is away"},
		Interrupted: true,
	}
}

func TestDiagnosisGolden(t *testing.T) {
	var text, markdown bytes.Buffer
	if err := Diagnosis(&text, lookAt(), TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := DiagnosisMarkdown(&markdown, lookAt()); err != nil {
		t.Fatal(err)
	}
	golden(t, "diagnosis.txt", text.Bytes())
	golden(t, "diagnosis.md", markdown.Bytes())
}

func TestDiagnosisLine(t *testing.T) {
	at := time.Date(2026, 11, 30, 9, 30, 0, 0, time.UTC)
	for _, c := range []struct {
		event survey.Event
		want  string
	}{
		{survey.Event{Event: survey.Changed, At: at, Result: lookAt()}, "09:30:00  Throttled GPU, confidence 80 %: drain the node and look at its cooling; llm-2 is the odd one: SM clock 930 MHz"},
		{survey.Event{Event: survey.Heartbeat, At: at, Result: &survey.Result{Bound: record.Bound{Verdict: record.BoundNotSaturated, Confidence: 0.9}}}, "09:30:00  still Not saturated, confidence 90 %"},
		{survey.Event{Event: survey.Failed, At: at, Error: "connection\x1b[31m refused\n"}, "09:30:00  nothing could be read: connection [31m refused"},
	} {
		if got := DiagnosisLine(c.event); !strings.HasPrefix(got, c.want) || strings.ContainsAny(got, "\n\x1b") {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestTheOneSpanOfOneReplicaNeedsNoName(t *testing.T) {
	r := lookAt()
	if got := shownBound(r).Evidence[1].Source; got != "llm-2 #1, dcgm" {
		t.Errorf("of several replicas it is %q", got)
	}
	r.Instances = r.Instances[2:3]
	if got := shownBound(r).Evidence[1].Source; got != "dcgm" {
		t.Errorf("of one replica it is %q", got)
	}
}

func TestWhatTwoReplicasDifferInIsOneLine(t *testing.T) {
	r := lookAt()
	for i := range r.Instances {
		r.Instances[i].Odd = false
	}
	r.Differences = []survey.Difference{
		{What: "requests waiting", Unit: "requests", Of: map[string]float64{"llm-0": 31, "llm-1": 0}},
		{What: "requests running", Unit: "requests", Of: map[string]float64{"llm-0": 8, "llm-1": 0}},
	}
	want := []string{"two replicas differ in requests waiting (llm-0 31.0 requests, llm-1 0 requests), requests running (llm-0 8.00 requests, llm-1 0 requests); with two one cannot tell which is the odd one"}
	if diff := cmp.Diff(want, comparison(r)); diff != "" {
		t.Error(diff)
	}
}

func TestTheHeadOfAnUnknownVerdictIsWhatToDo(t *testing.T) {
	b := record.Bound{Verdict: record.BoundUnknown}
	if got := diagnosisHead(b); !strings.HasPrefix(strings.ToLower(got), "unknown") {
		t.Errorf("%q", got)
	}
	b.Change = &record.Change{Text: "the engine hangs: restart it"}
	if got := diagnosisHead(b); got != "The engine hangs: restart it." {
		t.Errorf("%q", got)
	}
}

// What a server says cannot drive the terminal.
func TestDiagnosisIsPlain(t *testing.T) {
	r := lookAt()
	const evil = "evil\x1b[2J\u202e\nname"
	for i := range r.Instances {
		r.Instances[i].Name, r.Instances[i].Model, r.Instances[i].Failed, r.Instances[i].Why = evil, evil, evil, []string{evil}
	}
	r.Remarks, r.Incidents[0].Fact = []string{evil}, evil
	var text, markdown bytes.Buffer
	if err := Diagnosis(&text, r, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := DiagnosisMarkdown(&markdown, r); err != nil {
		t.Fatal(err)
	}
	if s := text.String() + markdown.String(); strings.ContainsAny(s, "\x1b\u202e") || strings.Contains(s, "\nname") {
		t.Errorf("%q", s)
	}
}
