package spec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLintSection(t *testing.T) {
	s, err := Parse("assay.yaml", []byte(`lint:
  disable: [image-size]
  severity: {grace-shorter-than-drain: warning}
  ignore:
  - rule: unset-value
    path: overlays/**
    object: ServiceAccount/*
    reason: each account sets it
    until: 2027-01-31
  rules: [own.yaml]
  time_zone: Europe/Berlin
`))
	if err != nil {
		t.Fatal(err)
	}
	want := Lint{
		Disable:  []LintName{{"image-size", "assay.yaml:2:13"}},
		Severity: []LintSeverity{{"grace-shorter-than-drain", "warning", "assay.yaml:3:14"}},
		Ignore:   []LintIgnore{{"unset-value", "overlays/**", "ServiceAccount/*", "each account sets it", "2027-01-31", "assay.yaml:5:5"}},
		Rules:    []string{"own.yaml"},
		TimeZone: "Europe/Berlin",
	}
	if d := cmp.Diff(want, s.Lint); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestLintSectionMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"lint: {disabel: [x]}":                                "assay.yaml:1:8: unknown key \"disabel\" in lint; did you mean \"disable\"",
		"lint: {severity: {x: fatal}}":                        "assay.yaml:1:22: lint.severity.x is \"fatal\": want error, warning or info",
		"lint: {severity: [x]}":                               "assay.yaml:1:18: lint.severity must be a mapping",
		"lint: {ignore: [{rule: x}]}":                         "assay.yaml:1:17: lint.ignore of x needs a reason",
		"lint: {ignore: [{reason: x}]}":                       "assay.yaml:1:17: lint.ignore needs a rule",
		"lint: {ignore: [{rule: x, reason: y, until: soon}]}": "lint.ignore.until is \"soon\"",
		"lint: {ignore: [{rule: x, reason: y, object: '['}]}": "lint.ignore.object is \"[\"",
		"lint: {ignore: [x]}":                                 "lint.ignore must be a mapping",
	} {
		if _, err := Parse("assay.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
