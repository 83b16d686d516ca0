package report

import (
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"assay/internal/lint"
)

// SARIF 2.1.0 as code-scanning services read it. Only what is written stands here.
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version"`
	Rules   []sarifRule `json:"rules"`
}

type sarifText struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

type sarifRule struct {
	ID               string    `json:"id"`
	ShortDescription sarifText `json:"shortDescription"`
	FullDescription  sarifText `json:"fullDescription"`
	Help             sarifText `json:"help"`
	HelpURI          string    `json:"helpUri,omitempty"`
	Configuration    struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
	Properties struct {
		Tags []string `json:"tags"`
	} `json:"properties"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Kind         string            `json:"kind"` // fail, or open: not known
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	Suppressions []sarifSuppressed `json:"suppressions,omitempty"`
}

type sarifLocation struct {
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region *sarifRegion `json:"region,omitempty"`
	} `json:"physicalLocation"`
	Logical []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifRegion struct {
	StartLine   int        `json:"startLine"`
	StartColumn int        `json:"startColumn"`
	Snippet     *sarifText `json:"snippet,omitempty"`
}

type sarifLogical struct {
	FullyQualifiedName string `json:"fullyQualifiedName"`
	Kind               string `json:"kind"`
}

type sarifSuppressed struct {
	Kind          string `json:"kind"`
	Justification string `json:"justification"`
}

// LintSARIF writes findings for code scanning, those that are suppressed too; each rule
// that ran is described. version is the tool's.
func LintSARIF(w io.Writer, res lint.Result, version string) error {
	var run sarifRun
	run.Tool.Driver = sarifDriver{Name: "assay", Version: version, Rules: []sarifRule{}}
	run.ColumnKind = "unicodeCodePoints"
	run.Results = []sarifResult{}
	index := map[string]int{}
	for _, r := range append([]*lint.Rule{lint.RuleFailed}, res.Rules...) {
		if _, there := index[r.ID]; there {
			continue
		}
		index[r.ID] = len(run.Tool.Driver.Rules)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(r))
	}
	for _, f := range res.Findings {
		run.Results = append(run.Results, sarifResultOf(f, index))
	}
	for _, s := range res.Suppressed {
		r := sarifResultOf(s.Finding, index)
		kind := "external"
		if s.By == "comment" || s.By == "annotation" {
			kind = "inSource"
		}
		r.Suppressions = []sarifSuppressed{{kind, s.Reason + suffixed(", until ", s.Until)}}
		run.Results = append(run.Results, r)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

var sarifLevels = map[lint.Severity]string{lint.Error: "error", lint.Warning: "warning", lint.Info: "note"}

func sarifRuleOf(r *lint.Rule) sarifRule {
	s := sarifRule{ID: r.ID, ShortDescription: sarifText{Text: r.Title}, FullDescription: sarifText{Text: r.Why}}
	text, markdown := r.Why+"\n\n"+r.Fix, r.Why+"\n\n**Fix**: "+r.Fix
	for _, source := range r.Sources {
		text += "\n" + source.Title + ": " + source.URL
		markdown += "\n\nSource: " + whole(source.Title) + suffixed(", ", linkOf(source.URL)) + suffixed(", read ", source.Date) + "."
		if s.HelpURI == "" && strings.HasPrefix(source.URL, "https://") {
			s.HelpURI = source.URL
		}
	}
	s.Help = sarifText{text, markdown}
	s.Configuration.Level = sarifLevels[r.Severity]
	s.Properties.Tags = []string{string(r.Subject)}
	return s
}

func linkOf(address string) string {
	if strings.HasPrefix(address, "https://") {
		return "<" + address + ">"
	}
	return whole(address)
}

func sarifResultOf(f lint.Finding, index map[string]int) sarifResult {
	r := sarifResult{RuleID: f.ID, RuleIndex: index[f.ID], Kind: "fail", Level: sarifLevels[f.Severity], Message: sarifText{Text: f.Message + suffixed(". Fix: ", f.Fix)}}
	if f.Status == lint.Unknown {
		// Only what fails may have another level than none (SARIF 2.1.0, 3.27.9).
		r.Kind, r.Level = "open", "none"
	}
	var at sarifLocation
	at.Physical.Artifact.URI = uriOf(f.File)
	if f.Line > 0 {
		at.Physical.Region = &sarifRegion{StartLine: f.Line, StartColumn: max(1, f.Column)}
		if f.Text != "" {
			at.Physical.Region.Snippet = &sarifText{Text: f.Text}
		}
	}
	if name := objectName(f.Object); name != "" {
		at.Logical = []sarifLogical{{name, "resource"}}
	}
	r.Locations = []sarifLocation{at}
	r.Fingerprints = map[string]string{"assay/v1": f.Fingerprint(".")}
	return r
}

// uriOf is a file as SARIF names it: relative to where the tool ran, with slashes.
func uriOf(file string) string {
	if file == "" || file == "-" {
		return "stdin"
	}
	return (&url.URL{Path: strings.TrimPrefix(filepath.ToSlash(filepath.Clean(file)), "./")}).String()
}
