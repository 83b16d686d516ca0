package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// at is a folder as seen from here.
func at(dir string) string { return filepath.Join("..", "..", filepath.FromSlash(dir)) }

// names are those of a folder, in order.
func names(dir string) ([]string, error) {
	all, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range all {
		out = append(out, e.Name())
	}
	slices.Sort(out)
	return out, nil
}

func readTable(t *testing.T) []entry {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(at(vendored), "table.json"))
	if err != nil {
		t.Fatal(err)
	}
	var table []entry
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	return table
}

// Vendored files are those of the pinned modules: nobody edited one, none is left over
// and none is missing.
func TestVendoredIsUnchanged(t *testing.T) {
	table := readTable(t)
	listed := []string{"table.json"}
	for _, e := range table {
		text, err := unpack(filepath.Join(at(vendored), e.Name))
		if err != nil {
			t.Fatal(err)
		}
		if got := hash(text); got != e.SHA256 {
			t.Errorf("%s has the hash %s, not %s: go run ./tools/schemas", e.Name, got, e.SHA256)
		}
		listed = append(listed, e.Name)
		for _, name := range []string{e.Text, e.Notice} {
			if name == "" && e.Notice == "" {
				continue // its module has none
			}
			listed = append(listed, name)
			text, err := os.ReadFile(filepath.Join(at(vendored), name))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(name, "-"+hash(text)[:8]+".txt") {
				t.Errorf("%s was changed: go run ./tools/schemas", name)
			}
		}
	}
	slices.Sort(listed)
	there, err := names(at(vendored))
	if err != nil {
		t.Fatal(err)
	}
	if listed = slices.Compact(listed); !slices.Equal(listed, there) {
		t.Errorf("the table lists %v\nthere are %v", listed, there)
	}
	var pinned []string
	for _, o := range append([]origin{kubernetes}, definitions...) {
		for _, name := range o.files {
			pinned = append(pinned, o.module+"@"+o.version+"/"+o.folder+"/"+name)
		}
	}
	for i, e := range table {
		if i >= len(pinned) || pinned[i] != e.Module+"@"+e.Version+"/"+e.Path {
			t.Fatalf("%s is not what sources.go pins: go run ./tools/schemas", e.Name)
		}
	}
	if len(pinned) != len(table) {
		t.Errorf("sources.go pins %d files, %d are vendored", len(pinned), len(table))
	}
}

// What the program carries follows from what is vendored.
func TestDerivedFollowsFromVendored(t *testing.T) {
	want, err := derive(at(vendored), readTable(t))
	if err != nil {
		t.Fatal(err)
	}
	there, err := names(at(derived))
	if err != nil {
		t.Fatal(err)
	}
	if len(there) != len(want) {
		t.Errorf("%d files are derived, want %d", len(there), len(want))
	}
	for name, text := range want {
		got, err := unpack(filepath.Join(at(derived), name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(text) {
			t.Errorf("%s does not follow from what is vendored: go run ./tools/schemas", name)
		}
	}
}

func TestDeriveRefuses(t *testing.T) {
	for _, text := range []string{"", "kind: CustomResourceDefinition", "spec: {group: a, names: {kind: B}}", "\t"} {
		if _, _, err := custom([]byte(text)); err == nil {
			t.Errorf("%q was taken for a definition", text)
		}
	}
	for _, text := range []string{"", "{}", `{"definitions": {"a": {}}}`} {
		if _, err := builtIn([]byte(text)); err == nil {
			t.Errorf("%q was taken for the kinds of Kubernetes", text)
		}
	}
}
