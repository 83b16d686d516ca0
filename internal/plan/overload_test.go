package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestMoreLoadThanReplicas: the answer is how many replicas hold it, and it works.
func TestMoreLoadThanReplicas(t *testing.T) {
	for _, load := range []func(*Request){
		func(r *Request) { r.Concurrency = 2000 },
		func(r *Request) { r.Concurrency, r.Rate = 0, 60 },
		func(r *Request) { r.Concurrency, r.Rate = 0, 60; r.SLO = slo(t, "e2e.p95<500s") },
	} {
		change := func(r *Request) { load(r); r.Instances, r.ReplicasMax = []string{"g6.xlarge"}, 2 }
		r := asked(t, change).answer(false)
		n := r.Verdict.Nearest
		if r.Verdict.Verdict != MeetsNone || n == nil || n.Option == nil || !strings.Contains(r.Verdict.Say, "holds the load") || strings.Contains(r.Verdict.Say+strings.Join(n.Misses, ""), "budget") {
			t.Fatalf("verdict %+v, nearest %+v", r.Verdict, n)
		}
		if want := []string{fmt.Sprintf("--replicas-max %d", n.Option.Replicas)}; !slices.Equal(n.Relax, want) {
			t.Fatalf("relax %q, want %q", n.Relax, want)
		}
		if len(r.Rejected) != 1 || r.Rejected[0].Kind != tooMuch {
			t.Errorf("rejected %+v", r.Rejected)
		}
		relaxed := asked(t, func(r *Request) { change(r); r.ReplicasMax = n.Option.Replicas }).answer(false)
		if len(relaxed.Options) == 0 || relaxed.Options[0].ID != n.Option.ID {
			t.Errorf("with %d replicas: %v, want %s", n.Option.Replicas, ids(relaxed.Options), n.Option.ID)
		}
	}
}

// TestMoreLoadThanBudgetAndReplicas names both.
func TestMoreLoadThanBudgetAndReplicas(t *testing.T) {
	budget := 3.0
	change := func(r *Request) {
		r.Concurrency, r.Instances, r.ReplicasMax, r.Budget = 2000, []string{"g6.xlarge"}, 2, &budget
	}
	r := asked(t, change).answer(false)
	n := r.Verdict.Nearest
	if n == nil || len(n.Relax) != 2 || !strings.HasPrefix(n.Relax[0], "--replicas-max ") || !strings.HasPrefix(n.Relax[1], "--budget ") {
		t.Errorf("nearest %+v", n)
	}
}

// TestAPrecisionIsNamedWhereItWorks, and only there.
func TestAPrecisionIsNamedWhereItWorks(t *testing.T) {
	change := func(limit string, more func(*Request)) func(*Request) {
		return func(r *Request) {
			r.SLO, r.Instances, r.Concurrency = slo(t, limit), []string{"g6e.xlarge"}, 1
			if more != nil {
				more(r)
			}
		}
	}
	named := func(limit string) bool {
		v := asked(t, change(limit, nil)).answer(false).Verdict
		return v.Nearest != nil && slices.ContainsFunc(v.Nearest.Relax, func(s string) bool { return strings.HasPrefix(s, "--precision fp8: g6e.xlarge-tp1-x1, for $") })
	}
	works := func(limit string) bool {
		r := asked(t, change(limit, func(r *Request) { r.Precision = "fp8" })).answer(false)
		return len(r.Options) > 0
	}
	for _, limit := range []string{"itl<20ms", "itl<0.5ms"} {
		if got, want := named(limit), works(limit); got != want {
			t.Errorf("%s: fp8 is named: %v, it works: %v", limit, got, want)
		}
	}
	if !works("itl<20ms") || works("itl<0.5ms") {
		t.Error("the limits do not tell")
	}
}

// TestTheSlowEndOfARate: what may not keep up says so.
func TestTheSlowEndOfARate(t *testing.T) {
	for rate, want := range map[float64]bool{0.2: false, 5: true} {
		r, err := Serve(request(func(r *Request) {
			r.Concurrency, r.Rate, r.Instances, r.ReplicasMax = 0, rate, []string{"g6e.xlarge"}, 1
		}))
		if err != nil || len(r.Options) == 0 {
			t.Fatalf("%g a second: %v, %+v", rate, err, r)
		}
		if got := slices.ContainsFunc(r.Options[0].Notes, func(s string) bool { return strings.Contains(s, "that arrive") }); got != want {
			t.Errorf("%g a second: notes %q", rate, r.Options[0].Notes)
		}
	}
}

// TestAVersionThatWasNotRead is planned, and said.
func TestAVersionThatWasNotRead(t *testing.T) {
	for engine, want := range map[string]bool{"vllm@0.32": false, "vllm@0.99": true, "vllm": false} {
		r := asked(t, func(r *Request) { r.Engine, r.Instances = engine, []string{"g6e.xlarge"} }).answer(false)
		if got := slices.ContainsFunc(r.Remarks, func(s string) bool { return strings.Contains(s, "newer than vllm@0.32") }); got != want {
			t.Errorf("%s: remarks %q", engine, r.Remarks)
		}
	}
}
