package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/figure"
)

// real is a planner over the predictor and the engine that ship.
func real(t *testing.T, change func(*Request)) *planner {
	t.Helper()
	p, err := resolve(request(change))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// onL40S serves so many requests in flight on one L40S, which holds 154 of 1,300 tokens.
func onL40S(t *testing.T, concurrency int, conditions ...string) func(*Request) {
	return func(r *Request) {
		r.Instances, r.Concurrency, r.ReplicasMax = []string{"g6e.xlarge"}, concurrency, 8
		r.SLO = slo(t, conditions...)
	}
}

func TestTheEngineShowsAFullCache(t *testing.T) {
	one := func(concurrency int) Option {
		p := real(t, onL40S(t, concurrency, "ttft.p95<1000s"))
		r := p.answer(true)
		if len(r.Options) != 1 || r.Options[0].Replicas != 1 || r.Options[0].Simulated == nil {
			t.Fatalf("%d in flight: %+v", concurrency, r.Options)
		}
		return r.Options[0]
	}
	light, full := one(32), one(300)
	if s := light.Simulated; s.KVPeak < 0.1 || s.KVPeak > 0.4 || s.Preemptions != 0 || s.Queued != 0 || math.Abs(s.Batch-32) > 1 {
		t.Errorf("32 in flight: %+v", *s)
	}
	s := full.Simulated
	if s.KVPeak < 0.98 || s.Preemptions == 0 || s.Queued < 90 || s.Batch+s.Queued > 301 || s.Batch+s.Queued < 290 {
		t.Errorf("300 in flight: %+v", *s)
	}
	if s.Wait < 1000 || s.Wait > full.Predicted.TTFT.Mid {
		t.Errorf("each waits %.0f ms of a TTFT of %.0f", s.Wait, full.Predicted.TTFT.Mid)
	}
	if !slices.ContainsFunc(full.Notes, func(n string) bool { return strings.Contains(n, "wait for room") }) {
		t.Errorf("notes %q say nothing of the engine's wait", full.Notes)
	}
	if !slices.ContainsFunc(full.Figures, func(f figure.Figure) bool {
		return f.Name == "TTFT, by the engine" && f.Kind == figure.Simulated && f.Value == full.Predicted.TTFT.Mid
	}) {
		t.Error("no figure defends the TTFT that is shown")
	}
	// Little's law: what is in flight is what arrives while one is served.
	if got := full.Predicted.Requests.Mid * full.Predicted.E2E.Mid / 1000; math.Abs(got/300-1) > 0.01 {
		t.Errorf("%.0f in flight by rate and E2E, want 300", got)
	}
}

// TestQueueLeftOutWaitsToo: of thousands that wait the engine keeps a few, and their
// wait is that of all.
func TestQueueLeftOutWaitsToo(t *testing.T) {
	p := real(t, onL40S(t, 2000, "ttft.p95<1000s"))
	p.asked.ReplicasMax = 1
	o := p.answer(false).Options[0]
	if got := o.Simulated.Batch + o.Simulated.Queued; math.Abs(got/2000-1) > 0.03 {
		t.Errorf("%.0f run or wait, want 2,000", got)
	}
	if o.Predicted.TTFT.Mid < 5*o.Predicted.ITL.Mid*300 {
		t.Errorf("TTFT %.0f ms behind ten times as many as run at once, each of which takes %.0f", o.Predicted.TTFT.Mid, o.Predicted.ITL.Mid*300)
	}
}

// TestTheEngineJudges: a limit that the closed form keeps and the engine does not
// takes another replica.
func TestTheEngineJudges(t *testing.T) {
	p := real(t, onL40S(t, 250, "ttft.p95<1s"))
	fit, _ := p.candidates()
	form, err := p.with(fit[0], 1)
	if err != nil {
		t.Fatal(err)
	}
	engine := p.overruled(form)
	predicted, simulated := form.judged[0].Value.Mid, engine.judged[0].Value.Mid
	if predicted >= 0.95*simulated {
		t.Fatalf("p95 of TTFT is %.0f ms by the closed form, %.0f by the engine: nothing to choose between", predicted, simulated)
	}
	between := fmt.Sprintf("ttft.p95<%.0fms", (predicted+simulated)/2)
	p = real(t, onL40S(t, 250, between))
	if o := p.answer(false).Options; len(o) != 1 || o[0].Replicas != 2 || !strings.Contains(o[0].SLO[0].How, "simulated at this load") {
		t.Errorf("%s: %+v, want two replicas", between, ids(o))
	}
	p = real(t, func(r *Request) { onL40S(t, 250, between)(r); r.ReplicasMax = 1 })
	r := p.answer(false)
	if r.Verdict.Verdict != MeetsNone || r.Verdict.Nearest == nil || len(r.Options) > 0 {
		t.Errorf("%s with one replica: %+v", between, r.Verdict)
	}
}

// TestArrivalsThatPileUp take more replicas: near the most that the closed form
// serves, prompts and answers in one engine leave no room for chance.
func TestArrivalsThatPileUp(t *testing.T) {
	ask := func(r *Request) {
		r.Model, r.Rate, r.Concurrency, r.ISL, r.OSL = "gpt-oss-120b", 50, 0, 4000, 100
		r.Instances, r.SLO = []string{"g7e.12xlarge"}, slo(t, "ttft.p95<2s")
	}
	p := real(t, ask)
	fit, _ := p.candidates()
	i := slices.IndexFunc(fit, func(c candidate) bool { return c.layout == layout{2, 1, 1, 1} })
	form, ok, err := p.size(fit[i], 64)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	piled := p.overruled(form)
	if piled.simulated.kept >= keepsUp || p.holds(piled) {
		t.Fatalf("%d replicas: %.2f of those that arrive are served", form.replicas, piled.simulated.kept)
	}
	s, ok := p.settled(form)
	if !ok || s.replicas <= form.replicas || s.simulated.kept < keepsUp || !p.holds(s) {
		t.Errorf("%d replicas in place of %d: %v, %.2f of those that arrive are served", s.replicas, form.replicas, ok, s.simulated.kept)
	}
}

func TestSettledOptionsStayInOrder(t *testing.T) {
	conditions := slo(t, "itl.p95<60ms", "ttft.p95<1s")
	ask := func(budget float64) []found {
		return real(t, func(r *Request) {
			r.SLO, r.Concurrency = conditions, 150
			if budget > 0 {
				r.Budget = &budget
			}
		}).look().options
	}
	all := ask(0)
	if len(all) <= mostSettled || !slices.IsSortedFunc(all, byCost) {
		t.Fatalf("%d options, in order: %v", len(all), slices.IsSortedFunc(all, byCost))
	}
	for _, f := range all[:mostSettled] {
		if !f.settled || f.option.Simulated == nil || excess(f.sized.judged) > 1 {
			t.Errorf("%s stands among the first: settled %v, %+v", f.option.ID, f.settled, f.sized.judged)
		}
	}
	if again := ask(0); cmp.Diff(named(all), named(again)) != "" || cmp.Diff(all[0].option.Simulated, again[0].option.Simulated) != "" {
		t.Error("the same request has another answer")
	}
	// A budget leaves the others as they are.
	budget := all[mostSettled-1].hourly
	var want []string
	for _, f := range all[:mostSettled] {
		if f.hourly <= budget {
			want = append(want, f.option.ID)
		}
	}
	if got := named(ask(budget)); !slices.Equal(got[:min(len(got), len(want))], want) {
		t.Errorf("for %.2f an hour %v, without a budget %v", budget, got, want)
	}
}

func named(list []found) []string {
	var out []string
	for _, f := range list {
		out = append(out, f.option.ID)
	}
	return out
}

// TestEveryLayoutIsSimulated: ranks of attention, spread experts, pipelines, hybrids,
// windows, a chip without bf16, arrivals, an answer of one token.
func TestEveryLayoutIsSimulated(t *testing.T) {
	for name, change := range map[string]func(*Request){
		"spread experts":  func(r *Request) { r.Model, r.Instances, r.Precision = "mixtral-8x7b", []string{"g6e.12xlarge"}, "fp8" },
		"ranks of latent": func(r *Request) { r.Model, r.Instances = "deepseek-r1", []string{"p5en.48xlarge"} },
		"pipeline": func(r *Request) {
			r.Model, r.Instances, r.Concurrency, r.Precision = "llama-3.1-405b", []string{"p5.48xlarge"}, 4, "bf16"
		},
		"windows": func(r *Request) { r.Model, r.Instances = "gemma-2-9b", []string{"g6e.xlarge"} },
		"half": func(r *Request) {
			r.Model, r.Instances, r.Concurrency, r.Precision = "llama-3.2-1b", []string{"g4dn.xlarge"}, 4, "fp16"
		},
		"one token":  func(r *Request) { r.OSL, r.Instances = 1, []string{"g6e.xlarge"} },
		"arrivals":   func(r *Request) { r.Rate, r.Concurrency, r.Instances = 3, 0, []string{"g6e.xlarge"} },
		"one a time": func(r *Request) { r.Concurrency, r.Instances = 1, []string{"g6e.xlarge"} },
	} {
		r := real(t, change).answer(false)
		if len(r.Options) == 0 {
			t.Errorf("%s: %s", name, r.Verdict.Say)
			continue
		}
		for _, o := range r.Options[:min(len(r.Options), mostSettled)] {
			s := o.Simulated
			if s == nil {
				t.Errorf("%s: %s is not simulated", name, o.ID)
				continue
			}
			if s.KVPeak <= 0 || s.KVPeak > 1 || s.Batch <= 0 && o.Predicted.ITL.Mid > 0 && r.Request.OSL > 1 || s.Requests < 1 || s.Span <= 0 {
				t.Errorf("%s: %s %+v", name, o.ID, *s)
			}
			if notes := strings.Join(o.Notes, "; "); strings.Contains(notes, "simulated engine") {
				t.Logf("%s: %s %s", name, o.ID, notes)
			}
		}
	}
}

func TestPercentilesOverTheMean(t *testing.T) {
	var all []float64
	for i := range 1000 {
		all = append(all, float64(1000-i)) // 1 to 1,000, mean 500.5
	}
	got := percentiles(all)["p95"]
	want := figure.Range{Low: 939 / 500.5, Mid: 951 / 500.5, High: 962 / 500.5}
	if math.Abs(got.Mid-want.Mid) > 0.005 || math.Abs(got.Low-want.Low) > 0.01 || math.Abs(got.High-want.High) > 0.01 {
		t.Errorf("p95 %+v, want %+v", got, want)
	}
}

// TestTheKneeIsWithinTheCache: one L40S holds 154 requests of 1,300 tokens.
func TestTheKneeIsWithinTheCache(t *testing.T) {
	for _, lengths := range [][2]int{{1000, 300}, {4000, 300}, {200, 1000}, {7000, 1000}} {
		r := real(t, func(r *Request) { onL40S(t, 8)(r); r.ISL, r.OSL = lengths[0], lengths[1] }).answer(false)
		o := r.Options[0]
		most := float64(o.KVTokens / (lengths[0] + lengths[1]))
		if k := o.Predicted.Knee; k == nil || k.High > most || k.Low > k.High {
			t.Errorf("%v: the knee is %+v, and the KV cache holds %.0f at once", lengths, k, most)
		}
	}
}
