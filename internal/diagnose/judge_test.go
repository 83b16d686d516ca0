package diagnose

import (
	"strings"
	"testing"

	"assay/internal/record"
	"assay/internal/stats"
)

// held is a level of n requests a second with prompts and outputs of these
// lengths, prefill of 200 ms and decode of 2 s.
func held(rate, prompt, output float64, completed int) record.Level {
	return record.Level{ID: "saturation-c64", Load: record.Load{Kind: record.ByConcurrency, Value: 64}, Validity: record.Validity{Verdict: record.Valid},
		Requests: record.Requests{Completed: completed}, Throughput: record.Throughput{RequestsPerS: rate}, Got: record.Tokens{Prompt: &prompt, Output: &output},
		Server: &record.Server{PrefillMean: p(200), DecodeMean: p(2000), KVUsageMax: p(0.99), RunningMax: p(32)}}
}

func TestJudge(t *testing.T) {
	const n = 400
	for _, c := range []struct {
		name, verdict, kind string
		base, trial         record.Level
		want                string
	}{
		{"decode-bound, half the output nearly doubles", record.BoundMemory, record.HalveOutput, held(10, 512, 256, n), held(18, 512, 128, n), record.Supported},
		{"not decode-bound after all", record.BoundMemory, record.HalveOutput, held(10, 512, 256, n), held(11, 512, 128, n), record.Refuted},
		{"between the two", record.BoundMemory, record.HalveOutput, held(10, 512, 256, n), held(14.6, 512, 128, n), record.Undecided},
		{"too few requests to tell", record.BoundMemory, record.HalveOutput, held(10, 512, 256, 12), held(18, 512, 128, 12), record.Undecided},
		{"prefill-bound, half the output changes little", record.BoundCompute, record.HalveOutput, held(10, 2048, 128, n), held(10.4, 2048, 64, n), record.Supported},
		{"prefill-bound is refuted", record.BoundCompute, record.HalveOutput, held(10, 2048, 128, n), held(18, 2048, 64, n), record.Refuted},
		{"KV cache", record.BoundKVCache, record.HalveOutput, held(10, 512, 256, n), held(19, 512, 128, n), record.Supported},
		{"the front end keeps its ceiling", record.BoundCPU, record.OneToken, held(10, 128, 64, n), held(11, 128, 1, n), record.Supported},
		{"without decode many more", record.BoundCPU, record.OneToken, held(10, 128, 64, n), held(80, 128, 1, n), record.Refuted},
		{"prompts are all", record.BoundTokenBudget, record.OneToken, held(10, 2048, 16, n), held(10.1, 2048, 1, n), record.Supported},
		{"shared prompts", record.BoundCompute, record.SharedPrompts, held(10, 2048, 64, n), held(60, 2048, 64, n), record.Supported},
		{"shared prompts change nothing", record.BoundCompute, record.SharedPrompts, held(10, 2048, 64, n), held(10.5, 2048, 64, n), record.Refuted},
		{"the batch stays", record.BoundAdmission, record.DoubleLoad, held(10, 128, 64, n), held(10, 128, 64, n), record.Supported},
		{"more load, more throughput", record.BoundNotSaturated, record.DoubleLoad, held(10, 128, 64, n), held(19, 128, 64, n), record.Supported},
		{"more load, no more throughput", record.BoundNotSaturated, record.DoubleLoad, held(10, 128, 64, n), held(10.2, 128, 64, n), record.Refuted},
		{"an experiment that says nothing of the verdict", record.BoundMemory, record.UniquePrompts, held(10, 128, 64, n), held(10, 128, 64, n), record.Undecided},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := record.Bound{Verdict: c.verdict, Confidence: 0.8, Experiment: &record.Experiment{Kind: c.kind}}
			got := Judge(b, c.base, c.trial)
			if got.Verdict != c.want {
				t.Errorf("%s, want %s: %+v", got.Verdict, c.want, got.Evidence)
			}
			after := Tried(b, got)
			switch got.Verdict {
			case record.Supported:
				if after.Confidence != 0.9 || len(after.Against) != 0 {
					t.Errorf("supported: %+v", after)
				}
			case record.Refuted:
				if after.Confidence != 0.2 || len(after.Against) == 0 {
					t.Errorf("refuted: %+v", after)
				}
			default:
				if after.Confidence != 0.8 {
					t.Errorf("undecided: %+v", after)
				}
			}
		})
	}
}

func TestJudgeSaysWhatItLacks(t *testing.T) {
	b := record.Bound{Verdict: record.BoundMemory, Experiment: &record.Experiment{Kind: record.HalveOutput}}
	spoiled := held(18, 512, 128, 400)
	spoiled.Validity = record.Validity{Verdict: record.Unstable, Reasons: []string{"throughput drifts"}}
	if got := Judge(b, held(10, 512, 256, 400), spoiled); got.Verdict != record.Undecided || !strings.Contains(got.Evidence[0].Fact, "throughput drifts") {
		t.Errorf("%+v", got)
	}
	if got := Judge(b, held(10, 512, 256, 400), held(0, 512, 128, 400)); got.Verdict != record.Undecided || !strings.Contains(got.Evidence[0].Fact, "not known") {
		t.Errorf("%+v", got)
	}
	if got := Judge(record.Bound{}, held(10, 512, 256, 400), spoiled); got.Verdict != record.Undecided {
		t.Errorf("%+v", got)
	}
	// Without the engine's account the client's own means serve.
	base := held(10, 512, 256, 400)
	base.Server, base.Anatomy.Queue = nil, p(50)
	base.TTFT, base.ITL = stats.Dist{Mean: p(250)}, stats.Dist{Mean: p(8)}
	if got := Judge(b, base, held(18, 512, 128, 400)); got.Verdict != record.Supported {
		t.Errorf("%+v", got)
	}
}

// A closed loop whose latencies are alike tells with fewer requests than Poisson's
// noise would ask for.
func TestSteadyLatenciesTellSooner(t *testing.T) {
	b := record.Bound{Verdict: record.BoundKVCache, Experiment: &record.Experiment{Kind: record.HalveOutput}}
	for std, want := range map[float64]string{300: record.Supported, 3000: record.Undecided} {
		base, trial := held(10, 512, 256, 80), held(18, 512, 128, 130)
		for _, l := range []*record.Level{&base, &trial} {
			l.E2E = stats.Dist{Mean: p(2500), Std: p(std)}
		}
		if got := Judge(b, base, trial); got.Verdict != want {
			t.Errorf("latencies that scatter by %g ms: %s, want %s: %+v", std, got.Verdict, want, got.Evidence)
		}
	}
}
