package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// floors are the packages of the house from the ground up. A package imports
// only from floors below its own.
var floors = [][]string{
	{"spelling", "input"},
	{"stats", "facts"},
	{"model", "spec", "figure", "price"},
	{"memory", "checkpoint", "karpenter", "plan/storage"},
	{"engine", "wire", "record", "trace", "nullserver"},
	{"saturate", "predict", "engine/httpd", "sigv4", "telemetry", "plan/train"},
	{"load", "diagnose", "compare", "calibrate", "diagnose/lab", "manifest/dashboard", "predict/fit", "practice", "lint/source"},
	{"bench", "cluster", "plan", "plan/coldstart", "lint/schema"},
	{"manifest", "lint"},
	{"lint/rules", "lint/own", "manifest/grid"},
	{"survey", "explain"},
	{"report", "view", "record/peers"},
	{"cli"},
}

func TestPackagesImportOnlyFromFloorsBelow(t *testing.T) {
	floor := map[string]int{}
	for i, names := range floors {
		for _, n := range names {
			floor["assay/internal/"+n] = i
		}
	}
	root := filepath.Join("..", "..", "internal")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		pkg := "assay/internal/" + filepath.ToSlash(rel)
		own, ok := floor[pkg]
		if !ok {
			t.Errorf("%s stands on no floor: add it to floors and to docs/architecture.md", pkg)
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imp := range file.Imports {
			name, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				return err
			}
			if !strings.HasPrefix(name, "assay/") {
				continue
			}
			if below, ok := floor[name]; !ok || below >= own {
				t.Errorf("%s imports %s, which is not on a floor below", path, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	for _, names := range floors {
		for _, n := range names {
			doc := filepath.Join("..", "..", "internal", filepath.FromSlash(n), "doc.go")
			if _, err := os.Stat(doc); err != nil {
				t.Errorf("package %s has no doc.go", n)
			}
		}
	}
}

func TestMainIsShort(t *testing.T) {
	src, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(src), "\n"); n >= 40 {
		t.Errorf("main.go has %d lines; it decides nothing and stays under 40", n)
	}
}
