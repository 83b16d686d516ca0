package train

import (
	"slices"

	"assay/internal/facts"
	"assay/internal/figure"
)

var (
	korthikanti = facts.Source{Title: "Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models, section 4.1", URL: "https://arxiv.org/abs/2205.05198", Date: readOn}
	zeroPaper   = facts.Source{Title: "Rajbhandari et al., ZeRO, section 3.1", URL: "https://arxiv.org/abs/1910.02054", Date: readOn}
	qloraPaper  = facts.Source{Title: "Dettmers et al., QLoRA: NF4 with double quantisation", URL: "https://arxiv.org/abs/2305.14314", Date: readOn}
	narayanan   = facts.Source{Title: "Narayanan et al., Efficient Large-Scale Language Model Training on GPU Clusters, section 2.2", URL: "https://arxiv.org/abs/2104.04473", Date: readOn}
	ownRuns     = facts.Source{Title: "published training runs that ship with Assay, each with its source (assay plan validate)", Date: readOn}
)

// explain gives an option the figures that defend its numbers, and their sources.
func (r Request) explain(s sizing, o *Option) {
	m, l := o.Memory, o.Layout
	bytes := func(name string, v int64, kind figure.Kind, formula string, source facts.Source, in ...figure.Input) figure.Figure {
		return figure.Figure{Name: name, Value: float64(v), Unit: "bytes", Kind: kind, Formula: formula, Inputs: in, Source: source}
	}
	dense, expert := s.stage(l)
	held := figure.Input{Name: "parameters of a stage on a GPU", Value: dense + expert}
	shard := figure.Input{Name: "fsdp", Value: float64(l.FSDP)}
	copies := figure.Input{Name: "dp", Value: float64(l.DP)}
	stepTokens := figure.Input{Name: "tokens of a step on a GPU", Value: l.tokens(r.Sequence) * float64(l.Accumulation) / float64(l.TP*l.PP)}
	chip, _ := facts.ChipNamed(o.GPU.Name)
	peak := ratesOf(chip, r.Precision)
	tokens := figure.Input{Name: "tokens of a micro-batch", Value: l.tokens(r.Sequence)}
	weights, source := "2 bytes × parameters (BF16)", zeroPaper
	switch {
	case r.Method == QLoRA:
		weights, source = "4.127 bits × linear layers + 2 bytes × embedding, output, norms, all over fsdp; adapters at 4 bytes", qloraPaper
	case r.Method == LoRA:
		weights = "2 bytes × frozen parameters ÷ fsdp + 4 bytes × adapters"
	case l.FSDP > 1:
		weights = "4 bytes × parameters ÷ fsdp (FP32 shards)"
	}
	o.Figures = []figure.Figure{
		bytes("weights of a GPU", m.Weights, figure.Computed, weights, source, held, shard),
		bytes("gradients of a GPU", m.Gradients, figure.Computed, "4 bytes × trained parameters ÷ fsdp", zeroPaper, held, shard),
		bytes("optimizer of a GPU", m.Optimizer, figure.Computed, "state × trained parameters ÷ fsdp; with an FP32 copy (4 bytes) and ÷ dp where weights are BF16", s.optimizer.Source, held, shard, copies, figure.Input{Name: "state", Value: s.optimizer.State, Unit: "bytes a parameter"}),
		bytes("activations of a GPU", m.Activations, figure.Estimated, "tokens × bytes kept for a token ÷ (tp × pp) × micro-batches at work, and a layer whole while it is computed again", korthikanti,
			tokens, figure.Input{Name: "kept for a token over all layers", Value: s.stored[l.Recompute], Unit: "bytes"}),
		bytes("logits of a GPU", m.Logits, figure.Estimated, "tokens × vocabulary ÷ tp × 10 bytes (BF16, FP32, gradient), ÷ 8 with a chunked loss", facts.Source{}, tokens, figure.Input{Name: "vocabulary", Value: float64(s.arch.Vocab)}),
		bytes("buffers of FSDP", m.Gather, figure.Estimated, "layers in use put together in BF16, with the embedding or the output", facts.Source{}),
		bytes("overhead of a GPU", m.Overhead, figure.Estimated, "2 GiB of CUDA context and NCCL + 5 % of what comes and goes", facts.Source{}),
		{Name: "work of a token", Value: s.modelFLOPs(r.Method), Unit: "FLOP", Kind: figure.Computed, Formula: "3 × forward pass (2 × for frozen weights): 2 × active parameters + causal attention", Source: narayanan,
			Inputs: []figure.Input{{Name: "active parameters", Value: float64(s.arch.ActiveParameters())}, {Name: "attention, forward", Value: s.attention, Unit: "FLOP"}}},
		{Name: "efficiency of computation", Value: o.Efficiency.Mid, Range: &o.Efficiency, Kind: figure.Estimated, Formula: "geometric mean over " + o.Rests, Source: ownRuns},
		span("computation of a step", o.Step.Compute, "tokens × work ÷ (peak rate × efficiency); a forward pass more with full recomputation; attention and output at the BF16 rate", ownRuns,
			stepTokens, figure.Input{Name: "peak of " + chip.Name + ", " + r.Precision, Value: peak.linear, Unit: "FLOP/s", Source: chip.Datasheet}, figure.Input{Name: "BF16", Value: peak.bf16, Unit: "FLOP/s", Source: chip.Datasheet}),
		span("tensor-parallel transfers that show", o.Step.Tensor, "8 rings of a micro-batch's activations a layer (12 recomputed); computation hides half (0 to 0.8, assumed)", facts.Source{}),
		span("data-parallel transfers that show", o.Step.Shards, "rings of BF16 weights and FP32 gradients over NVLink and the network; computation hides 0.8 (0.5 to 0.95, assumed)", facts.Source{}),
		span("expert-parallel transfers that show", o.Step.Experts, "tokens to experts and back in both passes, once to each node; computation hides half (0 to 0.9, assumed)", facts.Source{}),
		span("pipeline transfers that show", o.Step.Stages, "activations of each micro-batch to the next stage and their gradients back; computation hides 0.8 (0.5 to 0.95, assumed)", facts.Source{}),
		span("pipeline bubble of a step", o.Step.Bubble, "(pp − 1) ÷ micro-batches × the rest", narayanan),
		span("step", o.Step.Total, "the sum of the above", facts.Source{}),
		bytes("checkpoint", o.Checkpoint.Bytes, figure.Computed, "(4 + state) bytes × trained parameters", zeroPaper, figure.Input{Name: "trained", Value: float64(s.facts().Trained)}),
		span("interval of checkpoints", figure.Exactly(o.Checkpoint.Interval), "√(2 × write × M) × (1 + √(write ÷ 2M) ÷ 3 + write ÷ 18M) − write, 4 hours at most", dalySource,
			figure.Input{Name: "write", Value: o.Checkpoint.Write.Mid, Unit: "s"}, figure.Input{Name: "M, between failures", Value: o.Checkpoint.Failures.Mid, Unit: "s", Source: r.failureSource()}),
		{Name: "time lost to checkpoints and failures", Value: o.Checkpoint.Lost.Mid, Range: &o.Checkpoint.Lost, Kind: figure.Estimated, Formula: "write ÷ interval + (interval ÷ 2 + write + restart) ÷ M", Source: dalySource,
			Inputs: []figure.Input{{Name: "restart, assumed", Value: restart.Mid, Unit: "s"}}},
		span("wall time", o.Seconds, "steps × step × (1 + lost)", facts.Source{}, figure.Input{Name: "steps", Value: r.steps()}),
	}
	if o.Price != nil {
		o.Figures = append(o.Figures, figure.Figure{Name: "cost", Value: o.USD.Mid, Unit: "USD", Range: o.USD, Kind: figure.Estimated, Formula: "wall time × price of all instances, " + o.Price.Kind,
			Inputs: []figure.Input{{Name: "an hour", Value: o.Price.PerHour.Mid, Unit: "USD", Source: o.Price.Source}}})
	}
	o.Figures = slices.DeleteFunc(o.Figures, func(f figure.Figure) bool { return f.Value == 0 })
	o.Sources = sources(o.Figures)
}

func (r Request) failureSource() facts.Source {
	if r.FailureHours > 0 {
		return facts.Source{}
	}
	return llamaFailures
}

func span(name string, t figure.Range, formula string, source facts.Source, in ...figure.Input) figure.Figure {
	f := figure.Figure{Name: name, Value: t.Mid, Unit: "s", Kind: figure.Estimated, Formula: formula, Source: source, Inputs: in}
	if t.Low != t.High {
		f.Range = &t
	}
	return f
}

// sources of some figures, each once.
func sources(figures []figure.Figure) []facts.Source {
	out := []facts.Source{}
	seen := map[facts.Source]bool{{}: true}
	add := func(s facts.Source) {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	for _, f := range figures {
		add(f.Source)
		for _, in := range f.Inputs {
			add(in.Source)
		}
	}
	return out
}
