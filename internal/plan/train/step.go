package train

import "assay/internal/figure"

// Step is the time of one optimizer step, in seconds, by what it goes into.
type Step struct {
	Compute   figure.Range `json:"compute_s"`
	Tensor    figure.Range `json:"tensor_parallel_s"`   // exposed
	Shards    figure.Range `json:"data_parallel_s"`     // exposed: FSDP's gathers, gradients
	Experts   figure.Range `json:"expert_parallel_s"`   // exposed
	Stages    figure.Range `json:"pipeline_transfer_s"` // exposed
	Bubble    figure.Range `json:"pipeline_bubble_s"`
	Total     figure.Range `json:"total_s"`
	Transfers float64      `json:"transfers_s"` // all collectives, hidden or not
}

// transfers are the seconds of a step's collectives on one GPU, hidden or not.
type transfers struct{ tensor, shards, experts, stages float64 }

func (s sizing) transfers(l Layout, f fabric) transfers {
	tokens := l.tokens(s.sequence)
	perStage := float64(s.layers) / float64(l.PP)
	var t transfers
	if l.TP > 1 {
		// With sequence parallelism each of a layer's two blocks gathers its input and
		// scatters its output, forward and backward, and once more if computed again.
		rounds := 8.0
		if l.Recompute == FullRecompute {
			rounds = 12
		}
		t.tensor = rounds * perStage * f.gather(tokens*s.hidden, l.TP, 1) * float64(l.Accumulation)
	}
	if l.PP > 1 {
		// Each stage hands activations on, and gets their gradients back.
		t.stages = 2 * float64(l.Accumulation*max(1, l.Interleave)) * f.hand(tokens*s.hidden/float64(l.TP), l.GPUs()/l.PP)
	}
	dense, expert := s.stage(l)
	stride := l.TP * max(1, l.cp)
	t.shards = s.sharding(l, f, dense, l.FSDP, l.DP*max(1, l.cp), stride)
	if expert > 0 {
		ep := max(1, l.EP)
		shard := max(1, l.FSDP/ep)
		copies := max(1, l.FSDP*l.DP/ep/shard)
		t.shards += s.sharding(l, f, expert, shard, copies, stride*ep)
	}
	if l.EP > 1 {
		// Tokens go to their experts and back, in both passes.
		layers := float64(s.expertLayers) / float64(l.PP)
		t.experts = 4 * layers * f.exchange(tokens*s.hidden/float64(l.TP), s.visited, l.EP, stride) * float64(l.Accumulation)
	}
	return t
}

// sharding is the time of weights and gradients on their way: FSDP gathers weights
// in both passes and scatters FP32 gradients for each micro-batch; copies reduce
// gradients and gather the updated weights once a step.
func (s sizing) sharding(l Layout, f fabric, parameters float64, shard, copies, stride int) float64 {
	t := 0.0
	if shard > 1 {
		t += 2 * f.gather(2*parameters, shard, stride) * float64(l.Accumulation)
		if s.method == Full {
			t += f.gather(4*parameters, shard, stride) * float64(l.Accumulation)
		}
	}
	trained := parameters
	if s.method != Full {
		trained = float64(s.adapters) / float64(l.TP*l.PP)
	}
	if copies > 1 {
		t += f.gather((4+2)*trained/float64(shard), copies, stride*shard)
	}
	return t
}

// flops of a step on one GPU: in the run's precision, and in BF16.
func (s sizing) flops(l Layout) (linear, bf16 float64) {
	linear, bf16 = s.forward()
	n := passes(s.method, l.Recompute) * l.tokens(s.sequence) * float64(l.Accumulation) / float64(l.TP*l.PP)
	return linear * n, bf16 * n
}

// ideal is the seconds of a step's computation at the chip's peak rates.
func (s sizing) ideal(l Layout, c rates) float64 {
	linear, bf16 := s.flops(l)
	return linear/c.linear + bf16/c.bf16
}

// rates are a chip's peak FLOP/s: of linear layers in the run's precision, of the rest.
type rates struct{ linear, bf16 float64 }

// step is the time of a step at an efficiency of computation.
func (s sizing) step(l Layout, c rates, efficiency figure.Range, f fabric) Step {
	compute := efficiency.Inverse(s.ideal(l, c))
	if s.method == QLoRA {
		compute = figure.Range{Low: compute.Low * unpack.Low, Mid: compute.Mid * unpack.Mid, High: compute.High * unpack.High}
	}
	t := s.transfers(l, f)
	step := Step{Compute: compute, Transfers: t.tensor + t.shards + t.experts + t.stages}
	step.Tensor, step.Experts, step.Shards, step.Stages = t.shown(compute.Mid)
	busy := step.Compute.Plus(step.Tensor).Plus(step.Experts)
	step.Bubble = busy.Scale(bubble(l))
	step.Total = busy.Plus(step.Shards).Plus(step.Stages).Plus(step.Bubble)
	return step
}

// bubble is the share of a stage's work during which it waits for the pipeline to
// fill and drain (Narayanan et al. 2021, section 2.2).
func bubble(l Layout) float64 {
	return float64(l.PP-1) / float64(l.Accumulation*max(1, l.Interleave))
}

// unpack is how much longer NF4 weights, unpacked for each product, make the
// computation: torchtune's and Google's figures of LoRA beside QLoRA.
var unpack = figure.Range{Low: 1.2, Mid: 1.35, High: 1.66}
