package report

import (
	"slices"
	"strings"
	"unicode/utf8"

	"assay/internal/record"
	"assay/internal/stats"
)

// column is one column of the table of levels, the same in all three forms.
type column struct {
	Head, Unit string
	Key        string // in sort attributes and tests
	Left       bool
	// Rank is the order in which a narrow terminal drops columns, the
	// highest first; 0 is never dropped.
	Rank int
	Cell func(g group, l record.Level) string
	// Sort is the number behind the cell; nil where the text is sorted.
	Sort func(l record.Level) *float64
	// Bound is the number's upper confidence bound; nil where there is none.
	Bound func(l record.Level) *float64
}

func percentile(name, p string, of func(record.Level) stats.Dist, rank int) column {
	at := func(l record.Level) *float64 {
		d := of(l)
		switch p {
		case mean:
			return d.Mean
		case "p50":
			return d.P50
		case "p90":
			return d.P90
		case "p99":
			return d.P99
		}
		return d.P95
	}
	return column{Head: name + " " + p, Unit: "ms", Key: strings.ToLower(name) + "-" + p, Rank: rank, Sort: at,
		Cell:  func(_ group, l record.Level) string { return opt(at(l)) },
		Bound: func(l record.Level) *float64 { return boundOn(of(l), p) }}
}

// upper is the percentile by which a group is read: p95, or p90 where no level
// has the samples for p95 and some have them for p90.
func upper(g group, of func(record.Level) stats.Dist) string {
	p95 := anyLevel(g, func(l record.Level) bool { return of(l).P95 != nil })
	p90 := anyLevel(g, func(l record.Level) bool { return of(l).P90 != nil })
	if p90 && !p95 {
		return "p90"
	}
	return "p95"
}

// latencyColumns are one latency's percentiles, each with its rank where it is
// wanted; or its mean alone where no level of the group supports a percentile.
func latencyColumns(g group, name string, of func(record.Level) stats.Dist, ranks map[string]int) []column {
	if onlyMeans(g, of) {
		return []column{percentile(name, mean, of, ranks["upper"])}
	}
	var cols []column
	for _, p := range []string{"p50", "upper", "p99"} {
		rank, wanted := ranks[p]
		if !wanted {
			continue
		}
		if p == "upper" {
			p = upper(g, of)
		}
		cols = append(cols, percentile(name, p, of, rank))
	}
	return cols
}

// onlyMeans reports that no level supports a percentile and some have a mean.
func onlyMeans(g group, of func(record.Level) stats.Dist) bool {
	return anyLevel(g, func(l record.Level) bool { return of(l).Mean != nil }) &&
		!anyLevel(g, func(l record.Level) bool { _, _, ok := highest(of(l)); return ok })
}

// showsMeans reports that the table of a group has a mean for a percentile.
func showsMeans(g group) bool {
	return slices.ContainsFunc([]func(record.Level) stats.Dist{ttftOf, itlOf, e2eOf}, func(of func(record.Level) stats.Dist) bool { return onlyMeans(g, of) })
}

func ttftOf(l record.Level) stats.Dist { return l.TTFT }
func itlOf(l record.Level) stats.Dist  { return l.ITL }
func e2eOf(l record.Level) stats.Dist  { return l.E2E }

// columns are those that the levels can fill: a price only when there is one,
// failures only when there are some.
func columns(g group) []column {
	cols := []column{
		{Head: g.unit(), Key: "load", Cell: group.label,
			Sort: func(l record.Level) *float64 {
				if g.ByPrompt {
					return l.Asked.Prompt
				}
				return &l.Load.Value
			}},
		{Head: "done", Unit: "requests", Key: "completed", Rank: 3,
			Cell: func(_ group, l record.Level) string { return count(l.Requests.Completed) },
			Sort: func(l record.Level) *float64 { return float(l.Requests.Completed) }},
	}
	if anyLevel(g, func(l record.Level) bool { return l.Requests.Failed > 0 }) {
		cols = append(cols, column{Head: "failed", Unit: "requests", Key: "failed",
			Cell: func(_ group, l record.Level) string { return count(l.Requests.Failed) },
			Sort: func(l record.Level) *float64 { return float(l.Requests.Failed) }})
	}
	if wholeAnswers(g) {
		cols = append(cols, latencyColumns(g, "E2E", e2eOf, map[string]int{"p50": 5, "upper": 0, "p99": 6})...)
	} else {
		cols = append(cols, latencyColumns(g, "TTFT", ttftOf, map[string]int{"p50": 5, "upper": 0, "p99": 6})...)
		cols = append(cols, latencyColumns(g, "ITL", itlOf, map[string]int{"p50": 7, "upper": 0})...)
		cols = append(cols, latencyColumns(g, "E2E", e2eOf, map[string]int{"upper": 4})...)
	}
	cols = append(cols,
		column{Head: "req/s", Key: "rps", Rank: 2,
			Cell: func(_ group, l record.Level) string { return measuredRate(l, l.Throughput.RequestsPerS) },
			Sort: func(l record.Level) *float64 { return &l.Throughput.RequestsPerS }},
	)
	if anyLevel(g, func(l record.Level) bool { return l.Goodput != nil && len(l.SLO) > 0 }) {
		cols = append(cols, column{Head: "goodput", Unit: "req/s", Key: "goodput", Rank: 8,
			Cell: func(_ group, l record.Level) string { return opt(l.Goodput) },
			Sort: func(l record.Level) *float64 { return l.Goodput }})
	}
	cols = append(cols, tokenColumns(g)...)
	if anyLevel(g, func(l record.Level) bool { return l.USDPerM != nil }) {
		cols = append(cols, column{Head: "$/M out", Key: "usd", Rank: 1,
			Cell: func(_ group, l record.Level) string {
				if l.USDPerM == nil {
					return none
				}
				return usd(*l.USDPerM)
			},
			Sort: func(l record.Level) *float64 { return l.USDPerM }})
	}
	if anyLevel(g, func(l record.Level) bool { return len(l.SLO) > 0 }) {
		cols = append(cols, column{Head: "SLO", Key: "slo", Left: true, Rank: 9,
			Cell: func(_ group, l record.Level) string { return levelSLO(l) }})
	}
	return append(cols, column{Head: "validity", Key: "validity", Left: true,
		Cell: func(_ group, l record.Level) string { m := markOf(l); return m.Glyph + " " + m.Word }})
}

// tokenColumns are those of what the throughput is made of: the output, or the
// prompts where there is none and they are counted.
func tokenColumns(g group) []column {
	if !wholeAnswers(g) {
		return []column{{Head: "out tok/s", Key: "tps",
			Cell: func(_ group, l record.Level) string { return measuredRate(l, l.Throughput.OutputTokensPerS) },
			Sort: func(l record.Level) *float64 { return &l.Throughput.OutputTokensPerS }}}
	}
	if !anyLevel(g, func(l record.Level) bool { return l.Got.Prompt != nil }) {
		return nil
	}
	return []column{{Head: "in tok/s", Key: "tps",
		Cell: func(_ group, l record.Level) string { return measuredRate(l, l.Throughput.TotalTokensPerS) },
		Sort: func(l record.Level) *float64 { return &l.Throughput.TotalTokensPerS }}}
}

// measuredRate is a rate of a level in which anything finished.
func measuredRate(l record.Level, v float64) string {
	if l.Requests.Completed == 0 {
		return none
	}
	return num(v)
}

// levelSLO is the worst of a level's verdicts.
func levelSLO(l record.Level) string {
	if len(l.SLO) == 0 {
		return none
	}
	out := record.Met
	for _, c := range l.SLO {
		switch {
		case c.Verdict == record.Missed:
			return record.Missed
		case c.Verdict != record.Met:
			out = record.Undecided
		}
	}
	return out
}

func anyLevel(g group, is func(record.Level) bool) bool {
	for _, l := range g.Levels {
		if is(l) {
			return true
		}
	}
	return false
}

func float(n int) *float64 { f := float64(n); return &f }

// rows are the cells of a group under cols.
func rows(g group, cols []column) [][]string {
	out := make([][]string, len(g.Levels))
	for i, l := range g.Levels {
		for _, c := range cols {
			out[i] = append(out[i], c.Cell(g, l))
		}
	}
	return out
}

// fit drops the columns that matter least until the table is at most width
// characters wide.
func fit(g group, cols []column, width int) []column {
	for {
		drop := -1
		for i, c := range cols {
			if c.Rank > 0 && (drop < 0 || c.Rank > cols[drop].Rank) {
				drop = i
			}
		}
		if drop < 0 || tableWidth(widths(cols, rows(g, cols))) <= width {
			return cols
		}
		cols = append(append([]column{}, cols[:drop]...), cols[drop+1:]...)
	}
}

const columnGap = 2

func tableWidth(ws []int) int {
	total := 0
	for _, w := range ws {
		total += w + columnGap
	}
	return total
}

func widths(cols []column, cells [][]string) []int {
	ws := make([]int, len(cols))
	for i, c := range cols {
		ws[i] = max(headWidth(c.Head), utf8.RuneCountInString(c.Unit))
		for _, row := range cells {
			ws[i] = max(ws[i], utf8.RuneCountInString(row[i]))
		}
	}
	return ws
}

func headWidth(head string) int {
	a, b := twoLines(head)
	return max(utf8.RuneCountInString(a), utf8.RuneCountInString(b))
}

// twoLines breaks a heading such as "TTFT p95" for a narrow column.
func twoLines(head string) (first, second string) {
	if a, b, ok := strings.Cut(head, " "); ok {
		return a, b
	}
	return "", head
}
