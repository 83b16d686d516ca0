package calibrate

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"assay/internal/figure"
	"assay/internal/memory"
)

// utilization is gpu_memory_utilization as logged.
func (l Log) utilization() (float64, bool) {
	if u, ok := l.Of(Utilization); ok && u > 0 && u <= 1 {
		return u, true
	}
	u, err := strconv.ParseFloat(l.Args["gpu_memory_utilization"], 64)
	return u, err == nil && u > 0 && u <= 1
}

// kvByFlag says whether the size of the KV cache was asked for, and so tells
// nothing of what was left.
func (l Log) kvByFlag() bool { return l.Arg("kv_cache_memory_bytes") > 0 }

// Most that a log's weights and tokens may be from what the plan's model takes,
// before the log is of another model or precision.
const (
	mostWeightsApart = 0.1
	mostTokensAbove  = 0.1
)

// Memory is memory.Of with what the log measured in place of estimates: weights,
// KV cache, and what the rest takes. measured is false where the log is of
// another layout or chip, and the account is memory.Of's own. The log's engine
// may have run with other limits: the account differs by as much as the
// estimates of the two differ.
func (b *Bound) Memory(c memory.Config) (account memory.Account, measured bool, err error) {
	if b.Log == nil || !b.sameLayout(c) || !b.sameChip(c.Chip) || b.Log.Check(c.Chip) != nil {
		account, err = memory.Of(c)
		return account, false, err
	}
	weights, kv := b.Log.Readings[Weights], b.Log.Readings[KVMemory]
	if err := b.tokensRoofline(c); err != nil {
		return memory.Account{}, false, err
	}
	if kv.Value == 0 || b.Log.kvByFlag() {
		account, err = memory.Of(c)
		if err == nil && weights.Value > 0 {
			err = b.sameWeights(account)
			b.replaceWeights(&account)
		}
		return account, err == nil && weights.Value > 0, err
	}
	was, err := unbounded(b.logged(c))
	if err != nil {
		return memory.Account{}, false, fmt.Errorf("the engine of %s, as logged: %w", b.Path, err)
	}
	if weights.Value > 0 {
		if err := b.sameWeights(was); err != nil {
			return memory.Account{}, false, err
		}
	}
	if !b.plausible(was) {
		account, err = memory.Of(c)
		return account, false, err
	}
	asked := c.KVBytes
	if asked == 0 {
		is, err := unbounded(c)
		if err != nil {
			return memory.Account{}, false, err
		}
		c.KVBytes = int64(kv.Value) + is.KV - was.KV
		if c.KVBytes <= 0 {
			have := int64(float64(c.Chip.Usable) * is.Config.Utilization)
			return memory.Account{}, false, &memory.TooSmallError{Model: b.arch.Name, Chip: c.Chip.Name, GPUs: b.Platform.TP * b.Platform.PP,
				Need: have - c.KVBytes, Have: have, Weights: is.Weights}
		}
	}
	account, err = memory.Of(c)
	if err != nil {
		return account, false, err
	}
	b.replaceWeights(&account)
	b.replaceRest(&account, was)
	if err := b.fits(account, asked); err != nil {
		return memory.Account{}, false, err
	}
	return account, true, nil
}

// mostOver is how far a plan by a log may be above a GPU's memory: readings are rounded,
// and what the plan's limits change is estimated.
const mostOver = 0.02

// fits refuses a log whose readings contradict each other: with them the GPU would
// hold more than it has. A KV cache of the user's own size is not the log's fault.
func (b *Bound) fits(a memory.Account, asked int64) error {
	most := float64(a.Usable)
	if total, ok := b.Log.Of(TotalMemory); ok {
		most = math.Max(most, total)
	}
	all := float64(a.Weights + a.Activation + a.Graphs + a.Other + a.KV)
	if asked > 0 || all <= most*(1+mostOver) {
		return nil
	}
	return &RooflineError{b.Path, fmt.Sprintf("weights, KV cache (line %d) and the rest", b.Log.Readings[KVMemory].Line), all, most, "bytes",
		"The log's readings contradict each other, or it is of a larger GPU"}
}

// sameLayout says whether a log's GPU holds the same share of the model.
func (b *Bound) sameLayout(c memory.Config) bool {
	spread := b.Log.Args["enable_expert_parallel"] == "True"
	return max(c.TP, 1) == b.Platform.TP && max(c.PP, 1) == b.Platform.PP && max(c.DP, 1) == max(b.Log.Arg("data_parallel_size"), 1) && (c.EP > 1) == spread
}

// unbounded is the account without the question whether a request fits: what is
// left may be less than the plan asks for, or nothing.
func unbounded(c memory.Config) (memory.Account, error) {
	a, err := memory.Of(c)
	if err == nil {
		return a, nil
	}
	// With a cache of one's own size nothing is too small; what is left then
	// follows from the parts.
	c.KVBytes = 1 << 50
	a, err = memory.Of(c)
	if err != nil {
		return a, err
	}
	a.KV = int64(float64(a.Usable)*a.Config.Utilization) - a.Weights - a.Activation - a.Graphs - a.Other
	return a, nil
}

// mostRest is how many times the estimate what lies beside weights and KV cache may
// be, before a log that does not give its GPU's memory is taken to be of another.
const mostRest = 3

// plausible says whether a log without the GPU's memory may be of the account's.
func (b *Bound) plausible(was memory.Account) bool {
	if _, ok := b.Log.Of(TotalMemory); ok {
		return true
	}
	rest := float64(was.Usable)*was.Config.Utilization - b.weightsOf(was) - b.Log.Readings[KVMemory].Value
	return rest >= 0 && rest <= mostRest*float64(was.Activation+was.Graphs+was.Other)
}

// sameWeights refuses a log whose weights are not those of the plan's model.
func (b *Bound) sameWeights(a memory.Account) error {
	got := b.Log.Readings[Weights].Value
	if off := math.Abs(got/float64(a.Weights) - 1); off > mostWeightsApart {
		return &MismatchError{b.Path, fmt.Sprintf("weights of %.2f GiB a GPU (line %d)", got/(1<<30), b.Log.Readings[Weights].Line),
			fmt.Sprintf("%s with %.2f GiB", b.arch.Name, float64(a.Weights)/(1<<30))}
	}
	return nil
}

// tokensRoofline refuses more tokens than the KV cache's bytes hold.
func (b *Bound) tokensRoofline(c memory.Config) error {
	kv := b.Log.Readings[KVMemory].Value
	tokens := b.Log.Readings[KVTokens]
	if tokens.Value == 0 || kv == 0 {
		return nil
	}
	logged := b.logged(c)
	logged.KVBytes = int64(kv)
	a, err := memory.Of(logged)
	if err != nil {
		return nil // the log's own limits leave no room for one request: nothing to hold it against
	}
	if tokens.Value > float64(a.KVTokens)*(1+mostTokensAbove) {
		return &RooflineError{b.Path, fmt.Sprintf("a KV cache (line %d)", tokens.Line), tokens.Value, float64(a.KVTokens), "tokens",
			fmt.Sprintf("%.2f GiB hold no more of %s: the log is of another model, or of a KV cache in fewer bits", kv/(1<<30), b.arch.Name)}
	}
	return nil
}

// Names of memory.Of's figures that a log replaces.
const (
	weightsFigure    = "weights on a GPU"
	activationFigure = "activation peak"
	graphsFigure     = "CUDA graphs"
	otherFigure      = "CUDA libraries and NCCL"
	kvFigure         = "KV cache"
)

func (b *Bound) replaceWeights(a *memory.Account) {
	r := b.Log.Readings[Weights]
	if r.Value == 0 { // not logged, or rounded to nothing
		return
	}
	b.replace(a, weightsFigure, a.Weights, int64(r.Value), "as the engine logged them", r.Line)
	a.Weights = int64(r.Value)
}

// replaceRest puts what was measured beside the weights in place of the estimates:
// what the KV cache leaves of the budget, divided as the estimates are where the
// log does not divide it. What the plan's own limits change of the estimates is
// added to what was measured.
func (b *Bound) replaceRest(a *memory.Account, was memory.Account) {
	budget := float64(a.Usable) * was.Config.Utilization
	if r, ok := b.Log.Of(Requested); ok {
		budget = r
	}
	kv := b.Log.Readings[KVMemory]
	estimate := was.Activation + was.Graphs + was.Other
	rest := int64(math.Max(budget-b.weightsOf(was)-kv.Value, 0))
	rest = max(rest+a.Activation+a.Graphs+a.Other-estimate, 0)
	scale := float64(rest) / float64(max(a.Activation+a.Graphs+a.Other, 1))
	for _, part := range []struct {
		name string
		of   *int64
	}{{activationFigure, &a.Activation}, {graphsFigure, &a.Graphs}, {otherFigure, &a.Other}} {
		now := int64(float64(*part.of) * scale)
		b.replace(a, part.name, *part.of, now, "usable memory x utilisation - weights - KV cache, as logged; divided as the estimates are", kv.Line)
		*part.of = now
	}
	b.replace(a, kvFigure, was.KV, a.KV, "as logged, and by how much the plan's limits differ from the log's", kv.Line)
}

func (b *Bound) weightsOf(a memory.Account) float64 {
	if w, _ := b.Log.Of(Weights); w > 0 {
		return w
	}
	return float64(a.Weights)
}

// replace puts a measured figure in the place of the estimate of that name.
func (b *Bound) replace(a *memory.Account, name string, estimate, value int64, formula string, line int) {
	f := figure.Figure{
		Name: name, Value: float64(value), Unit: "bytes", Kind: b.kind(), Formula: formula,
		Inputs: []figure.Input{{Name: "the estimate", Value: float64(estimate), Unit: "bytes"}, {Name: "line of the log", Value: float64(line)}},
		Source: b.source(),
	}
	i := slices.IndexFunc(a.Figures, func(f figure.Figure) bool { return f.Name == name })
	if i < 0 {
		a.Figures = append(a.Figures, f)
		return
	}
	a.Figures[i] = f
}
