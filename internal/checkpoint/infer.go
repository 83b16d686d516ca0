package checkpoint

import (
	"slices"
	"strconv"
	"strings"

	"assay/internal/model"
)

// shapes are what the tensors of a model without config.json show. Heads and
// windows they do not show: the same projections may be of many small heads or
// of few large ones, and every layer may slide.
type shapes struct {
	layers, hidden, vocab int
}

// shapesOf reads them off the names of transformers; false where they are others.
func shapesOf(tensors []tensor) (shapes, bool) {
	var s shapes
	for _, t := range tensors {
		if strings.HasSuffix(t.name, "embed_tokens.weight") && len(t.shape) == 2 {
			s.vocab, s.hidden = int(t.shape[0]), int(t.shape[1])
		}
		if _, after, ok := strings.Cut(t.name, ".layers."); ok {
			number, _, _ := strings.Cut(after, ".")
			if i, err := strconv.Atoi(number); err == nil && i >= 0 && i < mostTensors {
				s.layers = max(s.layers, i+1)
			}
		}
	}
	return s, s.layers > 0 && s.hidden > 0
}

// infer finds the known models that weights without config.json may be of: those
// with the same layers and embedding, and where no type packs several parameters
// into one element, with as many of them.
func (c *Checkpoint) infer(tensors []tensor) {
	if c.Arch != nil {
		return
	}
	s, ok := shapesOf(tensors)
	if !ok {
		return
	}
	if !slices.ContainsFunc(tensors, tensor.packed) {
		c.Parameters = c.Stored.Elements
	}
	c.Candidates = slices.DeleteFunc(model.Presets(), func(a model.Arch) bool {
		return len(a.Layers) != s.layers || a.Hidden != s.hidden || a.Vocab != s.vocab ||
			c.Parameters > 0 && apart(float64(a.Parameters()), float64(c.Parameters)) > 1+mostApart
	})
	if len(c.Candidates) > 0 {
		var names []string
		for _, a := range c.Candidates {
			names = append(names, a.Name)
		}
		c.remark("there is no config.json: %d layers, hidden size %d and a vocabulary of %d are those of %s, which stand in for it", s.layers, s.hidden, s.vocab, strings.Join(names, ", "))
	}
}

// packed says whether a tensor may hold several parameters in one element.
func (t tensor) packed() bool {
	return t.dtype == "U8" || t.dtype == "I32" || t.dtype == "U32" || t.dtype == "I64"
}
