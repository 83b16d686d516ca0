package source

import (
	"path/filepath"
	"slices"
	"strings"
)

// isRead says whether a file of a folder is read, by its name.
func isRead(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return isDockerfile(name)
}

// isDockerfile knows the names that build tools take: Dockerfile, Dockerfile.gpu,
// gpu.Dockerfile, Containerfile.
func isDockerfile(path string) bool {
	name := filepath.Base(path)
	switch strings.ToLower(filepath.Ext(name)) {
	case ".dockerignore", ".md", ".txt", ".tmpl", ".tpl", ".template", ".in", ".m4", ".j2", ".jinja", ".jinja2", ".erb", ".mustache", ".yaml", ".yml", ".json":
		return false
	case ".dockerfile":
		return true
	}
	first, _, _ := strings.Cut(name, ".")
	return first == "Dockerfile" || first == "Containerfile"
}

// aside are folders in which tools keep what nobody applies to a cluster.
var aside = []string{".git", ".hg", ".svn", ".terraform", ".venv", ".tox", ".cache", ".idea", "node_modules", "__pycache__"}

func isAside(name string) bool { return slices.Contains(aside, name) }
