package rules

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/internal/lint"
	"assay/internal/lint/source"
	"assay/internal/practice"
)

// TestSecretsStayHidden looks for the secrets of the cases in all that is found there.
func TestSecretsStayHidden(t *testing.T) {
	secrets := []string{
		"hf_abcdefghijklmnop", "0123456789abcdef0123456789", "aGZfYWJjZGVm", "hunter2", "correct-horse",
	}
	plain := `apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
    - name: c
      image: example.com/c:1.0.0
      command: [serve, --api-key, correct-horse, "--admin-password=hunter2"]
      env:
        - {name: DB_PASSWORD, value: hunter2}
`
	files := []*source.File{{Name: "plain.yaml", Body: []byte(plain)}}
	paths, err := filepath.Glob(filepath.Join("cases", "*secret*.fail.*"))
	if err != nil || len(paths) < 4 {
		t.Fatalf("cases: %v, %v", paths, err)
	}
	for _, path := range paths {
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, &source.File{Name: path, Body: body, Dockerfile: strings.HasSuffix(path, "Dockerfile")})
	}
	res := lint.Files(files, lint.Options{Rules: All()})
	found := 0
	for _, f := range res.Findings {
		text, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(f.ID, "secret") {
			found++
		}
		for _, s := range secrets {
			if strings.Contains(string(text), s) {
				t.Errorf("%s shows a secret: %s", f.ID, strings.ReplaceAll(string(text), s, practice.Hidden))
			}
		}
	}
	if want := len(paths) + 3; found < want {
		t.Errorf("%d findings of secrets, want %d or more", found, want)
	}
}
