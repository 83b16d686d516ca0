package model

// Experts of families by the names of their fields.
var (
	mixtralExperts = mixture{experts: "num_local_experts", active: "num_experts_per_tok"}

	deepseekV2Experts = mixture{
		experts: "n_routed_experts", active: "num_experts_per_tok", intermediate: "moe_intermediate_size",
		shared: "n_shared_experts", dense: firstDense,
	}
	// With the bias that balances the load since DeepSeek-V3.
	deepseekExperts = mixture{
		experts: "n_routed_experts", active: "num_experts_per_tok", intermediate: "moe_intermediate_size",
		shared: "n_shared_experts", routerBias: true, dense: firstDense,
	}
	qwenExperts = mixture{
		experts: "num_experts", active: "num_experts_per_tok", intermediate: "moe_intermediate_size",
		sharedSize: "shared_expert_intermediate_size", sharedGate: true, dense: sparseStep,
	}
	ernieExperts = mixture{
		experts: "moe_num_experts", active: "moe_k", intermediate: "moe_intermediate_size",
		shared: "moe_num_shared_experts", routerBias: true, dense: ernieDense,
	}
)

// Families that others are like.
var (
	llama     = grouped{bias: "attention_bias", mlpBias: "mlp_bias"}
	qwen2     = grouped{qkvBias: true, reach: qwenReach}
	qwen3     = grouped{bias: "attention_bias", qkNorm: headQKNorm, reach: qwenReach}
	qwen3MoE  = grouped{bias: "attention_bias", qkNorm: headQKNorm, reach: qwenReach, mlp: qwenExperts.mlp}
	gatedQwen = grouped{bias: "attention_bias", qkNorm: headQKNorm, gated: true, reach: fullReach}
	gatedMoE  = grouped{bias: "attention_bias", qkNorm: headQKNorm, gated: true, reach: fullReach, mlp: qwenExperts.mlp}
	gemma3    = grouped{tied: true, bias: "attention_bias", norms: 4, qkNorm: headQKNorm, reach: everyNth(6)}
	dsa       = map[string]int{"index_topk": 2048, "index_head_dim": 128}
)

// rules are the families by model_type, as transformers and vLLM define them.
var rules = map[string]rule{
	"llama":      llama.rule(),
	"mistral":    grouped{}.rule().with(map[string]int{"sliding_window": 4096}), // MistralConfig of transformers
	"ministral3": grouped{}.rule(),
	"ministral":  grouped{}.rule(),
	"mixtral":    grouped{mlp: mixtralExperts.mlp}.rule(),
	"mistral4":   deepseek(deepseekV2Experts),
	"granite":    llama.rule(),
	"smollm3":    grouped{tied: true, bias: "attention_bias", mlpBias: "mlp_bias", reach: qwenReach}.rule(),
	"internlm2":  grouped{bias: "bias"}.rule(),
	"internlm3":  grouped{qkvField: "qkv_bias", outField: "bias", mlpBias: "bias"}.rule(),
	"exaone":     grouped{reach: fullReach}.rule(),
	"seed_oss":   grouped{qkvField: "attention_bias", biased: true, outField: "attention_out_bias"}.rule(),
	"aquila":     llama.rule(),

	"qwen2":             qwen2.rule(),
	"qwen2_vl":          qwen2.rule(),
	"qwen2_vl_text":     qwen2.rule(),
	"qwen2_5_vl":        qwen2.rule(),
	"qwen2_5_vl_text":   qwen2.rule(),
	"qwen2_moe":         grouped{qkvBias: true, reach: qwenReach, mlp: qwenExperts.mlp}.rule(),
	"qwen3":             qwen3.rule(),
	"qwen3_vl_text":     qwen3.rule(),
	"qwen3_moe":         qwen3MoE.rule(),
	"qwen3_vl_moe_text": qwen3MoE.rule(),
	"qwen3_next":        mixed(gatedMoE, (*build).gatedDelta, interval),
	"qwen3_5":           mixed(gatedQwen, (*build).gatedDelta, interval),
	"qwen3_5_text":      mixed(gatedQwen, (*build).gatedDelta, interval),
	"qwen3_5_moe":       mixed(gatedMoE, (*build).gatedDelta, interval),
	"qwen3_5_moe_text":  mixed(gatedMoE, (*build).gatedDelta, interval),

	"gemma":  grouped{tied: true, bias: "attention_bias", reach: fullReach}.rule(),
	"gemma2": grouped{tied: true, bias: "attention_bias", norms: 4, reach: everyNth(2)}.rule(),
	// Published files of Gemma 3 leave what is as the class has it.
	"gemma3":      gemma3.rule().with(gemma3Defaults),
	"gemma3_text": gemma3.rule().with(gemma3Defaults),

	"phi3":   grouped{}.rule(),
	"phi":    grouped{qkvBias: true, outBias: true, biased: true, mlpBias: "mlp_bias", ungated: true, norms: 1, normBias: true, headBias: true, reach: fullReach}.rule(),
	"phimoe": grouped{bias: "attention_bias", normBias: true, headBias: true, mlp: mixtralExperts.mlp, reach: uniformReach}.rule(),

	"deepseek_v2":   deepseek(deepseekV2Experts),
	"deepseek_v3":   deepseek(deepseekExperts),
	"kimi_k2":       deepseek(deepseekExperts),
	"kimi_k25":      deepseek(deepseekExperts),
	"glm4_moe_lite": deepseek(deepseekExperts),
	"deepseek_v32":  deepseek(deepseekExperts).with(merged(dsa, "index_n_heads", 64)),
	"glm_moe_dsa":   deepseek(deepseekExperts).with(merged(dsa, "index_n_heads", 32)),
	"kimi_linear":   kimiLinear(),
	"deepseek_v4":   deepseekV4(),

	"gpt_oss": grouped{
		bias: "attention_bias", biased: true, sinks: true, reach: everyNth(2),
		mlp: mixture{experts: "num_local_experts", active: "num_experts_per_tok", routerBias: true, bias: true}.mlp,
	}.rule(),
	"llama4":            llama4(),
	"llama4_text":       llama4(),
	"mllama_text_model": crossLlama(),
	"mllama":            crossLlama(),

	"glm":      grouped{qkvField: "attention_bias", reach: fullReach}.rule(),
	"glm4":     grouped{qkvField: "attention_bias", norms: 4, reach: fullReach}.rule(),
	"glm4_moe": grouped{qkvField: "attention_bias", normField: "use_qk_norm", reach: fullReach, mlp: deepseekExperts.mlp}.rule(),

	"minimax_m2":    grouped{qkNorm: wholeQKNorm, reach: fullReach, mlp: mixture{experts: "num_local_experts", active: "num_experts_per_tok", routerBias: true}.mlp}.rule(),
	"minimax_m3_vl": minimaxM3(),
	"minimax_m1":    mixed(grouped{reach: fullReach, mlp: mixtralExperts.mlp}, (*build).lightning, minimaxAttends),
	"minimax":       mixed(grouped{reach: fullReach, mlp: mixtralExperts.mlp}, (*build).lightning, minimaxAttends),

	"ernie4_5":         grouped{tied: true, bias: "use_bias", mlpBias: "use_bias", reach: fullReach}.rule(),
	"ernie4_5_moe":     grouped{tied: true, bias: "use_bias", mlpBias: "use_bias", reach: fullReach, mlp: ernieExperts.mlp}.rule(),
	"hunyuan_v1_dense": grouped{qkNorm: headQKNorm, bias: "attention_bias", reach: fullReach}.rule(),
	"dots1":            grouped{qkNorm: headQKNorm, bias: "attention_bias", reach: fullReach, mlp: deepseekExperts.mlp}.rule(),

	"olmo2":        grouped{qkNorm: wholeQKNorm, bias: "attention_bias", reach: fullReach}.rule(),
	"olmo3":        grouped{qkNorm: wholeQKNorm, bias: "attention_bias", reach: everyNth(4)}.rule(),
	"olmoe":        grouped{qkNorm: wholeQKNorm, bias: "attention_bias", reach: fullReach, mlp: mixture{experts: "num_experts", active: "num_experts_per_tok"}.mlp}.rule(),
	"cohere":       grouped{tied: true, norms: 1, bias: "attention_bias", normField: "use_qk_norm", normWhole: true, reach: fullReach}.rule(),
	"cohere2":      grouped{tied: true, norms: 1, bias: "attention_bias", reach: everyNth(4)}.rule(),
	"starcoder2":   grouped{tied: true, bias: "use_bias", mlpBias: "use_bias", biased: true, ungated: true, normBias: true}.rule(),
	"stablelm":     grouped{qkvField: "use_qkv_bias", normField: "qk_layernorm", normWhole: true, normBias: true, parallel: "use_parallel_residual", reach: fullReach}.rule(),
	"exaone4":      grouped{qkNorm: headQKNorm, reach: exaoneReach}.rule(),
	"nemotron":     grouped{bias: "attention_bias", mlpBias: "mlp_bias", ungated: true, normBias: true, reach: fullReach}.rule(),
	"granitemoe":   grouped{bias: "attention_bias", reach: fullReach, mlp: mixtralExperts.mlp}.rule(),
	"falcon":       falcon(),
	"nemotron_h":   nemotronH(),
	"nemotron-nas": nemotronNAS(),

	"mamba":            pureMamba(func(b *build) State { return b.mambaOfFields() }),
	"falcon_mamba":     pureMamba(func(b *build) State { return b.mambaOfFields() }),
	"mamba2":           pureMamba(func(b *build) State { return b.mamba2(mambaOfFields) }),
	"bamba":            mixed(llama.full(), func(b *build) State { return b.mamba2(mambaOfD) }, bambaAttends),
	"jamba":            jamba(),
	"falcon_h1":        falconH1(),
	"granitemoehybrid": mixed(grouped{bias: "attention_bias", reach: fullReach, mlp: graniteMLP}, func(b *build) State { return b.mamba2(mambaOfD) }, typedAttends),
	"lfm2":             mixed(grouped{tied: true, qkNorm: headQKNorm, reach: fullReach, mlp: lfmMLP}, (*build).shortConv, typedAttends),
}

// byClass are families that model_type does not tell apart, by their class.
var byClass = map[string]rule{
	"DeciLMForCausalLM":    nemotronNAS(),
	"BambaForCausalLM":     rules["bamba"],
	"MiniMaxM1ForCausalLM": rules["minimax_m1"],
	"ExaoneForCausalLM":    rules["exaone"],
}

var gemma3Defaults = map[string]int{
	"vocab_size": 262208, "hidden_size": 2304, "intermediate_size": 9216, "num_hidden_layers": 26,
	"num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256, "max_position_embeddings": 131072, "sliding_window": 4096,
}

func merged(m map[string]int, field string, n int) map[string]int {
	out := map[string]int{field: n}
	for k, v := range m {
		out[k] = v
	}
	return out
}

// full is the family with attention over the whole context, whatever window the file names.
func (g grouped) full() grouped {
	g.reach = fullReach
	return g
}

// qwenReach slides only with use_sliding_window, from max_window_layers on.
func qwenReach(b *build, i int) (AttentionKind, int) {
	if !b.flag("use_sliding_window", false) || b.window == 0 {
		return Full, 0
	}
	if b.types == nil && i < b.optional("max_window_layers", b.count, maxLayers) {
		return Full, 0
	}
	return uniformReach(b, i)
}

// exaoneReach reads sliding_window_pattern, such as LLLG: local and global layers
// in turn, the last layer global.
func exaoneReach(b *build, i int) (AttentionKind, int) {
	p := b.text("sliding_window_pattern")
	switch {
	case b.types != nil:
		return b.typed(i)
	case b.window == 0:
		return Full, 0
	case p == "":
		return everyNth(4)(b, i)
	case p[i%len(p)] == 'G' || i == b.count-1:
		return Full, 0
	}
	return Sliding, b.window
}

func ernieDense(b *build, i int) bool {
	last := b.count - 1
	if end, ok := b.object["moe_layer_end_index"]; ok && shown(end) != "-1" {
		last = b.optional("moe_layer_end_index", last, maxLayers)
	}
	step := max(b.optional("moe_layer_interval", 1, maxLayers), 1)
	return i < b.optional("moe_layer_start_index", 0, maxLayers) || i > last || (i+1)%step != 0
}

func minimaxAttends(b *build, i int) bool {
	if b.types == nil {
		return b.each("attn_type_list", i, 1, 1) == 1
	}
	return b.attends(i)
}

func typedAttends(b *build, i int) bool { return i < len(b.types) && b.attends(i) }

func bambaAttends(b *build, i int) bool { return b.attentionLayers[i] }
