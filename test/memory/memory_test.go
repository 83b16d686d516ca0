package memory

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"assay/internal/facts"
	"assay/internal/memory"
	"assay/internal/model"
	"assay/test/require"
)

// asked is one case of specs.py, with what it answers beside it.
type asked struct {
	Config  json.RawMessage `json:"config,omitempty"` // of a model that is built
	Layers  []layer         `json:"layers,omitempty"` // else: of one rank
	TP      int             `json:"tp"`
	EP      int             `json:"ep,omitempty"`
	MaxLen  int             `json:"max_model_len"`
	Batched int             `json:"max_num_batched_tokens"`
	Seqs    int             `json:"max_num_seqs"`
	Block   int             `json:"block_size"`
	Async   bool            `json:"async"`
	KV      string          `json:"kv,omitempty"`
	KVBytes int64           `json:"kv_bytes"`
	Encoder int             `json:"encoder_tokens,omitempty"`

	name string
	arch model.Arch
}

type layer struct {
	Kind     string `json:"kind"`
	KVHeads  int    `json:"kv_heads,omitempty"`
	HeadDim  int    `json:"head_dim,omitempty"`
	ValueDim int    `json:"value_dim,omitempty"`
	Window   int    `json:"window,omitempty"`
	KV       string `json:"kv,omitempty"`
}

type answer struct {
	Error       string
	Weights     int64
	Blocks      int
	Groups      int
	Kinds       []string
	BlockBytes  int64 `json:"block_bytes"`
	Tokens      int
	Concurrency float64
	Seconds     float64
}

// ask has vLLM's own code lay out models and layers: half a minute for all cases.
func ask(t *testing.T, cases []asked) []answer {
	t.Helper()
	return python(t, "specs.py", cases)
}

// python gives the cases to a script in the environment of the real vLLM.
func python(t *testing.T, script string, cases []asked) []answer {
	t.Helper()
	if !require.Asked(require.VLLM) {
		require.Missing(t, require.VLLM, "this test runs vLLM's own code: `test/vllm/vllm.sh install` and set "+require.Env+"=vllm")
	}
	interpreter := filepath.Join("..", "..", ".cache", "vllm", "venv", "bin", "python")
	if work := os.Getenv("WORK"); work != "" {
		interpreter = filepath.Join(work, "venv", "bin", "python")
	}
	in, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), interpreter, script)
	cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	cmd.Stdin = bytes.NewReader(in)
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, log.Bytes())
	}
	var answers []answer
	if err := json.Unmarshal(out, &answers); err != nil || len(answers) != len(cases) {
		t.Fatalf("%s gave %d answers to %d cases: %v", script, len(answers), len(cases), err)
	}
	return answers
}

// roomy is a chip on which everything fits, so that only the layout is judged.
var roomy = facts.Chip{Name: "any", Usable: 1 << 44, Bandwidth: 1, BF16: 1}

func (a asked) ours(t *testing.T) memory.Account {
	t.Helper()
	kv, err := memory.KVFormatNamed(a.KV)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := memory.EngineNamed("vllm@0.32")
	if err != nil {
		t.Fatal(err)
	}
	account, err := memory.Of(memory.Config{
		Model: a.arch, KV: kv, Chip: roomy, TP: a.TP, EP: a.EP, Engine: engine, NoAsync: !a.Async,
		MaxModelLen: a.MaxLen, MaxNumSeqs: a.Seqs, MaxBatchedTokens: a.Batched, BlockSize: a.Block, KVBytes: a.KVBytes,
	})
	if err != nil {
		t.Fatalf("%s: %v", a.name, err)
	}
	return account
}

// compare holds bytes, blocks, tokens and concurrency to vLLM's, exactly, and the
// weights within 1 %.
func compare(t *testing.T, a asked, want answer) {
	t.Helper()
	if want.Error != "" {
		t.Errorf("%s: vLLM says %s", a.name, want.Error)
		return
	}
	got := a.ours(t)
	if got.Cache.BlockBytes != want.BlockBytes || got.Cache.Groups() != want.Groups || got.Blocks != want.Blocks {
		t.Errorf("%s: %d blocks of %d bytes in %d groups; vLLM has %d of %d in %d", a.name, got.Blocks, got.Cache.BlockBytes, got.Cache.Groups(), want.Blocks, want.BlockBytes, want.Groups)
	}
	if got.KVTokens != want.Tokens || math.Abs(got.MaxConcurrency-want.Concurrency) > 1e-9*want.Concurrency {
		t.Errorf("%s: %d tokens, %.4fx; vLLM counts %d and %.4fx", a.name, got.KVTokens, got.MaxConcurrency, want.Tokens, want.Concurrency)
	}
	if want.Weights > 0 {
		if off := float64(got.Weights)/float64(want.Weights) - 1; math.Abs(off) > 0.01 {
			t.Errorf("%s: weights of a rank %d bytes, vLLM's are %d: %+.2f %%", a.name, got.Weights, want.Weights, 100*off)
		}
	}
}

func TestModelsAsVLLMBuildsThem(t *testing.T) {
	type ranks struct {
		name string
		tps  []int
	}
	models := []ranks{
		{"llama-3.1-8b", []int{1, 16}}, {"llama-3.2-1b", []int{2}}, {"qwen2.5-7b", []int{4}}, {"qwen3-8b", []int{2}},
		{"mistral-7b-v0.1", []int{1}}, {"mixtral-8x7b", []int{2}}, {"qwen3-30b-a3b", []int{8}}, {"gemma-2-9b", []int{1, 4}},
		{"gpt-oss-20b", []int{2}}, {"deepseek-v2-lite", []int{1, 4}}, {"deepseek-v3", []int{8}},
		{"gemma-3-1b", []int{2}}, {"phi-4", []int{2}}, {"granite-4.0-h-tiny", []int{2}}, {"qwen3.5-2b", []int{2}},
	}
	if os.Getenv(EnvModels) == "all" {
		models = append(models, []ranks{
			{"llama-2-70b", []int{4}}, {"qwen2.5-72b", []int{8}}, {"qwen3-next-80b-a3b", []int{2}}, {"mistral-small-24b", []int{2}},
			{"mixtral-8x22b", []int{4}}, {"phi-3-mini", []int{1}}, {"deepseek-v2", []int{8}}, {"kimi-k2", []int{8}},
			{"glm-4-9b", []int{4}}, {"glm-4.5-air", []int{4}}, {"glm-4.7-flash", []int{4}},
			{"minimax-m2", []int{8}}, {"falcon-7b", []int{1}}, {"falcon-40b", []int{4}}, {"llama-4-scout", []int{8}},
			{"qwen3.5-35b-a3b", []int{2}}, {"falcon-h1-34b", []int{2}}, {"nemotron-nano-9b-v2", []int{4}},
		}...)
	}
	var cases []asked
	for _, m := range models {
		for i, tp := range m.tps {
			cases = append(cases, built(t, m.name, tp, i%2 == 0))
		}
	}
	for i, got := range ask(t, cases) {
		compare(t, cases[i], got)
	}
}

func built(t *testing.T, name string, tp int, async bool) asked {
	t.Helper()
	config := marshal(t, configuration(t, name))
	arch, err := model.Parse(name, config)
	if err != nil {
		t.Fatal(err)
	}
	arch.Outside.Vision = 0 // vLLM is asked for the text model alone
	return asked{
		Config: config, TP: tp, MaxLen: min(arch.Context, 16384), Batched: 2048, Seqs: 64, Block: 64, Async: async, KVBytes: 20 << 30,
		name: fmt.Sprintf("%s, tensor parallel %d", name, tp), arch: arch,
	}
}

// Kinds of layers that this machine's vLLM builds no model of, by its classes alone.
func TestLayersAsVLLMCountsThem(t *testing.T) {
	full, window := layer{Kind: "full", KVHeads: 8, HeadDim: 128}, layer{Kind: "sliding", KVHeads: 8, HeadDim: 128, Window: 1024}
	var cases []asked
	for name, layers := range map[string][]layer{
		"chunked local, 3 to 1":              repeat(12, layer{Kind: "chunked", KVHeads: 8, HeadDim: 128, Window: 8192}, layer{Kind: "chunked", KVHeads: 8, HeadDim: 128, Window: 8192}, layer{Kind: "chunked", KVHeads: 8, HeadDim: 128, Window: 8192}, full),
		"windows, 5 to 1, with some over":    append(repeat(10, window, window, window, window, window, full), window, window),
		"nearly as many windows":             append(repeat(12, window, full), full),
		"20 full and 30 windows":             append(repeat(20, full), repeat(30, window)...),
		"latent with an indexer":             repeat(61, layer{Kind: "latent", HeadDim: 576}, layer{Kind: "indexer", HeadDim: 132}),
		"latent in FP8 with scales":          repeat(61, layer{Kind: "latent", HeadDim: 576, KV: "fp8_ds_mla"}, layer{Kind: "indexer", HeadDim: 132}),
		"full in FP8":                        repeat(32, layer{Kind: "full", KVHeads: 8, HeadDim: 128, KV: "fp8"}),
		"full in FP8, a scale a token":       repeat(32, layer{Kind: "full", KVHeads: 8, HeadDim: 128, KV: "fp8_per_token_head"}),
		"full in INT8, a scale a token":      repeat(32, layer{Kind: "full", KVHeads: 8, HeadDim: 128, KV: "int8_per_token_head"}),
		"values narrower than keys":          repeat(24, layer{Kind: "full", KVHeads: 4, HeadDim: 192, ValueDim: 128}),
		"full attention of two widths":       repeat(16, full, layer{Kind: "full", KVHeads: 2, HeadDim: 128}),
		"windows of half a page":             repeat(10, full, layer{Kind: "sliding", KVHeads: 4, HeadDim: 128, Window: 512}),
		"windows of a page that divides not": repeat(10, full, layer{Kind: "sliding", KVHeads: 3, HeadDim: 128, Window: 512}),
		"windows of two lengths":             repeat(8, window, layer{Kind: "sliding", KVHeads: 8, HeadDim: 128, Window: 4096}),
		"an encoder beside":                  repeat(12, layer{Kind: "full", KVHeads: 12, HeadDim: 64}, layer{Kind: "cross", KVHeads: 12, HeadDim: 64, Window: 1500}),
	} {
		a := asked{Layers: layers, TP: 1, MaxLen: 131072, Batched: 4096, Seqs: 64, Block: 16, Async: len(cases)%2 == 0, KVBytes: 50<<30 + 12345, name: name}
		a.arch = model.Arch{Name: name, Hidden: 64, Vocab: 64, Context: 1 << 20}
		for _, l := range layers {
			a.KV, a.Encoder = cmp.Or(l.KV, a.KV), max(a.Encoder, l.Window)
			a.arch.Layers = append(a.arch.Layers, archLayer(l))
		}
		cases = append(cases, a)
	}
	for i, got := range ask(t, cases) {
		compare(t, cases[i], got)
	}
}

func repeat(n int, layers ...layer) []layer { return slices.Repeat(layers, n) }

// archLayer is a layer in the model's terms.
func archLayer(l layer) model.Layer {
	a := model.Attention{Heads: l.KVHeads, KVHeads: l.KVHeads, HeadDim: l.HeadDim, ValueDim: l.ValueDim, Window: l.Window}
	switch l.Kind {
	case "latent":
		a = model.Attention{Kind: model.Latent, Heads: 128, KVHeads: 1, HeadDim: 192, ValueDim: 128, LatentRank: l.HeadDim - 64, RopeDim: 64}
	case "indexer": // beside an attention that keeps nothing of its own
		a = model.Attention{Kind: model.Full, Heads: 1, KVHeads: 1, Shared: true, Indexer: model.Indexer{CacheBytes: l.HeadDim}}
	case "full":
		a.Kind = model.Full
	case "sliding":
		a.Kind = model.Sliding
	case "chunked":
		a.Kind = model.Chunked
	case "cross":
		a.Kind = model.Cross
	}
	return model.Layer{Attention: a}
}
