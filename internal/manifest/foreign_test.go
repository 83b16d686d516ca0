package manifest

import (
	"bytes"
	"strings"
	"testing"
	"text/template"

	"sigs.k8s.io/yaml"
)

// kubectl and the operator read YAML 1.1, in which a bare no is no string.
func TestNamesStayStrings(t *testing.T) {
	for _, name := range []string{"no", "y", "On", "true", "null", "80", "1e3", "0x1f", "1_000", "12:30", ".5", "-1", "3.14", "a-1", "llm"} {
		monitor, err := Options{Namespace: name, Selector: "app=" + name, Job: name, Port: name, ReleaseLabel: name}.withDefaults().engineMonitor()
		if err != nil {
			t.Fatal(err)
		}
		body, err := monitor.marshal("")
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Metadata struct {
				Namespace any
				Labels    map[string]any
			}
			Spec struct {
				Selector  struct{ MatchLabels map[string]any }
				Endpoints []struct {
					Port        any
					Relabelings []struct{ Replacement any }
				}
			}
		}
		if err := yaml.Unmarshal(body, &got); err != nil {
			t.Fatal(err)
		}
		e := got.Spec.Endpoints[0]
		for where, v := range map[string]any{
			"namespace": got.Metadata.Namespace, "release": got.Metadata.Labels["release"], "selector": got.Spec.Selector.MatchLabels["app"],
			"port": e.Port, "job": e.Relabelings[0].Replacement,
		} {
			if v != any(name) {
				t.Errorf("%s %q is read as %T %v", where, name, v, v)
			}
		}
	}
}

// What a run, a flag or a folder's name says stays what it is: no other object, no
// template, nothing that YAML does not allow.
func TestForeignWordsStayWords(t *testing.T) {
	const evil = "x{{ .Labels.a \x1b[31m\u202e\x00\n---\n# kind: Secret\n- a: 'b\""
	run := aRun()
	run.Saturation.Scenario, run.Saturation.OperatingPoint.LimitedBy, run.Levels[0].ID = evil, evil, evil
	opt, _ := Options{Selector: "app=x", Job: evil, DCGMJob: evil, RunbookURL: "http://" + evil, Models: []string{evil}}.Measured(run, evil)
	clean, _ := Options{Selector: "app=x"}.Measured(aRun(), "run")
	files, want := monitoring(t, opt), monitoring(t, clean)
	if len(files) != len(want) {
		t.Fatalf("%d files, want %d", len(files), len(want))
	}
	for i, f := range files {
		var got, as struct{ APIVersion, Kind string }
		if err := yaml.UnmarshalStrict(f.Body, &map[string]any{}); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		if err := yaml.Unmarshal(f.Body, &got); err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(want[i].Body, &as); err != nil {
			t.Fatal(err)
		}
		if got != as || bytes.ContainsAny(f.Body, "\x1b\x00") || bytes.Contains(f.Body, []byte("\n---\n")) {
			t.Errorf("%s is %+v, want %+v without what steers", f.Name, got, as)
		}
	}
	gs, err := groups(opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range gs {
		for _, a := range g.Alerts {
			if strings.Contains(a.Summary+a.Description, "x{{ .Labels") {
				t.Errorf("%s: a template of a job's name: %s %s", a.Name, a.Summary, a.Description)
			}
		}
	}
}

func TestLiteral(t *testing.T) {
	for _, s := range []string{"vllm", "{{ .x }}", "{{{", "}}", "a{{b{{c"} {
		var b bytes.Buffer
		if err := template.Must(template.New("").Parse(literal(s))).Execute(&b, nil); err != nil || b.String() != s {
			t.Errorf("%q becomes %q, %v", s, b.String(), err)
		}
	}
}
