package model

import (
	"strings"
	"testing"
)

func TestNamed(t *testing.T) {
	for name, want := range map[string][2]string{
		"Llama-3.1-8B-Instruct":                           {"llama-3.1-8b", "bf16"},
		"meta-llama/Llama-3.2-1B":                         {"llama-3.2-1b", "bf16"},
		"qwen3-32B":                                       {"qwen3-32b", "bf16"},
		"nvidia/Llama-3.1-8B-Instruct-FP8":                {"llama-3.1-8b", "fp8"},
		"nvidia/DeepSeek-R1-NVFP4":                        {"deepseek-r1", "nvfp4"},
		"nvidia/DeepSeek-V3.1-NVFP4":                      {"deepseek-v3.1", "nvfp4"},
		"nvidia/Qwen3-32B-NVFP4":                          {"qwen3-32b", "nvfp4"},
		"Qwen/Qwen3-235B-A22B-FP8":                        {"qwen3-235b-a22b", "fp8"},
		"zhipuai/GLM-5":                                   {"glm-5", "bf16"},
		"zai-org/GLM-5-FP8":                               {"glm-5", "fp8"},
		"deepseek-ai/DeepSeek-R1-0528":                    {"deepseek-r1", "fp8"},
		"moonshotai/Kimi-K2-Thinking":                     {"kimi-k2-thinking", "int4"},
		"TheBloke/Llama-2-70B-Chat-AWQ":                   {"llama-2-70b", "awq"},
		"Qwen/Qwen2.5-72B-Instruct-GPTQ-Int4":             {"qwen2.5-72b", "gptq"},
		"unsloth/Qwen3-8B-bnb-4bit":                       {"qwen3-8b", "int4"},
		"nvidia/DeepSeek-R1-0528-FP4-v2":                  {"deepseek-r1", "nvfp4"},
		"MiniMaxAI/MiniMax-M3-MXFP8":                      {"minimax-m3", "fp8"},
		"amd/Llama-3.1-70B-Instruct-FP8-KV":               {"llama-3.1-70b", "fp8"},
		"openai/gpt-oss-120b":                             {"gpt-oss-120b", "mxfp4"},
		"unsloth/gpt-oss-20b-BF16":                        {"gpt-oss-20b", "bf16"},
		"RedHatAI/Meta-Llama-3.1-8B-Instruct-FP8-dynamic": {"llama-3.1-8b", "fp8"},
	} {
		a, err := Named(name)
		if err != nil || a.Name != want[0] || a.Format.Name != want[1] {
			t.Errorf("Named(%q) = %q in %q, %v; want %q in %q", name, a.Name, a.Format.Name, err, want[0], want[1])
		}
	}
	_, err := Named("qwen3-9b")
	if err == nil || !strings.Contains(err.Error(), "qwen3-8b") || strings.Count(err.Error(), ",") > 6 {
		t.Errorf("error of an unknown model: %v", err)
	}
}
