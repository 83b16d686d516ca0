package checkpoint

import (
	"encoding/json"
	"math"
	"slices"

	"assay/internal/model"
)

// family is how a GGUF architecture stands in the terms of config.json.
type family struct {
	kind string // model_type
	// further fields, beside those that all have.
	more func(g ggufMeta, config map[string]any)
}

// families by general.architecture. What an architecture's own metadata does not
// say, llama.cpp knows by its name; so does the rule of model for its model_type.
// https://github.com/ggml-org/llama.cpp, gguf-py/gguf/constants.py and
// src/llama-model.cpp, read 2026-11-30.
var families = map[string]family{
	"llama":     {"llama", llamaMixture},
	"mistral3":  {"mistral", nil},
	"qwen2":     {"qwen2", nil},
	"qwen2moe":  {"qwen2_moe", qwenMixture},
	"qwen3":     {"qwen3", nil},
	"qwen3moe":  {"qwen3_moe", qwenMixture},
	"gemma":     {"gemma", nil},
	"gemma2":    {"gemma2", slides(2)},
	"gemma3":    {"gemma3_text", slides(6)},
	"phi3":      {"phi3", nil},
	"deepseek2": {"deepseek_v3", latent},
	"gpt-oss":   {"gpt_oss", gptOSS},
	"glm4":      {"glm4", nil},
	"glm4moe":   {"glm4_moe", deepseekMixture},
	"minimax-m2": {"minimax_m2", func(g ggufMeta, c map[string]any) {
		c["num_local_experts"], c["num_experts_per_tok"] = g.number("expert_count"), g.number("expert_used_count")
		c["intermediate_size"] = g.number("expert_feed_forward_length")
		c["use_qk_norm"] = true
	}},
	"olmo2":    {"olmo2", nil},
	"granite":  {"granite", nil},
	"seed_oss": {"seed_oss", nil},
	"smollm3":  {"smollm3", nil},
}

// ggufMeta is the metadata of a file, its architecture's prefix taken off.
type ggufMeta struct {
	prefix string
	meta   map[string]any
}

// number is a metadata value; 0 where it is not there, or is none.
func (g ggufMeta) number(key string) uint64 { return whole(g.meta[g.prefix+"."+key]) }

func (g ggufMeta) has(key string) bool { return g.meta[g.prefix+"."+key] != nil }

func whole(v any) uint64 {
	switch v := v.(type) {
	case uint64:
		return v
	case int64:
		return uint64(max(v, 0))
	case float64:
		if v >= 0 && v < math.MaxInt64 && v == math.Trunc(v) {
			return uint64(v)
		}
	}
	return 0
}

// uniform is a number that layers may have each their own of; the error is of
// one that differs between layers, for which families here have no rule.
func (g ggufMeta) uniform(key string) (uint64, error) {
	items, ok := g.meta[g.prefix+"."+key].([]any)
	if !ok || len(items) == 0 {
		return g.number(key), nil
	}
	for _, v := range items {
		if whole(v) != whole(items[0]) {
			return 0, &model.UnknownError{What: "layout: layers with different " + key + " in GGUF's", Name: g.prefix}
		}
	}
	return whole(items[0]), nil
}

// arch is the architecture that a GGUF file's metadata describes.
func (g ggufFile) arch(name string) (model.Arch, error) {
	kind, _ := g.meta["general.architecture"].(string)
	f, ok := families[kind]
	if !ok {
		return model.Arch{}, &model.UnknownError{What: "architecture of GGUF", Name: kind}
	}
	config, err := g.config(ggufMeta{kind, g.meta}, f)
	if err != nil {
		return model.Arch{}, err
	}
	b, err := json.Marshal(config)
	if err != nil {
		return model.Arch{}, err
	}
	return model.Parse(name, b)
}

func (g ggufFile) config(m ggufMeta, f family) (map[string]any, error) {
	c := map[string]any{
		"model_type": f.kind, "vocab_size": g.vocabulary(m),
		"hidden_size": m.number("embedding_length"), "max_position_embeddings": m.number("context_length"),
		"num_hidden_layers":   m.number("block_count") - min(m.number("nextn_predict_layers"), m.number("block_count")),
		"tie_word_embeddings": !g.holds("output.weight"),
	}
	for field, key := range map[string]string{
		"intermediate_size": "feed_forward_length", "num_attention_heads": "attention.head_count", "num_key_value_heads": "attention.head_count_kv",
	} {
		n, err := m.uniform(key)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			c[field] = n
		}
	}
	for field, key := range map[string]string{"head_dim": "attention.key_length", "sliding_window": "attention.sliding_window"} {
		if n := m.number(key); n > 0 {
			c[field] = n
		}
	}
	if f.more != nil {
		f.more(m, c)
	}
	return c, nil
}

// vocabulary is the number of rows of the embedding, which padding may have
// made larger than the list of tokens.
func (g ggufFile) vocabulary(m ggufMeta) uint64 {
	for _, t := range g.tensors {
		if t.name == "token_embd.weight" && len(t.shape) == 2 {
			return t.shape[1]
		}
	}
	switch tokens := g.meta["tokenizer.ggml.tokens"].(type) {
	case []any:
		return uint64(len(tokens))
	case listLength:
		return uint64(tokens)
	}
	return m.number("vocab_size")
}

func (g ggufFile) holds(name string) bool {
	return slices.ContainsFunc(g.tensors, func(t tensor) bool { return t.name == name })
}

// llamaMixture is Mixtral under Llama's name, and Mistral's window.
func llamaMixture(g ggufMeta, c map[string]any) {
	switch {
	case g.number("expert_count") > 0:
		c["model_type"] = "mixtral"
		c["num_local_experts"], c["num_experts_per_tok"] = g.number("expert_count"), g.number("expert_used_count")
	case g.number("attention.sliding_window") > 0:
		c["model_type"] = "mistral"
	}
}

func qwenMixture(g ggufMeta, c map[string]any) {
	c["num_experts"], c["num_experts_per_tok"] = g.number("expert_count"), g.number("expert_used_count")
	c["moe_intermediate_size"] = g.number("expert_feed_forward_length")
	c["shared_expert_intermediate_size"] = g.number("expert_shared_feed_forward_length")
}

// slides alternates windows and full attention, each nth layer full, unless the
// file lists its own pattern.
func slides(n int) func(ggufMeta, map[string]any) {
	return func(g ggufMeta, c map[string]any) {
		c["sliding_window_pattern"] = n
		if k := g.number("attention.sliding_window_pattern"); k > 0 {
			c["sliding_window_pattern"] = k
		}
		list, _ := g.meta[g.prefix+".attention.sliding_window_pattern"].([]any)
		var types []string
		for _, v := range list {
			if on, _ := v.(bool); on {
				types = append(types, "sliding_attention")
			} else {
				types = append(types, "full_attention")
			}
		}
		if types != nil {
			c["layer_types"] = types
		}
	}
}

func gptOSS(g ggufMeta, c map[string]any) {
	slides(2)(g, c)
	c["attention_bias"] = true
	c["num_local_experts"], c["num_experts_per_tok"] = g.number("expert_count"), g.number("expert_used_count")
	c["intermediate_size"] = g.number("expert_feed_forward_length")
}

func deepseekMixture(g ggufMeta, c map[string]any) {
	c["n_routed_experts"], c["num_experts_per_tok"] = g.number("expert_count"), g.number("expert_used_count")
	c["moe_intermediate_size"] = g.number("expert_feed_forward_length")
	c["n_shared_experts"] = g.number("expert_shared_count")
	c["first_k_dense_replace"] = g.number("leading_dense_block_count")
	if g.number("nextn_predict_layers") > 0 {
		c["num_nextn_predict_layers"] = g.number("nextn_predict_layers")
	}
}

// latent is DeepSeek's: files before and after llama.cpp's own MLA give the
// sizes of heads under different keys.
func latent(g ggufMeta, c map[string]any) {
	deepseekMixture(g, c)
	rope := g.number("rope.dimension_count")
	head, value := g.number("attention.key_length_mla"), g.number("attention.value_length_mla")
	if head == 0 {
		head, value = g.number("attention.key_length"), g.number("attention.value_length")
	}
	delete(c, "head_dim")
	// With its own MLA llama.cpp writes one latent head; the model's are as many as its queries'.
	c["num_key_value_heads"] = c["num_attention_heads"]
	c["kv_lora_rank"], c["qk_rope_head_dim"] = g.number("attention.kv_lora_rank"), rope
	c["qk_nope_head_dim"], c["v_head_dim"] = head-min(rope, head), value
	if q := g.number("attention.q_lora_rank"); q > 0 {
		c["q_lora_rank"] = q
	} else {
		// DeepSeek-V2-Lite; experts are balanced without a bias there.
		c["model_type"] = "deepseek_v2"
	}
}
