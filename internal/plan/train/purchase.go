package train

import (
	"fmt"
	"slices"

	"assay/internal/facts"
	"assay/internal/figure"
)

// price is what so many instances cost an hour, bought as asked; nil: not known.
func (r Request) price(instance string, count int) *HourlyPrice {
	if r.Prices == nil {
		return nil
	}
	var p *HourlyPrice
	spot, sold := r.Prices.Spot(instance, r.Region)
	switch n := float64(count); r.Capacity {
	case facts.Spot:
		if sold {
			p = &HourlyPrice{Kind: facts.Spot, PerHour: figure.Range{Low: n * spot.Low, Mid: n * (spot.Low + spot.High) / 2, High: n * spot.High}, AsOf: spot.AsOf, Source: spot.Source}
		}
	case CapacityBlock:
		if q, ok := r.Prices.CapacityBlock(instance, r.Region); ok {
			p = &HourlyPrice{Kind: CapacityBlock, PerHour: figure.Exactly(n * q.PerHour), AsOf: q.AsOf, Source: q.Source}
		}
	default:
		if q, ok := r.Prices.OnDemand(instance, r.Region); ok {
			p = &HourlyPrice{Kind: facts.OnDemand, PerHour: figure.Exactly(n * q.PerHour), AsOf: q.AsOf, Source: q.Source}
		}
	}
	if p != nil && sold {
		p.Spot = &spot
	}
	return p
}

// neuron says whether the chips are AWS's own.
func (c candidate) neuron() bool { return c.chip.Vendor == "AWS" }

// remarks are what differs with a chip.
func (c candidate) remarks() []string {
	out := []string{}
	if c.neuron() {
		out = append(out, "degrees count chips, each of which has several NeuronCores; NCCL's settings do not apply to Neuron's collectives")
	}
	if c.chip.Estimated {
		out = append(out, fmt.Sprintf("the usable memory of %s is its nominal size less a margin: nothing that reports it was found", c.chip.Name))
	}
	return out
}

// connect says how nodes of a type are connected and placed.
func connect(c candidate, count int) Connection {
	i := c.instance
	if count == 1 {
		return Connection{Placement: "none", Zones: 1, Why: "one node: nothing crosses the network but data and checkpoints"}
	}
	out := Connection{EFA: i.EFA, Placement: "cluster", Zones: 1, Why: "coupled nodes: all wait for the slowest transfer of each step"}
	if i.EFA == 0 {
		out.Why = "no EFA on this type: NCCL uses TCP, and the time of transfers counts with that"
		return out
	}
	out.HugePages, out.Memory, _ = facts.HugePages()
	return out
}

// purchase says how to buy the nodes of an option.
func (r Request) purchase(i facts.Instance, o Option) Purchase {
	p := Purchase{Remarks: []string{}}
	blocks := facts.CapacityBlocks()
	sold := slices.Contains(blocks.Families, i.Family)
	coupled := o.Count > 1
	switch {
	case coupled && sold && o.Count <= blocks.Total:
		p.Advice, p.Why = CapacityBlock, "one interrupted node stops all of them, and Spot gives two minutes: a Capacity Block holds all nodes, close together, for a time paid in advance"
	case coupled:
		p.Advice, p.Why = facts.OnDemand, "one interrupted node stops all of them, and Spot gives two minutes; no Capacity Block has this type or as many: reserve the capacity (ODCR)"
	case r.Method != Full && o.Checkpoint.Write.High <= 120:
		p.Advice, p.Why = facts.Spot, fmt.Sprintf("one node, and its checkpoint is written within %.0f s, inside Spot's two minutes: an interruption costs little. How often it comes is not known", max(1, o.Checkpoint.Write.High))
	default:
		p.Advice, p.Why = facts.OnDemand, "one node whose checkpoint may take longer than Spot's two minutes; with checkpoints as often as planned Spot works too, at the price of the work since the last one"
	}
	if sold && o.Count <= blocks.Total {
		r.block(&p, i, o, blocks)
	}
	r.contradict(&p, coupled, sold)
	capacity := facts.OnDemand
	if r.Capacity == facts.Spot || r.Capacity == "any" && p.Advice == facts.Spot {
		capacity = facts.Spot
	}
	if q, ok := facts.Quota(i, capacity); ok {
		p.Quota, p.VCPU = &q, q.VCPU*o.Count
	}
	return p
}

// block says how long a Capacity Block is to be, and what is known of its price.
func (r Request) block(p *Purchase, i facts.Instance, o Option, blocks facts.CapacityBlock) {
	p.BlockDays = blocks.Days(o.Seconds.High / 86400)
	if p.BlockDays == 0 {
		p.Remarks = append(p.Remarks, "longer than the longest Capacity Block of 182 days: extend it, or take more nodes")
	}
	if o.Count > blocks.Instances {
		p.Remarks = append(p.Remarks, fmt.Sprintf("a Capacity Block holds up to %d instances, an account %d: several blocks of one zone and time", blocks.Instances, blocks.Total))
	}
	if r.Prices == nil {
		return
	}
	if price, ok := r.Prices.CapacityBlock(i.Name, r.Region); ok {
		p.BlockUSD = &price.PerHour
	}
}

// contradict says where the user's wish and the advice differ.
func (r Request) contradict(p *Purchase, coupled, sold bool) {
	switch {
	case r.Capacity == facts.Spot && coupled:
		p.Remarks = append(p.Remarks, "Spot was asked for: with coupled nodes each interruption of one costs all of them the work since the last checkpoint and a restart")
	case r.Capacity == CapacityBlock && !sold:
		p.Remarks = append(p.Remarks, "no Capacity Block is sold of this type")
	}
}
