package cli

import (
	"path/filepath"

	"assay/internal/lint"
	"assay/internal/lint/own"
)

// own adds the rules of users' files: those that assay.yaml names, relative to its
// folder, and those of --rules. A file that both name is read once.
func (f *lintFlags) own(opt *lint.Options, named []string, base string) error {
	var files []string
	for _, name := range named {
		if !filepath.IsAbs(name) {
			name = filepath.Join(base, name)
		}
		files = append(files, name)
	}
	read := map[string]bool{}
	for _, name := range append(files, f.rules...) {
		if name == "-" {
			return usagef("--rules -: own rules are read from files, since standard input holds manifests")
		}
		at, err := filepath.Abs(name)
		if err != nil || read[at] {
			continue
		}
		read[at] = true
		rules, err := own.Read(name, append(opt.Rules, lint.RuleFailed)...)
		if err != nil {
			return err
		}
		opt.Rules = append(opt.Rules, rules...)
	}
	return nil
}
