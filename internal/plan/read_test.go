package plan

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAPlanIsReadAsItWasWritten(t *testing.T) {
	limits := slo(t, "ttft.p95<2s")
	want, err := Serve(Request{Asked: Asked{Model: "qwen3-32b", Context: 8192, Concurrency: 16, ISL: 1000, OSL: 300, SLO: limits, Instances: []string{"g6e.12xlarge", "p5.48xlarge"}}})
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read("plan.json", data)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-written +read:\n%s", d)
	}
	if o, err := got.Option(""); err != nil || o.ID != want.Options[0].ID {
		t.Errorf("no option named: %v, %v; want the first", o, err)
	}
	last := want.Options[len(want.Options)-1].ID
	if o, err := got.Option(last); err != nil || o.ID != last {
		t.Errorf("option %s: %v, %v", last, o, err)
	}
	if _, err := got.Option("nope"); err == nil || !strings.Contains(err.Error(), want.Options[0].ID) {
		t.Errorf("an option that is not there: %v, want those that are", err)
	}
}

func TestOtherFilesAreNoPlans(t *testing.T) {
	for name, data := range map[string]string{
		"no JSON":         "apiVersion: v1",
		"a list":          "[]",
		"another plan":    `{"request":{},"model":{},"options":[],"network":{}}`,
		"types that jar":  `{"request":{},"model":{},"memory":{},"verdict":{},"options":7}`,
		"no instance":     `{"request":{},"model":{},"memory":{},"verdict":{},"options":[{"id":"x"}]}`,
		"no GPU":          `{"request":{},"model":{},"memory":{},"verdict":{},"options":[{"id":"x","instance":"p5.48xlarge","replicas":1,"count":1}]}`,
		"a broken limit":  `{"request":{"slo":["ttft<"]},"model":{},"memory":{},"verdict":{},"options":[]}`,
		"a whole service": `{"kind":"Service"}`,
	} {
		if _, err := Read("some.json", []byte(data)); err == nil || !strings.Contains(err.Error(), "some.json") {
			t.Errorf("%s: %v, want an error that names the file", name, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"request":{"slo":["ttft.p95<1s"]},"model":{},"memory":{},"verdict":{},"options":[{"id":"x","instance":"p5.48xlarge","tp":8,"pp":1,"dp":1,"ep":1,"replicas":1,"count":1}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := Read("plan.json", data); err == nil && len(r.Options) > 0 {
			if _, err := r.Option(r.Options[0].ID); err != nil {
				t.Error(err)
			}
		}
	})
}
