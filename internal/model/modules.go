package model

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxMatches bounds the patterns for every layer of a quantisation times the
// layers of a model.
const maxMatches = 1 << 14

// module is a set of equal matrices of a layer, with the names that checkpoints
// give them after "layers.N." and the number of their parameters.
type module struct {
	part   Part
	names  []string
	weight float64
}

// modules are the linear layers of a layer.
func (l Layer) modules(hidden int) []module {
	out := l.Attention.modules(float64(hidden))
	if n := float64(l.State.Parameters); n > 0 {
		out = append(out, module{Recurrence, []string{"linear_attn.in_proj", "linear_attn.in_proj_qkv", "linear_attn.in_proj_qkvz", "linear_attn.out_proj", "mamba.in_proj", "mixer.in_proj", "self_attn.in_proj"}, n})
	}
	if n := float64(l.MLP.dense(hidden)); n > 0 {
		out = append(out, module{Dense, []string{"mlp.gate_proj", "mlp.gate_up_proj", "mlp.up_proj", "mlp.down_proj", "feed_forward.gate_proj", "mixer.up_proj"}, n})
	}
	if n := float64(l.MLP.shared(hidden)); n > 0 {
		out = append(out, module{SharedExpert, []string{"mlp.shared_experts.gate_proj", "mlp.shared_expert.gate_proj", "mlp.shared_experts.down_proj", "mlp.shared_expert.down_proj", "feed_forward.shared_expert.gate_proj", "mixer.shared_experts.up_proj"}, n})
	}
	if n := float64(l.MLP.Experts) * float64(l.MLP.expert(hidden)); n > 0 {
		out = append(out, module{Expert, []string{"mlp.experts.0.gate_proj", "mlp.experts.0.down_proj", "mlp.experts", "block_sparse_moe.experts.0.w1", "feed_forward.experts.0.gate_proj", "feed_forward.experts.gate_up_proj", "mixer.experts.0.up_proj"}, n})
	}
	return out
}

func (t Attention) modules(hidden float64) []module {
	heads, dim := float64(t.Heads), float64(t.HeadDim)
	switch {
	case t.Kind == NoAttention:
		return nil
	case t.Kind == Latent:
		rank, value := float64(t.LatentRank), float64(t.ValueDim)
		out := []module{
			{Projection, []string{"self_attn.kv_a_proj_with_mqa", "self_attn.fused_qkv_a_proj"}, hidden * (rank + float64(t.RopeDim))},
			{Projection, []string{"self_attn.kv_b_proj"}, rank * heads * (dim - float64(t.RopeDim) + value)},
			{Projection, []string{"self_attn.o_proj"}, heads * value * hidden},
		}
		if q := float64(t.QueryRank); q > 0 {
			return append(out, module{Projection, []string{"self_attn.q_a_proj", "self_attn.fused_qkv_a_proj"}, hidden * q},
				module{Projection, []string{"self_attn.q_b_proj"}, q * heads * dim})
		}
		return append(out, module{Projection, []string{"self_attn.q_proj"}, hidden * heads * dim})
	}
	kv := hidden * float64(t.KVHeads) * dim
	return []module{
		{Projection, []string{"self_attn.q_proj", "self_attn.qkv_proj", "mixer.q_proj"}, hidden * heads * dim},
		{Projection, []string{"self_attn.k_proj", "self_attn.qkv_proj", "mixer.k_proj"}, kv},
		{Projection, []string{"self_attn.v_proj", "self_attn.qkv_proj", "mixer.v_proj"}, kv},
		{Projection, []string{"self_attn.o_proj", "mixer.o_proj"}, hidden * heads * dim},
	}
}

// prefixes stand before the number of a layer.
var prefixes = []string{"model.layers.", "model.language_model.layers.", "language_model.model.layers.", "backbone.layers."}

// pattern names modules as checkpoints' lists do: by their whole name, a part of
// it between dots, a glob with *, or a regular expression after "re:".
type pattern struct {
	text       string
	expression *regexp.Regexp // nil: none
}

// patterns are sorted by what they may match: a pattern that names a layer by its
// number is tried for that layer alone.
type patterns struct {
	any     []pattern
	byLayer map[string][]pattern
}

func (ps patterns) empty() bool { return len(ps.any)+len(ps.byLayer) == 0 }

// add takes the patterns of a list of the file.
func (ps *patterns) add(f fields, list string) {
	for _, text := range f.texts(list) {
		p := pattern{text: text}
		if rx, ok := strings.CutPrefix(text, "re:"); ok {
			var err error
			// Anchored at the start, as re.match has it.
			if p.expression, err = regexp.Compile("^(?:" + rx + ")"); err != nil {
				f.fail(fmt.Errorf("config.json: %s: %q is no regular expression that is understood here: %w", f.name(list), shown(rx), err))
				return
			}
		}
		ps.put(p)
	}
}

// towerNames are in names of modules that are none of the decoder's.
var towerNames = []string{"visual", "vision", "multi_modal", "audio"}

func (ps *patterns) put(p pattern) {
	if p.expression == nil && slices.ContainsFunc(towerNames, func(t string) bool { return strings.Contains(p.text, t) }) {
		return
	}
	number, ok := p.layer()
	if !ok {
		ps.any = append(ps.any, p)
		return
	}
	if ps.byLayer == nil {
		ps.byLayer = map[string][]pattern{}
	}
	ps.byLayer[number] = append(ps.byLayer[number], p)
}

// layer is the number of the layer that a pattern names.
func (p pattern) layer() (string, bool) {
	_, after, ok := strings.Cut(p.text, "layers.")
	if !ok || p.expression != nil || after == "" || after[0] < '0' || after[0] > '9' {
		return "", false
	}
	number, _, _ := strings.Cut(after, ".")
	return strings.TrimRight(number, "*"), true
}

// match says whether any of the names of a module of that layer is meant.
func (ps patterns) match(layer int, names []string) bool {
	number := itoa(layer)
	for _, list := range [][]pattern{ps.byLayer[number], ps.any} {
		for _, p := range list {
			if p.matchesAny(number, names) {
				return true
			}
		}
	}
	return false
}

func (p pattern) matchesAny(number string, names []string) bool {
	for _, prefix := range prefixes {
		for _, name := range names {
			if p.matches(prefix + number + "." + name) {
				return true
			}
		}
	}
	return false
}

func (p pattern) matches(name string) bool {
	if p.expression != nil {
		return p.expression.MatchString(name)
	}
	if strings.Contains(p.text, "*") {
		return glob(p.text, name) || glob(p.text+".*", name)
	}
	return strings.Contains("."+name+".", "."+p.text+".")
}

// glob matches * with anything, dots with it.
func glob(pattern, s string) bool {
	pieces := strings.Split(pattern, "*")
	if !strings.HasPrefix(s, pieces[0]) {
		return false
	}
	s = s[len(pieces[0]):]
	last := len(pieces) - 1
	for _, piece := range pieces[1:last] {
		i := strings.Index(s, piece)
		if i < 0 {
			return false
		}
		s = s[i+len(piece):]
	}
	return strings.HasSuffix(s, pieces[last])
}

func itoa(n int) string { return strconv.Itoa(n) }
