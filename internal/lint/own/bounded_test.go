package own_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"assay/internal/lint"
	"assay/internal/lint/own"
	"assay/internal/lint/source"
)

// mapOf is a ConfigMap of n entries.
func mapOf(n int) string {
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n")
	for i := range n {
		fmt.Fprintf(&b, "  k%d: \"%d\"\n", i, i)
	}
	return b.String()
}

func judge(t *testing.T, expr, objects string, most uint64) (lint.Result, error) {
	t.Helper()
	rules, err := own.Parse("f.yaml", []byte("rules:\n  - id: hostile\n    expr: |\n      "+expr+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	return lint.Run(context.Background(), func(yield func(*source.File, []source.Problem) bool) {
		yield(&source.File{Name: "o.yaml", Body: []byte(objects)}, nil)
	}, lint.Options{Rules: rules, Effort: most})
}

// An expression that would run for ever, or make much out of little, ends at a limit,
// as unknown.
func TestNothingRunsLong(t *testing.T) {
	grow := strings.Repeat(`.map(a, a.replace("a", a))`, 9)
	for expr, want := range map[string]string{
		`object.data.all(a, object.data.all(b, object.data.all(c, a + b != c + "x")))`:               "cost limit exceeded",
		`["aaaaaaaaaa"]` + grow + ` == []`:                                                           "replace would make",
		`["aaaaaaaaaa"]` + strings.Repeat(`.map(a, a.replace("a", a, 1000000000000))`, 9) + ` == []`: "replace would make",
		`["a"].map(a, lists.range(100000).map(i, "aaaa").join(a)) == []`:                             "cost limit exceeded",
		`["` + strings.Repeat("a", 4500) + `"].map(a, lists.range(2000).map(i, a).join(a)) == []`:    "join would make",
		`lists.range(9000000000).size() > 0`:                                                         "exceeds maximum",
	} {
		begin := time.Now()
		res, err := judge(t, expr, mapOf(500), 0)
		if err != nil {
			t.Fatal(expr, err)
		}
		found := res.Findings
		if len(found) != 1 || found[0].Status != lint.Unknown || !strings.Contains(found[0].Message, want) {
			t.Errorf("%.100s: want unknown, %s: %+v", expr, want, found)
		}
		if took := time.Since(begin); took > 20*time.Second {
			t.Errorf("%.100s took %v", expr, took)
		}
	}
}

// What CEL cannot stop, as it goes on within one call, ends the run.
func TestRunEndsWithWhatDoesNotEnd(t *testing.T) {
	own.Within(t, 200*time.Millisecond)
	ten := ".map(a, [" + strings.Repeat("a, ", 19) + "a])"
	_, err := judge(t, "[[1]]"+strings.Repeat(ten, 6)+`.all(a, a == a)`, mapOf(1), 0)
	if err == nil || !strings.Contains(err.Error(), "own rule hostile does not end: at ConfigMap/a of o.yaml") {
		t.Error(err)
	}
}

// What functions in the place of CEL's own give is what CEL's give.
func TestBoundFunctionsAreCELs(t *testing.T) {
	for _, expr := range []string{
		`"banana".replace("a", "o") == "bonono"`, `"banana".replace("a", "o", 2) == "bonona"`, `"banana".replace("a", "o", 0) == "banana"`,
		`"banana".replace("a", "o", -1) == "bonono"`, `"ab".replace("", "-") == "-a-b-"`, `"ab".replace("x", "y") == "ab"`,
		`["a", "", "b"].join() == "ab"`, `["", "a", "", "b"].join("-") == "-a--b"`, `[].join("-") == ""`,
		`lists.range(3) == [0, 1, 2]`, `lists.range(0) == []`, `dyn(["a"]).join(dyn("-")) == "a"`,
	} {
		res, err := judge(t, expr, mapOf(1), 0)
		if err != nil || res.Summary != (lint.Summary{Pass: 1}) {
			t.Errorf("%s: %v, %+v", expr, err, res.Findings)
		}
	}
	for _, expr := range []string{`lists.range(-1) == []`, `dyn("a").replace(dyn(5), "b") == ""`, `dyn([5]).join() == ""`, `dyn("a").replace("b", "c", dyn("d")) == ""`} {
		res, err := judge(t, expr, mapOf(1), 0)
		if err != nil || res.Summary != (lint.Summary{Unknown: 1}) {
			t.Errorf("%s: %v, %+v", expr, err, res.Findings)
		}
	}
}

// Rules that are within their limit at each object, but not at all of them, end the run.
func TestRunEndsWhenItCostsTooMuch(t *testing.T) {
	object := mapOf(60) + "---\n"
	res, err := judge(t, `object.data.all(a, object.data.all(b, object.data.all(c, a + b != c + "x")))`, strings.Repeat(object, 40), 3_000_000)
	if err == nil || !strings.Contains(err.Error(), "hostile costs most") {
		t.Errorf("%v, %+v", err, res.Summary)
	}
	if _, err := judge(t, `"a" in object.data`, strings.Repeat(object, 40), 3_000_000); err != nil {
		t.Error(err)
	}
}
