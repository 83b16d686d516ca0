package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"

	"assay/internal/model"
)

// shardForm is how files of one model are numbered, safetensors and GGUF alike.
var shardForm = regexp.MustCompile(`^(.*)-(\d{5})-of-(\d{5})\.(safetensors|gguf)$`)

// openGGUF reads a GGUF file, with its other parts where it is split.
func openGGUF(ref string) (Checkpoint, error) {
	g, err := readParts(ref)
	if err != nil {
		return Checkpoint{}, err
	}
	if len(g.tensors) == 0 {
		return Checkpoint{}, fmt.Errorf("%s holds a vocabulary and no weights: give the file of the model itself", ref)
	}
	c := Checkpoint{Ref: ref, Kind: GGUF, Stored: store(g.tensors)}
	a, err := g.arch(nameOfFile(ref))
	var unknown *model.UnknownError
	if err != nil && !errors.As(err, &unknown) {
		return Checkpoint{}, fmt.Errorf("%s: its metadata, in the terms of config.json: %w", ref, err)
	}
	if err != nil {
		return Checkpoint{}, fmt.Errorf("%s: %w", ref, err)
	}
	a.Format = g.format()
	c.Arch = &a
	// GGUF's shapes are those of the parameters, whatever the blocks.
	c.Parameters = c.Stored.Elements
	if off := float64(a.Parameters())/float64(c.Parameters) - 1; off > mostApart || off < -mostApart {
		c.remark("the file holds %d parameters, and its metadata come to %d: part of the model may be in another file, such as a projector of images", c.Parameters, a.Parameters())
	}
	if err := c.settle(); err != nil {
		return Checkpoint{}, err
	}
	// https://docs.vllm.ai/en/v0.24.0/features/quantization/gguf/, read 2026-11-30.
	c.remark("vLLM runs GGUF with vllm-gguf-plugin since 0.24, and wants the tokenizer of the model that it was made from (--tokenizer)")
	return c, nil
}

func nameOfFile(ref string) string {
	base := filepath.Base(ref)
	if m := shardForm.FindStringSubmatch(base); m != nil {
		return m[1]
	}
	return base[:len(base)-len(filepath.Ext(base))]
}

// readParts reads one file, or all of a split model; the metadata are the first's.
func readParts(ref string) (ggufFile, error) {
	m := shardForm.FindStringSubmatch(filepath.Base(ref))
	if m == nil {
		return readGGUF(ref)
	}
	n, _ := strconv.Atoi(m[3])
	if n == 0 || n > mostShards {
		return ggufFile{}, fmt.Errorf("%s: a model in %d files", ref, n)
	}
	var all ggufFile
	seen := map[string]bool{}
	for i := 1; i <= n; i++ {
		path := filepath.Join(filepath.Dir(ref), fmt.Sprintf("%s-%05d-of-%05d.gguf", m[1], i, n))
		part, err := readGGUF(path)
		if errors.Is(err, fs.ErrNotExist) {
			return ggufFile{}, fmt.Errorf("%s is one of %d files, and %s is not beside it", ref, n, filepath.Base(path))
		}
		if err != nil {
			return ggufFile{}, err
		}
		if i == 1 {
			all.meta = part.meta
		}
		if all.tensors, err = join(all.tensors, part.tensors, seen); err != nil {
			return ggufFile{}, fmt.Errorf("%s: %w", path, err)
		}
	}
	return all, nil
}

// format is how the file's weights are stored, each part by what it takes.
func (g ggufFile) format() model.Format {
	f := model.Format{Name: "gguf"}
	elements, bytes := map[model.Part]int64{}, map[model.Part]int64{}
	parts := newNames(g.tensors)
	for _, t := range g.tensors {
		if p, ok := parts.of(t.name); ok {
			elements[p] += t.elements()
			bytes[p] += t.bytes
		}
	}
	for p, n := range elements {
		if n > 0 && bytes[p] > 0 {
			f = f.With(float64(bytes[p])/float64(n), p)
		}
	}
	return f
}
