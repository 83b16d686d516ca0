package lint

import (
	"fmt"
	"os"
	"path/filepath"

	"assay/internal/spec"
)

// Configured are the options with what a section lint of assay.yaml says. base is the
// folder of that file.
func (o Options) Configured(c spec.Lint, base string) (Options, error) {
	known := map[string]bool{}
	for _, r := range o.Rules {
		known[r.ID] = true
	}
	check := func(id, at string) error {
		if known[id] {
			return nil
		}
		return fmt.Errorf("%s: %w", at, unknownRule(id, sortedKeys(known)))
	}
	for _, d := range c.Disable {
		if err := check(d.Rule, d.At); err != nil {
			return o, err
		}
		o.Disable = append(o.Disable, d.Rule)
	}
	o.Severity = map[string]Severity{}
	for _, s := range c.Severity {
		if err := check(s.Rule, s.At); err != nil {
			return o, err
		}
		o.Severity[s.Rule] = Severity(s.Severity)
	}
	for _, i := range c.Ignore {
		if err := check(i.Rule, i.At); err != nil {
			return o, err
		}
		o.Ignore = append(o.Ignore, Ignore{Rule: i.Rule, Path: i.Path, Base: base, Object: i.Object, Reason: i.Reason, Until: i.Until})
	}
	return o, nil
}

// ConfigFor is the assay.yaml that holds for a path: the nearest one in its folder and
// above, up to the root of the repository; empty where there is none.
func ConfigFor(path string) string {
	dir, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	for {
		file := filepath.Join(dir, "assay.yaml")
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			return file
		}
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return ""
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}
