package memory

import (
	"assay/internal/model"
)

// stage is a part of the layers: what one rank of a pipeline holds.
type stage struct{ first, end, total int }

// stages divides layers over a pipeline as vLLM does: equally, the rest one each
// to the stages before the last, from behind (distributed/utils.py, get_pp_indices).
func stages(layers, pp int) []stage {
	sizes := make([]int, pp)
	for i := range sizes {
		sizes[i] = layers / pp
	}
	for i := range layers % pp {
		at := pp - 2 - i
		if at < 0 {
			at += pp
		}
		sizes[at]++
	}
	out := make([]stage, 0, pp)
	for first, i := 0, 0; i < pp; i++ {
		out = append(out, stage{first, first + sizes[i], layers})
		first += sizes[i]
	}
	return out
}

// Rank is the parameters that one rank of a stage holds, by part; those which
// every rank of a tensor-parallel group holds whole are counted whole.
func (c Config) rank(s stage) (n [len(model.Counts{})]float64) {
	m, tp := c.Model, float64(c.TP)
	first, last := s.first == 0, s.end == s.total
	if first || last && m.TiedEmbeddings {
		n[model.Embedding] = float64(m.Embedding()) / tp
	}
	if last && !m.TiedEmbeddings {
		n[model.Head] = float64(m.Embedding()) / tp
	}
	if first {
		n[model.Vision] = float64(m.Outside.Vision) / tp
	}
	if last {
		n[model.Norm] += float64(m.Outside.Norm)
	}
	experts := c.expertShare()
	for _, l := range m.Layers[s.first:s.end] {
		one := model.Arch{Hidden: m.Hidden, TiedEmbeddings: true, Layers: []model.Layer{l}}.Counts()
		n[model.Projection] += c.projections(l.Attention)
		n[model.Index] += float64(one[model.Index])
		n[model.Recurrence] += float64(one[model.Recurrence]) / tp
		n[model.Dense] += float64(one[model.Dense]) / tp
		n[model.SharedExpert] += float64(one[model.SharedExpert]) / tp
		n[model.Expert] += float64(one[model.Expert]) * experts(l.MLP.Experts)
		n[model.Router] += float64(one[model.Router])
		n[model.Norm] += float64(one[model.Norm])
	}
	return n
}

// projections is what of an attention's parameters one rank holds. KV heads that
// are fewer than the ranks lie on several; MLA's compressions lie on all.
func (c Config) projections(t model.Attention) float64 {
	if t.Kind == model.NoAttention {
		return 0
	}
	h, all, tp := float64(c.Model.Hidden), float64(t.Parameters), float64(c.TP)
	if t.Kind == model.Latent {
		whole := h*float64(t.QueryRank+t.LatentRank+t.RopeDim) + float64(t.QueryRank+t.LatentRank)
		return whole + (all-whole)/tp
	}
	if t.Shared || t.KVHeads >= c.TP {
		return all / tp
	}
	value := t.ValueDim
	if value == 0 {
		value = t.HeadDim
	}
	head := h * float64(t.HeadDim+value)
	return (all-head*float64(t.KVHeads))/tp + head
}

// expertShare is the share of a layer's routed experts that one rank holds: whole
// experts over EP ranks, and each expert over the ranks that are left.
func (c Config) expertShare() func(experts int) float64 {
	ranks := c.TP * c.DP
	return func(experts int) float64 {
		if experts == 0 {
			return 0
		}
		ep := min(max(1, c.EP), ranks)
		return float64(ceilInt(experts, ep)) / float64(experts) / (float64(ranks) / float64(ep))
	}
}

// weights is the bytes of the parameters that a rank of a stage holds, and what
// the engine adds when it has loaded them.
func (c Config) weights(s stage) int64 {
	total, f := 0.0, c.format()
	for p, n := range c.rank(s) {
		if model.Part(p) != model.Draft {
			total += n * f.Width(model.Part(p))
		}
	}
	return int64(total) + c.absorbed(s, f) + c.padding(s, f)
}

// padding is what vLLM's kernels for experts in MXFP4 add to fill their tiles: the
// inner width to 128 and the model's to 256; Triton's, on Hopper, to 64 and 256
// (layers/fused_moe/oracle/mxfp4.py; 64.38 GiB of gpt-oss-120b on an H100 rather
// than 60.7, vLLM issue 33155, and 65.97 with Marlin, issue 23278).
func (c Config) padding(s stage, f model.Format) int64 {
	if f.Name != "mxfp4" || c.Engine.Name != "vllm" {
		return 0
	}
	tile := 128
	if c.Chip.Architecture == "hopper" && c.Engine.since(firstTritonMXFP4) {
		tile = 64
	}
	up := func(n, to int) float64 { return float64(ceilInt(n, to) * to) }
	total := 0.0
	experts, ranks := c.expertShare(), c.TP*c.DP/min(max(1, c.EP), c.TP*c.DP)
	for _, l := range c.Model.Layers[s.first:s.end] {
		m := l.MLP
		if m.Experts == 0 {
			continue
		}
		inner := max(1, m.ExpertIntermediate/ranks)
		grow := up(inner, tile)/float64(inner)*up(c.Model.Hidden, 256)/float64(c.Model.Hidden) - 1
		one := model.Arch{Hidden: c.Model.Hidden, TiedEmbeddings: true, Layers: []model.Layer{l}}.Counts()
		total += float64(one[model.Expert]) * experts(m.Experts) * f.Width(model.Expert) * grow
	}
	return int64(total)
}

// format is the weights' format, with the widths of the stored bytes where they
// are known.
func (c Config) format() model.Format {
	f := c.Format
	if c.Stored == nil {
		return f
	}
	counts := c.Model.Counts()
	for p, bytes := range c.Stored {
		if bytes > 0 && counts[p] > 0 {
			f = f.With(float64(bytes)/float64(counts[p]), model.Part(p))
		}
	}
	return f
}

// absorbed is the copy in 16 bits of MLA's up-projection of keys and values that
// vLLM makes of a quantised one, to work on the latent vector
// (layers/attention/mla_attention.py, process_weights_after_loading).
func (c Config) absorbed(s stage, f model.Format) int64 {
	if f.Width(model.Projection) >= 2 {
		return 0
	}
	total := 0
	for _, l := range c.Model.Layers[s.first:s.end] {
		if t := l.Attention; t.Kind == model.Latent {
			total += 2 * t.LatentRank * (t.HeadDim - t.RopeDim + t.ValueDim) * t.Heads / c.TP
		}
	}
	return int64(total)
}
