package lint

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/internal/input"
	"assay/internal/record"
)

// Baseline is what was found before: findings that are in it are left out, new ones
// are reported. A finding is known again by its rule, file, object and the text of its
// line, whatever line that is by now; of several alike it holds as many as there were.
type Baseline struct {
	Schema   int     `json:"schema"`
	Findings []Known `json:"findings"`

	base string // the folder of the file, from which files are named
}

// Known is one finding of a baseline, or several alike.
type Known struct {
	ID          string `json:"id"`
	File        string `json:"file"`
	Object      string `json:"object"`
	Fingerprint string `json:"fingerprint"`
	Count       int    `json:"count"`
}

const (
	baselineSchema = 1
	mostBaseline   = 64 << 20 // bytes
)

// ReadBaseline reads the file of a baseline.
func ReadBaseline(path string) (*Baseline, error) {
	data, _, err := input.ReadAll(path, mostBaseline)
	if err != nil {
		return nil, fmt.Errorf("read baseline: %w", err)
	}
	b := &Baseline{base: filepath.Dir(path)}
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(b); err != nil {
		return nil, fmt.Errorf("baseline %s: %w; --write-baseline writes one", path, err)
	}
	if b.Schema != baselineSchema {
		return nil, fmt.Errorf("baseline %s: schema %d, this version reads %d; --write-baseline writes it anew", path, b.Schema, baselineSchema)
	}
	return b, nil
}

// BaselineOf is a baseline of what was found, those left out by an earlier baseline
// too; path is the file that it will be.
func BaselineOf(res Result, path string) *Baseline {
	b := &Baseline{Schema: baselineSchema, Findings: []Known{}, base: filepath.Dir(path)}
	at := map[string]int{}
	add := func(f Finding) {
		print := f.Fingerprint(b.base)
		i, ok := at[print]
		if !ok {
			i = len(b.Findings)
			at[print] = i
			b.Findings = append(b.Findings, Known{f.ID, relative(b.base, f.File), f.Object.String(), print, 0})
		}
		b.Findings[i].Count++
	}
	for _, f := range res.Findings {
		add(f)
	}
	for _, s := range res.Suppressed {
		if s.By == "baseline" {
			add(s.Finding)
		}
	}
	slices.SortStableFunc(b.Findings, func(x, y Known) int {
		return strings.Compare(x.File+"\x00"+x.ID+"\x00"+x.Object+"\x00"+x.Fingerprint, y.File+"\x00"+y.ID+"\x00"+y.Object+"\x00"+y.Fingerprint)
	})
	return b
}

// WriteFile writes a baseline, to be kept beside what it is about.
func (b *Baseline) WriteFile(path string) error {
	body, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
		old, _, err := input.ReadAll(path, mostBaseline)
		if err != nil {
			return fmt.Errorf("write baseline: %w", err)
		}
		var before Baseline
		if json.Unmarshal(old, &before) != nil || before.Schema == 0 {
			return fmt.Errorf("write baseline: %s is no baseline, and is left as it is: name another file", path)
		}
	}
	return record.WriteFile(path, append(body, '\n'))
}

// Fingerprint knows a finding again when lines above it are added or taken away. Files
// are named from a folder.
func (f Finding) Fingerprint(base string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{f.ID, relative(base, f.File), f.Object.String(), strings.Join(strings.Fields(f.Text), " ")}, "\x00")))
	return hex.EncodeToString(sum[:12])
}

// String is Kind/namespace/name, without what is not there.
func (r Ref) String() string {
	parts := slices.DeleteFunc([]string{r.Kind, r.Namespace, r.Name}, func(s string) bool { return s == "" })
	return strings.Join(parts, "/")
}

// without takes out what was there before.
func (b *Baseline) without(findings []Finding) (kept []Finding, out []Suppressed) {
	if b == nil {
		return findings, nil
	}
	left := map[string]int{}
	for _, k := range b.Findings {
		left[k.Fingerprint] += k.Count
	}
	for _, f := range findings {
		if print := f.Fingerprint(b.base); left[print] > 0 {
			left[print]--
			out = append(out, Suppressed{f, "baseline", "it was there before", ""})
			continue
		}
		kept = append(kept, f)
	}
	return kept, out
}
