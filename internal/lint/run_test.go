package lint

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/lint/source"
)

// bad fails at every value bad, and counts what it looked at.
var bad = &Rule{ID: "bad-value-here", Severity: Warning, Object: func(p *Pass, o *Object) {
	for _, v := range o.Get("data").Pairs() {
		if v.Text() == "bad" {
			p.Fail(v, "bad stands here")
		}
	}
}}

// suppressionRules are what runs of these tests say about suppressions.
var suppressionRules = []*Rule{{ID: withoutReason, Severity: Warning}, {ID: expired, Severity: Warning}, {ID: unused, Severity: Info}}

func configMap(name, data string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\ndata:\n%s", name, data)
}

// lines are findings as "line:column ID".
func lines(all []Finding) []string {
	var s []string
	for _, f := range all {
		s = append(s, fmt.Sprintf("%d:%d %s", f.Line, f.Column, f.ID))
	}
	return s
}

func suppressedLines(all []Suppressed) []string {
	var s []string
	for _, f := range all {
		s = append(s, fmt.Sprintf("%d:%d %s %s: %s", f.Line, f.Column, f.ID, f.By, f.Reason))
	}
	return s
}

func lint(t *testing.T, text string, opt Options) Result {
	t.Helper()
	if opt.Rules == nil {
		opt.Rules = append([]*Rule{bad}, suppressionRules...)
	}
	return Files([]*source.File{{Name: "x.yaml", Body: []byte(text)}}, opt)
}

// TestWorkersDoNotMatter holds the result of one worker against that of many, over
// files large enough for many batches.
func TestWorkersDoNotMatter(t *testing.T) {
	var files []*source.File
	bads := 0
	for i := range 40 {
		var b strings.Builder
		for j := range 60 {
			value := "good"
			if (i+j)%7 == 0 {
				value = "bad"
				bads++
			}
			b.WriteString(configMap(fmt.Sprintf("c%d-%d", i, j), "  a: "+value+"\n") + "---\n")
		}
		b.WriteString("{broken\n")
		files = append(files, &source.File{Name: fmt.Sprintf("f%02d.yaml", i), Body: []byte(b.String())})
	}
	names := &Rule{ID: "across", Severity: Info, Across: func(p *Pass, x *Index) { p.FailAt(Spot{}, "%d objects", len(x.Named)) }}
	rules := []*Rule{bad, names, {ID: "yaml-syntax", Severity: Error}}
	one := Files(files, Options{Rules: rules, Workers: 1})
	many := Files(files, Options{Rules: rules, Workers: 8})
	opts := cmp.Options{cmpopts.IgnoreUnexported(Finding{}), cmpopts.IgnoreFields(Result{}, "Rules")}
	if d := cmp.Diff(one, many, opts); d != "" {
		t.Errorf("eight workers find other things (-one +eight):\n%s", d)
	}
	if one.Objects != 2400 || one.Files != 40 || one.Summary.Fail != 40+bads+1 {
		t.Errorf("%d objects in %d files, %+v", one.Objects, one.Files, one.Summary)
	}
	if m := one.Findings[0].Message; m != "2400 objects" {
		t.Errorf("the index of all batches says %q", m)
	}
}

func TestContextEndsARun(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	endless := func(yield func(*source.File, []source.Problem) bool) {
		for i := 0; yield(&source.File{Name: "x", Body: []byte(configMap("c", "  a: b\n"))}, nil); i++ {
			if i == 1000 {
				cancel()
			}
		}
	}
	if _, err := Run(ctx, endless, Options{Rules: []*Rule{bad}}); !errors.Is(err, context.Canceled) {
		t.Errorf("Run gives %v", err)
	}
}

func TestARuleThatPanics(t *testing.T) {
	odd := &Rule{ID: "odd", Severity: Error, Object: func(p *Pass, o *Object) {
		if o.Name == "odd" {
			panic("no such form")
		}
	}}
	res := lint(t, configMap("odd", "  a: bad\n")+"---\n"+configMap("even", "  a: bad\n"), Options{Rules: []*Rule{odd, bad}})
	if d := cmp.Diff([]string{"1:1 rule-failed", "6:6 bad-value-here", "13:6 bad-value-here"}, lines(res.Findings)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if f := res.Findings[0]; f.Status != Unknown || !strings.Contains(f.Message, "odd") || f.Object.Name != "odd" {
		t.Errorf("a rule that panicked is reported as %+v", f)
	}
}

func TestSuppression(t *testing.T) {
	day := time.Date(2027, 1, 31, 23, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name, data string
		now        time.Time
		want       []string
		out        []string
	}{
		{"on the line", "  a: bad # assay:ignore bad-value-here it must be\n", day, nil, []string{"6:6 bad-value-here comment: it must be"}},
		{"on the line before", "  # assay:ignore bad-value-here it must be\n  # more\n\n  a: bad\n  b: bad\n", day,
			[]string{"10:6 bad-value-here"}, []string{"9:6 bad-value-here comment: it must be"}},
		{"two rules", "  a: bad # assay:ignore other-rule, bad-value-here: it must be\n", day,
			[]string{"6:12 suppression-unused"}, []string{"6:6 bad-value-here comment: it must be"}},
		{"until the day's end", "  a: bad # assay:ignore bad-value-here it must be until 2027-01-31\n", day, nil, []string{"6:6 bad-value-here comment: it must be"}},
		{"past its day", "  a: bad # assay:ignore bad-value-here it must be until 2027-01-31\n", day.Add(time.Hour),
			[]string{"6:6 bad-value-here", "6:12 suppression-expired"}, nil},
		{"no such day", "  a: bad # assay:ignore bad-value-here it must be until 2027-02-30\n", day,
			[]string{"6:6 bad-value-here", "6:12 suppression-expired"}, nil},
		{"no reason", "  a: bad # assay:ignore bad-value-here until 2027-02-20\n", day,
			[]string{"6:6 bad-value-here", "6:12 suppression-without-reason"}, nil},
		{"nothing to suppress", "  a: good # assay:ignore bad-value-here it must be\n", day, []string{"6:13 suppression-unused"}, nil},
		{"within a word", "  a: bad#assay:ignore bad-value-here no comment\n", day, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := lint(t, configMap("c", c.data), Options{Now: c.now})
			if d := cmp.Diff(c.want, lines(res.Findings)); d != "" {
				t.Errorf("findings (-want +got):\n%s", d)
			}
			if d := cmp.Diff(c.out, suppressedLines(res.Suppressed)); d != "" {
				t.Errorf("suppressed (-want +got):\n%s", d)
			}
			if res.Summary.Suppressed != len(c.out) {
				t.Errorf("the summary counts %d", res.Summary.Suppressed)
			}
		})
	}
}

// TestAnnotation holds that an annotation covers its object, and no other of that name.
func TestAnnotation(t *testing.T) {
	with := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n  annotations: {assay/ignore.bad-value-here: it must be}\ndata:\n  a: bad\n  b: bad\n"
	files := []*source.File{{Name: "a.yaml", Body: []byte(with)}, {Name: "b.yaml", Body: []byte(configMap("c", "  a: bad\n"))}}
	res := Files(files, Options{Rules: []*Rule{bad}})
	if d := cmp.Diff([]string{"6:6 bad-value-here"}, lines(res.Findings)); d != "" || res.Findings[0].File != "b.yaml" {
		t.Errorf("(-want +got):\n%s%+v", d, res.Findings)
	}
	if len(res.Suppressed) != 2 || res.Suppressed[0].By != "annotation" {
		t.Errorf("suppressed: %+v", res.Suppressed)
	}
}

func TestIgnore(t *testing.T) {
	text := configMap("c", "  a: bad\n")
	for _, c := range []struct {
		name   string
		ignore Ignore
		left   int
	}{
		{"all of a rule", Ignore{Rule: bad.ID}, 0},
		{"a path", Ignore{Rule: bad.ID, Path: "deploy/**/*.yaml"}, 0},
		{"a folder", Ignore{Rule: bad.ID, Path: "deploy"}, 0},
		{"another path", Ignore{Rule: bad.ID, Path: "deploy/*.yaml"}, 1},
		{"an object", Ignore{Rule: bad.ID, Object: "ConfigMap/*"}, 0},
		{"another object", Ignore{Rule: bad.ID, Object: "Secret/c"}, 1},
		{"of a day that is past", Ignore{Rule: bad.ID, Until: "2020-01-31"}, 1},
	} {
		c.ignore.Reason, c.ignore.Base = "why", "base"
		res := Files([]*source.File{{Name: "base/deploy/prod/x.yaml", Body: []byte(text)}}, Options{Rules: []*Rule{bad}, Ignore: []Ignore{c.ignore}})
		if len(res.Findings) != c.left || len(res.Suppressed) != 1-c.left {
			t.Errorf("%s: %d findings, %d suppressed", c.name, len(res.Findings), len(res.Suppressed))
		}
	}
}

func TestBaseline(t *testing.T) {
	before := lint(t, configMap("c", "  a: bad\n  b: bad\n"), Options{})
	b := BaselineOf(before, "baseline.json")
	moved := lint(t, "# one line more\n"+configMap("c", "  z: good\n  b:   bad\n  a: bad\n"), Options{Baseline: b})
	if len(moved.Findings) != 0 || len(moved.Suppressed) != 2 {
		t.Errorf("lines that moved are found again: %v", lines(moved.Findings))
	}
	more := lint(t, configMap("c", "  a: bad\n  b: bad\n  c: bad\n"), Options{Baseline: b})
	if d := cmp.Diff([]string{"8:6 bad-value-here"}, lines(more.Findings)); d != "" {
		t.Errorf("a new finding (-want +got):\n%s", d)
	}
	if again := BaselineOf(more, "baseline.json"); len(again.Findings) != 3 {
		t.Errorf("written anew it holds %d findings, want 3", len(again.Findings))
	}
	other := lint(t, configMap("d", "  a: bad\n"), Options{Baseline: b})
	if len(other.Findings) != 1 {
		t.Errorf("another object's finding is taken for one of before")
	}
	twice := BaselineOf(lint(t, configMap("c", "  a: bad\n")+"---\n"+configMap("c", "  a: bad\n"), Options{}), "baseline.json")
	if len(twice.Findings) != 1 || twice.Findings[0].Count != 2 {
		t.Errorf("two alike are kept as %+v", twice.Findings)
	}
}

func TestChoose(t *testing.T) {
	rules := []*Rule{bad, {ID: "other", Severity: Error}}
	ids := func(opt Options) string {
		opt.Rules = rules
		chosen, err := choose(opt)
		if err != nil {
			return err.Error()
		}
		var s []string
		for _, r := range chosen {
			s = append(s, r.ID+" "+string(r.Severity))
		}
		return strings.Join(s, ", ")
	}
	for _, c := range []struct {
		opt  Options
		want string
	}{
		{Options{}, "bad-value-here warning, other error"},
		{Options{Enable: []string{"other"}}, "other error"},
		{Options{Disable: []string{"other"}, Severity: map[string]Severity{bad.ID: Info}}, "bad-value-here info"},
		{Options{Disable: []string{"othr"}}, `no rule is called "othr"; nearest: other`},
		{Options{Ignore: []Ignore{{Rule: "nothing-like-it"}}}, `no rule is called "nothing-like-it"; assay explain lists all`},
	} {
		if got := ids(c.opt); got != c.want {
			t.Errorf("%+v chooses %q, want %q", c.opt, got, c.want)
		}
	}
	if bad.Severity != Warning {
		t.Error("a severity that was asked for changed the rule itself")
	}
}

func TestOneCauseOneFinding(t *testing.T) {
	at := func(id string, s Severity, subject Subject) *Rule {
		return &Rule{ID: id, Severity: s, Subject: subject, Object: func(p *Pass, o *Object) { p.Fail(o.Get("data", "a"), "x") }}
	}
	schema := at("unknown-field", Error, Schema)
	for _, c := range []struct {
		name  string
		rules []*Rule
		want  []string
	}{
		{"a schema yields to a practice", []*Rule{schema, at("practice", Error, Drain)}, []string{"6:6 practice"}},
		{"not to one less grave", []*Rule{schema, at("practice", Info, Drain)}, []string{"6:6 practice", "6:6 unknown-field"}},
		{"a mark is not wrong besides", []*Rule{at(unsetValue, Error, Input), at("practice", Error, Drain)}, []string{"6:6 unset-value"}},
		{"two practices", []*Rule{at("other", Error, Drain), at("practice", Error, Drain)}, []string{"6:6 other", "6:6 practice"}},
	} {
		res := lint(t, configMap("c", "  a: x\n"), Options{Rules: c.rules})
		if d := cmp.Diff(c.want, lines(res.Findings)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

// TestASecretIsNotShown holds that no finding shows a secret of its object, in its
// line or in its message.
func TestASecretIsNotShown(t *testing.T) {
	shows := &Rule{ID: "shows", Severity: Error, Object: func(p *Pass, o *Object) {
		v := o.Get("data", "db_password")
		p.Fail(v, "%s stands here", v.Text())
	}}
	res := lint(t, configMap("c", "  db_password: correct-horse-4711\n"), Options{Rules: []*Rule{shows}})
	for _, f := range res.Findings {
		if strings.Contains(f.Text+f.Message, "4711") || !strings.Contains(f.Text, "db_password") {
			t.Errorf("it shows %q and says %q", f.Text, f.Message)
		}
	}
	if len(res.Findings) != 1 {
		t.Errorf("%d findings, want one", len(res.Findings))
	}
}

// TestASecretOfBrokenYAMLIsNotShown holds the same of what could not be parsed.
func TestASecretOfBrokenYAMLIsNotShown(t *testing.T) {
	syntax := &Rule{ID: "yaml-syntax", Severity: Error, Subject: Input}
	tab := &Rule{ID: "tab-indent", Severity: Error, Subject: Input}
	for _, text := range []string{
		"kind: ConfigMap\ndata:\n  password: \"correct 4711\n  other: x\n",
		"kind: Secret\nstringData:\n  any: \"correct 4711\n  other: x\n",
		"kind: Secret\nstringData:\n\tany: 4711\n",
		`{"kind": "Secret", "stringData": {"any": "4711"`,
		"kind: Pod\nspec:\n\tcommand: [--api-key, 4711-4711]\n",
	} {
		res := lint(t, text, Options{Rules: []*Rule{syntax, tab}})
		if len(res.Findings) != 1 {
			t.Errorf("%q: %d findings, want one", text, len(res.Findings))
		}
		for _, f := range res.Findings {
			if strings.Contains(f.Text+f.Message, "4711") || f.Text == "" {
				t.Errorf("%q: it shows %q and says %q", text, f.Text, f.Message)
			}
		}
	}
}

// TestJoinKnowsEveryField fills each field of one index and joins it to an empty one
// and to a full one.
func TestJoinKnowsEveryField(t *testing.T) {
	filled := func() *Index {
		x := &Index{}
		v := reflect.ValueOf(x).Elem()
		for i := range v.NumField() {
			if f := v.Field(i); v.Type().Field(i).IsExported() {
				switch f.Kind() {
				case reflect.Slice:
					f.Set(reflect.MakeSlice(f.Type(), 2, 2))
				case reflect.Map:
					f.Set(reflect.MakeMap(f.Type()))
					f.SetMapIndex(reflect.Zero(f.Type().Key()), reflect.Zero(f.Type().Elem()))
				}
			}
		}
		return x
	}
	empty := &Index{}
	empty.join(filled())
	full := filled()
	full.join(filled())
	for i, v := 0, reflect.ValueOf(empty).Elem(); i < v.NumField(); i++ {
		if !v.Type().Field(i).IsExported() {
			continue
		}
		name, once, twice := v.Type().Field(i).Name, v.Field(i), reflect.ValueOf(full).Elem().Field(i)
		switch v.Field(i).Kind() {
		case reflect.Slice:
			if once.Len() != 2 || twice.Len() != 4 {
				t.Errorf("%s: %d and %d entries, want 2 and 4", name, once.Len(), twice.Len())
			}
		case reflect.Map:
			if once.Len() != 1 || twice.Len() != 1 {
				t.Errorf("%s: %d and %d keys, want 1", name, once.Len(), twice.Len())
			}
		default:
			t.Errorf("%s is neither a list nor a map: join cannot take it", name)
		}
	}
}

// TestJoinFindsWhatIsThereTwice: one object in two batches of a file.
func TestJoinFindsWhatIsThereTwice(t *testing.T) {
	at := func(file string, line int) *Index {
		x := &Index{Named: map[Ref]Spot{}}
		x.named(Ref{Kind: "ConfigMap", Name: "c"}, Spot{Place: source.Place{File: file, Line: line}})
		return x
	}
	x := at("a.yaml", 1)
	x.join(at("a.yaml", 9))
	x.join(at("b.yaml", 1))
	if len(x.Twice) != 1 || x.Twice[0].First.Line != 1 || x.Twice[0].Again.Line != 9 {
		t.Errorf("twice: %+v, want that of line 9 alone", x.Twice)
	}
}

// TestSuppressionInWhatIsEdited: rendering drops comments; those of the file that a
// finding leads back to count.
func TestSuppressionInWhatIsEdited(t *testing.T) {
	edited := map[string]string{
		"base/x.yaml": "# of the base\n" + configMap("c", "  a: bad # assay:ignore bad-value-here it must be\n  b: bad\n  c: good # assay:ignore bad-value-here it was\n"),
	}
	f := &source.File{Name: "prod/kustomization.yaml", Body: []byte(configMap("c", "  a: bad\n  b: bad\n")), Rendered: true,
		Origin: func(line, column int) (source.Place, bool) {
			return source.Place{File: "base/x.yaml", Line: line + 1, Column: column}, true
		},
		Edited: func(name string) []byte { return []byte(edited[name]) },
	}
	res := Files([]*source.File{f}, Options{Rules: append([]*Rule{bad}, suppressionRules...)})
	if d := cmp.Diff([]string{"8:6 bad-value-here", "9:13 suppression-unused"}, lines(res.Findings)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"7:6 bad-value-here comment: it must be"}, suppressedLines(res.Suppressed)); d != "" {
		t.Errorf("suppressed (-want +got):\n%s", d)
	}
}
