package model

import (
	"math"
	"testing"
)

func TestPairsByHand(t *testing.T) {
	for name, c := range map[string]struct {
		t          Attention
		context, n int
		want       float64
	}{
		"full":                     {Attention{Kind: Full}, 10, 3, 11 + 12 + 13},
		"sliding, short":           {Attention{Kind: Sliding, Window: 100}, 10, 3, 11 + 12 + 13},
		"sliding, full":            {Attention{Kind: Sliding, Window: 12}, 10, 4, 11 + 12 + 12 + 12},
		"chunked, first":           {Attention{Kind: Chunked, Window: 8}, 2, 3, 3 + 4 + 5},
		"chunked, over a boundary": {Attention{Kind: Chunked, Window: 8}, 6, 4, 7 + 8 + 1 + 2},
		"sparse":                   {Attention{Kind: Latent, Indexer: Indexer{TopK: 4}}, 2, 4, 3 + 4 + 4 + 4},
		"cross":                    {Attention{Kind: Cross, Window: 7}, 100, 2, 14},
		"compressed, picked":       {Attention{Kind: Compressed, Window: 8, Compress: 4, Indexer: Indexer{TopK: 10}}, 99, 1, 8 + 10},
		"compressed, all":          {Attention{Kind: Compressed, Window: 8, Compress: 10}, 99, 1, 8 + 10},
		"none":                     {Attention{}, 100, 2, 0},
	} {
		if got := c.t.pairs(c.context, c.n); got != c.want {
			t.Errorf("%s: %g pairs, want %g", name, got, c.want)
		}
	}
}

func TestKVReadBytesByHand(t *testing.T) {
	a := Arch{Layers: []Layer{
		{Attention: Attention{Kind: Full, Heads: 8, KVHeads: 2, HeadDim: 64}},
		{Attention: Attention{Kind: Sliding, Heads: 8, KVHeads: 2, HeadDim: 64, Window: 100}},
		{Attention: Attention{Kind: Sliding, Heads: 8, KVHeads: 2, HeadDim: 64, Window: 100, Shared: true}},
		{Attention: Attention{Kind: Latent, Heads: 16, KVHeads: 1, LatentRank: 512, RopeDim: 64, Indexer: Indexer{TopK: 50, CacheBytes: 132}}},
		{State: State{Kind: "mamba2", Conv: 10, Recurrent: 1000, RecurrentF32: true}},
	}}
	c := a.Costs(Format{})
	got := c.KVReadBytes(999, 2)
	want := 256.0*2*1000 + 256*2*100 + 256*2*100 + 576*2*50 + 132*1000
	if got != want {
		t.Errorf("a step reads %g bytes of KV, want %g", got, want)
	}
	if got, want := c.KVWriteBytes(2), 256.0*2+256*2+576*2+132; got != want {
		t.Errorf("a token writes %g bytes of KV, want %g", got, want)
	}
	if got, want := c.State, 2*(10.0*2+1000*4); got != want {
		t.Errorf("a step moves %g bytes of state, want %g", got, want)
	}
}

func TestLatentAttentionTakesTheCheaperForm(t *testing.T) {
	a, err := Named("deepseek-v3")
	if err != nil {
		t.Fatal(err)
	}
	c := a.Costs(a.Format)
	// Decode over latents: 61 layers, 128 heads, 2·(2·512+64) FLOPs for each of 1001 keys.
	if got, want := c.AttentionFLOPs(1000, 1), 61.0*128*2*(2*512+64)*1001; got != want {
		t.Errorf("decode: %g FLOPs, want %g", got, want)
	}
	// Prefill over expanded heads: 2·(192+128) for each pair.
	if got, want := c.AttentionFLOPs(0, 1000), 61.0*128*2*(192+128)*1000*1001/2; got != want {
		t.Errorf("prefill: %g FLOPs, want %g", got, want)
	}
}

func TestCostsAgreeWithTheLayers(t *testing.T) {
	for _, a := range Presets() {
		c := a.Costs(a.Format)
		stored := float64(a.WeightBytes(a.Format))
		if all := c.ReadBytes(1 << 20); all > stored*1.0001 {
			t.Errorf("%s: a pass reads %.4g bytes of %.4g stored", a.Name, all, stored)
		}
		if got, want := c.KVWriteBytes(2), float64(a.KVBytesPerToken(2)); math.Abs(got-want) > 1 {
			t.Errorf("%s: a token writes %g bytes, want %g", a.Name, got, want)
		}
		if one, two := c.ReadBytes(1), c.ReadBytes(2); a.MoE() && two <= one || !a.MoE() && one != two {
			t.Errorf("%s: %g bytes for a token, %g for two", a.Name, one, two)
		}
	}
}

func BenchmarkStepCosts(b *testing.B) {
	a, _ := Named("deepseek-v3.2")
	c := a.Costs(a.Format)
	for b.Loop() {
		c.ReadBytes(37)
		c.KVReadBytes(5000, 1)
	}
}
