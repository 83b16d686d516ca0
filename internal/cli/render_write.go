package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/internal/manifest"
	"assay/internal/record"
)

// writeStream prints all objects as one stream for kubectl apply -f, or of plain
// files the rules alone.
func writeStream(env *Env, files []manifest.File, plain bool) error {
	var docs [][]byte
	for _, file := range files {
		if file.Name == "rules.yml" || !plain && !file.Beside && file.Name != manifest.Kustomization {
			docs = append(docs, file.Body)
		}
	}
	_, err := env.Stdout.Write(bytes.Join(docs, []byte("---\n")))
	return err
}

// writeFolder writes the files, and refuses a folder that holds others: kubectl
// apply -k on it would mix them.
func writeFolder(env *Env, dir string, files []manifest.File) error {
	if err := onlyOurs(dir, files); err != nil {
		return usage(err)
	}
	for _, file := range files {
		path := filepath.Join(dir, filepath.FromSlash(file.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return impossible(err)
		}
		if err := record.WriteFile(path, file.Body); err != nil {
			return impossible(err)
		}
	}
	fmt.Fprintf(env.Stderr, "assay: %d files in %s\n", len(files), dir)
	return nil
}

func onlyOurs(dir string, files []manifest.File) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		ours := slices.ContainsFunc(files, func(f manifest.File) bool {
			first, _, _ := strings.Cut(f.Name, "/")
			return first == e.Name()
		})
		if !ours {
			return fmt.Errorf("%s holds %s, which is not written now: remove it where an earlier render left it, or choose another folder", dir, e.Name())
		}
	}
	return nil
}
