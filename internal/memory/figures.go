package memory

import (
	"assay/internal/facts"
	"assay/internal/figure"
)

const readOn = "2026-11-30"

var (
	specSource       = facts.Source{Title: "vLLM 0.32, v1/kv_cache_interface.py and v1/core/kv_cache_utils.py", URL: "https://github.com/vllm-project/vllm/blob/v0.32.0/vllm/v1/core/kv_cache_utils.py", Date: readOn}
	workerSource     = facts.Source{Title: "vLLM 0.32, v1/worker/gpu_worker.py, determine_available_memory", URL: "https://github.com/vllm-project/vllm/blob/v0.32.0/vllm/v1/worker/gpu_worker.py", Date: readOn}
	activationSource = facts.Source{Title: "fitted on what vLLM logged on H100: llm-d-planner, capacity_planner.py, empirical table", URL: "https://github.com/llm-d-incubation/llm-d-planner", Date: "2026-04-27"}
)

// figures describes the account's numbers.
func (a Account) figures() []figure.Figure {
	c := a.Config
	bytes := func(name string, n int64) figure.Input {
		return figure.Input{Name: name, Value: float64(n), Unit: "bytes"}
	}
	count := func(name string, n int) figure.Input { return figure.Input{Name: name, Value: float64(n)} }
	s := stages(len(c.Model.Layers), c.PP)[c.PP-1]
	activation, graphs, other := c.activation(s), c.graphs(s), c.other()
	ranks := []figure.Input{count("tensor parallel", c.TP), count("pipeline stages", c.PP), count("data parallel", c.DP), count("expert parallel", c.EP)}
	return []figure.Figure{
		{Name: "usable memory of a GPU", Value: float64(a.Usable), Unit: "bytes", Kind: figure.Quoted, Source: c.Chip.Memory},
		{Name: "weights on a GPU", Value: float64(a.Weights), Unit: "bytes", Kind: figure.Computed,
			Formula: "Σ over parts: parameters of the rank × bytes each",
			Inputs:  append(ranks, bytes("weights of the model", c.Model.WeightBytes(c.format()))), Source: facts.Source{Title: c.Model.Name + ", config.json", URL: c.Model.Source, Date: c.Model.Date}},
		{Name: "activation peak", Value: float64(a.Activation), Unit: "bytes", Range: &activation, Kind: figure.Estimated,
			Formula: "base + max(max_num_batched_tokens × bytes of a token's widest layer, max_num_seqs × vocabulary × bytes of a logit)",
			Inputs:  []figure.Input{count("max_num_batched_tokens", c.MaxBatchedTokens), count("max_num_seqs", c.MaxNumSeqs), count("vocabulary", c.Model.Vocab)}, Source: activationSource},
		{Name: "CUDA graphs", Value: float64(a.Graphs), Unit: "bytes", Range: &graphs, Kind: figure.Estimated,
			Formula: "captured batch sizes × layers × bytes each", Inputs: []figure.Input{count("captured sizes", captureSizes(c.MaxNumSeqs)), count("layers", len(c.Model.Layers))}, Source: workerSource},
		{Name: "CUDA libraries and NCCL", Value: float64(a.Other), Unit: "bytes", Range: &other, Kind: figure.Estimated, Source: activationSource},
		{Name: "KV cache", Value: float64(a.KV), Unit: "bytes", Kind: a.kvKind(),
			Formula: "usable × utilisation − weights − activation − CUDA graphs − libraries",
			Inputs:  []figure.Input{bytes("usable", a.Usable), {Name: "utilisation", Value: c.Utilization}, bytes("weights", a.Weights), bytes("activation", a.Activation), bytes("CUDA graphs", a.Graphs), bytes("libraries", a.Other)}, Source: workerSource},
		{Name: "KV blocks", Value: float64(a.Blocks), Kind: a.kvKind(), Formula: "KV cache ÷ bytes of a block",
			Inputs: []figure.Input{bytes("KV cache", a.KV), bytes("block", a.Cache.BlockBytes), count("tokens in a block", a.BlockSize), count("groups", len(a.Cache.groups))}, Source: specSource},
		{Name: "largest concurrency", Value: a.MaxConcurrency, Unit: "requests", Kind: a.kvKind(), Formula: "blocks ÷ blocks of a request of max_model_len, over all groups",
			Inputs: []figure.Input{count("blocks", a.Blocks), count("max_model_len", c.MaxModelLen), count("blocks of a request", a.Cache.MostBlocks(c.MaxModelLen))}, Source: specSource},
		{Name: "KV tokens", Value: float64(a.KVTokens), Unit: "tokens", Kind: a.kvKind(), Formula: "largest concurrency × max_model_len",
			Inputs: []figure.Input{{Name: "largest concurrency", Value: a.MaxConcurrency}, count("max_model_len", c.MaxModelLen)}, Source: specSource},
	}
}

// kvKind is computed where the user fixed the KV cache, else an estimate, as what
// lies beside it is.
func (a Account) kvKind() figure.Kind {
	if a.Config.KVBytes > 0 {
		return figure.Computed
	}
	return figure.Estimated
}
