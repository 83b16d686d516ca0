package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Suppressed is a finding that is not counted, and why.
type Suppressed struct {
	Finding
	By     string `json:"by"` // comment, annotation, configuration or baseline
	Reason string `json:"reason"`
	Until  string `json:"until,omitempty"` // a date, the last on which it holds
}

// IDs of what is wrong with suppressions themselves.
const (
	withoutReason = "suppression-without-reason"
	expired       = "suppression-expired"
	unused        = "suppression-unused"
)

// suppression is a comment or an annotation that leaves findings out.
type suppression struct {
	by     string
	rules  []string
	reason string
	until  string
	at     Spot
	line   int // that it covers, of the text that was read; 0: the whole object
	used   bool
}

// annotationPrefix is before the rule's ID in the key of an annotation.
const annotationPrefix = "assay/ignore."

// until ends a reason.
var until = regexp.MustCompile(`(?:^|\s)until\s+(\d{4}-\d{2}-\d{2})\.?\s*$`)

// reasoned cuts a reason from the date that ends it, and from a further comment.
func reasoned(text string) (reason, date string) {
	text, _, _ = strings.Cut(text, " #")
	if m := until.FindStringSubmatchIndex(text); m != nil {
		text, date = text[:m[0]], text[m[2]:m[3]]
	}
	return strings.Trim(text, " \t:,;-–—"), date
}

// annotationsOf are the suppressions that an object carries.
func annotationsOf(o *Object) []*suppression {
	var all []*suppression
	for key, value := range o.Get("metadata", "annotations").Pairs() {
		if rule, ok := strings.CutPrefix(key.Text(), annotationPrefix); ok {
			s := &suppression{by: "annotation", rules: []string{rule}, at: o.Spot(key)}
			s.reason, s.until = reasoned(value.Text())
			all = append(all, s)
		}
	}
	return all
}

// holds says that a suppression is valid on a day; why names the finding about it
// where it is not.
func (s *suppression) holds(now time.Time) (why, message string) {
	if s.reason == "" {
		return withoutReason, fmt.Sprintf("%s is suppressed without a reason: it is reported until one stands here", strings.Join(s.rules, ", "))
	}
	if s.until == "" {
		return "", ""
	}
	last, err := time.Parse(time.DateOnly, s.until)
	if err != nil {
		return expired, fmt.Sprintf("until %s: there is no such day", s.until)
	}
	if !now.Before(last.AddDate(0, 0, 1)) {
		return expired, fmt.Sprintf("%s was suppressed until %s (%s)", strings.Join(s.rules, ", "), s.until, s.reason)
	}
	return "", ""
}

// covers says that a finding is one that is left out.
func (s *suppression) covers(f *Finding) bool {
	if !slices.Contains(s.rules, f.ID) {
		return false
	}
	if s.line > 0 {
		return f.read.File == s.at.File && (f.read.Line == s.line || f.begins == s.line) || f.File == s.at.File && f.Line == s.line
	}
	return f.read.File == s.at.File && s.at.Object == f.Object
}

// suppressor finds the suppressions that may cover a finding without looking at all.
type suppressor struct {
	lines   map[spotKey][]*suppression
	objects map[Ref][]*suppression
}

type spotKey struct {
	file string
	line int
}

func suppressorOf(all []*suppression) suppressor {
	s := suppressor{map[spotKey][]*suppression{}, map[Ref][]*suppression{}}
	for _, one := range all {
		if one.line > 0 {
			k := spotKey{one.at.File, one.line}
			s.lines[k] = append(s.lines[k], one)
		} else {
			s.objects[one.at.Object] = append(s.objects[one.at.Object], one)
		}
	}
	return s
}

// of is a suppression that covers a finding, nil where none does; all that do are used.
func (s suppressor) of(f *Finding) (found *suppression) {
	for _, list := range [][]*suppression{s.lines[spotKey{f.read.File, f.read.Line}], s.lines[spotKey{f.File, f.Line}], s.lines[spotKey{f.read.File, f.begins}], s.objects[f.Object]} {
		for _, one := range list {
			if one.covers(f) {
				one.used = true
				found = one
			}
		}
	}
	return found
}

// suppress takes out what comments and annotations cover, and adds what is wrong with
// these.
func (r *runner) suppress(findings []Finding) (kept []Finding, out []Suppressed) {
	var valid []*suppression
	for _, s := range append(r.total.suppressions, editedComments(findings)...) {
		why, message := s.holds(r.Now)
		if why == "" {
			valid = append(valid, s)
			continue
		}
		kept = r.about(kept, why, s, message)
	}
	by := suppressorOf(valid)
	for _, f := range findings {
		if s := by.of(&f); s != nil {
			out = append(out, Suppressed{f, s.by, s.reason, s.until})
			continue
		}
		kept = append(kept, f)
	}
	for _, s := range valid {
		if message := r.idle(s); message != "" {
			kept = r.about(kept, unused, s, message)
		}
	}
	return kept, out
}

// idle says why a suppression covers nothing; empty where it does, or where that
// cannot be told since its rule did not run.
func (r *runner) idle(s *suppression) string {
	for _, id := range s.rules {
		if !r.known[id] {
			return unknownRule(id, sortedKeys(r.known)).Error()
		}
	}
	if s.used || !slices.ContainsFunc(s.rules, func(id string) bool { return r.byID[id] != nil }) {
		return ""
	}
	return fmt.Sprintf("%s finds nothing here: the suppression can go", strings.Join(s.rules, ", "))
}

// about adds a finding on a suppression.
func (r *runner) about(findings []Finding, id string, s *suppression, message string) []Finding {
	rule, ok := r.byID[id]
	if !ok {
		return findings
	}
	p := &Pass{Rule: rule}
	return append(findings, *p.FailAt(s.at, "%s", message))
}
