package manifest

import (
	"strings"
	"testing"
	"time"

	"assay/internal/plan"
	"assay/internal/practice"
	"assay/internal/record"
	"assay/internal/spec"
)

// measured41 is a run whose responses take 41 s by their p99.
func measured41() *practice.Measured {
	return &practice.Measured{
		Run: "20261130-091500", Response: 41 * time.Second, ResponseName: "p99", Longest: 52 * time.Second,
		Silence: 2300 * time.Millisecond, Operating: 24.6, KneeLow: 30,
	}
}

func renderServe(t *testing.T, in Input) ([]File, string) {
	t.Helper()
	all, err := Serve(in)
	if err != nil {
		t.Fatal(err)
	}
	files, err := Folder("A title.", all)
	if err != nil {
		t.Fatal(err)
	}
	var remarks []string
	for _, w := range all {
		remarks = append(remarks, w.Remarks...)
	}
	return files, strings.Join(remarks, "\n")
}

func TestServeGolden(t *testing.T) {
	mixed := plannedOn("g6e.12xlarge", 2, 1, 4)
	mixed.Measured = measured41()
	mixed.Spec.Serve = spec.RenderServe{
		Capacity: []string{"on-demand", "reserved", "spot"}, LoadBalancer: spec.ByLoadBalancerALB, Autoscale: spec.AutoscaleKEDA,
		Prometheus: "http://prometheus.monitoring.svc:9090", Gateway: "inference", TokenSecret: "hub-token",
	}
	group := plannedOn("p5.48xlarge", 8, 2, 1)
	group.Spec.Zones = nil
	group.Spec.NodePool.EFA = true
	network := plannedOn("g6e.xlarge", 1, 1, 2)
	network.Spec.Serve = spec.RenderServe{LoadBalancer: spec.ByLoadBalancerNLB, Claim: "weights", Weights: "pvc"}
	for name, in := range map[string]Input{"mixed": mixed, "group": group, "network": network} {
		all, err := Serve(in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if marks := MarksIn(goldenFolder(t, "serve-"+name, all)); len(marks) > 0 {
			t.Errorf("%s: marks though all is given: %v", name, marks)
		}
	}
}

// TestServeDrain reads what the comment on the grace period says the drain rests on.
func TestServeDrain(t *testing.T) {
	tests := []struct {
		name     string
		change   func(*Input)
		say      string
		preStop  string
		shutdown string
		grace    string
		remark   string
	}{
		{"p99 on Spot", func(in *Input) { in.Spec.Serve.Capacity = []string{"spot"} },
			"90 s: preStop 10 + shutdown 70 + 10 of slack, inside the 120 s of Spot's notice less the 20 s until it reaches the pod; the p99 of a whole response is 41 s in run 20261130-091500", "10", "70", "90", ""},
		{"no p99", func(in *Input) { in.Measured.ResponseName = "p95" },
			"the p95 of a whole response is 41 s and the maximum 52 s in run 20261130-091500, which is too small for a p99", "10", "70", "90", ""},
		{"the maximum is beyond the factor", func(in *Input) { in.Measured.ResponseName, in.Measured.Longest = "p90", 95*time.Second },
			"the maximum 95 s", "10", "100", "120", ""},
		{"a maximum alone", func(in *Input) { in.Measured.ResponseName, in.Measured.Response = "maximum", in.Measured.Longest },
			"the maximum of a whole response is 52 s", "10", "80", "100", ""},
		{"nothing measured", func(in *Input) { in.Measured = nil },
			"how long responses take was not measured (--from RUN)", "10", "60", "80", ""},
		{"too long for Spot", func(in *Input) {
			in.Spec.Serve.Capacity = []string{"spot"}
			in.Measured.Response = 3 * time.Minute
		}, "What takes longer than 80 s is cut", "10", "80", "100", "longer responses are cut"},
		{"behind a load balancer", func(in *Input) { in.Spec.Serve.LoadBalancer = spec.ByLoadBalancerNLB },
			"100 s: preStop 70 + shutdown 20 + 10 of slack", "70", "20", "100", "pod-readiness-gate-inject"},
		{"as the user says", func(in *Input) {
			in.Spec.Serve.PreStop, in.Spec.Serve.Shutdown = 15*time.Second, 200*time.Second
		}, "225 s: preStop 15 + shutdown 200 + 10 of slack", "15", "200", "225", ""},
	}
	for _, test := range tests {
		in := plannedOn("g6e.xlarge", 1, 1, 2)
		in.Measured = measured41()
		test.change(&in)
		files, remarks := renderServe(t, in)
		text := body(t, files, "llama-deployment.yaml")
		for _, want := range []string{test.say} {
			if !strings.Contains(unwrapped(text), want) {
				t.Errorf("%s: no comment says %q:\n%s", test.name, want, text)
			}
		}
		for _, want := range []string{"seconds: " + test.preStop + "\n", "--shutdown-timeout=" + test.shutdown + "\n", "terminationGracePeriodSeconds: " + test.grace + "\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q", test.name, want)
			}
		}
		if !strings.Contains(remarks, test.remark) {
			t.Errorf("%s: remarks %q, want %q", test.name, remarks, test.remark)
		}
	}
}

// unwrapped is a text whose comments stand on one line each.
func unwrapped(text string) string {
	var b strings.Builder
	comment := false
	for line := range strings.Lines(text) {
		rest, is := strings.CutPrefix(strings.TrimSpace(line), "# ")
		switch {
		case is && comment:
			b.WriteString(" " + rest)
		case is:
			b.WriteString(rest)
		default:
			b.WriteString("\n" + line)
		}
		comment = is
	}
	return b.String()
}

// TestServeGroup: the pods of one replica over several nodes end together, and find each
// other by a Service that is not the clients'.
func TestServeGroup(t *testing.T) {
	in := plannedOn("p5.48xlarge", 8, 2, 2)
	in.Option.Load = plan.Load{Concurrency: 16}
	files, _ := renderServe(t, in)
	text := body(t, files, "llama-leaderworkerset.yaml")
	leader, worker, ok := strings.Cut(text, "workerTemplate:")
	if !ok {
		t.Fatal("no workerTemplate")
	}
	for _, c := range []struct{ of, text, want, not string }{
		{"the set", leader, "\n  name: llama-group\n", "\n  name: llama\n"},
		{"the leader", leader, "seconds: 10\n", "--headless"},
		{"the leader", leader, "--shutdown-timeout=60", "seconds: 70\n"},
		{"a worker", worker, "seconds: 70\n", "--shutdown-timeout"},
		{"a worker", worker, "--headless", "readinessProbe"},
		{"the Service", body(t, files, "llama-service.yaml"), "assay/role: leader", "llama-group"},
		{"the autoscaler", body(t, files, "llama-horizontalpodautoscaler.yaml"), "name: llama-group\n", "kind: Deployment"},
	} {
		if !strings.Contains(c.text, c.want) || strings.Contains(c.text, c.not) {
			t.Errorf("%s: want %q and not %q:\n%s", c.of, c.want, c.not, c.text)
		}
	}
	if strings.Contains(text, "podAffinity") {
		t.Error("pods of one replica are kept together although a zone is named")
	}
	in.Spec.Zones = nil
	files, _ = renderServe(t, in)
	if got := strings.Count(body(t, files, "llama-leaderworkerset.yaml"), "- "+groupLabel+"\n"); got != 2 {
		t.Errorf("%d of two templates keep to the zone of their replica", got)
	}
}

// TestServeNodes: how replicas share nodes, and what is said where that differs from the
// plan.
func TestServeNodes(t *testing.T) {
	tests := []struct {
		name     string
		tp, n    int
		capacity []string
		budget   string
		remark   string
	}{
		{"one a node", 4, 3, []string{"spot"}, "maxUnavailable: 1\n", ""},
		{"two on a Spot node", 2, 4, []string{"spot"}, "maxUnavailable: 2\n", ""},
		{"two on a node that stays", 2, 4, []string{"on-demand"}, "maxUnavailable: 1\n", ""},
		{"all on one", 2, 2, []string{"on-demand"}, "maxUnavailable: 1\n", "one g6e.12xlarge holds all 2 replicas"},
		{"all on one, of two kinds", 2, 2, []string{"spot", "on-demand"}, "maxUnavailable: 2\n", "share the 2 replicas, which takes 2 nodes in place of the 1"},
		{"even parts", 2, 4, []string{"spot", "on-demand"}, "maxUnavailable: 2\n", ""},
	}
	for _, test := range tests {
		in := plannedOn("g6e.12xlarge", test.tp, 1, test.n)
		in.Spec.Serve.Capacity = test.capacity
		files, remarks := renderServe(t, in)
		if got := body(t, files, "llama-poddisruptionbudget.yaml"); !strings.Contains(got, test.budget) {
			t.Errorf("%s: want %q in\n%s", test.name, test.budget, got)
		}
		remarks = strings.Join(strings.FieldsFunc(remarks, func(r rune) bool { return r == '\n' }), "; ")
		if test.remark == "" && strings.Contains(remarks, "replicas") || !strings.Contains(remarks, test.remark) {
			t.Errorf("%s: remarks %q, want %q", test.name, remarks, test.remark)
		}
		text := body(t, files, "llama-deployment.yaml")
		if shared := strings.Contains(text, "topologyKey: "+practice.CapacityLabel); shared != (len(test.capacity) > 1) {
			t.Errorf("%s: spread by capacity %t, of %v", test.name, shared, test.capacity)
		}
	}
}

func TestServeChecksTheRun(t *testing.T) {
	in := plannedOn("g6e.xlarge", 1, 1, 2)
	in.Measured = measured41()
	in.Measured.Model = "tiny"
	prompt, answer := 128.0, 290.0
	in.Run = &record.Run{
		Target:     record.Target{Simulated: true, Model: "tiny"},
		Saturation: &record.Saturation{Scenario: "saturation"},
		Levels:     []record.Level{{Scenario: "baseline", Got: record.Tokens{Prompt: &answer, Output: &answer}}, {Scenario: "saturation", Got: record.Tokens{Prompt: &prompt, Output: &answer}}},
	}
	in.Plan.Request.ISL, in.Plan.Request.OSL = 1000, 300
	_, remarks := renderServe(t, in)
	for _, want := range []string{"measured the simulated engine", "measured tiny, and what is served is meta-llama/Llama-3.1-70B-Instruct", "prompts of 128 tokens and answers of 290, and 1000 and 300 are planned for"} {
		if !strings.Contains(remarks, want) {
			t.Errorf("remarks %q, want %q", remarks, want)
		}
	}
	in.Plan.Request.ISL = 250
	if _, remarks := renderServe(t, in); strings.Contains(remarks, "planned for") {
		t.Errorf("lengths within a factor of two: %q", remarks)
	}
}

// TestServeWantsWeights: what nobody puts where the engine looks for it is said.
func TestServeWantsWeights(t *testing.T) {
	const gated, empty = "no token of the hub is mounted", "the engine loads /models/meta-llama/Llama-3.1-70B-Instruct from claim llama-weights: nothing here puts it there"
	for name, test := range map[string]struct {
		change func(*spec.Render)
		want   string
	}{
		"hub":            {func(*spec.Render) {}, gated},
		"hub with token": {func(r *spec.Render) { r.Serve.TokenSecret = "hub" }, ""},
		"claim":          {func(r *spec.Render) { r.Serve.Claim = "llama-weights" }, empty},
	} {
		in := plannedOn("g6e.12xlarge", 4, 1, 2)
		test.change(&in.Spec)
		_, remarks := renderServe(t, in)
		for _, remark := range []string{gated, empty} {
			if got := strings.Contains(remarks, remark); got != (remark == test.want) {
				t.Errorf("%s: said %t: %q", name, got, remark)
			}
		}
	}
}

// TestServeOnFSx: the subnet of a file system does not say which of several zones it is of.
func TestServeOnFSx(t *testing.T) {
	in := plannedOn("g6e.12xlarge", 4, 1, 2)
	in.Spec.Storage = spec.RenderStorage{Volumes: []spec.RenderVolume{{Kind: spec.OnFSx, For: spec.ForWeights}}}
	for _, zones := range [][]string{{"eu-central-1a", "eu-central-1b"}, {"eu-central-1b"}} {
		in.Spec.Zones = zones
		files, _ := renderServe(t, in)
		text := body(t, files, "llama-deployment.yaml")
		for _, zone := range zones {
			if !strings.Contains(text, "- "+zone+"\n") {
				t.Errorf("of %v, %s is left out:\n%s", zones, zone, text)
			}
		}
		if strings.Contains(text, "topologyKey: "+practice.ZoneLabel) {
			t.Errorf("readers of one zone's volume are spread over %v", zones)
		}
	}
}

// TestServeScales: the level is the run's, else the plan's, and is never one of latency.
func TestServeScales(t *testing.T) {
	in := plannedOn("g6e.xlarge", 1, 1, 2)
	in.Option.Load = plan.Load{Concurrency: 40}
	in.Option.Predicted.Knee = &plan.Knee{Low: 64, High: 90}
	for _, test := range []struct {
		measured *practice.Measured
		target   float64
		level    string
	}{
		{nil, 0, `averageValue: "25"`}, // 0.8 of 64 over two replicas
		{measured41(), 0, `averageValue: "24"`},
		{measured41(), 12, `averageValue: "12"`},
	} {
		in.Measured, in.Spec.Serve.Target = test.measured, test.target
		files, _ := renderServe(t, in)
		text := body(t, files, "llama-horizontalpodautoscaler.yaml")
		if !strings.Contains(text, test.level) || !strings.Contains(text, "name: "+inFlightMetric) {
			t.Errorf("want %s of %s:\n%s", test.level, inFlightMetric, text)
		}
		if strings.Contains(body(t, files, "llama-deployment.yaml"), "replicas:") {
			t.Error("the Deployment sets the replicas that the autoscaler changes")
		}
	}
}

func TestServeRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Input)
		want   string
	}{
		"no plan":              {func(in *Input) { in.Option = nil }, "no plan of what to serve"},
		"another engine":       {func(in *Input) { in.Plan.Request.Engine = "sglang@0.5" }, "what is rendered runs vLLM"},
		"a claim without name": {func(in *Input) { in.Spec.Serve.Weights = "pvc" }, "no claim is named"},
		"EBS on several nodes": {func(in *Input) { *in = stored(*in, spec.RenderVolume{Kind: spec.OnEBS}) }, "attached to one node"},
	} {
		in := plannedOn("g6e.xlarge", 1, 1, 2)
		test.change(&in)
		if _, err := Serve(in); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

func TestBenchGolden(t *testing.T) {
	in := plannedOn("g6e.xlarge", 1, 1, 2)
	in.Plan.Request.ISL, in.Plan.Request.OSL = 1000, 300
	in.Spec.Bench = spec.RenderBench{Image: "registry.example/assay:1.0.0", KeySecret: "target-key"}
	all, err := Bench(in)
	if err != nil {
		t.Fatal(err)
	}
	goldenFolder(t, "bench", all)
	in.Spec.Bench.Image = ""
	if _, err := Bench(in); err == nil || !strings.Contains(err.Error(), "no image of Assay is named") {
		t.Errorf("without an image: %v", err)
	}
}
