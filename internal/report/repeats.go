package report

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/record"
	"assay/internal/saturate"
)

// onePerLoad is the run with the repeats of each load as one level, which all
// that is shown of levels is over: figures are medians, requests and failures
// are counted over all repeats, so that none is hidden.
func onePerLoad(run record.Run) record.Run {
	var levels []record.Level
	for _, m := range saturate.Merge(run.Levels) {
		levels = append(levels, countingAll(m.Level, run.Levels))
	}
	run.Levels = levels
	return run
}

// countingAll is a level with the requests of all repeats of its load.
func countingAll(l record.Level, all []record.Level) record.Level {
	if l.Repeat == 0 {
		return l
	}
	l.Requests, l.Errors = record.Requests{}, map[string]int{}
	for i := range all {
		r := &all[i]
		if r.Repeat == 0 || r.Base() != l.Base() {
			continue
		}
		l.Requests.Completed += r.Requests.Completed
		l.Requests.Failed += r.Requests.Failed
		l.Requests.Cancelled += r.Requests.Cancelled
		l.Requests.Warmup += r.Requests.Warmup
		for kind, n := range r.Errors {
			l.Errors[kind] += n
		}
	}
	return l
}

// mostListed bounds how many loads a remark lists.
const mostListed = 6

// repeatWarnings say of each load whose runs disagree, or cannot be compared,
// what they gave.
func repeatWarnings(run record.Run) []string {
	var out []string
	for _, r := range run.Repeats {
		if r.Verdict != record.Unstable {
			continue
		}
		out = append(out, fmt.Sprintf("The runs at %s disagree, with nothing changed: %s. Values: %s. What follows from their median is not to be relied on.",
			repeatLoad(r), plain(r.Why), repeatValues(r)))
	}
	return out
}

// repeatRemarks say of the other loads whether their runs agree.
func repeatRemarks(run record.Run) []string {
	var stable, open []string
	for _, r := range run.Repeats {
		switch r.Verdict {
		case record.Stable:
			stable = append(stable, repeatLoad(r))
		case record.NotKnown:
			open = append(open, repeatLoad(r)+" ("+plain(r.Why)+")")
		}
	}
	var out []string
	for _, r := range run.Repeats {
		if left := len(r.Levels) - r.N; left > 0 {
			out = append(out, fmt.Sprintf("%d of %s at %s not valid and left out.", left, plural(len(r.Levels), "run"), repeatLoad(r)))
		}
	}
	if len(stable) > 0 {
		out = append(out, "Runs agree at "+some(stable)+"; the table has their medians, and the requests of all runs.")
	}
	if len(open) > 0 {
		out = append(out, "Whether runs agree is not known at "+some(open)+".")
	}
	return out
}

func some(words []string) string {
	if more := len(words) - mostListed; more > 0 {
		words = append(words[:mostListed:mostListed], plural(more, "more load"))
	}
	return list(words)
}

func repeatLoad(r record.Repeats) string {
	g := group{Scenario: r.Scenario}
	return g.name(record.Level{Load: r.Load})
}

// repeatValues are the figures of the runs that the verdict is over.
func repeatValues(r record.Repeats) string {
	var parts []string
	add := func(name, unit string, s *record.Spread) {
		if s == nil {
			return
		}
		var values []string
		for _, v := range s.Values {
			values = append(values, num(v))
		}
		parts = append(parts, strings.Join(values, ", ")+" "+name+unit)
	}
	add(outputFlow, "", r.Throughput)
	add(requestFlow, "", r.Requests)
	if r.TTFT != nil {
		add("ms TTFT ", plain(r.TTFT.Percentile), r.TTFT)
	}
	return strings.Join(parts, "; ")
}

// rateOf is the throughput of repeats: output tokens, or requests where there are
// none.
func rateOf(r record.Repeats) *record.Spread {
	if r.Throughput == nil {
		return r.Requests
	}
	return r.Throughput
}

// repeatsTable has a row for each load that was held several times.
func repeatsTable(run record.Run) tableView {
	rate := "out tok/s"
	if slices.ContainsFunc(run.Repeats, func(r record.Repeats) bool { return r.Requests != nil }) {
		rate = requestFlow
	}
	t := tableView{
		Heads: []headView{{"load", "", true}, {"runs", "valid", false}, {rate, "each", false}, {rate, "mean", false}, {"95 % interval", "of the mean", false},
			{"variation", "between, %", false}, {"variation", "within, %", false}, {"TTFT", "each, ms", false}, {"TTFT", "variation, %", false}, {"verdict", "", true}},
		Note: "Variation between runs is their coefficient of variation; within one it is the noise of its own requests. Runs disagree where they lie further apart than that noise explains and by more than 5 % (TTFT: 10 %).",
	}
	for _, r := range run.Repeats {
		row := rowView{Cells: []cellView{{Text: plain(r.Scenario) + " " + repeatLoad(r), Left: true}, numberCell(float(r.N))}}
		each := func(s *record.Spread) cellView {
			if s == nil {
				return cellView{Text: none}
			}
			var values []string
			for _, v := range s.Values {
				values = append(values, num(v))
			}
			return cellView{Text: strings.Join(values, " · ")}
		}
		row.Cells = append(row.Cells, each(rateOf(r)))
		if s := rateOf(r); s != nil {
			interval := none
			if s.CI != nil {
				interval = num(s.CI.Low) + "–" + num(s.CI.High)
			}
			row.Cells = append(row.Cells, cellView{Text: num(s.Mean), Sort: sortKey(&s.Mean)}, cellView{Text: interval}, numberCell(percent(&s.CV)), numberCell(percent(s.WithinCV)))
		} else {
			row.Cells = append(row.Cells, cellView{Text: none}, cellView{Text: none}, cellView{Text: none}, cellView{Text: none})
		}
		row.Cells = append(row.Cells, each(r.TTFT))
		if s := r.TTFT; s != nil {
			row.Cells = append(row.Cells, numberCell(percent(&s.CV)))
		} else {
			row.Cells = append(row.Cells, cellView{Text: none})
		}
		verdict := cellView{Text: plain(r.Verdict), Left: true, Tip: plain(r.Why)}
		switch r.Verdict {
		case record.Stable:
			verdict.Tone = record.Met
		case record.Unstable:
			verdict.Tone = record.Missed
			row.Class = markClass(record.Unstable)
		default:
			verdict.Tone = record.Undecided
		}
		row.Cells = append(row.Cells, verdict)
		t.Rows = append(t.Rows, row)
	}
	return t
}
