package dashboard

import (
	"fmt"
	"math"
)

// objectives is the SLO: how much of the budget is left and how fast it goes.
func objectives(o Options) board {
	return board{
		name: "assay-slo", title: "Assay / SLO",
		about: fmt.Sprintf("%g of first tokens within %s and of next tokens within %s: how much of the budget is left, how fast it is used.", o.Objective, spell(o.TTFT), spell(o.ITL)),
		asks:  []ask{askJob, askNamespace, askModel},
		rows: []row{
			{"What is left of the budget?", o.budgets()},
			{"How fast is it used?", o.burning()},
			{"By service", []panel{o.sloTable().size(24, 7)}},
			{"What limit could be met?", o.otherLimits()},
			{"Answers", o.answered()},
		},
	}
}

// hour and the others are the windows of the alerts, which stay what they are
// whatever the dashboard shows.
const (
	hour     = "1h"
	sixHours = "6h"
	shown    = "$__range"
)

func (o Options) budgets() []panel {
	left := func(title, of, within string) panel {
		return panel{
			kind: tile, title: title, unit: "percentunit",
			means:   fmt.Sprintf("Share of the %s that may be late which is not used up, over the time shown; below 0 the objective is missed.", of),
			queries: []query{{expr: "1 - " + o.burn(within)}},
			judge:   below(0.25, 0),
		}
	}
	burns := func(title, of, within string) panel {
		return panel{
			kind: tile, title: title, unit: "none",
			means:   fmt.Sprintf("How many times faster than evenly the budget of %s goes, over the last hour: at 1 it lasts just as long as it should.", of),
			queries: []query{{expr: o.burn(within)}},
			judge:   above(1, o.pageBurn()),
		}
	}
	return []panel{
		left("Budget left: first tokens", "first tokens", o.ttftWithin("", services, shown)).size(5, 5),
		left("Budget left: next tokens", "next tokens", o.itlWithin("", services, shown)).size(5, 5),
		burns("Burn in the last hour: first tokens", "first tokens", o.ttftWithin("", services, hour)).size(5, 5),
		burns("Burn in the last hour: next tokens", "next tokens", o.itlWithin("", services, hour)).size(5, 5),
		figure("First tokens counted", "none", "How many first tokens the time shown rests on: a share of few says little.",
			"sum(increase(vllm:time_to_first_token_seconds_count{"+services+"}[$__range]))").size(4, 5),
	}
}

// burn is the share that was late over the share that may be.
func (o Options) burn(within string) string {
	return fmt.Sprintf("((1 - %s) / %s)", within, number(o.allowed()))
}

// allowed is the share that may be late. The subtraction's noise in the last
// digits is taken off, as in 1 - 0.99.
func (o Options) allowed() float64 { return round(1 - o.Objective) }

func round(v float64) float64 { return math.Round(v*1e9) / 1e9 }

func (o Options) burning() []panel {
	burns := func(title, of string, within func(by, selection, window string) string) panel {
		p := chart(title, "none",
			fmt.Sprintf("How many times faster than evenly the budget of %s goes, over windows of an hour and of six; a page is due from the upper line.", of),
			query{expr: o.burn(within(each, services, hour)), legend: serviceLegend + " 1 h"},
			query{expr: o.burn(within(each, services, sixHours)), legend: serviceLegend + " 6 h"})
		p.judge = above(1, o.pageBurn())
		return p.size(12, 8)
	}
	return []panel{
		burns("Burn rate: first tokens", "first tokens", o.ttftWithin),
		burns("Burn rate: next tokens", "next tokens", o.itlWithin),
	}
}

func (o Options) sloTable() panel {
	return panel{
		kind: table, title: "Services", unit: "none",
		means: "Each service over the time shown; a click on its model shows it alone.",
		queries: []query{
			{expr: o.ttftWithin(each, services, shown), legend: "First token in time"},
			{expr: o.itlWithin(each, services, shown), legend: "Next token in time"},
			{expr: sum(each, "increase(vllm:time_to_first_token_seconds_count{"+services+"}[$__range])"), legend: "First tokens"},
		},
		cols: map[string]column{
			"namespace":           {title: "Namespace"},
			"model_name":          {title: "Model", link: "assay-service"},
			"First token in time": {unit: "percentunit", judge: o.within()},
			"Next token in time":  {unit: "percentunit", judge: o.within()},
			"First tokens":        {unit: "none"},
		},
	}
}

func (o Options) otherLimits() []panel {
	limits := func(title, of string, from, to float64, b Boundaries, upTo func(le string) string) panel {
		p := chart(title, "percentunit", fmt.Sprintf("Share of %s within each of the histogram's boundaries: where an objective could be set.", of))
		for _, v := range b {
			if v < from || v > to {
				continue
			}
			limit := seconds(v)
			le, _ := b.Match(limit)
			p.queries = append(p.queries, query{expr: upTo(le), legend: spell(limit)})
		}
		p.top = 1
		return p.size(12, 8)
	}
	return []panel{
		limits("First tokens within", "first tokens", 0.1, 10, TTFTBoundaries, func(le string) string {
			return ttftShare("", services, le, interval)
		}),
		limits("Next tokens within", "next tokens", 0.01, 0.5, ITLBoundaries, func(le string) string {
			return itlShare("", services, le, interval)
		}),
	}
}

func (o Options) answered() []panel {
	all := sum("", answers(services, ""))
	failing := chart("Failed requests", "percentunit", "Share of answers of the API with a status of 5xx: their tokens are in no latency above.",
		query{expr: failures(services), legend: "failed"})
	failing.judge = above(o.Levels.Failing, o.Levels.Failed)
	return []panel{
		failing.size(12, 7),
		chart("Answers", "reqps", "Answers of the API a second, and those turned away by the queue's limit.",
			query{expr: all, legend: "answers"},
			query{expr: some(sum("", rate("vllm:admission_rejections_total{"+services+"}")), all), legend: "turned away"}).size(12, 7),
	}
}
