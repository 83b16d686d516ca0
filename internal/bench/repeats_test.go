package bench

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/record"
	"assay/internal/spec"
)

func TestRepeatsAreRunPassByPass(t *testing.T) {
	s := sim(t, nil)
	sc := short("steps", spec.Scenario{Concurrency: []int{1, 2, 4}, NumRequests: 20, Exact: true, Repeat: 3})
	o := options(t, s.URL(), sc)
	o.Refine = 0
	r, err := run(t, o, &quiet{})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, l := range r.Levels {
		ids = append(ids, l.ID)
	}
	want := []string{"steps-c1-rep1", "steps-c2-rep1", "steps-c4-rep1", "steps-c1-rep2", "steps-c2-rep2", "steps-c4-rep2", "steps-c1-rep3", "steps-c2-rep3", "steps-c4-rep3"}
	if d := cmp.Diff(want, ids); d != "" {
		t.Errorf("levels (-want +got):\n%s", d)
	}
	if len(r.Repeats) != 3 || r.Repeats[1].Load.Value != 2 || len(r.Repeats[1].Levels) != 3 || r.Levels[4].Repeat != 2 {
		t.Fatalf("repeats: %+v", r.Repeats)
	}
	if r.Levels[0].Cached == nil || *r.Levels[0].Cached+*r.Levels[3].Cached != 0 {
		t.Error("a repeat was served from the cache that the one before it filled")
	}
	if r.Saturation == nil || len(r.Saturation.Elasticities) > 2 {
		t.Errorf("the curve has more than one point a load: %+v", r.Saturation)
	}

	killed := *r
	killed.End, killed.Complete, killed.Levels = nil, false, r.Levels[:5]
	if err := record.SaveRun(o.Out, &killed); err != nil {
		t.Fatal(err)
	}
	folder, err := Reopen(o.Out)
	if err != nil {
		t.Fatal(err)
	}
	got := folder.Run
	i := slices.IndexFunc(got.Levels, func(l record.Level) bool { return l.ID == "steps-c4-rep3" })
	if len(got.Levels) != 9 || i < 0 || got.Levels[i].Repeat != 3 || len(got.Repeats) != 3 || len(got.Repeats[2].Levels) != 3 {
		t.Errorf("after a kill: %d levels, repeats %+v", len(got.Levels), got.Repeats)
	}
}

func TestReopenKnowsARefinedRepeat(t *testing.T) {
	s := short("steps", spec.Scenario{Concurrency: []int{1, 2, 4}, NumRequests: 20, Repeat: 2})
	p := Plan{Levels: repeated(levelsOf(s), 2)}
	l := p.level("steps-c3-rep2")
	if l.Load.Value != 3 || l.Repeat != 2 || l.Pass != record.PassRefine || l.ID != "steps-c3-rep2" {
		t.Errorf("got %+v", l)
	}
}

func TestUnstableRepeatsAreNotValid(t *testing.T) {
	r := &record.Run{Levels: []record.Level{{Requests: record.Requests{Completed: 9}, Validity: record.Validity{Verdict: record.Valid}}}}
	if got := ExitCode(r); got != 0 {
		t.Errorf("exit %d", got)
	}
	r.Repeats = []record.Repeats{{Verdict: record.Stable}, {Verdict: record.Unstable}}
	if got := ExitCode(r); got != exitNotValid {
		t.Errorf("exit %d with runs that disagree, want %d", got, exitNotValid)
	}
}

// Three runs of one load of which one is slow: the curve and the SLO take the
// middle one.
func TestConcludeTakesTheMedianOfRepeats(t *testing.T) {
	s := spec.Scenario{Name: "fixed", Concurrency: []int{10}, Repeat: 3}
	var recorded []Recorded
	run := &record.Run{}
	for i, slowUS := range []int64{0, 400_000, 0} {
		rec := closedLoop(10, 200)
		rec.Plan = newLevel(s, record.ByConcurrency, 10).repeat(i + 1)
		rec.SLO = []spec.Criterion{{Metric: "ttft", Percentile: "p95", Limit: 300}}
		for k := range rec.Requests {
			r := &rec.Requests[k]
			r.Level = rec.Plan.ID
			round := int64(k / 10)
			r.IntendedUS, r.SentUS, r.EndUS = r.IntendedUS+round*slowUS, r.SentUS+round*slowUS, r.EndUS+(round+1)*slowUS
			for c := range r.ChunkUS {
				r.ChunkUS[c] += slowUS
			}
		}
		recorded = append(recorded, rec)
		run.Levels = append(run.Levels, Fold(rec))
	}
	Conclude(run, recorded, Terms{SLO: recorded[0].SLO, Seed: 1})
	if len(run.Repeats) != 1 || run.Repeats[0].Verdict != record.Unstable {
		t.Fatalf("repeats: %+v", run.Repeats)
	}
	if run.SLO.Met == nil || !*run.SLO.Met {
		t.Errorf("SLO of two fast runs and a slow one: %+v", run.SLO)
	}
	if len(run.Levels) != 3 {
		t.Errorf("%d levels stand in the run, want all 3", len(run.Levels))
	}
}
