package manifest

import (
	"bytes"
	"fmt"
	"strings"

	"assay/internal/practice"
)

// keys are those of render in assay.yaml whose absence leaves a mark, since nothing
// stands in for them.
var keys = []string{
	"cluster", "region",
	"serve.image", "serve.model", "serve.prometheus",
	"nodepool.role", "nodepool.reservations",
	"storage.file_system", "storage.dns_name", "storage.mount_name", "storage.subnet", "storage.security_groups", "storage.bucket",
	"bench.image", "bench.target",
	"secrets.account", "secrets.oidc_provider",
	"train.image", "train.command", "train.checkpoints",
}

// unset is the mark for a key of render.
func unset(key string) string { return practice.Mark(markName(key)) }

func markName(key string) string { return strings.NewReplacer(".", "-", "_", "-").Replace(key) }

// Unset is a mark in a file that was written.
type Unset struct {
	File string
	Line int
	Mark string
	Key  string // of render in assay.yaml, such as nodepool.role; empty: none is known
}

func (u Unset) String() string {
	s := fmt.Sprintf("%s:%d: %s", u.File, u.Line, u.Mark)
	if u.Key != "" {
		s += ": set render." + u.Key + " in assay.yaml"
	}
	return s
}

// MarksIn finds the marks of files, in their order. A comment may speak of one.
func MarksIn(files []File) []Unset {
	var all []Unset
	for _, f := range files {
		for i, line := range bytes.Split(f.Body, []byte("\n")) {
			if bytes.HasPrefix(bytes.TrimSpace(line), []byte("#")) {
				continue
			}
			for _, m := range practice.Marks(string(line)) {
				all = append(all, Unset{f.Name, i + 1, m, keyOf(m)})
			}
		}
	}
	return all
}

func keyOf(mark string) string {
	for _, k := range keys {
		if practice.Mark(markName(k)) == mark {
			return k
		}
	}
	return short[mark]
}

// short are keys whose own mark is too long for where it stands.
var short = map[string]string{practice.Mark("ami"): "nodepool.ami"}
