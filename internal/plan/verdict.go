package plan

import (
	"fmt"

	"assay/internal/price"
)

// verdict is the sentence of a plan that works, and what a reader asks next.
func (p *planner) verdict(all []Option) Verdict {
	best := all[0]
	does := "holds the load"
	if len(p.asked.SLO) > 0 {
		does = "meets the SLO"
	}
	what := fmt.Sprintf("%d × %s with %s", best.Count, best.Instance, replicas(best.Replicas))
	v := Verdict{Verdict: Fits, Say: fmt.Sprintf("%s is the cheapest that %s: %s, for %s", best.ID, does, what, p.costOf(best))}
	if p.costOf(best) == "" {
		v.Say = fmt.Sprintf("%s %s: %s; what it costs %s is not known, and options stand in the order of prices on demand in %s", best.ID, does, what, p.where(), p.orderedIn(best))
	}
	if len(p.asked.SLO) > 0 {
		v.Also = append(v.Also, p.howSurely(all, &v))
	}
	if s := p.onGPUs(all); s != "" {
		v.Also = append(v.Also, s)
	}
	return v
}

// howSurely says whether the error bars of the first option lie within the limits,
// and which is the cheapest of which they do.
func (p *planner) howSurely(all []Option, v *Verdict) string {
	if all[0].Meets == Met {
		v.Sure = all[0].ID
		return "its error bars lie within the limits"
	}
	for _, o := range all {
		if o.Meets == Met {
			v.Sure = o.ID
			return fmt.Sprintf("its prediction lies within the limits, its whole error bars do not; the cheapest whose error bars do is %s%s", o.ID, p.forCost(o))
		}
	}
	return "its prediction lies within the limits, its whole error bars do not, nor do those of any other: measure it before you count on it"
}

// onGPUs names the cheapest option on GPUs where the first is on a chip that takes
// other software.
func (p *planner) onGPUs(all []Option) string {
	if all[0].GPU.Vendor != neuronVendor {
		return ""
	}
	for _, o := range all {
		if o.GPU.Vendor != neuronVendor {
			return fmt.Sprintf("it runs AWS's Neuron software on %s; the cheapest on GPUs is %s%s", all[0].GPU.Name, o.ID, p.forCost(o))
		}
	}
	return ""
}

// forCost is the cost of an option as the end of a clause; empty where not known.
func (p *planner) forCost(o Option) string {
	if s := p.costOf(o); s != "" {
		return ", for " + s
	}
	return ""
}

// where says of which price a reader misses the figure.
func (p *planner) where() string {
	if p.asked.Capacity == Spot {
		return "on Spot in " + p.asked.Region
	}
	return "in " + p.asked.Region
}

// orderedIn is the region whose prices on demand stand in for a cost.
func (p *planner) orderedIn(o Option) string {
	if o.Price.OnDemand != nil {
		return p.asked.Region
	}
	return price.Home
}

// costOf is the hourly cost of an option in words; empty where it is not known.
func (p *planner) costOf(o Option) string {
	onSpot := o.Price.Spot != nil && (p.asked.Capacity == Spot || p.asked.Capacity == Any && (o.Price.OnDemand == nil || o.Price.Spot.High < *o.Price.OnDemand))
	switch {
	case onSpot:
		return fmt.Sprintf("$%.2f to %.2f/h on Spot", o.Price.Spot.Low, o.Price.Spot.High)
	case p.asked.Capacity == Spot:
		return ""
	case o.Price.OnDemand != nil:
		return dollars(*o.Price.OnDemand) + " on demand"
	}
	return ""
}
