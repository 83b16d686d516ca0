package cluster

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/diagnose"
)

var update = flag.Bool("update", false, "write the golden files")

// The whole of a namespace in trouble, as people read it.
func TestIncidentsOfANamespace(t *testing.T) {
	f := recorded(t)
	var remarks []string
	found, err := Incidents(t.Context(), f.options(t, &remarks))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, i := range found {
		fmt.Fprintf(&b, "%s  %s  %s\n    %s\n    (%s)\n", i.At.Format(time.RFC3339), i.Kind, i.Object, i.Fact, i.Source)
	}
	for _, r := range remarks {
		fmt.Fprintf(&b, "remark: %s\n", r)
	}
	golden(t, "incidents.golden", b.String())
	for _, asked := range f.asked {
		if !strings.HasPrefix(asked, "GET ") {
			t.Errorf("asked %s: this package only reads", asked)
		}
		if strings.Contains(asked, "cpu-z") {
			t.Errorf("asked %s: that node holds only a pod that has ended", asked)
		}
	}
}

// What each pod is told of, apart from the words.
func TestKindsOfIncidents(t *testing.T) {
	var remarks []string
	found, err := Incidents(t.Context(), recorded(t).options(t, &remarks))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, i := range found {
		got[i.Object] = append(got[i.Object], i.Kind)
	}
	want := map[string][]string{
		"pod inference/oom-0":     {diagnose.OOMKilled},
		"pod inference/loops-0":   {diagnose.CrashLoop},
		"pod inference/probed-0":  {diagnose.Restarted},
		"pod inference/pull-0":    {diagnose.NotReady},
		"pod inference/slow-0":    {diagnose.NotReady},
		"pod inference/mounts-0":  {diagnose.NotReady},
		"pod inference/pending-0": {diagnose.Pending},
		"pod inference/evicted-0": {diagnose.Evicted},
		"node gpu-a":              {diagnose.AcceleratorUnhealthy, diagnose.NotReady},
		"node gpu-b":              {diagnose.AcceleratorUnhealthy, diagnose.NotReady, diagnose.NotReady},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
}

func TestSinceLetsOlderThingsGo(t *testing.T) {
	var remarks []string
	o := recorded(t).options(t, &remarks)
	o.Since = 48 * time.Hour
	found, err := Incidents(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	of := func(object string) bool {
		return slices.ContainsFunc(found, func(i diagnose.Incident) bool { return i.Object == object })
	}
	if !of("pod inference/old-oom-0") {
		t.Error("the kill of yesterday is not told of, within two days")
	}
	o.Since = 5 * time.Minute
	if found, err = Incidents(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if of("pod inference/oom-0") || of("pod inference/evicted-0") {
		t.Errorf("within five minutes: %v", found)
	}
	if !of("pod inference/pending-0") || !of("node gpu-b") {
		t.Errorf("what still is so is not told of: %v", found)
	}
}

func TestMeaningsOfTheScheduler(t *testing.T) {
	for message, want := range map[string][]string{
		"0/2 nodes are available: 2 Insufficient nvidia.com/gpu.":                       {"nvidia.com/gpu: no node has that many free"},
		"0/2 nodes are available: 2 Insufficient nvidia.com/mig-1g.5gb.":                {"nvidia.com/mig-1g.5gb: no node has"},
		"0/1 nodes are available: 1 Insufficient vpc.amazonaws.com/efa.":                {"vpc.amazonaws.com/efa: the request is above"},
		"0/3 nodes are available: 1 Insufficient cpu, 2 Insufficient memory.":           {"cpu: requests, not use", "memory: requests, not use"},
		"0/1 nodes are available: 1 node(s) had untolerated taint {nvidia.com/gpu: }.":  {"does not tolerate the taint {nvidia.com/gpu: }"},
		"0/1 nodes are available: 1 node(s) had untolerated taint(s).":                  {"does not tolerate a taint"},
		"0/4 nodes are available: 4 node(s) didn't match Pod's node affinity/selector.": {"no node has the labels"},
		"0/2 nodes are available: 2 node(s) had volume node affinity conflict.":         {"another zone"},
		`0/2 nodes are available: persistentvolumeclaim "weights" not found.`:           {`PersistentVolumeClaim "weights" does not exist`},
		"0/0 nodes are available: preemption: 0/0 nodes are available.":                 {"the cluster has no nodes"},
		"0/3 nodes are available: 3 Too many pods.":                                     {"as many pods as they may"},
		"something nobody has said before":                                              nil,
		"":                                                                              nil,
	} {
		got := meanings(message)
		if len(got) != len(want) {
			t.Errorf("%q means %q, want %q", message, got, want)
			continue
		}
		for i := range want {
			if !strings.Contains(got[i], want[i]) {
				t.Errorf("%q means %q, want %q", message, got[i], want[i])
			}
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; -update writes it):\n%s", name, diff)
	}
}

// A node that has gone before its pods, and one of many pods.
func TestNodeThatIsGone(t *testing.T) {
	f := newFakeAPI(t)
	item := `{"metadata":{"name":"p%d","namespace":"inference"},"spec":{"nodeName":"spot"},"status":{"phase":"Running"}}`
	f.answers["/api/v1/namespaces/inference/pods"] = text(fmt.Sprintf(`{"items":[`+item+`,`+item+`,`+item+`,`+item+`,`+item+`]}`, 1, 2, 3, 4, 5))
	f.answers["/api/v1/namespaces/inference/events"] = text(`{"items":[]}`)
	f.answers["/api/v1/namespaces/default/events"] = text(`{"items":[]}`)
	var remarks []string
	found, err := Incidents(t.Context(), f.options(t, &remarks))
	want := []diagnose.Incident{{
		Kind: diagnose.NotReady, Object: "node spot", At: clock, Source: "Kubernetes API, status of the node",
		Fact: "the node is gone, and its pods are not yet; it holds p1, p2, p3, 2 more",
	}}
	if diff := cmp.Diff(want, found); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
