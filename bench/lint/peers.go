package main

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// peersIn are the other linters that are installed, each asked for what it says to
// programs about the files below a folder.
func peersIn(bin, scratch, dir string) ([]tool, error) {
	abs, err := filepath.Abs(bin)
	if err != nil {
		return nil, err
	}
	var all []tool
	installed := func(path ...string) string {
		name := filepath.Join(append([]string{abs}, path...)...)
		if _, err := os.Stat(name); err != nil {
			fmt.Fprintf(os.Stderr, "bench/lint: %s is not there; bench/lint/install.sh installs it\n", name)
			return ""
		}
		return name
	}
	if name := installed("kube-score"); name != "" {
		files, err := filesBelow(dir)
		if err != nil {
			return nil, err
		}
		all = append(all, tool{name: "kube-score", argv: append([]string{name, "score", "-o", "sarif"}, files...)})
	}
	if name := installed("kubeconform"); name != "" {
		schemas := filepath.Join(scratch, "schemas")
		if err := schemasInto(schemas); err != nil {
			return nil, err
		}
		all = append(all, tool{name: "kubeconform", argv: []string{name, "-output", "json", "-schema-location", schemas + "/{{.ResourceKind}}{{.KindSuffix}}.json", dir}})
	}
	if name := installed("py", "bin", "checkov"); name != "" {
		all = append(all, tool{name: "checkov", argv: []string{name, "--framework", "kubernetes", "-o", "json", "-d", dir}})
	}
	return all, nil
}

func filesBelow(dir string) (files []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	return files, err
}

// swagger is what an API server publishes of its kinds, as Assay ships it.
const swagger = "internal/lint/schema/vendored/swagger.json.gz"

// schemasInto writes the schemas that kubeconform would download: a file for each kind,
// strict, beside the definitions that they refer to.
func schemasInto(dir string) error {
	f, err := os.Open(swagger)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	var doc struct{ Definitions map[string]any }
	if err := json.NewDecoder(z).Decode(&doc); err != nil {
		return fmt.Errorf("%s: %w", swagger, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, d := range doc.Definitions {
		if strings.HasSuffix(name, "resource.Quantity") {
			doc.Definitions[name] = map[string]any{"oneOf": []any{map[string]any{"type": "string"}, map[string]any{"type": "number"}}}
			continue
		}
		strict(d)
	}
	if err := writeJSON(filepath.Join(dir, "_definitions.json"), map[string]any{"definitions": doc.Definitions}); err != nil {
		return err
	}
	for _, d := range doc.Definitions {
		if name := fileOf(d); name != "" {
			if err := writeJSON(filepath.Join(dir, name), d); err != nil {
				return err
			}
		}
	}
	return nil
}

// strict refuses fields that a schema does not name, and leads its references to the
// file of definitions.
func strict(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			strict(item)
		}
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			v["$ref"] = strings.Replace(ref, "#/definitions/", "_definitions.json#/definitions/", 1)
		}
		if v["format"] == "int-or-string" {
			delete(v, "type")
			delete(v, "format")
			v["oneOf"] = []any{map[string]any{"type": "string"}, map[string]any{"type": "integer"}}
		}
		if properties, ok := v["properties"].(map[string]any); ok && v["additionalProperties"] == nil {
			v["additionalProperties"] = false
			for _, p := range properties {
				strict(p)
			}
		}
		for key, item := range v {
			if key != "properties" {
				strict(item)
			}
		}
	}
}

// fileOf is the name by which kubeconform looks for the schema of a kind; empty where a
// definition is none.
func fileOf(definition any) string {
	d, _ := definition.(map[string]any)
	kinds, _ := d["x-kubernetes-group-version-kind"].([]any)
	if len(kinds) != 1 {
		return ""
	}
	of, _ := kinds[0].(map[string]any)
	group, _ := of["group"].(string)
	version, _ := of["version"].(string)
	kind, _ := of["kind"].(string)
	group, _, _ = strings.Cut(group, ".")
	name := strings.ToLower(kind)
	for _, part := range []string{group, version} {
		if part != "" {
			name += "-" + part
		}
	}
	return name + ".json"
}

func writeJSON(path string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(path, body, 0o644)
}
