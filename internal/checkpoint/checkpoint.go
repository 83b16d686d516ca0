package checkpoint

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"assay/internal/model"
)

// Kinds of what a reference may be.
const (
	Config      = "config.json"
	Folder      = "folder"
	Safetensors = "safetensors"
	Index       = "safetensors index"
	GGUF        = "gguf"
	Preset      = "known model"
	Count       = "count"
)

// Checkpoint is what a reference says of a model. What it does not say is nil, or 0.
type Checkpoint struct {
	Ref  string
	Kind string // one of the kinds above

	// Arch is the architecture; nil where only weights or a count are known.
	Arch *model.Arch
	// Stored are the bytes of the weights as their files' headers give them; nil
	// where there is no file.
	Stored *Stored
	// Parameters are those of Arch, else what the headers or the count say; 0: not known.
	Parameters int64
	// Active are the parameters that a token visits, of a count that says so (30B-A3B).
	Active int64
	// Candidates are known architectures that this may be, where Arch is nil. A
	// figure that depends on the architecture is then a range over them.
	Candidates []model.Arch
	// Remarks are for the user: what was inferred, what is missing.
	Remarks []string
}

// Architectures are what to plan with: the one that is known, else the candidates.
// The error says what is missing where there are none.
func (c Checkpoint) Architectures() ([]model.Arch, error) {
	switch {
	case c.Arch != nil:
		return []model.Arch{*c.Arch}, nil
	case len(c.Candidates) > 0:
		return slices.Clone(c.Candidates), nil
	}
	return nil, fmt.Errorf("%s says how large the weights are, but not what a token keeps in the KV cache: "+
		"that takes layers, heads and windows, which only config.json has. Put it beside the weights, or give a known model's name", c.Ref)
}

// Exact says whether the architecture is that of the model, not one of several
// of its size.
func (c Checkpoint) Exact() bool { return c.Arch != nil }

// Served is what an engine is given to load it: a folder, a GGUF file, a
// repository; empty of a count.
func (c Checkpoint) Served() string {
	switch c.Kind {
	case Config, Safetensors, Index:
		return filepath.Dir(c.Ref)
	case Folder, GGUF:
		return c.Ref
	case Preset:
		if strings.Contains(c.Ref, "/") {
			return c.Ref
		}
		return cmp.Or(c.Arch.Repo, c.Ref)
	}
	return ""
}

func (c *Checkpoint) remark(format string, args ...any) {
	c.Remarks = append(c.Remarks, fmt.Sprintf(format, args...))
}
