package model

// deepseekExperts are those of DeepSeek and the many that follow its names.
var deepseekExperts = mixture{
	experts: "n_routed_experts", active: "num_experts_per_tok", intermediate: "moe_intermediate_size",
	shared: "n_shared_experts", dense: firstDense,
}

var deepseekBalanced = mixture{
	experts: "n_routed_experts", active: "num_experts_per_tok", intermediate: "moe_intermediate_size",
	shared: "n_shared_experts", routerBias: true, dense: firstDense,
}

var qwenExperts = mixture{
	experts: "num_experts", active: "num_experts_per_tok", intermediate: "moe_intermediate_size",
	sharedSize: "shared_expert_intermediate_size", sharedGate: true, dense: sparseStep,
}

var (
	llama   = grouped{bias: "attention_bias", mlpBias: "mlp_bias"}
	mistral = grouped{}
	qwen2   = grouped{qkvBias: true, reach: qwenReach}
	qwen3   = grouped{bias: "attention_bias", qkNorm: headQKNorm, reach: qwenReach}
)

// rules are the families by model_type, as transformers and vLLM define them.
var rules = map[string]rule{
	"llama":   llama.rule(),
	"mistral": mistral.rule(),
	"mixtral": grouped{mlp: mixture{experts: "num_local_experts", active: "num_experts_per_tok"}.mlp}.rule(),

	"qwen2":     qwen2.rule(),
	"qwen2_moe": grouped{qkvBias: true, reach: qwenReach, mlp: qwenExperts.mlp}.rule(),
	"qwen3":     qwen3.rule(),
	"qwen3_moe": grouped{bias: "attention_bias", qkNorm: headQKNorm, reach: qwenReach, mlp: qwenExperts.mlp}.rule(),

	"gemma":  grouped{tied: true, reach: fullReach}.rule(),
	"gemma2": grouped{tied: true, norms: 4, reach: everyNth(2)}.rule(),

	"deepseek_v2":  deepseek(deepseekExperts),
	"deepseek_v3":  deepseek(deepseekBalanced),
	"deepseek_v32": deepseek(deepseekBalanced),
	"kimi_k2":      deepseek(deepseekBalanced),
	"glm_moe_dsa":  deepseek(deepseekBalanced),

	"gpt_oss": grouped{
		bias: "attention_bias", sinks: true, reach: everyNth(2),
		mlp: mixture{experts: "num_local_experts", active: "num_experts_per_tok", routerBias: true, bias: true}.mlp,
	}.rule(),
}

// byClass are families that model_type does not tell apart, by their class.
var byClass = map[string]rule{}

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
