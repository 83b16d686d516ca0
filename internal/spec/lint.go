package spec

import (
	"fmt"
	"path"
	"time"

	"go.yaml.in/yaml/v4"
)

// Lint is the section lint of assay.yaml: which rules count for these files, and which
// findings are known and left out. Rules are checked by name where they are known; At
// says where each stands.
type Lint struct {
	Disable  []LintName
	Severity []LintSeverity
	Ignore   []LintIgnore
	Rules    []string // files of own rules, relative to the folder of the file
	TimeZone string   // IANA, for the calendar
}

// LintName is a rule by name.
type LintName struct{ Rule, At string }

// LintSeverity is how grave a rule is here: error, warning or info.
type LintSeverity struct{ Rule, Severity, At string }

// LintIgnore leaves out findings of a rule. Empty conditions hold for all.
type LintIgnore struct {
	Rule   string
	Path   string // of files, relative to the folder of the file; ** is any folders
	Object string // Kind/name or Kind/namespace/name, with *
	Reason string
	Until  string // the last day on which it holds, as 2027-01-31
	At     string
}

func (r *reader) lint(n *yaml.Node, out *Lint) {
	r.mapping(n, "lint", fields{
		"disable": func(v *yaml.Node) {
			each(v, func(item *yaml.Node) {
				out.Disable = append(out.Disable, LintName{r.str(item, "lint.disable"), r.at(item)})
			})
		},
		"severity": func(v *yaml.Node) { r.lintSeverity(v, out) },
		"ignore":   func(v *yaml.Node) { each(v, func(item *yaml.Node) { r.lintIgnore(item, out) }) },
		"rules": func(v *yaml.Node) {
			each(v, func(item *yaml.Node) { out.Rules = append(out.Rules, r.str(item, "lint.rules")) })
		},
		"time_zone": func(v *yaml.Node) { out.TimeZone = r.timeZone(v) },
	})
}

// at is where a node stands, as messages say it.
func (r *reader) at(n *yaml.Node) string { return fmt.Sprintf("%s:%d:%d", r.name, n.Line, n.Column) }

func (r *reader) lintSeverity(n *yaml.Node, out *Lint) {
	if n.Kind != yaml.MappingNode {
		r.errorf(n, "lint.severity must be a mapping of rules to error, warning or info")
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], deref(n.Content[i+1])
		switch s := r.str(value, "lint.severity."+key.Value); s {
		case "error", "warning", "info":
			out.Severity = append(out.Severity, LintSeverity{key.Value, s, r.at(key)})
		default:
			r.errorf(value, "lint.severity.%s is %s: want error, warning or info", key.Value, shown(value))
		}
	}
}

func (r *reader) lintIgnore(n *yaml.Node, out *Lint) {
	i := LintIgnore{At: r.at(n)}
	text := func(field *string, what string) func(*yaml.Node) {
		return func(v *yaml.Node) { *field = r.str(v, "lint.ignore."+what) }
	}
	r.mapping(n, "lint.ignore", fields{
		"rule": text(&i.Rule, "rule"), "path": text(&i.Path, "path"), "reason": text(&i.Reason, "reason"),
		"object": func(v *yaml.Node) {
			i.Object = r.str(v, "lint.ignore.object")
			if _, err := path.Match(i.Object, ""); err != nil {
				r.errorf(v, "lint.ignore.object is %s: want a pattern such as Deployment/prod/*", shown(v))
			}
		},
		"until": func(v *yaml.Node) {
			i.Until = r.str(v, "lint.ignore.until")
			if _, err := time.Parse(time.DateOnly, i.Until); err != nil {
				r.errorf(v, "lint.ignore.until is %s: want a day such as 2027-01-31", shown(v))
			}
		},
	})
	if n.Kind != yaml.MappingNode {
		return
	}
	if i.Rule == "" {
		r.errorf(n, "lint.ignore needs a rule")
	}
	if i.Reason == "" {
		r.errorf(n, "lint.ignore of %s needs a reason", i.Rule)
	}
	out.Ignore = append(out.Ignore, i)
}
