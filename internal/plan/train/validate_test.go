package train

import (
	"math"
	"testing"
)

// The plan's figures stand or fall with these: predictions of runs that were not
// looked at, each by its own range.
func TestPublishedRunsArePredictedFromTheOthers(t *testing.T) {
	v := Validate()
	if len(v.Runs) < 60 {
		t.Fatalf("%d runs", len(v.Runs))
	}
	dense, experts := v.Summaries[0], v.Summaries[1]
	if !(dense.Mean < 0.14) || !(*dense.GroupLeft < 0.2) || !(math.Abs(dense.Worst) < 0.55) {
		t.Errorf("without experts: %+v", dense)
	}
	if !(experts.Mean < 0.6) || !(experts.HighByLow > 2) {
		t.Errorf("with experts, where little is published, the range is to be wide: %+v", experts)
	}
	for _, s := range []Summary{dense, experts} {
		if share := float64(s.Covered) / float64(s.Runs); !(share >= 0.85) {
			t.Errorf("%s: the ranges hold %d of %d runs", s.Name, s.Covered, s.Runs)
		}
	}
	if !(dense.HighByLow < 2.2) {
		t.Errorf("ranges of a factor of %.1f say too little", dense.HighByLow)
	}
	for _, r := range v.Runs {
		if r.MemoryError != nil && !(math.Abs(*r.MemoryError) < 0.25) {
			t.Errorf("%s: memory is off by %+.0f %% of %.1f GiB", r.ID, 100**r.MemoryError, *r.Memory)
		}
	}
}

// A run may not predict itself: its error changes when its figure does.
func TestARunIsLeftOutOfItsOwnPrediction(t *testing.T) {
	all := runs()
	r := all[0]
	rest := fit(all[1:])
	before := r.predict(rest).Mid
	r.Value *= 2
	if after := r.predict(rest).Mid; after != before {
		t.Errorf("the prediction moved from %g to %g with what is predicted", before, after)
	}
	with := fit(append([]Run{r}, all[1:]...))
	if got := r.predict(with).Mid; got <= before {
		t.Errorf("a faster run moves nothing when it is in: %g, %g", got, before)
	}
}

func TestNoRunBeatsTheRoofline(t *testing.T) {
	for _, r := range runs() {
		if e := r.reached(); e <= 0.02 || e >= most {
			t.Errorf("%s reaches %.2f of the peak: a figure, a layout or a definition is wrong", r.ID, e)
		}
		if r.Layout.GPUs() != r.GPUs {
			t.Errorf("%s: its degrees make %d GPUs, not %d", r.ID, r.Layout.GPUs(), r.GPUs)
		}
		if r.Source.URL == "" || r.Group == "" {
			t.Errorf("%s has no source", r.ID)
		}
	}
}

// Published parameter counts hold the rows' architectures.
func TestArchitecturesOfRuns(t *testing.T) {
	want := map[string]float64{
		"mpt-70b": 64.86e9, "mpt-7b": 6.66e9, "gpt3-175b": 174.6e9, "llama-2-7b": 6.74e9, "llama-2-70b": 68.98e9, "llama-3-8b": 8.03e9,
		"llama-3.1-405b": 405.9e9, "qwen3-30b-a3b": 30.5e9, "deepseek-v3": 671e9, "gpt-oss-120b": 116.8e9,
	}
	seen := map[string]bool{}
	for _, r := range runs() {
		w, ok := want[r.sizing.arch.Name]
		if !ok {
			continue
		}
		seen[r.sizing.arch.Name] = true
		if got := float64(r.sizing.arch.Parameters()); math.Abs(got/w-1) > 0.005 {
			t.Errorf("%s: %.2f billion parameters, want %.2f", r.sizing.arch.Name, got/1e9, w/1e9)
		}
	}
	if len(seen) != len(want) {
		t.Errorf("rows of %v alone", seen)
	}
}
