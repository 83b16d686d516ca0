package plan

import (
	"fmt"
	"math"

	"assay/internal/facts"
	"assay/internal/figure"
	"assay/internal/price"
)

// cost is what an hour of one instance costs in the capacity that was asked for:
// the upper end of Spot's range, since a plan must hold on a bad day. It is not
// known for Spot without a price file, and in a region of which no price is known.
func (p *planner) cost(i facts.Instance) (float64, bool) {
	demand, known := p.prices.OnDemand(i.Name, p.asked.Region)
	spot, onSpot := p.prices.Spot(i.Name, p.asked.Region)
	switch p.asked.Capacity {
	case Spot:
		return spot.High, onSpot
	case Any:
		if onSpot && (!known || spot.High < demand.PerHour) {
			return spot.High, true
		}
	}
	return demand.PerHour, known
}

// order is what options are ordered by: their cost, and behind all of which it is
// known the on-demand price in the region, else in us-east-1.
func (p *planner) order(i facts.Instance) (hourly float64, priced bool) {
	if v, ok := p.cost(i); ok {
		return v, true
	}
	if v, ok := p.prices.OnDemand(i.Name, p.asked.Region); ok {
		return v.PerHour, false
	}
	if v, ok := p.prices.OnDemand(i.Name, price.Home); ok {
		return v.PerHour, false
	}
	return math.Inf(1), false
}

// priceOf is the price of that many instances.
func (p *planner) priceOf(i facts.Instance, count int) Price {
	var out Price
	if v, ok := p.prices.OnDemand(i.Name, p.asked.Region); ok {
		each, all := v.PerHour, v.PerHour*float64(count)
		asOf := v.AsOf
		out.PerInstance, out.OnDemand, out.AsOf = &each, &all, &asOf
	}
	if v, ok := p.prices.Spot(i.Name, p.asked.Region); ok {
		out.Spot = &SpotPrice{Low: v.Low * float64(count), High: v.High * float64(count), AsOf: v.AsOf}
	} else {
		out.AskSpot = fmt.Sprintf("aws ec2 describe-spot-price-history --region %s --instance-types %s --product-descriptions Linux/UNIX", p.asked.Region, i.Name)
	}
	return out
}

// perMillion is the price of a million output tokens at a throughput, over the
// range of both.
func perMillion(hourly figure.Range, tokensPerSecond figure.Range) *figure.Range {
	if tokensPerSecond.Low <= 0 || hourly.Mid <= 0 {
		return nil
	}
	const each = 1e6 / 3600
	return &figure.Range{Low: each * hourly.Low / tokensPerSecond.High, Mid: each * hourly.Mid / tokensPerSecond.Mid, High: each * hourly.High / tokensPerSecond.Low}
}

// hourly is what the instances cost in the capacity that was asked for, as a range
// where that is Spot's.
func (p *planner) hourly(i facts.Instance, count int) (figure.Range, bool) {
	v, ok := p.cost(i)
	if !ok {
		return figure.Range{}, false
	}
	spot, onSpot := p.prices.Spot(i.Name, p.asked.Region)
	if onSpot && v == spot.High && p.asked.Capacity != OnDemand {
		return figure.Range{Low: spot.Low, Mid: (spot.Low + spot.High) / 2, High: spot.High}.Scale(float64(count)), true
	}
	return figure.Exactly(v).Scale(float64(count)), true
}

// priceFigures defend the prices of an option.
func (p *planner) priceFigures(o Option, i facts.Instance) []figure.Figure {
	var out []figure.Figure
	if v, ok := p.prices.OnDemand(o.Instance, p.asked.Region); ok {
		out = append(out, figure.Figure{Name: "price on demand", Value: v.PerHour * float64(o.Count), Unit: "USD/h", Kind: figure.Quoted, Formula: "instances × price each",
			Inputs: []figure.Input{{Name: "instances", Value: float64(o.Count)}, {Name: o.Instance + " in " + v.Region, Value: v.PerHour, Unit: "USD/h", Source: v.Source}}})
	}
	if o.USD != nil {
		hourly, _ := p.hourly(i, o.Count)
		out = append(out, figure.Figure{Name: "cost of a million output tokens at the load", Value: o.USD.Mid, Unit: "USD", Range: o.USD, Kind: figure.Estimated,
			Formula: "price an hour / 3600 s / output tokens a second × 10⁶",
			Inputs:  []figure.Input{{Name: "price", Value: hourly.Mid, Unit: "USD/h"}, {Name: "throughput", Value: o.Predicted.Output.Mid, Unit: "tokens/s"}}})
	}
	return out
}
