package cli

import (
	"path/filepath"

	"assay/internal/explain"
	"assay/internal/lint"
	"assay/internal/lint/own"
	"assay/internal/lint/rules"
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
		more, err := own.Read(name, append(opt.Rules, lint.RuleFailed)...)
		if err != nil {
			return err
		}
		opt.Rules = append(opt.Rules, more...)
	}
	return nil
}

// topic is the page of a name, which may be that of an own rule.
func (f *lintFlags) topic(name string) (explain.Page, error) {
	opt := lint.Options{Rules: rules.All()}
	if err := f.own(&opt, nil, ""); err != nil {
		return explain.Page{}, err
	}
	for _, r := range opt.Rules {
		if r.ID == name && r.Subject == lint.Own {
			return explain.OwnRule(r), nil
		}
	}
	return explain.Topic(name)
}
