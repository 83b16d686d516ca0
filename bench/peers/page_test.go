package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// made is a result with round figures: Assay cheap and exact, one peer neither.
func made() *Result {
	r := &Result{Date: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC), Repeat: 3, Versions: map[string]string{"AIPerf": "0.13.0"}}
	add := func(tool, experiment string, repeat int, cpu, ttft float64) {
		r.Runs = append(r.Runs, Run{
			Tool: tool, Experiment: experiment, Repeat: repeat,
			Reported:      Account{TTFTMean: &ttft},
			Truth:         Truth{TTFTMean: new(50.0), ErrorMean: new(ttft - 50), Tokens: 100_000},
			Usage:         Usage{CPUS: cpu},
			FirstRequestS: new(0.05),
		})
	}
	for i, error := range []float64{1, 0.2, 0.4} {
		add("Assay", one, i, 0.5, 50.1)
		add("Assay", many, i, 1.5, 50+error)
		add("plain net/http client", one, i, 0, 50)
		add("plain net/http client", many, i, 1, 51)
		add("AIPerf", many, i, 14, 150)
	}
	add("AIPerf", one, 0, 4, 52)
	for _, f := range []struct {
		tool     string
		reported int
	}{{"Assay", 60}, {"AIPerf", 0}} {
		r.Runs = append(r.Runs, Run{Tool: f.tool, Experiment: failing, Truth: Truth{Failed: 60}, Reported: Account{Failed: f.reported}, FirstRequestS: new(0.05)})
	}
	return r
}

func TestPage(t *testing.T) {
	text, err := page(made())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		// Reported − true: the median of three, with their range.
		"| Assay | +0.1 | – | +0.4 (+0.2 … +1.0) | – |",
		"| AIPerf | +2.0 | – | +100.0 | – |",
		// Start-up once, and ten times what 100,000 tokens took beyond it.
		"| Assay | 10.5 | 0.50 |",
		"| plain net/http client | 10.0 | 0.00 |",
		"| AIPerf | 104.0 | 4.00 |",
		"| CPU time of a token at most 1.3 times the plain client's | 1.05 times | met |",
		"| error of mean TTFT at 256 streams at most 1.5 times the plain client's (or 0.5 ms) | 0.40 times | met |",
		"| within 3 ms at 1,024 | – | not known |",
		"| several times cheaper than AIPerf | 0.10 of its CPU time | met |",
		"| Assay | 60 | 60 | 0 |",
		"| AIPerf | 60 | 0 | 60 |",
		"closed loop: 10 at 1, 256 at 64, 1,536 at 256, 3,072 at 1024 streams.",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(string(text), "A real vLLM") {
		t.Error("a section of an experiment that was not done")
	}
	if t.Failed() {
		t.Log(string(text))
	}
}

func TestAFailureThatCountsAsASuccessMissesTheGoal(t *testing.T) {
	r := made()
	for i := range r.Runs {
		if r.Runs[i].Tool == "Assay" && r.Runs[i].Experiment == failing {
			r.Runs[i].Reported.Failed--
		}
	}
	if goals := (view{r}).Goals(); !strings.Contains(goals, "| no failure counted as a success | 1 | missed |") {
		t.Error(goals)
	}
}

func TestWhatWasNotAsAskedIsSaid(t *testing.T) {
	v := view{&Result{Runs: []Run{
		{Tool: "AIPerf", Experiment: crowd, Streams: 1024, Asked: 2048, Reported: Account{Completed: 2048}, Truth: Truth{MostOpen: 1016}},
		{Tool: "GuideLLM", Experiment: realVLLM, Streams: 16, Asked: 32, Reported: Account{Completed: 29, Failed: 1}},
		{Tool: "inference-perf", Experiment: few, Streams: 64, Error: "it died"},
		{Tool: "Assay", Experiment: few, Streams: 64, Asked: 2, Reported: Account{Completed: 1, Failed: 1}, Truth: Truth{MostOpen: 64}},
	}}}
	want := []string{
		"AIPerf had 1016 of 1024 asked streams open at once",
		"GuideLLM reported on 30 of 32 requests in experiment vllm",
		"inference-perf gave no result in experiment 64",
	}
	if diff := cmp.Diff(want, v.Remarks()); diff != "" {
		t.Errorf("remarks (-want +got):\n%s", diff)
	}
}
