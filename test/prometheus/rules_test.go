package prometheus

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"text/template"

	"go.yaml.in/yaml/v4"

	"assay/internal/manifest"
)

// rules are all rules, written as for a Prometheus without the operator.
func rules(t *testing.T) []byte {
	t.Helper()
	b, err := manifest.Rules(manifest.Options{Knee: 48, KneeFrom: "a test", OperatingPoint: 30, OperatingFrom: "a test", RunbookURL: "https://runbooks.example"})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestPromtoolFindsNoFaultInTheRules(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rules.yml")
	write(t, file, rules(t))
	out, err := exec.Command(tool(t, "promtool"), "check", "rules", "--lint=all", "--lint-fatal", file).CombinedOutput()
	if err != nil {
		t.Errorf("promtool check rules: %v\n%s", err, out)
	}
}

// Each alert is seen firing and not firing by the real rule engine, with its real
// durations, labels and annotations.
func TestEachAlertFiresWhenItShouldAndOnlyThen(t *testing.T) {
	promtool := tool(t, "promtool")
	groups := ruleGroups(t)
	for subject, cases := range ruleCases {
		t.Run(subject, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "rules.yml"), groups[subject])
			write(t, filepath.Join(dir, "test.yml"), promtoolTest(t, cases, evaluated(subject)))
			cmd := exec.Command(promtool, "test", "rules", "test.yml")
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("promtool test rules: %v\n%s", err, out)
			}
		})
	}
}

// A GPU that nothing uses carries the pod of its exporter.
func TestAlertNamesThePodThatUsesAGPU(t *testing.T) {
	a, ok := manifest.AlertOf("GPUThermalThrottling")
	if !ok {
		t.Fatal("no such alert")
	}
	for labels, want := range map[string]bool{gpuLabels: true, honorLabels: true, noPodLabels: false} {
		text := expand(t, a.Description, parseLabels(t, labels), 1)
		if got := strings.Contains(text, ", pod v-0"); got != want || strings.Contains(text, "dcgm-x") {
			t.Errorf("%s: %s", labels, text)
		}
	}
}

func TestEachAlertHasACaseOfBothKinds(t *testing.T) {
	fires, quiet := map[string]bool{}, map[string]bool{}
	for _, cases := range ruleCases {
		for _, c := range cases {
			if c.fires != "" {
				fires[c.alert] = true
			} else {
				quiet[c.alert] = true
			}
		}
	}
	for _, a := range manifest.Alerts {
		if !fires[a.Name] || !quiet[a.Name] {
			t.Errorf("%s: seen firing %t, seen quiet %t", a.Name, fires[a.Name], quiet[a.Name])
		}
	}
}

// ruleGroups are rule files by subject, so that a case is evaluated with the rules
// of its subject and not with all.
func ruleGroups(t *testing.T) map[string][]byte {
	t.Helper()
	var file struct {
		Groups []map[string]any `yaml:"groups"`
	}
	if err := yaml.Unmarshal(rules(t), &file); err != nil {
		t.Fatal(err)
	}
	bySubject := map[string][]map[string]any{}
	for _, g := range file.Groups {
		subject := strings.TrimSuffix(strings.TrimPrefix(g["name"].(string), "assay-"), "-long")
		bySubject[subject] = append(bySubject[subject], g)
	}
	files := map[string][]byte{}
	for subject, gs := range bySubject {
		if ruleCases[subject] == nil {
			t.Errorf("no case tests the rules of %s", subject)
		}
		files[subject] = marshal(t, map[string]any{"groups": gs})
	}
	return files
}

// evaluated is how often the rules of a subject are evaluated: those over days need
// not be each minute.
func evaluated(subject string) string {
	if subject == "slo" {
		return "5m"
	}
	return "1m"
}

// promtoolTest writes cases as a test file of promtool.
func promtoolTest(t *testing.T, cases []ruleCase, every string) []byte {
	t.Helper()
	var tests []map[string]any
	for _, c := range cases {
		expect := []map[string]any{}
		if c.fires != "" {
			expect = append(expect, expected(t, c))
		}
		tests = append(tests, map[string]any{
			"name": c.alert + ": " + c.what, "interval": "1m", "input_series": inputs(t, c.series),
			"alert_rule_test": []map[string]any{{"eval_time": c.at, "alertname": c.alert, "exp_alerts": expect}},
		})
	}
	file := map[string]any{"rule_files": []string{"rules.yml"}, "evaluation_interval": every, "tests": tests}
	if every != "1m" {
		// What the long windows' alerts read of the short ones is as old as one
		// evaluation at most.
		file["group_eval_order"] = []string{"assay-slo", "assay-slo-long"}
	}
	return marshal(t, file)
}

// inputs are series as promtool reads them.
func inputs(t *testing.T, series []string) []map[string]any {
	t.Helper()
	var input []map[string]any
	for _, s := range series {
		name, values, ok := strings.Cut(s, "} ")
		if !ok {
			t.Fatalf("no values in %s", s)
		}
		input = append(input, map[string]any{"series": name + "}", "values": values})
	}
	return input
}

// expected is the alert as the rule engine should give it, its annotations
// expanded here.
func expected(t *testing.T, c ruleCase) map[string]any {
	t.Helper()
	a, ok := manifest.AlertOf(c.alert)
	if !ok {
		t.Fatalf("there is no alert %s", c.alert)
	}
	has := parseLabels(t, c.fires)
	annotations := map[string]string{
		"summary": expand(t, a.Summary, has, c.value), "description": expand(t, a.Description, has, c.value),
		"runbook": "assay explain " + a.Name, "runbook_url": "https://runbooks.example/" + a.Name,
	}
	with := map[string]string{"severity": a.Severity}
	for k, v := range has {
		with[k] = v
	}
	return map[string]any{"exp_labels": with, "exp_annotations": annotations}
}

var oneLabel = regexp.MustCompile(`(\w+)="([^"]*)"`)

func parseLabels(t *testing.T, s string) map[string]string {
	t.Helper()
	has := map[string]string{}
	for _, m := range oneLabel.FindAllStringSubmatch(s, -1) {
		has[m[1]] = m[2]
	}
	if len(has) == 0 {
		t.Fatalf("no labels in %q", s)
	}
	return has
}

// expand does what Prometheus does to an annotation.
func expand(t *testing.T, text string, labels map[string]string, value float64) string {
	t.Helper()
	funcs := template.FuncMap{
		"humanize":           humanize,
		"match":              regexp.MatchString,
		"humanizePercentage": func(v float64) string { return fmt.Sprintf("%.4g%%", v*100) },
	}
	tmpl, err := template.New("").Option("missingkey=zero").Funcs(funcs).Parse("{{ $labels := .Labels }}{{ $value := .Value }}" + text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var b bytes.Buffer
	if err := tmpl.Execute(&b, map[string]any{"Labels": labels, "Value": value}); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if strings.Contains(b.String(), "no value") {
		t.Errorf("%s: a label is missing: %s", text, b.String())
	}
	return b.String()
}

func humanize(v float64) string {
	if v >= 1000 {
		return fmt.Sprintf("%.4gk", v/1000)
	}
	if v > 0 && v < 1 {
		return fmt.Sprintf("%.4gm", v*1000)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	b, err := yaml.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}
