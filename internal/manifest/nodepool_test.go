package manifest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/facts"
	"assay/internal/karpenter"
	"assay/internal/plan"
	"assay/internal/practice"
	"assay/internal/spec"
)

// plannedOn is a plan of one option: replicas of tp GPUs on an instance type.
func plannedOn(instance string, tp, pp, replicas int) Input {
	i, err := facts.InstanceNamed(instance)
	if err != nil {
		panic(err)
	}
	count := pp * replicas
	if pp == 1 {
		count = (replicas*tp + i.Count - 1) / i.Count
	}
	option := plan.Option{
		ID: "an-option", Instance: instance, Count: count, TP: tp, PP: pp, DP: 1, EP: 1, Replicas: replicas, GPUs: tp * pp * replicas,
		GPU: plan.GPU{Name: strings.ToUpper(i.Accelerator), Vendor: "NVIDIA"}, Host: plan.Host{Memory: i.Memory, Allocatable: i.Allocatable(), Pods: i.Pods},
	}
	result := plan.Result{
		Request: plan.Asked{Engine: "vllm@0.32"},
		Model:   plan.Model{Name: "Llama-3.1-70B", From: "known model", Serve: "meta-llama/Llama-3.1-70B-Instruct"},
		Memory:  plan.Memory{Weights: 141_107_412_992}, Options: []plan.Option{option},
	}
	return Input{
		Plan: &result, Option: &result.Options[0],
		Spec: spec.Render{
			Name: "llama", Namespace: "models", Cluster: "prod", Region: "eu-central-1", Zones: []string{"eu-central-1a", "eu-central-1b"}, TimeZone: "Europe/Berlin",
			NodePool: spec.RenderNodePool{AMI: "v20261120", Role: "KarpenterNodeRole-prod", Hours: spec.WorkingHours{Days: "mon-fri", From: "08:00", To: "18:00"}},
		},
	}
}

func renderPool(t *testing.T, in Input) ([]Written, []File) {
	t.Helper()
	all, err := NodePool(in)
	if err != nil {
		t.Fatal(err)
	}
	files, err := Folder("A title.", all)
	if err != nil {
		t.Fatal(err)
	}
	return all, files
}

func body(t *testing.T, files []File, name string) string {
	t.Helper()
	for _, f := range files {
		if f.Name == name {
			return string(f.Body)
		}
	}
	t.Fatalf("no %s", name)
	return ""
}

func TestNodePoolGolden(t *testing.T) {
	spot := plannedOn("g6e.12xlarge", 4, 1, 3)
	spot.Spec.NodePool.Capacity = []string{"on-demand", "spot"}
	spot.Spec.NodePool.Prefetch = []string{"vllm/vllm-openai:v0.32.0"}
	bottlerocket := plannedOn("p5.48xlarge", 8, 1, 1)
	bottlerocket.Spec.TimeZone = "Asia/Tokyo"
	bottlerocket.Spec.NodePool.OS, bottlerocket.Spec.NodePool.AMI = spec.Bottlerocket, "1.55.0"
	bottlerocket.Spec.NodePool.Capacity, bottlerocket.Spec.NodePool.Reservations = []string{"reserved"}, []string{"cr-0a1b2c3d"}
	efa := plannedOn("p4d.24xlarge", 8, 2, 1)
	efa.Spec.NodePool = spec.RenderNodePool{EFA: true, Placement: "llama", MaxPods: 50}
	efa.Spec.Zones = efa.Spec.Zones[:1]
	efa.Spec.Cluster = ""
	for name, in := range map[string]Input{"nodepool-spot": spot, "nodepool-bottlerocket": bottlerocket, "nodepool-efa": efa} {
		all, err := NodePool(in)
		if err != nil {
			t.Fatal(err)
		}
		goldenFolder(t, name, all)
	}
}

// TestNodePoolLaunches holds what is written against what Karpenter makes of it.
func TestNodePoolLaunches(t *testing.T) {
	in := plannedOn("g6e.12xlarge", 2, 1, 3)
	in.Spec.NodePool.Capacity = []string{"spot", "on-demand"}
	_, files := renderPool(t, in)
	pools, err := karpenter.Parse("pool.yaml", []byte(body(t, files, "llama-nodepool.yaml")))
	if err != nil || len(pools) != 1 {
		t.Fatalf("%v, %v", pools, err)
	}
	pool := pools[0]
	for name, want := range map[string]bool{
		"g6e.12xlarge": true, "g6e.24xlarge": true, // four L40S as well
		"g6e.48xlarge": false, "g6e.4xlarge": false, "g6.12xlarge": false,
	} {
		i, _ := facts.InstanceNamed(name)
		for _, capacity := range []string{facts.Spot, facts.OnDemand} {
			if ok, why := pool.Allows(i, capacity); ok != want {
				t.Errorf("%s, %s: %v (%s)", name, capacity, ok, why)
			}
		}
		if ok, _ := pool.Allows(i, karpenter.Reserved); ok {
			t.Errorf("%s as reserved capacity, which nobody asked for", name)
		}
	}
	i, _ := facts.InstanceNamed("g6e.12xlarge")
	if most, by, ok := pool.Room(i); !ok || most != 3 || by.Resource != "nvidia.com/gpu" { // two nodes, and one
		t.Errorf("room for %d by %s", most, by.Resource)
	}
	if got := pool.Tolerations(); len(got) != 1 || got[0].Key != "nvidia.com/gpu" || got[0].Value != "true" {
		t.Errorf("pods need %+v", got)
	}
}

// TestNodePoolRoom: a pool has room for all replicas that the autoscaler may ask for and
// for the one that a rollout starts, whoever said how many.
func TestNodePoolRoom(t *testing.T) {
	for name, test := range map[string]struct {
		tp, pp, replicas int // planned
		load             int
		serve            spec.RenderServe
		want             int // nodes of four GPUs
	}{
		"planned, twice by the autoscaler": {4, 1, 2, 40, spec.RenderServe{}, 5},
		"two on a node":                    {2, 1, 3, 40, spec.RenderServe{}, 4},
		"more asked for than planned":      {4, 1, 1, 40, spec.RenderServe{Replicas: 4}, 9},
		"a bound":                          {4, 1, 1, 40, spec.RenderServe{MaxReplicas: 6}, 7},
		"no autoscaler":                    {4, 1, 2, 40, spec.RenderServe{Autoscale: spec.None}, 3},
		"a rollout takes a whole group":    {4, 2, 1, 40, spec.RenderServe{}, 6},
	} {
		in := plannedOn("g6e.12xlarge", test.tp, test.pp, test.replicas)
		in.Option.Load = plan.Load{Concurrency: test.load}
		in.Spec.Serve = test.serve
		_, files := renderPool(t, in)
		if got := body(t, files, "llama-nodepool.yaml"); !strings.Contains(got, fmt.Sprintf("nvidia.com/gpu: %d\n", 4*test.want)) {
			t.Errorf("%s: want room for %d nodes:\n%s", name, test.want, got)
		}
	}
}

func TestNodePoolHours(t *testing.T) {
	in := plannedOn("p5.48xlarge", 8, 1, 1)
	p, err := in.pool()
	if err != nil {
		t.Fatal(err)
	}
	var budgets []practice.Budget
	for _, o := range p.budgets() {
		get := func(name string) string {
			for _, f := range o {
				if f.name == name {
					return f.value.(string)
				}
			}
			return ""
		}
		var reasons []string
		for _, f := range o {
			if f.name == "reasons" {
				reasons = f.value.([]string)
			}
		}
		b, err := practice.ParseBudget(get("nodes"), get("schedule"), get("duration"), reasons)
		if err != nil {
			t.Fatal(err)
		}
		budgets = append(budgets, b)
	}
	for _, test := range []struct {
		moment, reason string
		want           []string
	}{
		{"2026-07-01 06:00", "Drifted", []string{"0", "10%"}}, // 08:00 of summer
		{"2026-12-02 16:59", "Drifted", []string{"0", "10%"}}, // 17:59 of winter
		{"2026-12-02 10:00", "Empty", []string{"10%"}},
		{"2026-12-02 20:00", "Underutilized", []string{"10%"}},
		{"2026-12-05 10:00", "Drifted", []string{"10%"}}, // a Saturday
	} {
		moment, _ := time.Parse("2006-01-02 15:04", test.moment)
		var got []string
		for _, i := range practice.Spans(budgets, test.reason, moment, moment.Add(time.Minute))[0].Budgets {
			got = append(got, budgets[i].Nodes)
		}
		slices.Sort(got)
		if d := cmp.Diff(test.want, got); d != "" {
			t.Errorf("%s, %s (-want +got):\n%s", test.moment, test.reason, d)
		}
	}
	for _, reason := range practice.BudgetReasons {
		if at, gap := practice.Gap(budgets, reason, time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)); gap {
			t.Errorf("%s has no bound at %s", reason, at)
		}
	}
}

func TestNodePoolRemarks(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*spec.Render)
		want   string
	}{
		"no zone": {func(r *spec.Render) { r.TimeZone = "" }, "give render.time_zone"},
		"all of a week": {func(r *spec.Render) {
			r.NodePool.Hours = spec.WorkingHours{Days: "mon-sun", From: "00:00", To: "24:00"}
		}, "all of the week"},
		"short grace":    {func(r *spec.Render) { r.NodePool.Grace = 10 * time.Second }, "shorter than"},
		"slow disk":      {func(r *spec.Render) { r.NodePool.AMI, r.NodePool.Throughput = "v20251015", 125 }, "slower than plain ones"},
		"no SOCI":        {func(r *spec.Render) { r.NodePool.OS, r.NodePool.AMI = spec.Bottlerocket, "1.43.0" }, "bottlerocket@1.43.0 has no parallel pulls"},
		"SOCI on EBS":    {func(r *spec.Render) { r.NodePool.OS, r.NodePool.AMI = spec.Bottlerocket, "1.45.0" }, "not on the instance store"},
		"idle store":     {func(r *spec.Render) { r.NodePool.OS, r.NodePool.Snapshot = spec.Bottlerocket, "snap-1" }, "left unused"},
		"group reserved": {func(r *spec.Render) { r.NodePool.Placement, r.NodePool.Capacity = "x", []string{"reserved"} }, "made in that group"},
		"placement":      {func(r *spec.Render) { r.NodePool.Placement = "x" }, "one zone"},
		"other capacity": {func(r *spec.Render) { r.NodePool.Capacity, r.Serve.Capacity = []string{"spot"}, []string{"on-demand"} }, "no pod gets a node"},
		"Spot of one":    {func(r *spec.Render) { r.NodePool.Capacity = []string{"spot"} }, "on-demand beside it"},
		"no EFA":         {func(r *spec.Render) { r.NodePool.Instances, r.NodePool.EFA = []string{"g6e.xlarge"}, true }, "has no EFA"},
	} {
		in := plannedOn("p5.48xlarge", 8, 1, 1)
		test.change(&in.Spec)
		p, err := in.pool()
		if err != nil {
			t.Fatal(err)
		}
		p.nodePool()
		p.nodeClass()
		if !slices.ContainsFunc(p.remarks, func(s string) bool { return strings.Contains(s, test.want) }) {
			t.Errorf("%s: %q, want %s", name, p.remarks, test.want)
		}
	}
}

func TestNodeDisks(t *testing.T) {
	for name, test := range map[string]struct {
		instance string
		change   func(*spec.Render)
		want     []string
	}{
		"instance store": {"g6e.12xlarge", func(*spec.Render) {}, []string{"instanceStorePolicy: RAID0", "volumeSize: 50Gi", "FastImagePull: true"}},
		// 20 + 10 + 28 of the image: SOCI's files are on EBS, what pods write on the instance store
		"SOCI on EBS": {"g6e.12xlarge", func(r *spec.Render) { r.NodePool.OS, r.NodePool.AMI = spec.Bottlerocket, "1.45.0" },
			[]string{"instanceStorePolicy: RAID0", "volumeSize: 60Gi", "throughput: 1000", "snapshotter = \"soci\""}},
		"no SOCI": {"g6e.12xlarge", func(r *spec.Render) { r.NodePool.OS, r.NodePool.AMI = spec.Bottlerocket, "1.43.0" },
			[]string{"instanceStorePolicy: RAID0", "volumeSize: 50Gi"}},
		// 20 + 10 + 28 of the image, 198 of weights from the hub, 20 of kernels
		"none":                {"p4d.24xlarge", func(r *spec.Render) { r.NodePool.Instances = []string{"g5g.16xlarge"} }, []string{"volumeSize: 280Gi", "throughput: 1000", "iops: 4000"}},
		"weights in a volume": {"p4d.24xlarge", func(r *spec.Render) { r.NodePool.Instances, r.Serve.Claim = []string{"g5g.16xlarge"}, "weights" }, []string{"volumeSize: 60Gi"}},
		"a snapshot": {"p5.48xlarge", func(r *spec.Render) { r.NodePool.OS, r.NodePool.Snapshot = spec.Bottlerocket, "snap-1" },
			[]string{"deviceName: /dev/xvdb", "snapshotID: snap-1", "volumeInitializationRate: 300"}},
	} {
		in := plannedOn(test.instance, 4, 1, 1)
		test.change(&in.Spec)
		_, files := renderPool(t, in)
		text := body(t, files, "llama-nodeclass.yaml")
		for _, want := range test.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %s in\n%s", name, want, text)
			}
		}
		if strings.Contains(text, "RAID0") != slices.Contains([]string{"instance store", "SOCI on EBS", "no SOCI"}, name) {
			t.Errorf("%s: instance store in\n%s", name, text)
		}
		if strings.Contains(text, "throughput:") == slices.Contains([]string{"instance store", "no SOCI"}, name) {
			t.Errorf("%s: the throughput of its volume in\n%s", name, text)
		}
		if strings.Contains(text, "userData") && (name == "a snapshot" || name == "no SOCI") {
			t.Errorf("%s: parallel pulls in\n%s", name, text)
		}
	}
}

func TestNodePoolNeedsInstances(t *testing.T) {
	if _, err := NodePool(Input{}); err == nil || !strings.Contains(err.Error(), "instance types") {
		t.Errorf("without any instance type: %v", err)
	}
	in := Input{Spec: spec.Render{NodePool: spec.RenderNodePool{Instances: []string{"p5.48xlarge", "inf2.48xlarge"}}}}
	if _, err := NodePool(in); err == nil || !strings.Contains(err.Error(), "different makers") {
		t.Errorf("two makers: %v", err)
	}
}

// TestNodePoolOfAnyDate renders through a year and its changes of clocks: what is written
// is the same on each day, since it holds for all of them.
func TestNodePoolOfAnyDate(t *testing.T) {
	for _, zone := range []string{"Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Sydney"} {
		synctest.Test(t, func(t *testing.T) {
			in := plannedOn("g6e.12xlarge", 4, 1, 3)
			in.Spec.TimeZone = zone
			_, first := renderPool(t, in)
			if !strings.Contains(body(t, first, "llama-nodepool.yaml"), "schedule: ") {
				t.Fatalf("%s: no hours are closed", zone)
			}
			for range 26 {
				time.Sleep(14 * 24 * time.Hour)
				if _, files := renderPool(t, in); !slices.EqualFunc(files, first, func(a, b File) bool { return a.Name == b.Name && string(a.Body) == string(b.Body) }) {
					t.Fatalf("%s: what is written differs on %s", zone, time.Now())
				}
			}
		})
	}
}
