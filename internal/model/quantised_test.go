package model

import (
	"math"
	"strings"
	"testing"
)

// gib of weights as checkpoints or engines state them.
func TestWeightBytesOfPublishedCheckpoints(t *testing.T) {
	for name, c := range map[string]struct {
		gib  float64
		from string
	}{
		"qwen3-32b":               {61.03, "vLLM on an H100: 61.03 GiB"},
		"qwen2.5-32b":             {61.03, "safetensors: 65.5 GB"},
		"llama-3.3-70b-fp8":       {2 * 33.88, "vLLM at TP 2: 33.88 GiB each"},
		"deepseek-r1":             {641.3 - 14.4, "688.6 GB of files, less the draft layer with its embedding and output, 15.4 GB"},
		"gpt-oss-120b":            {60.8, "model card: 60.8 GiB"},
		"gpt-oss-20b":             {12.8, "model card: 12.8 GiB"},
		"kimi-k2-thinking":        {594.0 / 1.073741824, "about 594 GB of files"},
		"llama-3.1-8b-nvfp4":      {6.06 / 1.073741824, "nvidia/Llama-3.1-8B-Instruct-FP4: 6.06 GB"},
		"Llama-3-8B-Instruct-AWQ": {5.73 / 1.073741824, "5.73 GB of files"},
	} {
		a, err := Named(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := float64(a.WeightBytes(a.Format)) / (1 << 30); math.Abs(got-c.gib)/c.gib > 0.01 {
			t.Errorf("%s: %.2f GiB, want %.2f (%s)", name, got, c.gib, c.from)
		}
	}
}

func TestFormatsOfQuantisationConfigs(t *testing.T) {
	dense := `{"model_type":"llama",` + small + `,"quantization_config":`
	moe := `{"model_type":"deepseek_v3",` + small + `,"kv_lora_rank":16,"qk_rope_head_dim":8,"qk_nope_head_dim":8,"v_head_dim":8,"n_routed_experts":8,"num_experts_per_tok":2,"moe_intermediate_size":32,"n_shared_experts":1,"first_k_dense_replace":1,"quantization_config":`
	type want struct {
		name                                  string
		compute                               Math
		projection, dense, shared, expert, kv float64 // bytes of a parameter; kv: 1 for FP8
	}
	for config, w := range map[string]want{
		dense + `null}`: {"bf16", BF16, 2, 2, 2, 2, 2},
		dense + `{"quant_method":"fp8","weight_block_size":[128,128]}}`:                                       {"fp8", FP8, 1 + 4.0/16384, 1 + 4.0/16384, 2, 2, 2},
		dense + `{"quant_method":"fbgemm_fp8","modules_to_not_convert":["model.layers.0.mlp"]}}`:              {"fp8", FP8, 1, 1.25, 2, 2, 2},
		dense + `{"quant_method":"gptq","bits":4,"group_size":128}}`:                                          {"gptq", BF16, 0.5 + 2.5/128, 0.5 + 2.5/128, 2, 2, 2},
		dense + `{"quant_method":"gptq","bits":8,"group_size":-1}}`:                                           {"int8", BF16, 1, 1, 2, 2, 2},
		dense + `{"quant_method":"awq","bits":4,"group_size":64}}`:                                            {"awq", BF16, 0.5 + 2.5/64, 0.5 + 2.5/64, 2, 2, 2},
		dense + `{"quant_method":"bitsandbytes","load_in_4bit":true}}`:                                        {"int4", BF16, 0.5625, 0.5625, 2, 2, 2},
		dense + `{"quant_method":"modelopt","quant_algo":"FP8","kv_cache_quant_algo":"FP8"}}`:                 {"fp8", FP8, 1, 1, 2, 2, 1},
		moe + `{"quant_method":"mxfp4"}}`:                                                                     {"mxfp4", FP4, 2, 2, 2, 0.53125, 2},
		moe + `{"quant_method":"modelopt","quant_algo":"NVFP4","exclude_modules":["*self_attn*","lm_head"]}}`: {"nvfp4", FP4, 2, 0.5625, 0.5625, 0.5625, 2},
		moe + `{"quant_method":"modelopt","quant_algo":"NVFP4","ignore":["model.layers.1.self_attn*","model.layers.2.self_attn*","model.layers.3.self_attn*","model.layers.0.self_attn*","model.layers.4*"]}}`:                                                                                                                   {"nvfp4", FP4, 2, 0.5625, 0.5625, 0.5625, 2},
		moe + `{"quant_method":"compressed-tensors","ignore":["re:.*self_attn.*","re:.*shared_experts.*","re:.*mlp\\.(gate|up|gate_up|down)_proj.*"],"config_groups":{"group_0":{"targets":["Linear"],"weights":{"num_bits":4,"type":"int","group_size":32,"symmetric":true}}}}}`:                                                {"int4", BF16, 2, 2, 2, 0.5625, 2},
		dense + `{"quant_method":"compressed-tensors","config_groups":{"group_0":{"targets":["Linear"],"weights":{"num_bits":8,"type":"float"},"input_activations":{"num_bits":8}}}}}`:                                                                                                                                           {"fp8", FP8, 1, 1, 2, 2, 2},
		dense + `{"quant_method":"compressed-tensors","config_groups":{"group_0":{"targets":["re:.*self_attn.*"],"weights":{"num_bits":8,"type":"float"},"input_activations":{"num_bits":8}},"group_1":{"targets":["re:.*mlp.*"],"weights":{"num_bits":4,"type":"float","group_size":16},"input_activations":{"num_bits":4}}}}}`: {"nvfp4", FP4, 1, 0.5625, 2, 2, 2},
		dense + `{"quant_method":"modelopt","quant_algo":"MIXED_PRECISION","quantized_layers":{"model.layers.0.mlp.up_proj":{"quant_algo":"FP8"},"model.layers.1.mlp.up_proj":{"quant_algo":"FP8"},"model.layers.2.mlp.up_proj":{"quant_algo":"FP8"},"model.layers.3.mlp.up_proj":{"quant_algo":"FP8"}}}}`:                       {"fp8", FP8, 2, 1, 2, 2, 2},
		dense + `{"quant_method":"quark","global_quant_config":{"weight":{"dtype":"fp8_e4m3"}}}}`: {"fp8", FP8, 1, 1, 2, 2, 2},
	} {
		f := parsed(t, config).Format
		kv := 2.0
		if f.KV == "fp8" {
			kv = 1
		}
		got := want{f.Name, f.Compute, f.Width(Projection), f.Width(Dense), f.Width(SharedExpert), f.Width(Expert), kv}
		if got != w {
			t.Errorf("%s:\n got %+v\nwant %+v", config[strings.Index(config, "quantization_config"):], got, w)
		}
		for _, p := range []Part{Embedding, Head, Router, Norm, Vision} {
			if f.Width(p) != 2 {
				t.Errorf("%s: part %d has %g bytes a parameter, want 2", f.Name, p, f.Width(p))
			}
		}
	}
}

func TestQuantisedFollowsTheArchitecture(t *testing.T) {
	dense, _ := Named("llama-3.1-8b")
	if f, err := dense.Quantised("mxfp4"); err != nil || f.Width(Dense) != 0.53125 || f.Width(Projection) != 0.53125 {
		t.Errorf("mxfp4 of a dense model: %g bytes, %v", f.Width(Dense), err)
	}
	latent, _ := Named("deepseek-r1")
	if f, _ := latent.Quantised("nvfp4"); f.Width(Projection) != 2 || f.Width(Expert) != 0.5625 {
		t.Errorf("nvfp4 over a latent: %g and %g bytes", f.Width(Projection), f.Width(Expert))
	}
	compressed, _ := Named("nvidia/DeepSeek-V4-Flash-NVFP4")
	if f := compressed.Format; f.Name != "nvfp4" || f.Width(Projection) != 1 || f.Width(Expert) != 0.5625 {
		t.Errorf("nvfp4 of DeepSeek-V4: %s, %g and %g bytes", f.Name, f.Width(Projection), f.Width(Expert))
	}
	if _, err := dense.Quantised("fp3"); err == nil || !strings.Contains(err.Error(), "nvfp4") {
		t.Errorf("fp3: %v", err)
	}
}
