package memory

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"assay/internal/model"
)

func TestEngineNamed(t *testing.T) {
	for ref, want := range map[string]Engine{
		"vllm": {"vllm", 0, 32}, "": {"vllm", 0, 32}, "VLLM@v0.19.1": {"vllm", 0, 19}, "sglang@0.5": {"sglang", 0, 5}, "tensorrt-llm": {"trtllm", 1, 0},
	} {
		if got, err := EngineNamed(ref); err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", ref, got, err, want)
		}
	}
	for ref, want := range map[string]string{"tgi": "known are vllm", "vllm@0.6": "older than 0.8", "vllm@new": `version "new"`, "vllm@": "no name or no version", "@": "no name or no version", "vllm@1": `version "1"`} {
		if _, err := EngineNamed(ref); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", ref, err, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	base := Config{Model: named(t, "llama-3.1-8b"), Chip: chip(t, "H100")}
	ds, _ := KVFormatNamed("fp8_ds_mla")
	for want, change := range map[string]func(*Config){
		"does not divide the 32 attention heads": func(c *Config) { c.TP = 3 },
		"lower it":                               func(c *Config) { c.MaxModelLen = 200000 },
		"gpu_memory_utilization 1.5":             func(c *Config) { c.Utilization = 1.5 },
		"more than the 32 layers":                func(c *Config) { c.PP = 64 },
		"expert parallel 3":                      func(c *Config) { c.EP = 3 },
		"for latent attention (MLA) only":        func(c *Config) { c.KV = ds },
		"there is no model":                      func(c *Config) { c.Model.Layers = nil },
		"is not known":                           func(c *Config) { c.Chip.Usable = 0 },
	} {
		c := base
		change(&c)
		if _, err := Of(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	c := base
	c.Chip = chip(t, "L4") // 22.0 GiB for 15 of weights: less than one request of 131,072 tokens
	var small *TooSmallError
	if _, err := Of(c); !errors.As(err, &small) || small.MaxModelLen < 8192 || small.MaxModelLen >= c.Model.Context {
		t.Fatalf("%v; want what max_model_len to lower to", err)
	}
	c.MaxModelLen = small.MaxModelLen
	if _, err := Of(c); err != nil {
		t.Errorf("with the length that the error names: %v", err)
	}
	c.MaxModelLen++
	if _, err := Of(c); !errors.As(err, &small) {
		t.Errorf("with one token more: %v; want it refused", err)
	}
	c.MaxModelLen, c.AutoModelLen = 0, true
	if a, err := Of(c); err != nil || a.Config.MaxModelLen != small.MaxModelLen {
		t.Errorf("by itself it takes %d tokens, %v; want %d", a.Config.MaxModelLen, err, small.MaxModelLen)
	}
}

// MLA's latent vector lies whole on every rank; one KV head does, too.
func TestWhatTensorParallelismDoesNotDivide(t *testing.T) {
	for name, want := range map[string][2]int{"deepseek-v3": {1, 8}, "llama-3.1-8b": {1, 8}, "gemma-2b": {1, 8}} {
		one, eight := Config{Model: named(t, name), TP: want[0]}, Config{Model: named(t, name), TP: want[1]}
		a, err1 := CacheOf(one)
		b, err2 := CacheOf(eight)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		share := map[string]int64{"deepseek-v3": 1, "llama-3.1-8b": 8, "gemma-2b": 1}[name]
		if a.BlockBytes != share*b.BlockBytes {
			t.Errorf("%s: a block of %d bytes on one rank, %d on each of eight; want 1/%d", name, a.BlockBytes, b.BlockBytes, share)
		}
	}
}

// A request holds no more than what was set aside for it, and more tokens never
// need fewer blocks of what keeps all.
func TestBlocksStayWithinWhatIsSetAside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		layer := func() model.Layer {
			a := model.Attention{Kind: rapid.SampledFrom([]model.AttentionKind{model.Full, model.Sliding, model.Chunked}).Draw(t, "kind"), Heads: 8, KVHeads: 8, HeadDim: 64}
			if a.Kind != model.Full {
				a.Window = rapid.IntRange(2, 300).Draw(t, "window")
			}
			return model.Layer{Attention: a}
		}
		layers := make([]model.Layer, rapid.IntRange(1, 6).Draw(t, "layers"))
		for i := range layers {
			layers[i] = layer()
		}
		c, err := CacheOf(Config{Model: model.Arch{Layers: layers, Context: 4096}, MaxBatchedTokens: 64, MaxNumSeqs: 4})
		if err != nil {
			t.Fatal(err)
		}
		for settled := 0; settled < 1000; {
			tokens := settled + rapid.IntRange(1, 64).Draw(t, "step")
			if got, most := c.Rest(tokens, settled), c.RestAtMost(4096); got > most || got < 0 {
				t.Fatalf("%d tokens after %d hold %d blocks of windows, and %d are set aside", tokens, settled, got, most)
			}
			if c.Main(tokens) < c.Main(settled) {
				t.Fatalf("%d tokens hold fewer blocks than %d", tokens, settled)
			}
			settled = tokens
		}
	})
}
