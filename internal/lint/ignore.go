package lint

import (
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Ignore is an entry of a configuration that leaves out findings of a rule. Empty
// conditions hold for all.
type Ignore struct {
	Rule   string
	Path   string // files, by a pattern in which ** stands for any folders, relative to Base
	Base   string // the folder of the configuration
	Object string // Kind/name or Kind/namespace/name, with *
	Reason string
	Until  string // a date, the last on which it holds; empty: no end
}

// ignore takes out what entries cover.
func ignore(findings []Finding, entries []Ignore, now time.Time) (kept []Finding, out []Suppressed) {
	var valid []entry
	for _, i := range entries {
		if last, err := time.Parse(time.DateOnly, i.Until); i.Until == "" || err == nil && now.Before(last.AddDate(0, 0, 1)) {
			valid = append(valid, entry{i, patternOf(i.Path)})
		}
	}
	if len(valid) == 0 {
		return findings, nil
	}
findings:
	for _, f := range findings {
		for _, e := range valid {
			if e.covers(f) {
				out = append(out, Suppressed{f, "configuration", e.Reason, e.Until})
				continue findings
			}
		}
		kept = append(kept, f)
	}
	return kept, out
}

type entry struct {
	Ignore
	path *regexp.Regexp // nil: all files
}

func (e entry) covers(f Finding) bool {
	return e.Rule == f.ID && (e.path == nil || e.path.MatchString(relative(e.Base, f.File))) && (e.Object == "" || e.names(f.Object))
}

func (e entry) names(o Ref) bool {
	for _, name := range []string{o.Kind + "/" + o.Name, o.Kind + "/" + o.Namespace + "/" + o.Name} {
		if ok, err := path.Match(e.Object, name); err == nil && ok {
			return true
		}
	}
	return false
}

// relative is a file as it is seen from a folder, with slashes; as it is where it has
// no such path.
func relative(base, file string) string {
	absBase, errBase := filepath.Abs(base)
	absFile, errFile := filepath.Abs(file)
	if errBase == nil && errFile == nil {
		if rel, err := filepath.Rel(absBase, absFile); err == nil {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(file)
}

// patternOf is a pattern of paths: ** any folders, * and ? within a name. A folder's
// name stands for all that is in it.
func patternOf(glob string) *regexp.Regexp {
	if glob == "" {
		return nil
	}
	var b strings.Builder
	b.WriteString("^")
	for rest := strings.Trim(glob, "/"); rest != ""; {
		switch {
		case strings.HasPrefix(rest, "**/"):
			b.WriteString("(?:.*/)?")
			rest = rest[3:]
		case strings.HasPrefix(rest, "**"):
			b.WriteString(".*")
			rest = rest[2:]
		case rest[0] == '*':
			b.WriteString("[^/]*")
			rest = rest[1:]
		case rest[0] == '?':
			b.WriteString("[^/]")
			rest = rest[1:]
		default:
			b.WriteString(regexp.QuoteMeta(rest[:1]))
			rest = rest[1:]
		}
	}
	b.WriteString("(?:/.*)?$")
	return regexp.MustCompile(b.String())
}
