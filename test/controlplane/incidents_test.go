package controlplane

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/cluster"
	"assay/internal/diagnose"
)

// What the program tells of pods, nodes and events that a real API server holds.
func TestIncidents(t *testing.T) {
	s := start(t)
	s.namespace("inference")
	s.trouble()

	t.Run("as administrator", func(t *testing.T) {
		found, remarks := s.incidents(t, cluster.Options{Context: "admin", Namespace: "inference"})
		if diff := cmp.Diff(wantKinds, kindsOf(found)); diff != "" {
			t.Errorf("kinds (-want +got):\n%s", diff)
		}
		for _, want := range []string{"XID 31", "NvidiaThermalError"} {
			if !strings.Contains(remarks, want) {
				t.Errorf("remarks do not say %s:\n%s", want, remarks)
			}
		}
		for _, i := range found {
			if i.Kind == diagnose.Restarted && !strings.Contains(i.Fact, "Liveness probe failed") {
				t.Errorf("the event of the probe is not told: %s", i.Fact)
			}
			if i.Kind == diagnose.Pending && !strings.Contains(i.Fact, "nvidia.com/gpu: no node has that many free") {
				t.Errorf("what the scheduler means is not told: %s", i.Fact)
			}
		}
	})

	t.Run("by selector", func(t *testing.T) {
		found, _ := s.incidents(t, cluster.Options{Context: "admin", Namespace: "inference", Selector: "pod=oom-0"})
		want := map[string][]string{"pod inference/oom-0": {diagnose.OOMKilled}, "node gpu-a": wantKinds["node gpu-a"]}
		if diff := cmp.Diff(want, kindsOf(found)); diff != "" {
			t.Errorf("kinds (-want +got):\n%s", diff)
		}
	})

	// Without a Role there is nothing; with the one in the docs, all; without its
	// part for nodes, pods only.
	t.Run("with the least rights", func(t *testing.T) {
		o := cluster.Options{Kubeconfig: s.kubeconfig, Context: "assay", Namespace: "inference"}
		_, err := cluster.Incidents(t.Context(), o)
		var hint interface{ Hint() string }
		if !errors.As(err, &hint) || !strings.Contains(err.Error(), "403 Forbidden") || !strings.Contains(hint.Hint(), "docs/cluster.md") {
			t.Fatalf("without rights: %v", err)
		}
		s.kubectl(cluster.Role, "apply", "-f", "-")
		eventually(t, func() error {
			found, remarks := s.incidents(t, o)
			if diff := cmp.Diff(wantKinds, kindsOf(found)); diff != "" || strings.Contains(remarks, "left out") {
				return fmt.Errorf("kinds (-want +got):\n%s\nremarks:\n%s", diff, remarks)
			}
			return nil
		})
		s.kubectl("", "delete", "clusterrolebinding", "assay-incidents")
		pods := maps.Clone(wantKinds)
		delete(pods, "node gpu-a")
		delete(pods, "node gpu-b")
		eventually(t, func() error {
			found, remarks := s.incidents(t, o)
			if diff := cmp.Diff(pods, kindsOf(found)); diff != "" || !strings.Contains(remarks, "left out: the state of nodes") {
				return fmt.Errorf("kinds (-want +got):\n%s\nremarks:\n%s", diff, remarks)
			}
			return nil
		})
	})

	// More pods than a page of the API, more incidents than are told.
	t.Run("many pods", func(t *testing.T) {
		s.namespace("many")
		var pods []map[string]any
		for i := range 260 {
			pods = append(pods, podOf("many", fmt.Sprintf("p%d", i), ""))
		}
		s.create(pods...)
		found, remarks := s.incidents(t, cluster.Options{Context: "admin", Namespace: "many"})
		if len(found) != 200 || !strings.Contains(remarks, "260 incidents") {
			t.Errorf("%d incidents; remarks:\n%s", len(found), remarks)
		}
	})
}

var wantKinds = map[string][]string{
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

func kindsOf(found []diagnose.Incident) map[string][]string {
	kinds := map[string][]string{}
	for _, i := range found {
		kinds[i.Object] = append(kinds[i.Object], i.Kind)
	}
	return kinds
}

func (s server) incidents(t *testing.T, o cluster.Options) ([]diagnose.Incident, string) {
	t.Helper()
	var remarks []string
	o.Kubeconfig = s.kubeconfig
	o.Remark = func(r string) { remarks = append(remarks, r) }
	found, err := cluster.Incidents(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return found, strings.Join(remarks, "\n")
}

// eventually waits until the API server has taken a change of rights in.
func eventually(t *testing.T, check func() error) {
	t.Helper()
	var err error
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if err = check(); err == nil {
			return
		}
	}
	t.Error(err)
}

func (s server) namespace(name string) {
	s.create(map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}})
}

// trouble puts the namespace of internal/cluster/testdata into the API server, as
// if its hour were the last one.
func (s server) trouble() {
	var objects []map[string]any
	for _, name := range []string{"gpu-a.json", "gpu-b.json"} {
		objects = append(objects, s.recorded(name))
	}
	for _, item := range s.items("pods.json") {
		metadata := item["metadata"].(map[string]any)
		if metadata["deletionTimestamp"] != nil {
			continue // only deletion sets it
		}
		node, _ := item["spec"].(map[string]any)["nodeName"].(string)
		p := podOf("inference", metadata["name"].(string), node)
		p["status"] = item["status"]
		objects = append(objects, p)
	}
	for _, name := range []string{"events.json", "events-gpu-a.json"} {
		for _, item := range s.items(name) {
			item["kind"], item["apiVersion"] = "Event", "v1"
			if object := item["involvedObject"].(map[string]any); object["kind"] == "Pod" {
				object["namespace"] = "inference"
			}
			if item["series"] != nil { // who has an event counted must be named
				item["reportingComponent"], item["reportingInstance"], item["action"] = "attachdetach-controller", "test", "Attach"
			}
			objects = append(objects, item)
		}
	}
	s.create(objects...)
}

// podOf is a pod that nothing runs. One with a node is on it by decree.
func podOf(namespace, name, node string) map[string]any {
	spec := map[string]any{"containers": []any{map[string]any{"name": "vllm", "image": "registry.example.com/vllm:v9"}}}
	if node != "" {
		spec["nodeName"] = node
	}
	return map[string]any{
		"apiVersion": "v1", "kind": "Pod", "spec": spec,
		"metadata": map[string]any{"name": name, "namespace": namespace, "labels": map[string]any{"pod": name}},
	}
}

func (s server) items(name string) []map[string]any {
	var items []map[string]any
	for _, item := range s.recorded(name)["items"].([]any) {
		items = append(items, item.(map[string]any))
	}
	return items
}

var stamp = regexp.MustCompile(`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"`)

// recorded reads a file of internal/cluster/testdata with its moments moved, so
// that its noon of 2026-11-30 is now.
func (s server) recorded(name string) map[string]any {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "internal", "cluster", "testdata", name))
	if err != nil {
		s.t.Fatal(err)
	}
	shift := time.Since(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
	b = stamp.ReplaceAllFunc(b, func(quoted []byte) []byte {
		at, err := time.Parse(`"2006-01-02T15:04:05.999999999Z"`, string(quoted))
		if err != nil {
			s.t.Fatal(err)
		}
		layout := `"2006-01-02T15:04:05Z"`
		if strings.Contains(string(quoted), ".") {
			layout = `"2006-01-02T15:04:05.000000Z"`
		}
		return []byte(at.Add(shift).Format(layout))
	})
	var v map[string]any
	if err := json.Unmarshal(b, &v); err != nil {
		s.t.Fatal(err)
	}
	return v
}
