package survey

import (
	"strings"
	"testing"

	"assay/internal/diagnose"
	"assay/internal/record"
	"assay/internal/telemetry"
)

func of(name, verdict string, confidence float64) Instance {
	return Instance{Name: name, Bound: record.Bound{Verdict: verdict, Confidence: confidence, Evidence: []record.Evidence{{Fact: "fact of " + name}}}}
}

func TestTogether(t *testing.T) {
	for _, c := range []struct {
		name      string
		instances []Instance
		want, of  string
	}{
		{"one", []Instance{of("a", record.BoundKVCache, 0.9)}, record.BoundKVCache, "fact of a"},
		{"most of those that bind", []Instance{of("a", record.BoundAdmission, 0.95), of("b", record.BoundKVCache, 0.7), of("c", record.BoundKVCache, 0.8)}, record.BoundKVCache, "2 of 3 replicas say so; the facts are of c"},
		{"one that binds beats those that do not", []Instance{of("a", record.BoundNotSaturated, 0.9), of("b", record.BoundNotSaturated, 0.9), of("c", record.BoundThrottled, 0.6)}, record.BoundThrottled, "1 of 3 replicas says so; the facts are of c"},
		{"the surer of two", []Instance{of("a", record.BoundAdmission, 0.7), of("b", record.BoundKVCache, 0.8)}, record.BoundKVCache, "facts are of b"},
		{"none binds", []Instance{of("a", record.BoundNotSaturated, 0.9), of("b", record.BoundUnknown, 0)}, record.BoundNotSaturated, "facts are of a"},
		{"unknown mostly", []Instance{of("a", record.BoundUnknown, 0), of("b", record.BoundUnknown, 0), of("c", record.BoundNotSaturated, 0.8)}, record.BoundUnknown, "2 of 3"},
		{"nothing", nil, record.BoundUnknown, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := together(c.instances)
			if b.Verdict != c.want {
				t.Errorf("%s, want %s", b.Verdict, c.want)
			}
			if c.of != "" && !strings.Contains(b.Evidence[0].Fact, c.of) {
				t.Errorf("first fact %q, want %q in it", b.Evidence[0].Fact, c.of)
			}
		})
	}
}

func TestNoTrafficIsNoLimit(t *testing.T) {
	quiet, _ := steady(t, 0, 30, 0, 0, 0, sample{tokens: 1000})
	i := instanceOf(seen{name: "r", snapshots: quiet}, Options{}, nil)
	if i.Bound.Verdict != record.BoundNotSaturated || Binds(i.Bound) || i.Bound.Evidence[0].Fact != "no traffic in the window" {
		t.Errorf("%+v", i.Bound)
	}
}

// A GPU that is broken is so without traffic, and with no metrics left to read.
func TestABrokenGPUNeedsNoTraffic(t *testing.T) {
	quiet, _ := steady(t, 0, 30, 0, 0, 0, sample{tokens: 1000})
	unhealthy := []diagnose.Incident{{Kind: diagnose.AcceleratorUnhealthy, Object: "node n1", Fact: "AcceleratedHardwareReady is False", Source: "cluster"}}
	labels := map[string]string{"pod": "a", "node": "n1"}
	for name, s := range map[string]seen{
		"idle":     {name: "r", labels: labels, snapshots: quiet},
		"not read": {name: "r", labels: labels, failed: "connection refused"},
	} {
		if i := instanceOf(s, Options{}, unhealthy); i.Bound.Verdict != record.BoundFault || !Binds(i.Bound) {
			t.Errorf("%s: %+v", name, i.Bound)
		}
	}
	killed := []diagnose.Incident{{Kind: diagnose.OOMKilled, Object: "pod llm/a", Fact: "killed for memory", Source: "cluster"}}
	if i := instanceOf(seen{name: "r", labels: labels, failed: "connection refused"}, Options{}, killed); i.Bound.Verdict != record.BoundCold {
		t.Errorf("killed for memory, not read: %+v", i.Bound)
	}
	if i := instanceOf(seen{name: "r", labels: labels, snapshots: quiet}, Options{}, killed); i.Bound.Verdict != record.BoundNotSaturated {
		t.Errorf("killed for memory, idle since: %+v", i.Bound)
	}
}

// What a served name stands for is evidence, as in a bench, and so is what the user
// says of the platform.
func TestModelAndPlatformAreEvidence(t *testing.T) {
	if e := evidence(Instance{Model: "meta-llama/Llama-3.1-8B-Instruct"}, Options{}, nil); e.Model == nil || e.Model.Name != "llama-3.1-8b" {
		t.Errorf("model %+v", e.Model)
	}
	if e := evidence(Instance{}, Options{TP: 4}, nil); e.Platform.TP == nil || *e.Platform.TP != 4 {
		t.Errorf("tensor parallelism %v of 4", e.Platform.TP)
	}
	if e := evidence(Instance{Model: "our-own"}, Options{}, nil); e.Model != nil {
		t.Errorf("model %+v of a name that is none", e.Model)
	}
}

func TestTooFewSamplesAreUnknown(t *testing.T) {
	one, _ := steady(t, 0, 1, 8, 4, 0, sample{})
	i := instanceOf(seen{name: "r", snapshots: one}, Options{}, nil)
	if i.Bound.Verdict != record.BoundUnknown || len(i.Bound.Missing) == 0 {
		t.Errorf("%+v", i.Bound)
	}
}

func TestIncidentsBelongToTheirPod(t *testing.T) {
	all := []diagnose.Incident{{Object: "pod llm/a"}, {Object: "pod llm/b"}, {Object: "node ip-10-0-0-7"}, {Object: "node ip-10-0-0-8"}}
	objects := func(list []diagnose.Incident) string {
		s := ""
		for _, i := range list {
			s += i.Object + ";"
		}
		return s
	}
	a := Instance{Labels: map[string]string{"pod": "a", "node": "ip-10-0-0-7"}}
	if got := objects(incidentsOf(a, Options{}, all)); got != "pod llm/a;node ip-10-0-0-7;" {
		t.Error(got)
	}
	var unnamed Instance
	if got := incidentsOf(unnamed, Options{}, all); got != nil {
		t.Errorf("incidents of pods that may be another service's are evidence: %v", got)
	}
	if got := incidentsOf(unnamed, Options{Cluster: Cluster{PodSelector: "app=vllm"}}, all); len(got) != 4 {
		t.Error(got)
	}
}

// What the cluster says is asked only of a namespace that is known to be the
// service's.
func TestNamespaceOfTheService(t *testing.T) {
	in := func(n string) seen { return seen{labels: map[string]string{"namespace": n}} }
	for _, c := range []struct {
		name string
		opt  Options
		all  []seen
		want string
	}{
		{"named", Options{Namespace: "x"}, []seen{in("y")}, "x"},
		{"by labels", Options{}, []seen{in("y"), in("y")}, "y"},
		{"several", Options{}, []seen{in("y"), in("z")}, ""},
		{"partly not known", Options{}, []seen{in("y"), in("")}, ""},
		{"not known", Options{}, []seen{in("")}, ""},
	} {
		if got := namespaceOf(c.opt, c.all); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A restart early in the window is listed, and does not hide what binds since.
func TestEarlyRestartIsPast(t *testing.T) {
	full := func(from, seconds int, start float64) (all []telemetry.Snapshot) {
		for k := range seconds {
			s := sample{running: 20, waiting: 12, kv: 0.99, tokens: 100 * float64(k), start: start}
			all = append(all, s.at(t, from+k))
		}
		return all
	}
	early := instanceOf(seen{name: "r", snapshots: append(full(0, 20, 100), full(20, 100, 900)...)}, Options{}, nil)
	if early.Bound.Verdict != record.BoundKVCache || len(early.Restarts) != 1 {
		t.Errorf("%+v, restarts %v", early.Bound, early.Restarts)
	}
	var loop []telemetry.Snapshot
	for k := range 6 {
		loop = append(loop, full(20*k, 20, float64(100+20*k))...)
	}
	i := instanceOf(seen{name: "r", snapshots: loop}, Options{}, nil)
	if e := evidence(i, Options{}, nil); len(e.Incidents) != 5 {
		t.Errorf("%d restarts are evidence of a server that restarts every 20 s, want 5", len(e.Incidents))
	}
}
