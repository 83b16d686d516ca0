package memory

import (
	"fmt"
	"strings"

	"assay/internal/model"
)

// KVFormat is how keys and values are stored, as vLLM's --kv-cache-dtype names
// it. The zero KVFormat is auto: 16 bits, as the model computes.
type KVFormat struct {
	Name string

	width  float64 // bytes of one element, scales aside; 0: 2
	scales int     // bytes beside each key, and each value, of a head
	group  int     // elements that share one byte of scale; 0: none
	latent int     // bytes of a token's whole latent vector in a layer; 0: by element
	only   model.AttentionKind
}

// kvFormats as vLLM 0.32 lays them out: v1/attention/backends/triton_attn.py
// (scales of 4 bytes a token and head), utils/torch_utils.py
// nvfp4_kv_cache_full_dim (a byte of scale for each 16), and
// layers/attention/mla_attention.py (656 bytes: 512 of FP8, 4 scales, 64 of BF16).
var kvFormats = []KVFormat{
	{Name: "auto"},
	{Name: "bf16"},
	{Name: "fp8", width: 1},
	{Name: "fp8_per_token_head", width: 1, scales: 4},
	{Name: "int8_per_token_head", width: 1, scales: 4},
	{Name: "nvfp4", width: 0.5, group: 16, only: model.Full},
	{Name: "fp8_ds_mla", width: 1, latent: 656, only: model.Latent},
}

// kvAliases are other spellings that vLLM takes.
var kvAliases = map[string]string{"bfloat16": "bf16", "float16": "bf16", "fp16": "bf16", "fp8_e4m3": "fp8", "fp8_e5m2": "fp8", "": "auto"}

// KVFormatNamed finds a format by name, whatever the case. The error lists the known ones.
func KVFormatNamed(name string) (KVFormat, error) {
	want := strings.ToLower(name)
	if alias, ok := kvAliases[want]; ok {
		want = alias
	}
	names := make([]string, len(kvFormats))
	for i, f := range kvFormats {
		if f.Name == want {
			return f, nil
		}
		names[i] = f.Name
	}
	return KVFormat{}, fmt.Errorf("unknown KV cache precision %q: known are %s", name, strings.Join(names, ", "))
}

// Width is the bytes of one element, scales aside.
func (f KVFormat) Width() float64 {
	if f.width == 0 {
		return 2
	}
	return f.width
}

// vector is the bytes of one head's key, or value, of n elements.
func (f KVFormat) vector(n int) int64 {
	b := int64(float64(n) * f.Width())
	if f.group > 0 {
		b += int64(n / f.group)
	}
	return b + int64(f.scales)
}

// token is the bytes that one token adds to one attention layer on a rank that
// holds that many of its KV heads.
func (f KVFormat) token(t model.Attention, heads int) int64 {
	if t.Kind == model.Latent {
		if f.latent > 0 {
			return int64(f.latent)
		}
		return int64(float64(t.LatentRank+t.RopeDim) * f.Width())
	}
	value := t.ValueDim
	if value == 0 {
		value = t.HeadDim
	}
	return int64(heads) * (f.vector(t.HeadDim) + f.vector(value))
}

// Fits says whether an engine stores that attention in this format, and else why not.
func (f KVFormat) Fits(a model.Arch) error {
	if f.only == model.NoAttention {
		return nil
	}
	for _, l := range a.Layers {
		k := l.Attention.Kind
		if k == model.NoAttention || l.Attention.Shared {
			continue
		}
		if (f.only == model.Latent) != (k == model.Latent) {
			kinds := map[bool]string{true: "latent attention (MLA)", false: "attention that is not latent"}
			return fmt.Errorf("a KV cache in %s is for %s only, and %s has another: use auto or fp8", f.Name, kinds[f.only == model.Latent], a.Name)
		}
	}
	return nil
}

// KVWidth is a format of which only the bytes of an element are known.
func KVWidth(bytes float64) KVFormat {
	return KVFormat{Name: fmt.Sprintf("%g-byte", bytes), width: bytes}
}
