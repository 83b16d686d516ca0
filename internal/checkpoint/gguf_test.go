package checkpoint

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"assay/internal/model"
)

func TestGGUFGivesArchitectureAndExactBytes(t *testing.T) {
	c, err := Open(tinyGGUF().write(t, filepath.Join(t.TempDir(), "tiny.Q4_K_M.gguf")))
	if err != nil {
		t.Fatal(err)
	}
	a := c.Arch
	if len(a.Layers) != 2 || a.Hidden != 256 || a.Vocab != 128 || a.Context != 512 || a.TiedEmbeddings || a.KVBytesPerToken(2) != 2*2*2*64*2 {
		t.Errorf("%+v", a)
	}
	if c.Parameters != a.Parameters() {
		t.Errorf("%d parameters in the file, %d by its metadata", c.Parameters, a.Parameters())
	}
	// Q4_K takes 144 bytes for 256 weights, Q6_K 210.
	if got, want := c.Stored.Bytes[model.Dense], int64(2*3*512*256/256*144); got != want {
		t.Errorf("MLPs: %d bytes, want %d", got, want)
	}
	if got, want := c.Stored.Bytes[model.Embedding], int64(128*210); got != want {
		t.Errorf("embedding: %d bytes, want %d", got, want)
	}
	if got, want := a.WeightBytes(a.Format), c.Stored.Total(); got < want-4 || got > want+4 {
		t.Errorf("the format comes to %d bytes, the file to %d", got, want)
	}
}

func TestGGUFFamilies(t *testing.T) {
	moe := func(w *ggufWriter, p string) {
		w.set(p+".expert_count", 8).set(p+".expert_used_count", 2).set(p+".expert_feed_forward_length", 64)
	}
	for _, c := range []struct {
		kind string
		more func(w *ggufWriter)
		kv   int64 // bytes a token in 16 bits
		want func(a model.Arch) bool
	}{
		{"qwen3", nil, 2 * 2 * 2 * 64 * 2, func(a model.Arch) bool { return a.Layers[0].Attention.QKNorm }},
		{"llama", func(w *ggufWriter) { moe(w, "llama") }, 2 * 2 * 2 * 64 * 2, model.Arch.MoE},
		{"qwen3moe", func(w *ggufWriter) { moe(w, "qwen3moe") }, 2 * 2 * 2 * 64 * 2, model.Arch.MoE},
		{"gemma3", func(w *ggufWriter) {
			w.set("gemma3.attention.sliding_window", 128).set("gemma3.attention.sliding_window_pattern", []bool{true, false})
		}, 2 * 2 * 2 * 64 * 2, func(a model.Arch) bool {
			return a.Layers[0].Attention.Kind == model.Sliding && a.Layers[1].Attention.Kind == model.Full
		}},
		{"gpt-oss", func(w *ggufWriter) { moe(w, "gpt-oss"); w.set("gpt-oss.attention.sliding_window", 128) }, 2 * 2 * 2 * 64 * 2, func(a model.Arch) bool {
			return a.Layers[0].Attention.Window == 128 && a.Layers[1].Attention.Kind == model.Full && a.Layers[0].MLP.Experts == 8
		}},
		{"llama4", func(w *ggufWriter) { moe(w, "llama4"); w.set("llama4.interleave_moe_layer_step", 2) }, 2 * 2 * 2 * 64 * 2, func(a model.Arch) bool {
			return a.Layers[0].Attention.Kind == model.Chunked && a.Layers[0].MLP.Experts == 0 && a.Layers[1].MLP.Experts == 8
		}},
		{"qwen35moe", func(w *ggufWriter) {
			moe(w, "qwen35moe")
			w.set("qwen35moe.ssm.group_count", 4).set("qwen35moe.ssm.time_step_rank", 8).set("qwen35moe.ssm.state_size", 32).
				set("qwen35moe.ssm.inner_size", 256).set("qwen35moe.ssm.conv_kernel", 4).set("qwen35moe.full_attention_interval", 2)
		}, 2 * 2 * 64 * 2, func(a model.Arch) bool {
			return a.Layers[0].State.Recurrent == 8*32*32 && a.Layers[0].Attention.Kind == model.NoAttention && a.Layers[1].Attention.Kind == model.Full
		}},
		{"deepseek2", func(w *ggufWriter) {
			moe(w, "deepseek2")
			w.set("deepseek2.expert_shared_count", 1).set("deepseek2.leading_dense_block_count", 1).
				set("deepseek2.attention.kv_lora_rank", 512).set("deepseek2.attention.q_lora_rank", 1536).
				set("deepseek2.attention.key_length", 576).set("deepseek2.attention.value_length", 512).
				set("deepseek2.attention.key_length_mla", 192).set("deepseek2.attention.value_length_mla", 128).
				set("deepseek2.rope.dimension_count", 64)
		}, 2 * (512 + 64) * 2, func(a model.Arch) bool {
			return a.Layers[0].Attention.Kind == model.Latent && a.Layers[0].MLP.Experts == 0 && a.Layers[1].MLP.Experts == 8
		}},
	} {
		t.Run(c.kind, func(t *testing.T) {
			w := &ggufWriter{}
			w.set("general.architecture", c.kind).set(c.kind+".block_count", 2).set(c.kind+".context_length", 16384).
				set(c.kind+".embedding_length", 256).set(c.kind+".feed_forward_length", 512).
				set(c.kind+".attention.head_count", 4).set(c.kind+".attention.head_count_kv", 2)
			if c.kind != "deepseek2" {
				w.set(c.kind+".attention.key_length", 64).set(c.kind+".attention.value_length", 64)
			}
			if c.more != nil {
				c.more(w)
			}
			w.tensor("token_embd.weight", q6_K, 256, 1000)
			got, err := Open(w.write(t, filepath.Join(t.TempDir(), "m.gguf")))
			if err != nil {
				t.Fatal(err)
			}
			if n := got.Arch.KVBytesPerToken(2); n != c.kv {
				t.Errorf("%d bytes a token, want %d", n, c.kv)
			}
			if !c.want(*got.Arch) || got.Arch.Vocab != 1000 || !got.Arch.TiedEmbeddings {
				t.Errorf("%+v", got.Arch)
			}
		})
	}
}

func TestGGUFIsRefused(t *testing.T) {
	header, size := tinyGGUF().bytes()
	for name, c := range map[string]struct {
		header []byte
		size   int64
		want   string
	}{
		"not GGUF":        {[]byte("GGML and more"), 100, "does not begin with GGUF"},
		"a pointer":       {[]byte("version https://git-lfs.github.com/spec/v1\n"), 90, "git lfs pull"},
		"empty":           {nil, 0, "does not begin with GGUF"},
		"truncated data":  {header, size - 1000, "cut short"},
		"truncated table": {header[:200], 200, "cut short"},
		"version 1":       {[]byte("GGUF\x01\x00\x00\x00"), 100, "version 1"},
		"big-endian":      {[]byte("GGUF\x00\x00\x00\x03"), 100, "big-endian"},
		"many tensors":    {[]byte("GGUF\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x00\x00\x00\x00\x00\x00\x00\x00"), 100, "tensors: at most"},
	} {
		path := write(t, filepath.Join(t.TempDir(), "m.gguf"), c.header, c.size)
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want the path and %q", name, err, c.want)
		}
	}
	for want, w := range map[string]*ggufWriter{
		"vocabulary":      (&ggufWriter{}).set("general.architecture", "llama"),
		"unknown":         (&ggufWriter{}).set("general.architecture", "rwkv9").tensor("token_embd.weight", f32, 8, 8),
		"blocks of 256":   (&ggufWriter{}).tensor("x", q4_K, 100, 8),
		"larger than any": (&ggufWriter{}).tensor("x", f32, 1<<40, 1<<40),
		"twice":           (&ggufWriter{}).tensor("x", f32, 8).tensor("x", f32, 8),
		"different":       (&ggufWriter{}).set("general.architecture", "llama").set("llama.attention.head_count_kv", []int{2, 4}).tensor("token_embd.weight", f32, 8, 8),
	} {
		if _, err := Open(w.write(t, filepath.Join(t.TempDir(), "m.gguf"))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestSplitGGUFIsReadWhole(t *testing.T) {
	dir := t.TempDir()
	name := func(i int) string { return filepath.Join(dir, fmt.Sprintf("m-%05d-of-00002.gguf", i)) }
	first := tinyGGUF()
	first.write(t, name(1))
	if _, err := Open(name(1)); err == nil || !strings.Contains(err.Error(), "m-00002-of-00002.gguf") {
		t.Errorf("half of a model: %v", err)
	}
	(&ggufWriter{}).tensor("blk.1.ffn_gate_exps.weight", q4_0, 256, 64, 8).write(t, name(2))
	for _, ref := range []string{name(1), name(2), dir} {
		c, err := Open(ref)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := c.Stored.Bytes[model.Expert], int64(256*64*8/32*18); got != want {
			t.Errorf("%s: %d bytes of experts, want the %d of the second file", ref, got, want)
		}
	}
}

func TestFamiliesStandInTheDocs(t *testing.T) {
	b, err := os.ReadFile("../../docs/checkpoint.md")
	if err != nil {
		t.Fatal(err)
	}
	for kind := range families {
		if !regexp.MustCompile(`[ \n]` + regexp.QuoteMeta(kind) + `[,; ]`).Match(b) {
			t.Errorf("docs/checkpoint.md does not name %s", kind)
		}
	}
}

// Each item of a list that is kept takes far more memory than the file: a file of many
// lists keeps few of them.
func TestGGUFKeepsFewItems(t *testing.T) {
	w := &ggufWriter{}
	w.set("general.architecture", "llama")
	flags := make([]bool, mostKept)
	for i := range 3 * mostItems / mostKept {
		w.set(fmt.Sprintf("list.%d", i), flags)
	}
	b, size := w.bytes()
	g, err := parseGGUF(strings.NewReader(string(b)), size)
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, v := range g.meta {
		if items, ok := v.([]any); ok {
			kept += len(items)
		}
	}
	if kept != mostItems || len(g.meta) != 1+3*mostItems/mostKept {
		t.Errorf("%d items kept of %d keys, want %d", kept, len(g.meta), mostItems)
	}
}
