package train

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/internal/facts"
	"assay/internal/figure"
)

// Plan finds for each instance type the layout and the count that train as asked, and
// puts them in order: of cost, or of time where a budget is all that is asked. The
// error is of a request that cannot be.
func Plan(r Request) (Result, error) {
	r, remarks, err := r.resolve()
	if err != nil {
		return Result{}, err
	}
	r, s, err := r.check()
	if err != nil {
		return Result{}, err
	}
	out := Result{
		Request: r.asked(), Model: s.facts(), Options: []Option{}, Rejected: []Rejection{}, Remarks: append(r.remarks(s), remarks...),
		Network: NetworkPlan{Environment: facts.NetworkSettings(), Placements: facts.Placements()},
		Order:   "cost",
	}
	if r.fastest() {
		out.Order = "time"
	}
	for _, i := range r.Instances {
		c, why := r.suits(i)
		if why != "" {
			out.Rejected = append(out.Rejected, Rejection{Instance: i.Name, Reason: why})
			continue
		}
		c.efficiency = published().of(classOf(c.chip, r.Precision), s.experts > 0)
		if o, rejection := r.best(s, c); o != nil {
			out.Options = append(out.Options, *o)
		} else {
			out.Rejected = append(out.Rejected, rejection)
		}
	}
	slices.SortStableFunc(out.Options, r.order)
	for i := range out.Options {
		r.explain(s, &out.Options[i])
	}
	out.conclude(r, s)
	return out, nil
}

// fastest says whether the fastest option that keeps a budget is wanted, not the
// cheapest.
func (r Request) fastest() bool { return (r.Budget > 0 || r.Hourly > 0) && r.Deadline == 0 }

// best is the best option of one instance type over all counts.
func (r Request) best(s sizing, c candidate) (*Option, Rejection) {
	var best *Option
	var short *shortage
	for _, n := range r.counts(c.instance) {
		if best != nil && c.instance.EFA == 0 && best.Verdict == Meets && !r.fastest() {
			break // nobody couples nodes over TCP to save a little
		}
		l, step, found, lacks := r.fit(s, c, n)
		if lacks != nil && (short == nil || lacks.memory.Total < short.memory.Total) {
			short = lacks
		}
		if !found {
			continue
		}
		o := r.option(s, c, n, l, step)
		if best == nil || r.order(o, *best) < 0 {
			best = &o
		}
	}
	if best != nil {
		return best, Rejection{}
	}
	rejection := Rejection{Instance: c.instance.Name, Reason: r.noLayout(c)}
	if short != nil {
		rejection.Layout, rejection.Reason = short.layout.String(), short.reason()
	}
	return nil, rejection
}

// noLayout says why the degrees asked for do not go together on an instance.
func (r Request) noLayout(c candidate) string {
	node := c.instance.Count
	switch {
	case r.TP > node:
		return fmt.Sprintf("tp %d spans nodes of %d GPUs, over a network that slows each layer", r.TP, node)
	case r.Count > 0 && r.GlobalBatch < r.Count*node && r.TP*r.PP <= 1:
		return fmt.Sprintf("a batch of %d sequences cannot be spread over %d GPUs", r.GlobalBatch, r.Count*node)
	}
	return fmt.Sprintf("the degrees asked for do not divide its GPUs (%d a node) and the batch of %d sequences", node, r.GlobalBatch)
}

// option is a layout with its time and cost.
func (r Request) option(s sizing, c candidate, count int, l Layout, step Step) Option {
	gpus := count * c.instance.Count
	o := Option{
		ID:       strings.ReplaceAll(fmt.Sprintf("%s-x%d-%s", c.instance.Name, count, l), " ", "-"),
		Instance: c.instance.Name, Count: count, GPUs: gpus,
		GPU: GPU{c.chip.Name, c.chip.Usable}, Layout: l, Memory: s.memory(l, c.chip.Usable),
		Step: step, Efficiency: c.efficiency.Range, Rests: c.efficiency.From,
		Checkpoint: r.checkpoint(s.state(), c.instance.Name, count, gpus),
	}
	perStep := float64(r.GlobalBatch * r.Sequence)
	o.TokensPerS = step.Total.Inverse(perStep)
	o.PerGPU = o.TokensPerS.Scale(1 / float64(gpus))
	o.MFU = o.PerGPU.Scale(s.modelFLOPs(r.Method) / c.chip.BF16)
	work := step.Total.Scale(r.steps())
	lost := figure.Range{Low: work.Low * o.Checkpoint.Lost.Low, Mid: work.Mid * o.Checkpoint.Lost.Mid, High: work.High * o.Checkpoint.Lost.High}
	o.Seconds = work.Plus(lost)
	o.Total = Sum{o.Seconds, "s"}
	o.Phases = phases(step, r.steps(), lost, o.Seconds.Mid)
	if o.Price = r.price(c.instance.Name, count); o.Price != nil {
		p := o.Price.PerHour.Scale(1.0 / 3600)
		o.USD = &figure.Range{Low: o.Seconds.Low * p.Low, Mid: o.Seconds.Mid * p.Mid, High: o.Seconds.High * p.High}
	}
	o.Connect, o.Remarks = connect(c, count), c.remarks()
	o.Capacity = r.purchase(c.instance, o)
	o.Verdict, o.within = r.verdict(o)
	return o
}

func phases(step Step, steps float64, lost figure.Range, total float64) []Phase {
	out := []Phase{}
	for _, p := range []struct {
		name string
		time figure.Range
	}{
		{"computation", step.Compute.Scale(steps)},
		{"tensor-parallel transfers that show", step.Tensor.Scale(steps)},
		{"data-parallel transfers that show", step.Shards.Scale(steps)},
		{"expert-parallel transfers that show", step.Experts.Scale(steps)},
		{"pipeline transfers that show", step.Stages.Scale(steps)},
		{"pipeline bubble", step.Bubble.Scale(steps)},
		{"checkpoints and failures", lost},
	} {
		if p.time.High > 0 {
			out = append(out, Phase{p.name, p.time, p.time.Mid / total})
		}
	}
	return out
}

// verdict of an option: of the deadline, the budget and the hourly budget, the worst;
// and whether all hold at the middle of the ranges.
func (r Request) verdict(o Option) (v Verdict, within bool) {
	limit := r.Deadline.Seconds()
	v, within = judge(o.Seconds, limit), limit == 0 || o.Seconds.Mid <= limit
	if r.Budget == 0 && r.Hourly == 0 {
		return v, within
	}
	if o.USD == nil {
		return Unpriced, false
	}
	v = worse(worse(v, judge(*o.USD, r.Budget)), judge(o.Price.PerHour, r.Hourly))
	return v, within && (r.Budget == 0 || o.USD.Mid <= r.Budget)
}

// order puts what meets the request first; then the cheapest, or the fastest. What
// has no price comes after what has one. Of equals the smaller comes first.
func (r Request) order(a, b Option) int {
	byVerdict := cmp.Compare(a.rank(), b.rank())
	byTime := cmp.Compare(a.Seconds.Mid, b.Seconds.Mid)
	byCost := cmp.Compare(unknown(a), unknown(b))
	switch {
	case a.USD != nil && b.USD != nil:
		byCost = cmp.Compare(a.USD.Mid, b.USD.Mid)
	case a.USD == nil && b.USD == nil:
		byCost = cmp.Compare(a.Seconds.Mid*float64(a.GPUs), b.Seconds.Mid*float64(b.GPUs))
	}
	if r.fastest() && (a.Verdict == Meets || a.Verdict == May) {
		return cmp.Or(byVerdict, byTime, byCost, cmp.Compare(a.GPUs, b.GPUs))
	}
	return cmp.Or(byVerdict, byCost, byTime, cmp.Compare(a.GPUs, b.GPUs))
}

func unknown(o Option) int {
	if o.USD == nil {
		return 1
	}
	return 0
}

func (r Request) asked() Asked {
	a := Asked{
		Method: r.Method, Tokens: r.Tokens, Sequence: r.Sequence, GlobalBatch: r.GlobalBatch, Steps: r.steps(),
		Precision: r.Precision, Optimizer: r.Optimizer, Recompute: cmp.Or(r.Recompute, "auto"), ChunkedLoss: r.ChunkedLoss,
		Region: r.Region, Capacity: r.Capacity, BudgetUSD: positive(r.Budget), HourlyUSD: positive(r.Hourly),
		DeadlineS: positive(r.Deadline.Seconds()), FailureHours: positive(r.FailureHours),
	}
	if r.Method != Full {
		a.Rank, a.Targets = r.Adapters.Rank, r.Adapters.Targets
	}
	return a
}

func positive(x float64) *float64 {
	if x <= 0 {
		return nil
	}
	return &x
}

func (s sizing) facts() ModelFacts {
	trained := s.arch.Parameters()
	if s.method != Full {
		trained = s.adapters
	}
	return ModelFacts{s.arch.Name, s.arch.Parameters(), s.arch.ActiveParameters(), trained, s.modelFLOPs(s.method)}
}

// remarks are what the user should know of the request as a whole.
func (r Request) remarks(s sizing) []string {
	out := []string{}
	if r.Deadline == 0 && r.Budget == 0 && r.Hourly == 0 && r.Count == 0 {
		out = append(out, "nothing was asked of time or cost: each count is the cheapest of its type; --deadline or --budget buys time")
	}
	if f := r.Model.Format.Name; f != "" && f != "bf16" && r.Method != QLoRA {
		out = append(out, fmt.Sprintf("the weights are stored in %s: training starts from a BF16 copy of them", f))
	}
	if c := r.Model.Context; c > 0 && r.Sequence > c {
		out = append(out, fmt.Sprintf("sequences of %d tokens are longer than the context of %d that the model was made for", r.Sequence, c))
	}
	if s.experts > 0 {
		out = append(out, "few runs of models with experts are published, and they differ by a factor of eight: the range says so; measure a hundred steps before buying")
	}
	switch r.Capacity {
	case facts.Spot:
		out = append(out, "Spot prices move, and none ships with the tool: cost is of the range in --price-file, the JSON of aws ec2 describe-spot-price-history")
	case CapacityBlock:
		out = append(out, "prices of Capacity Blocks follow demand, and none ships with the tool: cost is of --price-file")
	}
	if r.Region != "" && r.Prices != nil && !slices.Contains(r.Prices.Regions(), r.Region) {
		out = append(out, fmt.Sprintf("no prices are known of %s: --price-file gives them; until then options are in order of GPU-hours", r.Region))
	}
	return out
}
