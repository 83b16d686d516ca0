package train

import (
	"fmt"
	"math"
	"slices"

	"assay/internal/facts"
	"assay/internal/figure"
)

// candidate is an instance type with what of it decides a layout.
type candidate struct {
	instance   facts.Instance
	chip       facts.Chip
	rates      rates
	efficiency Efficiency
}

// suits says why an instance cannot train the request at all; "" where it can.
func (r Request) suits(i facts.Instance) (candidate, string) {
	c, known := i.Chip()
	switch {
	case i.Fractional():
		return candidate{}, "a fraction of a GPU, whose speed is published nowhere"
	case !known:
		return candidate{}, fmt.Sprintf("nothing is known of its %s", i.Accelerator)
	case c.Name == "Inferentia" || c.Name == "Inferentia2":
		return candidate{}, "Inferentia serves; it does not train"
	case c.Vendor != "NVIDIA" && c.Vendor != "AWS":
		return candidate{}, fmt.Sprintf("%s: no training framework on EC2", c.Name)
	case c.BF16 == 0:
		return candidate{}, fmt.Sprintf("%s computes no BF16", c.Name)
	case r.Precision == "fp8" && c.FP8 == 0:
		return candidate{}, fmt.Sprintf("%s computes no FP8", c.Name)
	case r.Precision == "fp8" && c.Vendor != "NVIDIA":
		return candidate{}, fmt.Sprintf("no published run in FP8 on %s", c.Name)
	case r.Optimizer == "adamw8bit" && c.Vendor != "NVIDIA":
		return candidate{}, fmt.Sprintf("8-bit optimizers are of bitsandbytes and torchao, which need CUDA, not %s", c.Name)
	case r.FSDP > 1 && c.Vendor == "AWS":
		return candidate{}, "NeuronX Distributed shards the optimizer (--dp), not weights"
	case r.Method == QLoRA && c.Vendor != "NVIDIA":
		return candidate{}, fmt.Sprintf("NF4 weights are of bitsandbytes and torchao, which need CUDA, not %s", c.Name)
	}
	return candidate{instance: i, chip: c, rates: ratesOf(c, r.Precision)}, ""
}

func (c candidate) fabric() fabric {
	return fabric{node: c.instance.Count, link: c.chip.Link, nvlink: c.chip.NVLink, network: c.instance.Network, efa: c.instance.EFA > 0}
}

// counts are how many instances are tried: powers of two, as many as the batch can
// be spread over, few where they would talk over TCP.
func (r Request) counts(i facts.Instance) []int {
	if r.Count > 0 {
		return []int{r.Count}
	}
	if r.TP > 0 && r.PP > 0 && r.DP > 0 && r.FSDP > 0 { // the user said how many GPUs
		gpus := r.TP * r.PP * r.DP * r.FSDP
		if gpus%i.Count != 0 {
			return nil
		}
		return []int{gpus / i.Count}
	}
	most := mostNodes
	if i.EFA == 0 {
		most = 4
	}
	var out []int
	for n := 1; n <= most; n *= 2 {
		out = append(out, n)
	}
	return out
}

// layouts calls try with each layout of that many GPUs that the model and the batch
// divide into. Recomputation is left open.
func (r Request) layouts(s sizing, node, gpus int, try func(Layout)) {
	for _, tp := range r.tensor(s, node) {
		for _, pp := range r.pipeline(s, gpus/tp) {
			rest := gpus / (tp * pp)
			if tp*pp*rest != gpus {
				continue
			}
			for _, shard := range r.shards(rest, pp, max(1, node/tp)) {
				for _, ep := range r.experts(s, rest, shard) {
					for _, micro := range r.micros(rest) {
						try(Layout{DP: rest / shard, FSDP: shard, TP: tp, PP: pp, EP: ep, Interleave: 1, MicroBatch: micro, Accumulation: r.GlobalBatch / (rest * micro)})
					}
				}
			}
		}
	}
}

// tensor are the degrees of tensor parallelism: within a node, dividing the heads,
// and the key-value heads or their copies.
func (r Request) tensor(s sizing, node int) []int {
	if r.TP > 0 {
		return []int{r.TP}
	}
	var out []int
	heads, kv := s.arch.Heads(), s.arch.KVHeads()
	for tp := 1; tp <= min(node, 16); tp *= 2 {
		if node%tp == 0 && (heads == 0 || heads%tp == 0) && (kv == 0 || kv%tp == 0 || tp%kv == 0) {
			out = append(out, tp)
		}
	}
	return out
}

func (r Request) pipeline(s sizing, gpus int) []int {
	if r.PP > 0 {
		return []int{r.PP}
	}
	out := []int{1}
	for pp := 2; pp <= min(gpus, 32); pp++ {
		if s.layers%pp == 0 && gpus%pp == 0 {
			out = append(out, pp)
		}
	}
	return out
}

// shards are the degrees of FSDP among the GPUs that share the batch: all of them, those
// of a node, none. Copies of a pipeline shard only their optimizer.
func (r Request) shards(rest, pp, node int) []int {
	fits := func(n int) bool {
		return n >= 1 && rest%n == 0 && (r.FSDP == 0 || n == r.FSDP) && (r.DP == 0 || rest/n == r.DP)
	}
	var out []int
	wanted := []int{1, node, rest}
	if pp > 1 {
		wanted = []int{1}
	}
	if r.FSDP > 0 {
		wanted = []int{r.FSDP}
	} else if r.DP > 0 && rest%r.DP == 0 {
		wanted = []int{rest / r.DP}
	}
	for i, n := range wanted {
		if fits(n) && (i == 0 || n != wanted[i-1]) {
			out = append(out, n)
		}
	}
	return out
}

// experts are the degrees of expert parallelism: among the GPUs that share the batch.
// Sharded experts stay together in one group of shards.
func (r Request) experts(s sizing, rest, shard int) []int {
	if s.experts == 0 {
		return []int{1}
	}
	var out []int
	for ep := 1; ep <= min(rest, 64); ep *= 2 {
		if s.experts%ep == 0 && rest%ep == 0 && (shard == 1 || shard%ep == 0) && (r.EP == 0 || ep == r.EP) {
			out = append(out, ep)
		}
	}
	return out
}

// micros are the sizes of a micro-batch that spread the global batch evenly.
func (r Request) micros(rest int) []int {
	if rest == 0 || r.GlobalBatch%rest != 0 {
		return nil
	}
	each := r.GlobalBatch / rest
	if r.MicroBatch > 0 {
		if each%r.MicroBatch != 0 {
			return nil
		}
		return []int{r.MicroBatch}
	}
	var out []int
	for m := 1; m <= min(each, 16); m *= 2 {
		if each%m == 0 {
			out = append(out, m)
		}
	}
	return out
}

// recomputes are the kinds of recomputation to try, the fastest first.
func (r Request) recomputes() []Recompute {
	if r.Recompute != "" {
		return []Recompute{r.Recompute}
	}
	return Recomputes
}

// fit is the fastest layout of an instance type and count, and why there is none.
func (r Request) fit(s sizing, c candidate, count int) (best Layout, step Step, found bool, short *shortage) {
	gpus := count * c.instance.Count
	if c.neuron() {
		r.FSDP = 1 // NeuronX Distributed shards the optimizer alone
	}
	r.layouts(s, c.instance.Count, gpus, func(l Layout) {
		for _, l.Recompute = range r.recomputes() {
			m := s.memory(l, c.chip.Usable)
			if !m.Fits() {
				if short == nil || m.Total < short.memory.Total {
					short = &shortage{layout: l, memory: m}
				}
				continue
			}
			t := s.step(l, c.rates, c.efficiency.Range, c.fabric())
			if !found || t.Total.Mid < step.Total.Mid {
				best, step, found = l, t, true
			}
			break // what recomputes more is slower
		}
	})
	return best, step, found, short
}

// shortage is the layout that comes nearest to fitting.
type shortage struct {
	layout Layout
	memory Memory
}

func (s *shortage) reason() string {
	return fmt.Sprintf("the smallest layout needs %.1f GiB of a GPU's %.1f", gib(s.memory.Total), gib(s.memory.Usable))
}

func gib(bytes int64) float64 { return float64(bytes) / facts.GiB }

// judge compares a range with a limit.
func judge(r figure.Range, limit float64) Verdict {
	switch {
	case limit <= 0 || r.High <= limit:
		return Meets
	case r.Low <= limit:
		return May
	}
	return Misses
}

// worse is the worse of two verdicts.
func worse(a, b Verdict) Verdict {
	if slices.Index(verdicts, a) > slices.Index(verdicts, b) {
		return a
	}
	return b
}

var verdicts = []Verdict{Meets, May, Misses, Unpriced}

// rank orders options by verdict; of those that may do, the likely ones come first.
func (o Option) rank() int {
	rank := 2 * slices.Index(verdicts, o.Verdict)
	if o.Verdict == May && o.within {
		rank--
	}
	return rank
}

func (r Request) steps() float64 {
	return math.Ceil(r.Tokens / float64(r.GlobalBatch*r.Sequence))
}
