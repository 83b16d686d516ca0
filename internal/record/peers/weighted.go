package peers

import (
	"cmp"
	"math"
	"slices"
)

// weighted is a value with its weight: of requests 1 each, of tokens their
// number, of a rate the time for which it held.
type weighted struct{ value, weight float64 }

// ones gives each value the weight 1.
func ones(values []float64) []weighted {
	out := make([]weighted, len(values))
	for i, v := range values {
		out[i] = weighted{v, 1}
	}
	return out
}

// guideDistribution is a distribution as GuideLLM has it: percentiles are the
// smallest value that the share does not exceed, by weight; all 0 for none.
// count is of what it says it counts; the weights' sum where it is negative.
func guideDistribution(values []weighted, count float64) object {
	sorted := slices.DeleteFunc(slices.Clone(values), func(w weighted) bool { return w.weight <= 0 })
	slices.SortFunc(sorted, func(a, b weighted) int { return cmp.Compare(a.value, b.value) })
	var total, mean, variance, mode, most float64
	for _, w := range sorted {
		total += w.weight
	}
	for _, w := range sorted {
		mean += w.value * w.weight / total
	}
	for i := 0; i < len(sorted); {
		same := 0.0
		from := sorted[i].value
		for ; i < len(sorted) && sorted[i].value == from; i++ {
			same += sorted[i].weight
		}
		variance += (from - mean) * (from - mean) * same / total
		if same > most {
			mode, most = from, same
		}
	}
	if count < 0 {
		count = math.Round(total)
	}
	at := func(p float64) float64 {
		if len(sorted) == 0 {
			return 0
		}
		sum := 0.0
		for _, w := range sorted {
			if sum += w.weight; sum >= p*total*(1-1e-12) {
				return w.value
			}
		}
		return sorted[len(sorted)-1].value
	}
	low, high := at(0), at(1)
	return object{
		{"mean", mean}, {"median", at(0.5)}, {"mode", mode}, {"variance", variance}, {"std_dev", math.Sqrt(variance)},
		{"min", low}, {"max", high}, {"count", int(count)}, {"total_sum", mean * count},
		{"percentiles", object{
			{"p001", at(0.001)}, {"p01", at(0.01)}, {"p05", at(0.05)}, {"p10", at(0.1)}, {"p25", at(0.25)}, {"p50", at(0.5)},
			{"p75", at(0.75)}, {"p90", at(0.9)}, {"p95", at(0.95)}, {"p99", at(0.99)}, {"p999", at(0.999)},
		}},
		{"pdf", nil}, {"mean_ci", nil}, {"percentile_cis", nil},
	}
}

// event is something that came at a moment, seconds: a request's end, tokens.
type event struct{ at, amount float64 }

// rates are what came per second between one event and the next, each weighted
// by the time between them, from start to end. Their mean is the whole amount
// over the whole time.
func rates(events []event, start, end float64) []weighted {
	sorted := slices.SortedFunc(slices.Values(events), func(a, b event) int { return cmp.Compare(a.at, b.at) })
	var out []weighted
	last, amount := start, 0.0
	for i, e := range sorted {
		amount += e.amount
		if e.at-last < closest && i+1 < len(sorted) {
			continue // together with the next: what takes no time has no rate
		}
		span := max(e.at-last, closest)
		out = append(out, weighted{amount / span, span})
		last, amount = max(e.at, last), 0
	}
	if end-last > 0 {
		out = append(out, weighted{0, end - last})
	}
	return out
}

// closest are events that count as one, seconds.
const closest = 1e-4

// openOver is how many intervals were open, weighted by for how long, from start
// to end.
func openOver(spans [][2]float64, start, end float64) []weighted {
	var edges []event
	for _, s := range spans {
		edges = append(edges, event{s[0], 1}, event{s[1], -1})
	}
	slices.SortFunc(edges, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	var out []weighted
	last, open := start, 0.0
	for _, e := range edges {
		if at := min(max(e.at, start), end); at > last {
			out = append(out, weighted{open, at - last})
			last = at
		}
		open += e.amount
	}
	if end > last {
		out = append(out, weighted{open, end - last})
	}
	return out
}
