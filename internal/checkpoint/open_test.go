package checkpoint

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/model"
)

// The tiny Llama, by hand: 2 layers of 4·64·64 (q, o) + 2·32·64 (k, v) and 3·96·64.
const (
	tinyProjections = 2 * (2*64*64 + 2*32*64)
	tinyMLPs        = 2 * 3 * 96 * 64
	tinyNorms       = 64 + 2*2*64
	tinyEmbedding   = 128 * 64
)

func TestFolderGivesArchitectureAndExactBytes(t *testing.T) {
	c, err := Open(tinyFolder(t))
	if err != nil {
		t.Fatal(err)
	}
	if c.Kind != Folder || c.Arch == nil || c.Parameters != tinyProjections+tinyMLPs+tinyNorms+2*tinyEmbedding {
		t.Errorf("%+v", c)
	}
	want := model.Counts{
		model.Embedding: 2 * tinyEmbedding, model.Head: 2 * tinyEmbedding, model.Norm: 2 * tinyNorms,
		model.Projection: 2 * tinyProjections, model.Dense: 2 * tinyMLPs,
	}
	if diff := cmp.Diff(want, c.Stored.Bytes); diff != "" {
		t.Error(diff)
	}
	if c.Stored.Total() != c.Arch.WeightBytes(c.Arch.Format) || len(c.Remarks) != 0 {
		t.Errorf("headers: %d bytes, config.json: %d; %q", c.Stored.Total(), c.Arch.WeightBytes(c.Arch.Format), c.Remarks)
	}
}

func TestQuantisedWeightsAreCountedAsTheyLie(t *testing.T) {
	dir := t.TempDir()
	tensors := tinyTensors("F8_E4M3")
	tensors = append(tensors, entry{"model.layers.0.mlp.up_proj.weight_scale_inv", "F32", []uint64{1, 1}}, entry{"model.layers.0.what.is.this", "F4", []uint64{2, 16}})
	c, err := Open(writeSafetensors(t, filepath.Join(dir, "m.safetensors"), tensors...))
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Stored.Bytes[model.Dense]; got != tinyMLPs+4 {
		t.Errorf("MLPs: %d bytes, want %d of FP8 and a scale", got, tinyMLPs+4)
	}
	if c.Stored.Other != 16 || len(c.Stored.Unknown) != 1 || c.Stored.Parts()[model.Projection] != tinyProjections+16 {
		t.Errorf("unknown tensors: %+v", c.Stored)
	}
	if _, err := c.Architectures(); err == nil || !strings.Contains(err.Error(), "config.json") {
		t.Errorf("weights without config.json: %v", err)
	}
}

func TestIndexReadsShardsOrTheSum(t *testing.T) {
	dir := t.TempDir()
	writeJSON(t, filepath.Join(dir, "config.json"), tiny)
	all := tinyTensors("BF16")
	where := map[string]string{}
	shards := map[string][]entry{}
	for i, e := range all {
		name := "model-00001-of-00002.safetensors"
		if i > len(all)/2 {
			name = "model-00002-of-00002.safetensors"
		}
		where[e.name] = name
		shards[name] = append(shards[name], e)
	}
	for name, es := range shards {
		writeSafetensors(t, filepath.Join(dir, name), es...)
	}
	ref := writeJSON(t, filepath.Join(dir, indexFile), map[string]any{"metadata": map[string]any{"total_size": 123456}, "weight_map": where})

	whole, err := Open(ref)
	if err != nil {
		t.Fatal(err)
	}
	if folder, err := Open(dir); err != nil || !cmp.Equal(folder.Stored, whole.Stored) || whole.Stored.ByRule {
		t.Errorf("index: %+v, folder: %+v, %v", whole.Stored, folder.Stored, err)
	}
	if want := whole.Arch.WeightBytes(model.Format{}); whole.Stored.Total() != want {
		t.Errorf("%d bytes in both shards, want %d", whole.Stored.Total(), want)
	}

	if err := os.Remove(filepath.Join(dir, "model-00002-of-00002.safetensors")); err != nil {
		t.Fatal(err)
	}
	sum, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := sum.Stored.Total(); !sum.Stored.ByRule || got < 123450 || got > 123456 || len(sum.Remarks) == 0 {
		t.Errorf("a shard is missing: %d bytes, want those of total_size; %q", got, sum.Remarks)
	}
	writeJSON(t, ref, map[string]any{"metadata": map[string]any{"total_size": 123}, "weight_map": where})
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "files are missing, or they are of another model") {
		t.Errorf("123 bytes of weights: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "model-00001-of-00002.safetensors")); err == nil || !strings.Contains(err.Error(), "one of several") {
		t.Errorf("one shard alone: %v", err)
	}
}

func TestNamesAndFilesAreTold(t *testing.T) {
	dir := t.TempDir()
	config := writeJSON(t, filepath.Join(dir, "config.json"), tiny)
	blob := writeJSON(t, filepath.Join(dir, "3f5a9c"), tiny) // as a cache names it
	for ref, want := range map[string]string{config: Config, blob: Config, "llama-3.1-8b": Preset, "meta-llama/Llama-3.1-8B-Instruct": Preset, "30B": Count} {
		c, err := Open(ref)
		if err != nil || c.Kind != want {
			t.Errorf("%s: %q, %v; want %s", ref, c.Kind, err, want)
		}
	}
}

// The tensors of a model tell those of its shape and size.
func TestShapesFindKnownModels(t *testing.T) {
	tensors := []entry{{"model.embed_tokens.weight", "BF16", []uint64{128256, 4096}}, {"lm_head.weight", "BF16", []uint64{128256, 4096}}}
	for i := range 32 {
		p := fmt.Sprintf("model.layers.%d.", i)
		for name, shape := range map[string][]uint64{
			"self_attn.q_proj": {4096, 4096}, "self_attn.k_proj": {1024, 4096}, "self_attn.v_proj": {1024, 4096}, "self_attn.o_proj": {4096, 4096},
			"mlp.gate_proj": {14336, 4096}, "mlp.up_proj": {14336, 4096}, "mlp.down_proj": {4096, 14336},
		} {
			tensors = append(tensors, entry{p + name + ".weight", "BF16", shape})
		}
	}
	c, err := Open(writeSafetensors(t, filepath.Join(t.TempDir(), "m.safetensors"), tensors...))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, a := range c.Candidates {
		names = append(names, a.Name)
	}
	slices.Sort(names)
	// Bamba has as many layers, as wide, and 9.8 billion parameters.
	if diff := cmp.Diff([]string{"llama-3-8b", "llama-3.1-8b"}, names); diff != "" || c.Arch != nil || c.Parameters != 8_029_995_008 {
		t.Errorf("%d parameters; %s", c.Parameters, diff)
	}
}

func TestWhatAnEngineIsGiven(t *testing.T) {
	dir := tinyFolder(t)
	gguf := tinyGGUF().write(t, filepath.Join(t.TempDir(), "m.gguf"))
	for ref, want := range map[string]string{
		dir: dir, filepath.Join(dir, "config.json"): dir, filepath.Join(dir, "model.safetensors"): dir, gguf: gguf, "30B": "", "llama-3.1-8b": "meta-llama/Llama-3.1-8B",
		"RedHatAI/Llama-3.1-8B-Instruct-FP8": "RedHatAI/Llama-3.1-8B-Instruct-FP8",
	} {
		c, err := Open(ref)
		if err != nil || c.Served() != want {
			t.Errorf("%s: %q, %v; want %q", ref, c.Served(), err, want)
		}
	}
}
