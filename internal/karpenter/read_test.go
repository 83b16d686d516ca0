package karpenter

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/internal/facts"
)

const pool = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n"

func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "f.yaml: no NodePool",
		"kind: Deployment\n":         "f.yaml: no NodePool",
		"a: [\n":                     "f.yaml: ",
		"spec: {{ .Values.pool }}\n": "f.yaml: no NodePool",
		strings.Replace(pool, "{name: a}", "{}", 1) + "      requirements: []\n":                 "f.yaml:1:1: a NodePool without metadata.name",
		"apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: a}\nspec: {}\n":           "NodePool a has no spec.template",
		pool + "      requirements:\n        - {key: x, operator: in, values: [y]}\n":            `f.yaml:8:11: x: operator "in" is none of In`,
		pool + "      requirements:\n        - {key: x, operator: Gt, values: [many]}\n":         "x: Gt takes one whole number",
		pool + "      requirements:\n        - {key: x, operator: Lt, values: [\"1\", \"2\"]}\n": "x: Lt takes one whole number",
		pool + "      requirements:\n        - {key: x, operator: In}\n":                         "x: In needs values",
		pool + "      requirements:\n        - {operator: Exists}\n":                             "a requirement without key",
		pool + "      taints:\n        - {key: x, effect: Never}\n":                              `taint x: effect "Never" is none of`,
		strings.Replace(pool, "spec:\n", "spec:\n  limits: {cpu: lots}\n", 1):                    `f.yaml:5:17: limit of cpu: "lots" is no quantity`,
		strings.Replace(pool, "spec:\n", "spec:\n  weight: heavy\n", 1):                          `"heavy" is no whole number`,
	} {
		pools, err := Parse("f.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %q", text, pools, err, want)
		}
	}
}

// A List that holds itself ends.
func TestListOfItself(t *testing.T) {
	if _, err := Parse("f.yaml", []byte("&a\nkind: List\nitems: [*a, *a, *a]\n")); err == nil {
		t.Error("pools in a List of itself")
	}
}

// instances are a few of each kind.
var instances = facts.Instances()[:20]

func FuzzParse(f *testing.F) {
	text, err := os.ReadFile("testdata/pools.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(pool))
	f.Fuzz(func(t *testing.T, data []byte) {
		pools, err := Parse("f", data)
		if err != nil {
			return
		}
		if len(pools) == 0 {
			t.Fatal("no pool and no error")
		}
		for _, p := range pools {
			for _, i := range instances {
				if ok, why := p.Allows(i, ""); ok != (why == "") {
					t.Fatalf("%s: %v, %q", i.Name, ok, why)
				}
				if most, _, _ := p.Room(i); most < 0 {
					t.Fatalf("room for %d", most)
				}
			}
			p.Tolerations()
			p.Unjudged()
		}
	})
}

func TestFilesAreBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pools.yaml")
	if err := os.WriteFile(path, []byte(pool+strings.Repeat("#\n", 1<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	if pools, err := Read(path); err == nil || !strings.Contains(err.Error(), "pools.yaml is larger than 2 MiB") {
		t.Errorf("%v, %v", pools, err)
	}
}
