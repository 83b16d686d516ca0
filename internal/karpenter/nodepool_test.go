package karpenter

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/facts"
)

func pools(t *testing.T) map[string]NodePool {
	t.Helper()
	read, err := Read("testdata/pools.yaml")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]NodePool{}
	for _, p := range read {
		all[p.Name] = p
	}
	if len(all) != 3 {
		t.Fatalf("%d pools: %v", len(all), read)
	}
	return all
}

func named(t *testing.T, name string) facts.Instance {
	t.Helper()
	for _, i := range facts.Instances() {
		if i.Name == name {
			return i
		}
	}
	t.Fatalf("no type %s", name)
	return facts.Instance{}
}

func TestAllows(t *testing.T) {
	all := pools(t)
	for _, test := range []struct {
		pool, instance, capacity, why string // empty: allowed
	}{
		{"g5-spot", "g5.12xlarge", facts.Spot, ""},
		{"g5-spot", "g6e.xlarge", facts.Spot, ""},
		{"g5-spot", "g5.12xlarge", "", ""},
		{"g5-spot", "g5.12xlarge", facts.OnDemand, "launches no on-demand capacity: karpenter.sh/capacity-type In [spot] (pools.yaml:27)"},
		{"g5-spot", "g4dn.xlarge", facts.Spot, "does not take g4dn.xlarge, whose instance-generation is 4: karpenter.k8s.aws/instance-generation Gt [4] (pools.yaml:33)"},
		{"g5-spot", "p5.48xlarge", facts.Spot, "whose instance-category is p"},
		{"g5-spot", "gr6.4xlarge", facts.Spot, "whose instance-category is gr"},
		{"g5-spot", "g5g.xlarge", facts.Spot, "whose instance-family is g5g"},
		{"g5-spot", "g6f.large", facts.Spot, "whose instance-gpu-count is 0"},
		{"g5-spot", "g5.48xlarge", facts.Spot, "has no room for one g5.48xlarge: its limit of cpu is 96 (pools.yaml:12)"},
		{"neuron", "inf2.48xlarge", facts.OnDemand, ""},
		{"neuron", "trn1.32xlarge", Reserved, ""},
		{"neuron", "inf2.24xlarge", facts.OnDemand, "node.kubernetes.io/instance-type In [inf2.48xlarge, trn1.32xlarge]"},
		{"auto-mode", "p5.48xlarge", Reserved, ""},
		{"auto-mode", "p4de.24xlarge", facts.OnDemand, ""},
		{"auto-mode", "p4d.24xlarge", facts.OnDemand, "whose instance-gpu-memory is 40960"},
		{"auto-mode", "trn1.32xlarge", facts.OnDemand, "whose instance-gpu-memory is not set"},
		{"auto-mode", "p5.48xlarge", facts.Spot, "launches no spot capacity"},
	} {
		ok, why := all[test.pool].Allows(named(t, test.instance), test.capacity)
		if ok != (test.why == "") || !strings.Contains(why, test.why) {
			t.Errorf("%s, %s, %q: %v, %q; want %q", test.pool, test.instance, test.capacity, ok, why, test.why)
		}
	}
}

func TestWhatPoolsAsk(t *testing.T) {
	all := pools(t)
	want := []Toleration{{"nvidia.com/gpu", "Exists", "", "NoSchedule"}, {"team", "Equal", "serving", "NoExecute"}}
	if diff := cmp.Diff(want, all["g5-spot"].Tolerations()); diff != "" {
		t.Errorf("tolerations (-want +got):\n%s", diff)
	}
	if p := all["g5-spot"]; p.Weight != 10 || p.NodeClass != "gpu" {
		t.Errorf("%+v", p)
	}
	if diff := cmp.Diff([]string{"topology.kubernetes.io/zone In [us-east-1a] (pools.yaml:42) is not judged: it is not in the catalogue of types"}, all["g5-spot"].Unjudged()); diff != "" {
		t.Errorf("not judged (-want +got):\n%s", diff)
	}
	got := strings.Join(all["neuron"].Unjudged(), "\n")
	if !strings.Contains(got, "asks for 2 values at least") || !strings.Contains(got, "fixed number of nodes") {
		t.Errorf("of a static pool with minValues: %s", got)
	}
}

func TestRoom(t *testing.T) {
	p := pools(t)["g5-spot"]
	for name, want := range map[string]struct {
		most     int
		resource string
	}{
		"g5.12xlarge": {2, "cpu"},            // 96 of 48; 8 GPUs of 4
		"g5.xlarge":   {8, "nvidia.com/gpu"}, // 24 by cpu
		"g5.48xlarge": {0, "cpu"},
	} {
		if most, by, ok := p.Room(named(t, name)); !ok || most != want.most || by.Resource != want.resource {
			t.Errorf("%s: %d by %s, %v; want %+v", name, most, by.Resource, ok, want)
		}
	}
	if _, _, ok := pools(t)["neuron"].Room(named(t, "inf2.48xlarge")); ok {
		t.Error("a limit where there is none")
	}
}

// The labels as Karpenter's reference lists them for these types.
func TestLabels(t *testing.T) {
	got := labels(named(t, "p6-b200.48xlarge"))
	want := map[string]string{
		"node.kubernetes.io/instance-type": "p6-b200.48xlarge",
		"kubernetes.io/arch":               "amd64",
		"kubernetes.io/os":                 "linux",
		own + "instance-category":          "p",
		own + "instance-generation":        "6",
		own + "instance-family":            "p6-b200",
		own + "instance-size":              "48xlarge",
		own + "instance-cpu":               "192",
		own + "instance-memory":            "2097152",
		own + "instance-network-bandwidth": "3200000",
		own + "instance-ebs-bandwidth":     "100000",
		own + "instance-local-nvme":        "30400",
		own + "instance-hypervisor":        "nitro",
		own + "instance-capability-flex":   "false",
		own + "instance-gpu-name":          "b200",
		own + "instance-gpu-manufacturer":  "nvidia",
		own + "instance-gpu-count":         "8",
		own + "instance-gpu-memory":        "183359",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	neuron := labels(named(t, "inf2.xlarge"))
	for k, want := range map[string]string{"instance-accelerator-name": "inferentia2", "instance-accelerator-manufacturer": "aws", "instance-accelerator-count": "1", "instance-gpu-name": "", "instance-network-bandwidth": "2083"} {
		if got := neuron[own+k]; got != want {
			t.Errorf("inf2.xlarge %s: %q, want %q", k, got, want)
		}
	}
	for name, want := range map[string]string{"g5.xlarge": "nvidia.com/gpu", "inf2.xlarge": "aws.amazon.com/neuron", "g4ad.xlarge": "amd.com/gpu"} {
		if got, n := Resource(named(t, name)); got != want || n != 1 {
			t.Errorf("%s: %d of %s", name, n, got)
		}
	}
}

func TestQuantity(t *testing.T) {
	for s, want := range map[string]float64{"1000": 1000, "500m": 0.5, "4Ti": 4 << 40, "1e3": 1000, "2k": 2000, "0.5Gi": 1 << 29} {
		if got, ok := Quantity(s); !ok || got != want {
			t.Errorf("%s: %g, %v; want %g", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "x", "-1", "1Xi", "1Kim", "NaN", "Inf"} {
		if got, ok := Quantity(s); ok {
			t.Errorf("%s: %g", s, got)
		}
	}
}
