package plan

import (
	"fmt"

	"assay/internal/model"
)

// layout is how one replica is spread over GPUs: TP × PP × DP of them. Pipeline
// stages and nothing else go over nodes.
type layout struct{ tp, pp, dp, ep int }

// gpus of one replica.
func (l layout) gpus() int { return l.tp * l.pp * l.dp }

// perNode is the GPUs of one replica in each of its nodes.
func (l layout) perNode() int { return l.tp * l.dp }

// String is the layout in an option's id.
func (l layout) String() string {
	s := fmt.Sprintf("tp%d", l.tp)
	if l.pp > 1 {
		s += fmt.Sprintf("-pp%d", l.pp)
	}
	if l.dp > 1 {
		s += fmt.Sprintf("-dp%d", l.dp)
	}
	if l.ep > 1 {
		s += fmt.Sprintf("-ep%d", l.ep)
	}
	return s
}

// mostStages bounds how many nodes one replica may take.
const mostStages = 8

// layouts are those that the architecture allows in a node of that many GPUs: each
// degree of tensor parallelism that divides the heads, expert parallelism for
// mixtures of experts, and attention data parallel where its latents are not
// divided by tensor parallelism.
func layouts(m model.Arch, gpus int) []layout {
	var out []layout
	for tp := 1; tp <= gpus; tp++ {
		if !divides(m, tp) {
			continue
		}
		out = append(out, layout{tp, 1, 1, 1})
		if m.MoE() && tp > 1 {
			out = append(out, layout{tp, 1, 1, tp})
		}
	}
	if m.MoE() && latent(m) {
		for dp := 2; dp <= gpus; dp *= 2 {
			out = append(out, layout{1, 1, dp, dp})
		}
	}
	return out
}

// acrossNodes are layouts for a model that one node does not hold: tensor parallel
// over as much of a node as the heads allow, and a pipeline over nodes.
func acrossNodes(m model.Arch, gpus int) []layout {
	tp := gpus
	for tp > 1 && !divides(m, tp) {
		tp--
	}
	var out []layout
	for pp := 2; pp <= min(mostStages, len(m.Layers)); pp++ {
		out = append(out, layout{tp, pp, 1, 1})
		if m.MoE() && tp > 1 {
			out = append(out, layout{tp, pp, 1, tp})
		}
	}
	return out
}

// divides says whether the engine can spread the heads over that many ranks: each
// has as many query heads, and whole key-value heads or a copy of one.
func divides(m model.Arch, tp int) bool {
	heads, kv := m.Heads(), m.KVHeads()
	if tp == 1 {
		return true
	}
	if heads == 0 { // a recurrent model has none
		return tp&(tp-1) == 0
	}
	return heads%tp == 0 && (kv == 0 || kv%tp == 0 || tp%kv == 0)
}

func latent(m model.Arch) bool {
	for _, l := range m.Layers {
		if l.Attention.Kind == model.Latent {
			return true
		}
	}
	return false
}
