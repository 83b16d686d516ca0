package checkpoint

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// entry is one tensor of a file that a test writes.
type entry struct {
	name  string
	dtype string
	shape []uint64
}

// safetensors is a header for these tensors, and the size of a file of them.
func safetensors(t *testing.T, entries ...entry) (header []byte, size int64) {
	t.Helper()
	head := map[string]any{"__metadata__": map[string]string{"format": "pt"}}
	at := uint64(0)
	for _, e := range entries {
		n, err := product(e.shape)
		if err != nil {
			t.Fatal(err)
		}
		end := at + n*dtypeBits[e.dtype]/8
		head[e.name] = place{e.dtype, e.shape, []uint64{at, end}}
		at = end
	}
	b, err := json.Marshal(head)
	if err != nil {
		t.Fatal(err)
	}
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(b))), b...), int64(8 + len(b) + int(at))
}

// write writes a header as a file of that size, its data sparse.
func write(t *testing.T, path string, header []byte, size int64) string {
	t.Helper()
	if err := os.WriteFile(path, header, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
	return path
}

func writeSafetensors(t *testing.T, path string, entries ...entry) string {
	t.Helper()
	header, size := safetensors(t, entries...)
	return write(t, path, header, size)
}

func writeJSON(t *testing.T, path string, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// tiny is a Llama of two layers as config.json and as tensors.
var tiny = map[string]any{
	"model_type": "llama", "architectures": []string{"LlamaForCausalLM"}, "hidden_size": 64, "num_hidden_layers": 2,
	"num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 96, "vocab_size": 128,
	"max_position_embeddings": 256, "tie_word_embeddings": false,
}

func tinyLayer(i int, dtype string) []entry {
	p := fmt.Sprintf("model.layers.%d.", i)
	return []entry{
		{p + "input_layernorm.weight", "BF16", []uint64{64}},
		{p + "post_attention_layernorm.weight", "BF16", []uint64{64}},
		{p + "self_attn.q_proj.weight", dtype, []uint64{64, 64}},
		{p + "self_attn.k_proj.weight", dtype, []uint64{32, 64}},
		{p + "self_attn.v_proj.weight", dtype, []uint64{32, 64}},
		{p + "self_attn.o_proj.weight", dtype, []uint64{64, 64}},
		{p + "mlp.gate_proj.weight", dtype, []uint64{96, 64}},
		{p + "mlp.up_proj.weight", dtype, []uint64{96, 64}},
		{p + "mlp.down_proj.weight", dtype, []uint64{64, 96}},
	}
}

func tinyTensors(dtype string) []entry {
	all := []entry{{"model.embed_tokens.weight", "BF16", []uint64{128, 64}}, {"lm_head.weight", "BF16", []uint64{128, 64}}, {"model.norm.weight", "BF16", []uint64{64}}}
	return append(append(all, tinyLayer(0, dtype)...), tinyLayer(1, dtype)...)
}

// tinyFolder is a folder with config.json and all weights in one file.
func tinyFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeJSON(t, filepath.Join(dir, "config.json"), tiny)
	writeSafetensors(t, filepath.Join(dir, "model.safetensors"), tinyTensors("BF16")...)
	return dir
}

// ggufWriter writes GGUF: metadata in the order of the calls, then tensors.
type ggufWriter struct {
	meta, infos bytes.Buffer
	keys, count uint64
	data        uint64
}

func (w *ggufWriter) text(b *bytes.Buffer, s string) {
	binary.Write(b, binary.LittleEndian, uint64(len(s)))
	b.WriteString(s)
}

// set writes a metadata value: uint32, bool, float32, string, or lists of them.
func (w *ggufWriter) set(key string, v any) *ggufWriter {
	w.text(&w.meta, key)
	w.keys++
	w.value(v)
	return w
}

func (w *ggufWriter) value(v any) {
	b := &w.meta
	put := func(v any) { binary.Write(b, binary.LittleEndian, v) }
	switch v := v.(type) {
	case int:
		put(uint32(4))
		put(uint32(v))
	case bool:
		put(uint32(7))
		put(v)
	case float32:
		put(uint32(6))
		put(v)
	case string:
		put(uint32(8))
		w.text(b, v)
	case []string:
		put(uint32(9))
		put(uint32(8))
		put(uint64(len(v)))
		for _, s := range v {
			w.text(b, s)
		}
	case []bool:
		put(uint32(9))
		put(uint32(7))
		put(uint64(len(v)))
		put(v)
	case []int:
		put(uint32(9))
		put(uint32(4))
		put(uint64(len(v)))
		for _, n := range v {
			put(uint32(n))
		}
	default:
		panic(fmt.Sprintf("%T", v))
	}
}

// tensor writes one entry of that ggml type; shape as GGUF has it, the row's length first.
func (w *ggufWriter) tensor(name string, kind uint32, shape ...uint64) *ggufWriter {
	w.text(&w.infos, name)
	binary.Write(&w.infos, binary.LittleEndian, uint32(len(shape)))
	binary.Write(&w.infos, binary.LittleEndian, shape)
	binary.Write(&w.infos, binary.LittleEndian, kind)
	binary.Write(&w.infos, binary.LittleEndian, w.data)
	n, _ := product(shape)
	q := ggmlTypes[kind]
	w.data += (n/q.block*q.bytes + 31) / 32 * 32
	w.count++
	return w
}

func (w *ggufWriter) bytes() (header []byte, size int64) {
	var b bytes.Buffer
	b.WriteString("GGUF")
	binary.Write(&b, binary.LittleEndian, uint32(3))
	binary.Write(&b, binary.LittleEndian, w.count)
	binary.Write(&b, binary.LittleEndian, w.keys)
	b.Write(w.meta.Bytes())
	b.Write(w.infos.Bytes())
	return b.Bytes(), int64((b.Len()+31)/32*32) + int64(w.data)
}

func (w *ggufWriter) write(t *testing.T, path string) string {
	t.Helper()
	header, size := w.bytes()
	return write(t, path, header, size)
}

const (
	f32  = 0
	q4_0 = 2
	q4_K = 12
	q6_K = 14
)

// tinyGGUF is the same Llama with 256 wide rows, which K-quants need, in Q4_K.
func tinyGGUF() *ggufWriter {
	w := &ggufWriter{}
	w.set("general.architecture", "llama").set("general.name", "tiny").
		set("llama.block_count", 2).set("llama.context_length", 512).set("llama.embedding_length", 256).
		set("llama.feed_forward_length", 512).set("llama.attention.head_count", 4).set("llama.attention.head_count_kv", 2).
		set("llama.rope.freq_base", float32(10000)).set("tokenizer.ggml.tokens", []string{"a", "b", "c"})
	w.tensor("token_embd.weight", q6_K, 256, 128).tensor("output.weight", q6_K, 256, 128).tensor("output_norm.weight", f32, 256)
	for i := range 2 {
		p := fmt.Sprintf("blk.%d.", i)
		w.tensor(p+"attn_norm.weight", f32, 256).tensor(p+"ffn_norm.weight", f32, 256).
			tensor(p+"attn_q.weight", q4_K, 256, 256).tensor(p+"attn_k.weight", q4_K, 256, 128).
			tensor(p+"attn_v.weight", q6_K, 256, 128).tensor(p+"attn_output.weight", q4_K, 256, 256).
			tensor(p+"ffn_gate.weight", q4_K, 256, 512).tensor(p+"ffn_up.weight", q4_K, 256, 512).tensor(p+"ffn_down.weight", q4_K, 512, 256)
	}
	return w
}
