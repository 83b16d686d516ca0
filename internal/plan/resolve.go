package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/internal/checkpoint"
	"assay/internal/facts"
	"assay/internal/karpenter"
	"assay/internal/memory"
	"assay/internal/model"
	"assay/internal/price"
	"assay/internal/spec"
)

// Defaults of a request.
const (
	DefaultContext     = 8192 // tokens; more where the lengths need it, less where the model has less
	DefaultCapacity    = OnDemand
	DefaultReplicasMax = 64
	DefaultSpare       = 1
)

// resolve reads what a request names and fills in its defaults.
func resolve(r Request) (*planner, error) {
	p := newPlanner()
	a := r.Asked
	a.Capacity = cmp.Or(a.Capacity, DefaultCapacity)
	a.Region = cmp.Or(a.Region, price.Home)
	a.ReplicasMax = cmp.Or(a.ReplicasMax, DefaultReplicasMax)
	if err := a.check(); err != nil {
		return nil, err
	}
	for _, c := range a.SLO {
		a.Conditions = append(a.Conditions, c.String())
	}
	if a.Conditions == nil {
		a.Conditions = []string{}
	}
	p.asked = a
	for _, step := range []func(Request) error{p.openModel, p.openFormats, p.openContext, p.openPrices, p.openInstances, p.openCalibration} {
		if err := step(r); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// openModel reads the model, or picks among the candidates of a bare count.
func (p *planner) openModel(r Request) error {
	if r.Model == "" {
		return wrongf("give --model with a config.json, its folder, a .safetensors or .gguf file, a known model's name, or a count such as 30B", "no model")
	}
	c, err := checkpoint.Open(r.Model)
	if err != nil {
		return err
	}
	all, err := c.Architectures()
	if err != nil {
		return err
	}
	p.from, p.served, p.parameters, p.remarks = c.Kind, c.Served(), c.Parameters, append(p.remarks, c.Remarks...)
	if !c.Exact() {
		p.pick(all)
	} else {
		p.arch = all[0]
	}
	if p.parameters == 0 {
		p.parameters = p.arch.Parameters()
	}
	if c.Stored != nil && c.Exact() {
		var counts model.Counts
		for part, n := range c.Stored.Parts() {
			counts[part] = n
		}
		p.stored, p.exact = &counts, !c.Stored.ByRule
	}
	return nil
}

// halves are names of 16 bits that are not bf16: as many bytes, and fp16 where a chip
// has no bf16.
var halves = []string{"fp16", "float16", "half"}

// openFormats settles how weights and the KV cache are stored.
func (p *planner) openFormats(r Request) error {
	stored := p.arch.Format
	name := strings.ToLower(strings.TrimSpace(r.Precision))
	p.fp16 = slices.Contains(halves, name)
	p.half = p.fp16 || name == "" || name == "auto"
	switch {
	case name == "" || name == "auto":
		p.format = stored
		if len(p.others) > 0 { // the candidates' own formats say nothing of a count
			p.format = model.Format{}
		}
	default:
		if slices.Contains(halves, name) || name == "bfloat16" {
			name = "bf16"
		}
		f, err := p.arch.Quantised(name)
		if err != nil {
			return &UsageError{What: err.Error(), Way: "give one of them with --precision, or leave it out: the checkpoint's own is then used"}
		}
		if f.Name == stored.Name || f.Name == "bf16" && stored.Name == "" {
			f = stored
		} else if p.stored != nil && len(p.others) == 0 {
			p.stored, p.exact = nil, false // what is on disk is another precision
		}
		p.format = f
		p.requantise(stored)
	}
	if len(p.others) > 0 {
		p.stored = p.scaled(p.arch)
	}
	kv, err := memory.KVFormatNamed(cmp.Or(r.KVPrecision, "auto"))
	if err != nil {
		return &UsageError{What: err.Error(), Way: "give one of them with --kv-precision"}
	}
	p.kv = kv
	if p.engine, err = memory.EngineNamed(cmp.Or(r.Engine, "vllm")); err != nil {
		return &UsageError{What: err.Error()}
	}
	if known, newer := p.engine.Newer(); newer {
		p.remark("%s is newer than %s, the last whose source was read here: its defaults are taken to be the same", p.engine, known)
	}
	p.asked.Precision, p.asked.KVPrecision, p.asked.Engine = p.called(), kv.Name, p.engine.String()
	return nil
}

// requantise says how the engine comes to another precision than the checkpoint's.
func (p *planner) requantise(stored model.Format) {
	from := cmp.Or(stored.Name, "bf16")
	switch {
	case p.format.Name == from || len(p.others) > 0 || p.format.Name == "":
	case p.format.Name == "fp8" && from == "bf16":
		p.quantize = "fp8"
		p.remark("%s is stored in bf16: the engine quantises it to fp8 as it loads (--quantization fp8)", p.arch.Name)
	default:
		p.remark("%s is stored in %s: %s needs a checkpoint in that precision; give its name or folder to --model", p.arch.Name, from, p.format.Name)
	}
}

func (p *planner) precision() string { return cmp.Or(p.format.Name, "bf16") }

// called is the precision as the user knows it.
func (p *planner) called() string {
	if p.fp16 {
		return "fp16"
	}
	return p.precision()
}

// openContext settles the longest request. An architecture that is assumed of a bare
// count attends to what was asked.
func (p *planner) openContext(Request) error {
	need := p.asked.ISL + p.asked.OSL
	if len(p.others) > 0 {
		p.arch.Context = max(p.arch.Context, p.asked.Context, need)
	}
	own := p.arch.Context
	switch {
	case p.asked.Context > 0 && own > 0 && p.asked.Context > own:
		return wrongf(fmt.Sprintf("give --context %d or less, or a model with a longer context", own), "--context %d: %s attends to %d tokens", p.asked.Context, p.arch.Name, own)
	case p.asked.Context > 0:
		return nil
	case own > 0 && need > own:
		return wrongf("", "--isl %d and --osl %d: %s attends to %d tokens", p.asked.ISL, p.asked.OSL, p.arch.Name, own)
	}
	p.asked.Context = max(DefaultContext, (need+1023)/1024*1024)
	if own > 0 {
		p.asked.Context = min(p.asked.Context, own)
	}
	p.remark("no --context: %d tokens are planned for", p.asked.Context)
	return nil
}

// openPrices reads price files over the embedded prices.
func (p *planner) openPrices(r Request) error {
	p.prices = price.Embedded()
	for _, path := range r.PriceFiles {
		more, err := price.ReadFile(path)
		if err != nil {
			return err
		}
		p.prices.Merge(more)
	}
	if r.Budget == nil {
		return nil
	}
	p.budget = *r.Budget
	for _, i := range facts.Instances() {
		if _, ok := p.cost(i); ok {
			return nil
		}
	}
	return wrongf("give --price-file with prices of it (docs/plan.md), or leave --budget out", "--budget: no %s prices of %s are known", p.asked.Capacity, p.asked.Region)
}

// openInstances reads the instances and NodePools that the plan is held to.
func (p *planner) openInstances(r Request) error {
	for _, path := range r.NodePools {
		pools, err := karpenter.Read(path)
		if err != nil {
			return err
		}
		p.pools = append(p.pools, pools...)
		for _, pool := range pools {
			for _, s := range pool.Unjudged() {
				p.remark("NodePool %s: %s", pool.Name, s)
			}
		}
	}
	p.instances = everyInstance()
	if len(p.asked.Instances) == 0 {
		return nil
	}
	p.instances = nil
	for _, name := range p.asked.Instances {
		i, err := facts.InstanceNamed(name)
		if err != nil {
			return &UsageError{What: err.Error()}
		}
		p.instances = append(p.instances, i)
	}
	return nil
}

func everyInstance() []facts.Instance { return facts.Instances() }

func (p *planner) remark(format string, args ...any) {
	p.remarks = append(p.remarks, fmt.Sprintf(format, args...))
}

// Declared fills in what flags left open from an assay.yaml.
func (r Request) Declared(s *spec.Spec) Request {
	r.Model = cmp.Or(r.Model, s.Model)
	if len(r.SLO) == 0 {
		r.SLO = s.SLO
	}
	if r.ISL == 0 {
		r.ISL = int(s.Workload.Prompt.Expected())
	}
	if r.OSL == 0 {
		r.OSL = int(s.Workload.Output.Expected())
	}
	if r.Concurrency == 0 && r.Rate == 0 {
		r.Concurrency, r.Rate = s.Workload.Concurrency, s.Workload.Rate
	}
	r.Context = cmp.Or(r.Context, s.Workload.Context)
	r.Region = cmp.Or(r.Region, s.Platform.Region, s.Render.Region)
	if len(r.Instances) == 0 && s.Platform.Instance != "" {
		r.Instances = []string{s.Platform.Instance}
	}
	return r
}
