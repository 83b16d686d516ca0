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
	"llama":      {"llama", llamaMixture},
	"llama4":     {"llama4_text", llama4},
	"mistral3":   {"ministral3", nil},
	"qwen2":      {"qwen2", nil},
	"qwen2moe":   {"qwen2_moe", qwenMixture},
	"qwen2vl":    {"qwen2_vl_text", nil},
	"qwen3":      {"qwen3", nil},
	"qwen3moe":   {"qwen3_moe", qwenMixture},
	"qwen3vl":    {"qwen3_vl_text", nil},
	"qwen3vlmoe": {"qwen3_vl_moe_text", qwenMixture},
	"qwen3next":  {"qwen3_next", gatedMixture},
	"qwen35":     {"qwen3_5_text", gatedDelta},
	"qwen35moe":  {"qwen3_5_moe_text", gatedMixture},
	"gemma":      {"gemma", nil},
	"gemma2":     {"gemma2", slides(2)},
	"gemma3":     {"gemma3_text", slides(6)},
	"phi3":       {"phi3", full},
	"phimoe":     {"phimoe", localMixture},
	"deepseek2":  {"deepseek_v3", latent},
	"gpt-oss":    {"gpt_oss", gptOSS},
	"glm4":       {"glm4", nil},
	"glm4moe":    {"glm4_moe", deepseekMixture},
	"dots1":      {"dots1", deepseekMixture},
	"minimax-m2": {"minimax_m2", func(g ggufMeta, c map[string]any) {
		localMixture(g, c)
		c["intermediate_size"] = g.number("expert_feed_forward_length")
	}},
	"olmo2":         {"olmo2", nil},
	"granite":       {"granite", nil},
	"granitemoe":    {"granitemoe", localMixture},
	"seed_oss":      {"seed_oss", nil},
	"smollm3":       {"smollm3", nil},
	"internlm2":     {"internlm2", nil},
	"exaone":        {"exaone", nil},
	"command-r":     {"cohere", nil},
	"cohere2":       {"cohere2", slides(4)},
	"starcoder2":    {"starcoder2", full},
	"hunyuan-dense": {"hunyuan_v1_dense", nil},
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

// uniform is a number that layers may have each their own of. The error is of one
// that differs between layers, for which families here have no rule; 0 is of
// layers that keep a state in its place.
func (g ggufMeta) uniform(key string) (uint64, error) {
	items, ok := g.meta[g.prefix+"."+key].([]any)
	if !ok || len(items) == 0 {
		return g.number(key), nil
	}
	most := uint64(0)
	for _, v := range items {
		most = max(most, whole(v))
	}
	for _, v := range items {
		if n := whole(v); n != most && (n != 0 || !g.has("ssm.state_size")) {
			return 0, &model.UnknownError{What: "layout: layers with different " + key + " in GGUF's", Name: g.prefix}
		}
	}
	return most, nil
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
		localMixture(g, c)
	case g.number("attention.sliding_window") > 0:
		c["model_type"] = "mistral"
	}
}

// llama4 attends in chunks of 8,192 but for each fourth layer: llama.cpp has both
// by its name, the metadata do not.
func llama4(g ggufMeta, c map[string]any) {
	localMixture(g, c)
	c["attention_chunk_size"], c["no_rope_layer_interval"] = 8192, 4
	c["interleave_moe_layer_step"] = g.number("interleave_moe_layer_step")
	c["intermediate_size"], c["intermediate_size_mlp"] = g.number("expert_feed_forward_length"), g.number("feed_forward_length")
}

// full is of families that llama.cpp runs without the window that the file may give.
func full(_ ggufMeta, c map[string]any) { delete(c, "sliding_window") }

func localMixture(g ggufMeta, c map[string]any) {
	c["num_local_experts"], c["num_experts_per_tok"] = g.number("expert_count"), g.number("expert_used_count")
}

// gatedDelta is linear attention in all layers but each fourth, or as the file says.
func gatedDelta(g ggufMeta, c map[string]any) {
	heads := max(g.number("ssm.time_step_rank"), 1)
	c["linear_num_key_heads"], c["linear_num_value_heads"] = g.number("ssm.group_count"), heads
	c["linear_key_head_dim"], c["linear_value_head_dim"] = g.number("ssm.state_size"), g.number("ssm.inner_size")/heads
	c["linear_conv_kernel_dim"] = g.number("ssm.conv_kernel")
	if n := g.number("full_attention_interval"); n > 0 {
		c["full_attention_interval"] = n
	}
	if list, ok := g.meta[g.prefix+".attention.head_count_kv"].([]any); ok && len(list) > 0 {
		layersOfHeads(list, c)
	}
}

// layersOfHeads reads which layers attend from their numbers of heads.
func layersOfHeads(list []any, c map[string]any) {
	var types []string
	for _, v := range list {
		if n := whole(v); n > 0 {
			c["num_key_value_heads"] = n
			types = append(types, "full_attention")
		} else {
			types = append(types, "linear_attention")
		}
	}
	c["layer_types"] = types
}

func gatedMixture(g ggufMeta, c map[string]any) {
	gatedDelta(g, c)
	qwenMixture(g, c)
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
	localMixture(g, c)
	c["attention_bias"] = true
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
