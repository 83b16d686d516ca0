package model

import (
	"errors"
	"strings"
	"testing"
)

func parsed(t *testing.T, config string) Arch {
	t.Helper()
	a, err := Parse("test", []byte(config))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

const small = `"hidden_size":64,"num_hidden_layers":4,"num_attention_heads":4,"num_key_value_heads":2,"intermediate_size":128,"vocab_size":1000`

func TestParseRefusesWhatIsNoModel(t *testing.T) {
	for config, want := range map[string]string{
		``:                                "ends early",
		`{"hidden_size": 4`:               "ends early",
		`[1,2]`:                           "not a JSON object",
		`null`:                            "null",
		`{} {}`:                           "something follows",
		`{}`:                              "no fields",
		`{"a":1}`:                         "no model_type",
		`{"model_type":"llama"}`:          "no hidden_size",
		`{"model_type":"resnet"}`:         `unknown architecture "resnet"`,
		`{"architectures":["FooForBar"]}`: `unknown architecture "FooForBar"`,
		`{"model_type":"llama","hidden_size":-4096}`:                                                                                   "below 0",
		`{"model_type":"llama","hidden_size":0}`:                                                                                       "below 1",
		`{"model_type":"llama","hidden_size":"big"}`:                                                                                   `"big", not a number`,
		`{"model_type":"llama","hidden_size":64.5}`:                                                                                    "not a whole number",
		`{"model_type":"llama","hidden_size":1e300}`:                                                                                   "above",
		`{"model_type":"llama","hidden_size":64,"num_hidden_layers":20000}`:                                                            "num_hidden_layers is 20000, above 10000",
		`{"model_type":"llama",` + small + `,"num_key_value_heads":3}`:                                                                 "not a multiple of num_key_value_heads 3",
		`{"model_type":"llama",` + small + `,"num_attention_heads":6,"num_key_value_heads":6}`:                                         "hidden_size 64 is not a multiple of num_attention_heads 6",
		`{"model_type":"qwen3",` + small + `,"layer_types":["full_attention"]}`:                                                        "1 items for 4 layers",
		`{"model_type":"olmo3",` + small + `,"layer_types":["full_attention","x","x","x"]}`:                                            `unknown attention "x"`,
		`{"model_type":"gemma2",` + small + `,"layer_types":["sliding_attention","full_attention","full_attention","full_attention"]}`: "no sliding_window",
		`{"model_type":"llama",` + small + `,"quantization_config":{"quant_method":"aqlm"}}`:                                           `unknown quantisation "aqlm"`,
		`{"model_type":"llama",` + small + `,"quantization_config":{"quant_method":"awq","modules_to_not_convert":["re:("]}}`:          "no regular expression",
		`{"model_type":"llava","text_config":{"model_type":"llama",` + small + `},"vision_config":{"hidden_size":8}}`:                  `unknown vision tower "llava"`,
		"\xff\xfe{\x00}\x00": "UTF-16",
		`{"model_type":"llama",` + small + `,"quantization_config":"fp8"}`:                                                           `quantization_config is "fp8", not an object`,
		`{"model_type":"llama",` + small + `,"rope_scaling":[1]}`:                                                                    "rope_scaling is [1], not an object",
		`{"model_type":"llama",` + small + `,"tie_word_embeddings":"yes"}`:                                                           `tie_word_embeddings is "yes", neither true nor false`,
		`{"model_type":"qwen3",` + small + `,"layer_types":["full_attention",1,"full_attention","full_attention","full_attention"]}`: "not all of it are names",
		`{"model_type":"qwen3",` + small + `,"layer_types":"full_attention"}`:                                                        `layer_types is "full_attention", not a list`,
		`{"model_type":"mixtral",` + small + `,"num_local_experts":8,"num_experts_per_tok":100}`:                                     "num_experts_per_tok is 100, of 8 experts",
		`{"model_type":"deepseek_v3",` + small + `}`:                                                                                 "no n_routed_experts",
		`{"model_type":"nemotron_h",` + small + `}`:                                                                                  "no hybrid_override_pattern",
		`{"model_type":"nemotron_h",` + small + `,"hybrid_override_pattern":"X"}`:                                                    `unknown layer "X"`,
		`{"model_type":"mixtral","hidden_size":16777216,"num_hidden_layers":10000,"num_attention_heads":65536,"intermediate_size":16777216,"vocab_size":16777216,"num_local_experts":65536,"num_experts_per_tok":2}`: "parameters: at most",
	} {
		_, err := Parse("test", []byte(config))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.90s: %v; want %q", config, err, want)
		}
	}
}

// What editors put before a text is no part of it.
func TestParsePassesOverAByteOrderMark(t *testing.T) {
	if a := parsed(t, "\ufeff"+`{"model_type":"llama",`+small+`}`); a.Hidden != 64 {
		t.Errorf("hidden size %d", a.Hidden)
	}
}

func TestModulesListedForTooManyLayersAreRefused(t *testing.T) {
	list := strings.Repeat(`"re:.*x.*",`, 99) + `"lm_head"`
	config := func(layers string) []byte {
		return []byte(`{"model_type":"llama","hidden_size":64,"num_hidden_layers":` + layers + `,"num_attention_heads":4,"intermediate_size":128,"vocab_size":9,
			"quantization_config":{"quant_method":"fp8","ignored_layers":[` + list + `]}}`)
	}
	if _, err := Parse("test", config("10000")); err == nil || !strings.Contains(err.Error(), "too long for its layers") {
		t.Errorf("100 patterns for 10000 layers: %v", err)
	}
	if _, err := Parse("test", config("100")); err != nil {
		t.Errorf("100 patterns for 100 layers: %v", err)
	}
}

func TestUnknownErrorNamesWhatIsNotKnown(t *testing.T) {
	_, err := Parse("test", []byte(`{"model_type":"qwen3_next",`+small+`,"layer_types":["retention","full_attention","full_attention","full_attention"],"num_experts":4,"num_experts_per_tok":2,"moe_intermediate_size":8}`))
	var unknown *UnknownError
	if !errors.As(err, &unknown) || unknown.Name != "retention" || unknown.What != "layer" {
		t.Errorf("%v", err)
	}
}

func TestContextFollowsTheScalingOfRoPE(t *testing.T) {
	for scaling, want := range map[string]int{
		`null`:                               1000,
		`{"type":"linear","factor":4.0}`:     4000,
		`{"rope_type":"dynamic","factor":2}`: 2000,
		`{"rope_type":"yarn","factor":8,"original_max_position_embeddings":500}`:    4000,
		`{"rope_type":"llama3","factor":8,"original_max_position_embeddings":8192}`: 1000,
		`{"type":"longrope","long_factor":[1]}`:                                     1000,
	} {
		a := parsed(t, `{"model_type":"llama",`+small+`,"max_position_embeddings":1000,"rope_scaling":`+scaling+`}`)
		if a.Context != want {
			t.Errorf("%s: context %d, want %d", scaling, a.Context, want)
		}
	}
}

func TestWindowsByFamily(t *testing.T) {
	for config, want := range map[string]string{
		`{"model_type":"mistral",` + small + `,"sliding_window":100}`:                                                                                   "ssss",
		`{"model_type":"mistral",` + small + `,"sliding_window":null}`:                                                                                  "ffff",
		`{"model_type":"mistral",` + small + `}`:                                                                                                        "ssss", // the class has a window of its own
		`{"model_type":"qwen2",` + small + `,"sliding_window":100,"use_sliding_window":false}`:                                                          "ffff",
		`{"model_type":"qwen2",` + small + `,"sliding_window":100,"use_sliding_window":true,"max_window_layers":3}`:                                     "fffs",
		`{"model_type":"gemma2",` + small + `,"sliding_window":100}`:                                                                                    "sfsf",
		`{"model_type":"gemma3_text",` + small + `,"sliding_window":100,"sliding_window_pattern":2}`:                                                    "sfsf",
		`{"model_type":"gemma3_text",` + small + `,"sliding_window":100}`:                                                                               "ssss",
		`{"model_type":"cohere2",` + small + `,"sliding_window":100}`:                                                                                   "sssf",
		`{"model_type":"exaone4",` + small + `,"sliding_window":100,"sliding_window_pattern":"LG"}`:                                                     "sfsf",
		`{"model_type":"llama4_text",` + small + `,"attention_chunk_size":64,"num_local_experts":2,"num_experts_per_tok":1}`:                            "cccf",
		`{"model_type":"llama4_text",` + small + `,"attention_chunk_size":64,"no_rope_layers":[0,1,1,1],"num_local_experts":2,"num_experts_per_tok":1}`: "fccc",
		`{"model_type":"llama4_text",` + small + `,"attention_chunk_size":null,"num_local_experts":2,"num_experts_per_tok":1}`:                          "ffff",
	} {
		got := ""
		for _, l := range parsed(t, config).Layers {
			got += map[AttentionKind]string{Full: "f", Sliding: "s", Chunked: "c"}[l.Attention.Kind]
		}
		if got != want {
			t.Errorf("%s: layers %s, want %s", config, got, want)
		}
	}
}

// FuzzParse holds that hostile numbers give an error or a model whose counts did
// not wrap.
func FuzzParse(f *testing.F) {
	for _, name := range configFiles() {
		data, err := configs.ReadFile("configs/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"model_type":"mixtral","hidden_size":16777216,"num_hidden_layers":10000,"num_attention_heads":1,"vocab_size":9,"num_local_experts":65536}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := Parse("fuzz", data)
		if err != nil {
			return
		}
		if n := a.Parameters(); n <= 0 || n > 2*maxParameters || a.ActiveParameters() < 0 {
			t.Errorf("%d parameters, %d active", n, a.ActiveParameters())
		}
		for p, n := range a.Counts() {
			if n < 0 {
				t.Errorf("part %d has %d parameters", p, n)
			}
		}
		c := a.Costs(a.Format)
		for name, x := range map[string]float64{
			"weights": float64(a.WeightBytes(a.Format)), "KV": float64(a.KVBytesPerToken(2)), "state": a.StateBytes(2),
			"read": c.ReadBytes(7), "FLOPs": c.Token, "attention": c.AttentionFLOPs(1000, 10), "KV read": c.KVReadBytes(1000, 1),
		} {
			if !(x >= 0) || x > 1e30 {
				t.Errorf("%s: %g", name, x)
			}
		}
	})
}
