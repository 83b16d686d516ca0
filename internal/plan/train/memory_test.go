package train

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"assay/internal/model"
)

func arch(t testing.TB, name string) model.Arch {
	t.Helper()
	a, err := model.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func sized(t testing.TB, name string, m Method) sizing {
	t.Helper()
	r := Request{Model: arch(t, name), Method: m, Tokens: 1e9, Adapters: Adapters{Rank: 16, Targets: []string{"all"}}}
	_, s, err := r.check()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Korthikanti et al. count 34 s·b·h bytes for a GPT layer, of which 2 are the masks
// of dropout, and 5·a·s/h for the scores that FlashAttention does not keep.
func TestActivationsOfGPT(t *testing.T) {
	h := 12288
	l := model.Layer{Attention: model.Attention{Kind: model.Full, Heads: 96, KVHeads: 96, HeadDim: 128}, MLP: model.MLP{Matrices: 2, Intermediate: 4 * h}}
	a := model.Arch{Hidden: h, Layers: []model.Layer{l}}
	if got, want := activationBytes(a, l, NoRecompute), 32*float64(h); got != want {
		t.Errorf("kept for a token: %g bytes, want 32·h = %g", got, want)
	}
	if got, want := activationBytes(a, l, FullRecompute), 2*float64(h); got != want {
		t.Errorf("with full recomputation: %g bytes, want 2·h = %g", got, want)
	}
	if some := activationBytes(a, l, Selective); some <= 2*float64(h) || some >= 32*float64(h) {
		t.Errorf("selective keeps %g bytes, which is not between", some)
	}
}

// Mixed precision with Adam takes 16 bytes a parameter over all GPUs, sharded or not,
// where one copy is trained (Rajbhandari et al.): 2 more of weights on their way.
func TestStatesOfAdam(t *testing.T) {
	s := sized(t, "llama-3.1-8b", Full)
	p := float64(s.arch.Parameters())
	sharded := s.memory(Layout{DP: 1, FSDP: 8, TP: 1, PP: 1, EP: 1, MicroBatch: 1, Accumulation: 1, Recompute: FullRecompute}, 0)
	if got := 8 * float64(sharded.Weights+sharded.Gradients+sharded.Optimizer); math.Abs(got/(16*p)-1) > 0.001 {
		t.Errorf("8 shards hold %.2f bytes a parameter, want 16", got/p)
	}
	one := s.memory(Layout{DP: 1, FSDP: 1, TP: 1, PP: 1, EP: 1, MicroBatch: 1, Accumulation: 1, Recompute: FullRecompute}, 0)
	if got := float64(one.Weights + one.Gradients + one.Optimizer); math.Abs(got/(18*p)-1) > 0.001 {
		t.Errorf("one GPU holds %.2f bytes a parameter, want 2 + 4 + 12", got/p)
	}
}

// torchtune prints the peak memory of Llama 3.1 8B at batch 2, sequence 2048, with the
// loss in chunks and adapters of rank 8: 7.4 GiB with QLoRA and 16.2 with LoRA on an RTX 4090 (README, 2024-09).
func TestAdaptersAgainstTorchtune(t *testing.T) {
	for method, want := range map[Method]float64{LoRA: 16.2, QLoRA: 7.4} {
		s := sized(t, "llama-3.1-8b", method)
		s.sequence, s.chunked = 2048, true
		s.adapters, _ = Adapters{Rank: 8, Targets: []string{"q", "v", "o", "mlp"}}.parameters(s.arch)
		m := s.memory(Layout{DP: 1, FSDP: 1, TP: 1, PP: 1, EP: 1, MicroBatch: 2, Accumulation: 1, Recompute: FullRecompute}, 0)
		// PyTorch's peak leaves out the CUDA context.
		if got := gib(m.Total - m.Overhead); math.Abs(got/want-1) > 0.15 {
			t.Errorf("%s: %.1f GiB, torchtune measured %.1f", method, got, want)
		}
	}
}

// PEFT prints this count for rank 16 on all linear layers of Llama 3 8B.
func TestAdapterParameters(t *testing.T) {
	if got := sized(t, "llama-3.1-8b", LoRA).adapters; got != 41_943_040 {
		t.Errorf("%d parameters of adapters, want 41,943,040", got)
	}
	if _, err := (Adapters{Rank: 8, Targets: []string{"q_proj", "wo"}}).parameters(arch(t, "llama-3.1-8b")); err == nil {
		t.Error("an unknown target is not refused")
	}
}

func TestMemoryShrinksWithEachDegree(t *testing.T) {
	s := map[Method]sizing{}
	for _, m := range []Method{Full, LoRA, QLoRA} {
		s[m] = sized(t, "llama-3.3-70b", m)
	}
	rapid.Check(t, func(t *rapid.T) {
		of := s[rapid.SampledFrom([]Method{Full, LoRA, QLoRA}).Draw(t, "method")]
		l := Layout{
			DP: 1 << rapid.IntRange(0, 3).Draw(t, "dp"), FSDP: 1 << rapid.IntRange(1, 5).Draw(t, "fsdp"), TP: 1 << rapid.IntRange(0, 2).Draw(t, "tp"), PP: 1, EP: 1,
			MicroBatch: 1 << rapid.IntRange(0, 3).Draw(t, "micro"), Accumulation: rapid.IntRange(1, 8).Draw(t, "accumulation"),
			Recompute: rapid.SampledFrom(Recomputes).Draw(t, "recompute"),
		}
		base := of.memory(l, 0)
		if sum := base.Weights + base.Gradients + base.Optimizer + base.Activations + base.Logits + base.Gather + base.Overhead; sum != base.Total {
			t.Errorf("parts make %d, the total is %d", sum, base.Total)
		}
		more := func(name string, change func(*Layout)) {
			m := l
			change(&m)
			if got := of.memory(m, 0); got.Total > base.Total {
				t.Errorf("%s: %d bytes, without it %d (%+v)", name, got.Total, base.Total, l)
			}
		}
		more("twice the shards", func(l *Layout) { l.FSDP *= 2 })
		more("twice the tensor parallelism", func(l *Layout) { l.TP *= 2 })
		if l.MicroBatch > 1 {
			more("half the micro-batch", func(l *Layout) { l.MicroBatch /= 2 })
		}
		if l.Recompute == NoRecompute && l.MicroBatch > 1 {
			more("full recomputation", func(l *Layout) { l.Recompute = FullRecompute })
		}
	})
}
