package model

import (
	"math"
	"testing"
)

// published are totals of the weights in billions as safetensors headers or model
// cards give them, without draft layers, and the parameters active for a token
// where the card states them (0: it does not). Exact totals are whole numbers.
var published = map[string]struct{ total, active float64 }{
	"tinyllama-1.1b": {1.100048384, 0},
	"llama-2-7b":     {6.738415616, 0}, "llama-2-13b": {13.01586432, 0}, "llama-2-70b": {68.976648192, 0},
	"llama-3-8b": {8.030261248, 0}, "llama-3-70b": {70.553706496, 0},
	"llama-3.1-8b": {8.030261248, 0}, "llama-3.1-70b": {70.553706496, 0}, "llama-3.1-405b": {405.8533888, 0},
	"llama-3.2-1b": {1.2358144, 0}, "llama-3.2-3b": {3.212749824, 0}, "llama-3.3-70b": {70.553706496, 0},
	"yi-34b":   {34.388917248, 0},
	"gemma-2b": {2.506172416, 0}, "gemma-7b": {8.537680896, 0},
	"gemma-2-2b": {2.614341888, 0}, "gemma-2-9b": {9.241705984, 0}, "gemma-2-27b": {27.22712832, 0},
	"mistral-7b": {7.248023552, 0}, "mistral-7b-v0.1": {7.241732096, 0}, "mistral-7b-v0.2": {7.241732096, 0},
	"mistral-nemo-12b": {12.2477824, 0}, "mistral-small-24b": {23.5724032, 0}, "mistral-large-2407": {122.610069504, 0},
	"mixtral-8x7b": {46.702792704, 12.9}, "mixtral-8x22b": {140.630071296, 39},
	"qwen2.5-0.5b": {0.494032768, 0}, "qwen2.5-1.5b": {1.543714304, 0}, "qwen2.5-3b": {3.085938688, 0}, "qwen2.5-7b": {7.615616512, 0},
	"qwen2.5-14b": {14.770033664, 0}, "qwen2.5-32b": {32.763876352, 0}, "qwen2.5-72b": {72.706203648, 0},
	"qwen1.5-moe-a2.7b": {14.315784192, 2.7},
	"qwen3-0.6b":        {0.596049920, 0}, "qwen3-1.7b": {1.72057498, 0}, "qwen3-4b": {4.022468096, 0}, "qwen3-4b-2507": {4.022468096, 0},
	"qwen3-8b": {8.190735360, 0}, "qwen3-14b": {14.7683072, 0}, "qwen3-32b": {32.762123264, 0},
	"qwen3-30b-a3b": {30.532122624, 3.3}, "qwen3-30b-a3b-2507": {30.532122624, 3.3},
	"qwen3-235b-a22b": {235.09363456, 22}, "qwen3-235b-a22b-2507": {235.09363456, 22}, "qwen3-coder-480b-a35b": {480.154875392, 35},
	"deepseek-v2": {235.741434880, 21}, "deepseek-v2-lite": {15.706484224, 2.4},
	"deepseek-v3": {671.0264192, 37}, "deepseek-r1": {671.0264192, 37}, "deepseek-v3.1": {671.0264192, 37}, "deepseek-v3.2": {671.9, 37},
	"kimi-k2": {1026.408232448, 32}, "kimi-k2-0905": {1026.408232448, 32}, "kimi-k2-thinking": {1026.408232448, 32},
	"glm-5":       {744, 40},
	"gpt-oss-20b": {20.914757184, 3.6}, "gpt-oss-120b": {116.829156672, 5.1},
}

func TestParametersMatchPublishedTotals(t *testing.T) {
	for _, a := range Presets() {
		want, ok := published[a.Name]
		if !ok {
			t.Errorf("%s has no published total to check against", a.Name)
			continue
		}
		if got := float64(a.Parameters()) / 1e9; math.Abs(got-want.total)/want.total > 0.005 {
			t.Errorf("%s: %.4f billion parameters, want %.4f", a.Name, got, want.total)
		}
		if got := float64(a.ActiveParameters()) / 1e9; want.active > 0 && math.Abs(got-want.active)/want.active > 0.12 {
			t.Errorf("%s: %.2f billion active parameters, want about %.1f", a.Name, got, want.active)
		}
	}
	for name := range published {
		if _, err := Named(name); err != nil {
			t.Error(err)
		}
	}
}
