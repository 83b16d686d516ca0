package memory

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/internal/model"
)

// EnvModels names the variable that, set to all, has every model of these tests built
// and started, not one of each kind of layer.
const EnvModels = "ASSAY_VLLM_MODELS"

// starts are models whose shrunken configurations vLLM starts on a CPU.
var starts = []struct {
	name    string
	always  bool           // also where not all are asked for
	besides map[string]any // what the configuration has instead, or has to have in vLLM
	refused string         // what vLLM's backend for the CPU says
}{
	{name: "llama-2-7b"},
	{name: "llama-3.1-8b"},
	{name: "qwen2.5-7b"},
	{name: "qwen3-8b", always: true},
	{name: "qwen3-30b-a3b"},
	{name: "mistral-7b-v0.1", always: true},
	{name: "mixtral-8x7b"},
	{name: "gemma-2-9b", always: true},
	{name: "gemma-3-1b", besides: map[string]any{"num_hidden_layers": 8}},
	{name: "phi-3-mini"},
	{name: "phi-4"},
	{name: "deepseek-v2-lite"},
	{name: "deepseek-v3", always: true, besides: map[string]any{"first_k_dense_replace": 1}},
	{name: "kimi-k2"},
	{name: "glm-4.7-flash"},
	{name: "gpt-oss-20b", always: true},
	{name: "glm-4-9b"},
	{name: "glm-4.5-air"},
	{name: "minimax-m2"},
	{name: "falcon-7b"},
	{name: "falcon-40b", besides: map[string]any{"num_kv_heads": 2}},
	{name: "llama-4-scout", always: true, besides: map[string]any{"num_experts_per_tok": 1}},
	{name: "qwen3-next-80b-a3b", always: true},
	{name: "qwen3.5-2b"},
	{name: "qwen3.5-35b-a3b"},
	{name: "granite-4.0-h-tiny", always: true, besides: map[string]any{"layer_types": []string{"mamba", "mamba", "attention", "mamba"}, "mamba_n_heads": 8, "mamba_d_head": 32, "mamba_d_state": 32}},
	{name: "falcon-h1-34b", besides: map[string]any{"mamba_d_ssm": 256, "mamba_n_heads": 8, "mamba_d_head": 32, "mamba_d_state": 32}},
	{name: "nemotron-nano-9b-v2", besides: map[string]any{"hybrid_override_pattern": "M-*-", "mamba_num_heads": 8, "mamba_head_dim": 32, "ssm_state_size": 32, "n_groups": 1}},
	{name: "deepseek-v3.2", refused: "Sparse Attention is not supported on CPU"},
	{name: "glm-5", refused: "Sparse Attention is not supported on CPU"},
	{name: "kimi-linear-48b-a3b", besides: map[string]any{"linear_attn_config": map[string]any{"full_attn_layers": []int{4}, "kda_layers": []int{1, 2, 3}, "head_dim": 32, "num_heads": 4, "short_conv_kernel_size": 4}},
		refused: "--mamba-block-size can only be set with --enable-prefix-caching"}, // the CPU's MLA has no prefix cache
	{name: "minimax-m1", refused: "does not recognize this architecture"},
}

// lacking are fields that vLLM needs besides those which say where parameters and
// caches lie.
var lacking = map[string]map[string]any{
	"deepseek-v2":      {"n_group": 1, "topk_group": 1},
	"deepseek-v2-lite": {"n_group": 1, "topk_group": 1},
	"deepseek-v3":      {"n_group": 2, "topk_group": 1},
	"kimi-k2":          {"n_group": 1, "topk_group": 1, "architectures": []string{"DeepseekV3ForCausalLM"}},
	"llama-4-scout":    {"architectures": []string{"Llama4ForConditionalGeneration"}},
	"minimax-m1":       {"architectures": []string{"MiniMaxM1ForCausalLM"}},
	"minimax-m2":       {"rotary_dim": 16, "scoring_func": "softmax"}, // the CPU's router has no sigmoid without groups
}

// configuration is that of a model, with what vLLM needs.
func configuration(t *testing.T, name string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "internal", "model", "configs", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var config map[string]any
	if err := json.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	maps.Copy(config, lacking[name])
	return config
}

func marshal(t *testing.T, config map[string]any) json.RawMessage {
	t.Helper()
	out, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// small are the sizes that a configuration is shrunken to. Latent vectors keep their
// width, for which alone the CPU's kernel is compiled.
var small = map[string]any{
	"hidden_size": 128, "intermediate_size": 256, "moe_intermediate_size": 64, "shared_expert_intermediate_size": 64,
	"intermediate_size_mlp": 256, "shared_intermediate_size": 64, "vocab_size": 2048, "max_position_embeddings": 8192,
	"num_hidden_layers": 4, "num_attention_heads": 4, "head_dim": 32, "sliding_window": 256, "attention_chunk_size": 256,
	"num_experts": 8, "num_local_experts": 8, "n_routed_experts": 8, "num_experts_per_tok": 2, "q_lora_rank": 64,
	"linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 32, "linear_value_head_dim": 32,
}

// shrunken is the configuration of a model, made small.
func shrunken(t *testing.T, name string, besides map[string]any) json.RawMessage {
	t.Helper()
	config := configuration(t, name)
	shrink(config)
	for key, value := range besides {
		set(config, key, value)
	}
	return marshal(t, config)
}

func shrink(config map[string]any) {
	kv, heads := config["num_key_value_heads"], config["num_attention_heads"]
	for key, value := range config {
		if part, ok := value.(map[string]any); ok {
			shrink(part)
		}
		if n, ok := small[key]; ok && value != nil {
			config[key] = n
		}
	}
	switch kv {
	case nil:
	case heads:
		config["num_key_value_heads"] = small["num_attention_heads"]
	default:
		config["num_key_value_heads"] = 2
	}
}

// set replaces a key where it stands, in the text's part of a configuration with
// several, else at its top.
func set(config map[string]any, key string, value any) {
	if text, ok := config["text_config"].(map[string]any); ok {
		config = text
	}
	config[key] = value
}

func TestShrunkenModelsStart(t *testing.T) {
	all := os.Getenv(EnvModels) == "all"
	var cases []asked
	var refused []string
	for i, s := range starts {
		if !s.always && !all {
			continue
		}
		config := shrunken(t, s.name, s.besides)
		arch, err := model.Parse(s.name, config)
		if err != nil {
			t.Fatal(err)
		}
		arch.Outside.Vision = 0
		for i := range arch.Layers {
			arch.Layers[i].State.RecurrentF32 = true // as start.py has it
		}
		a := asked{Config: config, TP: 1, MaxLen: min(arch.Context, 4096), Batched: 512, Seqs: 16, Block: 32, KVBytes: 64<<20 + int64(i)*12345, name: s.name, arch: arch}
		if latent(arch) {
			a.Block = 16 // the only one of the CPU's MLA
		}
		cases, refused = append(cases, a), append(refused, s.refused)
	}
	for i, want := range python(t, "start.py", cases) {
		if why := refused[i]; why != "" {
			if !strings.Contains(want.Error, why) {
				t.Errorf("%s: vLLM was to refuse it with %q: %+v", cases[i].name, why, want)
			}
			continue
		}
		compareStarted(t, cases[i], want)
	}
}

func latent(a model.Arch) bool {
	for _, l := range a.Layers {
		if l.Attention.Kind == model.Latent {
			return true
		}
	}
	return false
}

// compareStarted holds the account to what an engine logged: blocks and tokens exactly,
// concurrency as printed, weights within 1 %.
func compareStarted(t *testing.T, a asked, want answer) {
	t.Helper()
	if want.Error != "" {
		t.Errorf("%s: vLLM says %s", a.name, want.Error)
		return
	}
	got := a.ours(t)
	if got.Blocks != want.Blocks || got.KVTokens != want.Tokens || math.Abs(got.MaxConcurrency-want.Concurrency) > 0.00501 {
		t.Errorf("%s: %d blocks, %d tokens, %.4fx; vLLM started with %d, %d and %.2fx", a.name, got.Blocks, got.KVTokens, got.MaxConcurrency, want.Blocks, want.Tokens, want.Concurrency)
	}
	if off := float64(got.Weights)/float64(want.Weights) - 1; !(math.Abs(off) <= 0.01) {
		t.Errorf("%s: weights of %d bytes, vLLM loaded %d: %+.2f %%", a.name, got.Weights, want.Weights, 100*off)
	}
	t.Logf("%s: %d tokens, %d bytes of weights, started in %.1f s", a.name, want.Tokens, want.Weights, want.Seconds)
}
