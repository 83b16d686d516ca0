package plan

import (
	"errors"
	"fmt"
	"slices"

	"assay/internal/facts"
	"assay/internal/karpenter"
	"assay/internal/memory"
	"assay/internal/model"
)

// Kinds of rejection, by which they are grouped.
const (
	notWhole   = "fractional GPU"
	notKnown   = "unknown GPU"
	notRun     = "not run by the engine"
	noPool     = "no NodePool"
	tooSmall   = "memory"
	notFast    = "SLO"
	tooMuch    = "load"
	tooDear    = "budget"
	noForecast = "not predicted"
)

// candidate is a layout that an instance's memory holds.
type candidate struct {
	instance facts.Instance
	chip     facts.Chip
	layout   layout
	account  memory.Account
	pools    []karpenter.NodePool // that could launch it
}

// nodes is the instances that one replica takes.
func (c candidate) nodes() int { return c.layout.pp }

// perInstance is the replicas that one instance holds; 1 where a replica takes several.
func (c candidate) perInstance() int {
	if c.layout.pp > 1 {
		return 1
	}
	return max(1, c.instance.Count/c.layout.perNode())
}

// instances that many replicas take.
func (c candidate) instances(replicas int) int {
	per := c.perInstance()
	return (replicas + per - 1) / per * c.nodes()
}

// candidates are the layouts that hold the model, and why the others do not.
func (p *planner) candidates() ([]candidate, []Rejection) {
	var out []candidate
	var rejected []Rejection
	for _, i := range p.instances {
		chip, pools, no := p.usable(i)
		if no != nil {
			rejected = append(rejected, *no)
			continue
		}
		fit, not := p.onNode(i, chip)
		if len(fit) == 0 && spans(i) {
			var more []Rejection
			fit, more = p.overNodes(i, chip)
			not = append(not, more...)
		}
		for k := range fit {
			fit[k].pools = pools
		}
		out = append(out, fit...)
		rejected = append(rejected, not...)
	}
	return out, rejected
}

// usable is an instance's chip and who could launch it, or why it will not do at all.
func (p *planner) usable(i facts.Instance) (chip facts.Chip, pools []karpenter.NodePool, no *Rejection) {
	reject := func(kind, format string, args ...any) (facts.Chip, []karpenter.NodePool, *Rejection) {
		return facts.Chip{}, nil, &Rejection{Instance: i.Name, Layout: "any", Reason: fmt.Sprintf(format, args...), Kind: kind}
	}
	if i.Count == 0 {
		return reject(notWhole, "it has a fraction of a GPU, or a number of them that is not known: an engine takes whole ones")
	}
	chip, ok := i.Chip()
	if !ok {
		return reject(notKnown, "bandwidth and arithmetic of its accelerator, %s, are not known", i.Accelerator)
	}
	if len(p.pools) > 0 {
		var why string
		if pools, why = p.launchable(i); len(pools) == 0 {
			return reject(noPool, "%s", why)
		}
	}
	if ok, why := chip.Served(); !ok {
		return reject(notRun, "%s", why)
	}
	if onNeuron(chip) && p.engine.Name != "vllm" {
		return reject(notRun, "%s does not run on %s: of the engines known here vLLM alone does, by AWS's Neuron plugin", p.engine.Name, chip.Name)
	}
	if onNeuron(chip) && len(p.others) == 0 && !slices.Contains(neuronFamilies, p.arch.Type) {
		return reject(notRun, "AWS's Neuron plugin for vLLM lists Llama, Qwen 2.5 and 3, Pixtral; %s is none of them", p.name(p.arch))
	}
	if how, why := chip.Runs(p.runsAs(chip)); how == facts.Refused {
		return reject(notRun, "%s", why)
	}
	return chip, pools, nil
}

// onNode are the layouts within one instance.
func (p *planner) onNode(i facts.Instance, chip facts.Chip) (fit []candidate, not []Rejection) {
	for _, l := range layouts(p.arch, i.Count) {
		a, no := p.hold(i, chip, l)
		if no != nil {
			not = append(not, *no)
			continue
		}
		fit = append(fit, candidate{instance: i, chip: chip, layout: l, account: a})
	}
	return fit, not
}

// overNodes are the fewest instances whose pipeline holds the model.
func (p *planner) overNodes(i facts.Instance, chip facts.Chip) (fit []candidate, not []Rejection) {
	for _, l := range acrossNodes(p.arch, i.Count) {
		if len(fit) > 0 && l.pp > fit[0].layout.pp {
			break
		}
		a, no := p.hold(i, chip, l)
		if no != nil {
			not = append(not, *no)
			continue
		}
		fit = append(fit, candidate{instance: i, chip: chip, layout: l, account: a})
	}
	return fit, not
}

// spans says whether a pipeline goes over several instances of a type: of the largest
// of its family, and with EFA between them. A model that a smaller one does not hold
// takes a larger one.
func spans(i facts.Instance) bool {
	if i.EFA == 0 {
		return false
	}
	for _, other := range facts.Instances() {
		if other.Family == i.Family && other.Count > i.Count {
			return false
		}
	}
	return true
}

// hold is the account of a GPU's memory in a layout, or why it does not hold it.
// Instances with the same chip share it.
func (p *planner) hold(i facts.Instance, chip facts.Chip, l layout) (memory.Account, *Rejection) {
	key := placed{chip.Name, l}
	held, ok := p.accounts[key]
	if !ok {
		held.account, held.measured, held.err = p.account(p.memoryConfig(p.arch, chip, l))
		if held.err == nil && p.asked.KVBytes > 0 {
			held.err = crowded(held.account)
		}
		p.accounts[key] = held
	}
	if held.err == nil {
		return held.account, nil
	}
	if p.refusal == nil && refutes(held.err) {
		p.refusal = held.err
	}
	kind := notRun
	var small *memory.TooSmallError
	var full *CrowdedError
	if errors.As(held.err, &small) || errors.As(held.err, &full) {
		kind = tooSmall
	}
	return memory.Account{}, &Rejection{Instance: i.Name, Layout: l.String(), Reason: held.err.Error(), Kind: kind}
}

// crowded refuses a KV cache of the user's own size that the GPU has no room for
// beside the rest. An engine takes the size as it is, and runs out of memory.
func crowded(a memory.Account) error {
	room := a.Usable - a.Weights - a.Activation - a.Graphs - a.Other
	if a.KV <= room {
		return nil
	}
	return &CrowdedError{Asked: a.KV, Room: max(room, 0)}
}

// CrowdedError is a KV cache that was asked for by its size and does not fit.
type CrowdedError struct{ Asked, Room int64 } // bytes of one GPU

func (e *CrowdedError) Error() string {
	return fmt.Sprintf("--kv-cache-memory-bytes %d is more than the %d bytes that each GPU has beside weights and activations", e.Asked, e.Room)
}

// placed is a layout on a chip.
type placed struct {
	chip string
	layout
}

type held struct {
	account  memory.Account
	measured bool // by the log that calibrates
	err      error
}

func (p *planner) memoryConfig(a model.Arch, chip facts.Chip, l layout) memory.Config {
	a.Name = p.name(a)
	return memory.Config{
		Model: a, Format: p.format, Stored: p.stored, KV: p.kv, Chip: chip,
		TP: l.tp, PP: l.pp, DP: l.dp, EP: l.ep, Engine: p.engine,
		MaxModelLen: p.asked.Context, MaxNumSeqs: p.asked.MaxNumSeqs, MaxBatchedTokens: p.asked.MaxBatchedTokens,
		BlockSize: p.asked.BlockSize, Utilization: p.asked.Utilization, KVBytes: p.asked.KVBytes,
	}
}

// runsAs is the format that a chip is asked to multiply: fp16 does for 16 bits where
// nobody insisted on bf16.
func (p *planner) runsAs(c facts.Chip) string {
	if p.precision() == "bf16" && p.half && onlyHalf(c) {
		return "fp16"
	}
	return p.precision()
}
