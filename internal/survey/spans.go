package survey

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"assay/internal/record"
	"assay/internal/telemetry"
)

const (
	// fewestOfSpan is how many snapshots a span holds, so that its means are some.
	fewestOfSpan = 8
	mostSpans    = 24
	// alike is the ratio of loads up to which neighbouring spans are one, and spans
	// of any time count as one load: a step of load that says nothing new.
	alike = 1.3
)

// segments cuts where the server began anew: across such a cut nothing
// cumulative can be subtracted.
func segments(snapshots []telemetry.Snapshot) (parts [][]telemetry.Snapshot, restarts []Restart) {
	var kept []telemetry.Snapshot
	for _, s := range snapshots {
		if !s.Empty() {
			kept = append(kept, s)
		}
	}
	start := 0
	for i := 1; i <= len(kept); i++ {
		if i < len(kept) {
			why := telemetry.Delta(kept[i-1], kept[i]).Changed
			if why == "" {
				continue
			}
			restarts = append(restarts, Restart{At: kept[i].At, Why: why})
		}
		parts = append(parts, kept[start:i])
		start = i
	}
	return parts, restarts
}

// spansOf cuts a segment into parts of alike load. Neighbours share the snapshot
// at which they meet, so that no growth of a counter is lost.
func spansOf(segment []telemetry.Snapshot) [][]telemetry.Snapshot {
	n := min(max(len(segment)/fewestOfSpan, 1), mostSpans)
	var spans [][]telemetry.Snapshot
	start, last := 0, len(segment)-1
	for i := range n {
		end := last * (i + 1) / n
		if i < n-1 && similar(loadOf(segment[start:end+1]), loadOf(segment[end:last*(i+2)/n+1])) {
			continue // the next part goes on as this one
		}
		spans = append(spans, segment[start:end+1])
		start = end
	}
	return spans
}

func similar(a, b *float64) bool {
	if a == nil || b == nil {
		return a == b
	}
	low, high := min(*a, *b), max(*a, *b)
	return high <= alike*low || high < 1 && low > 0
}

// loadOf is the mean of running and waiting requests; nil where the engine does
// not say how many run.
func loadOf(span []telemetry.Snapshot) *float64 {
	running := meanOf(span, telemetry.Running)
	if running == nil {
		return nil
	}
	v := *running
	if waiting := meanOf(span, telemetry.Waiting); waiting != nil {
		v += *waiting
	}
	return finite(v)
}

func meanOf(span []telemetry.Snapshot, q telemetry.Quantity) *float64 {
	sum, n := 0.0, 0.0
	for _, s := range span {
		if v, ok := s.Value(q); ok {
			sum += v
			n++
		}
	}
	return finite(sum / n) // nil, as 0/0 is no number, where none said it
}

// levelsOf makes each span of a replica a level of its load, lowest first, one
// for each load that differs. Spans without traffic say nothing of a limit and
// are left out where others are.
func levelsOf(name string, parts [][]telemetry.Snapshot, beside exporters) []record.Level {
	var all []record.Level
	for _, segment := range parts {
		for _, span := range spansOf(segment) {
			if l, ok := levelOf(fmt.Sprintf("%s #%d", name, len(all)+1), span, beside); ok {
				all = append(all, l)
			}
		}
	}
	if busy := slices.DeleteFunc(slices.Clone(all), idle); len(busy) > 0 {
		all = busy
	}
	slices.SortStableFunc(all, func(a, b record.Level) int { return cmp.Compare(a.Load.Value, b.Load.Value) })
	var levels []record.Level
	first := 0.0 // load of the first of its like
	for _, l := range all {
		if n := len(levels); n > 0 && similar(&first, &l.Load.Value) {
			if l.DurationS > levels[n-1].DurationS {
				levels[n-1] = l
			}
			continue
		}
		first = l.Load.Value
		levels = append(levels, l)
	}
	return levels
}

// idle reports that nothing ran, waited or was written.
func idle(l record.Level) bool {
	return l.Load.Value == 0 && (l.Server.OutputTokens == nil || *l.Server.OutputTokens == 0) &&
		(l.Server.Finished == nil || *l.Server.Finished == 0)
}

func levelOf(id string, span []telemetry.Snapshot, beside exporters) (record.Level, bool) {
	if len(span) < 2 {
		return record.Level{}, false
	}
	from, to := span[0].At, span[len(span)-1].At
	account := telemetry.Fold(span)
	load := loadOf(span)
	if load == nil || !to.After(from) {
		return record.Level{}, false
	}
	l := record.Level{
		ID: id, Scenario: "service", Pass: record.PassGrid, Start: from, End: to, DurationS: to.Sub(from).Seconds(),
		Load:     record.Load{Kind: record.ByConcurrency, Value: math.Round(100**load) / 100},
		Validity: record.Validity{Verdict: record.Valid},
		Server:   &account,
	}
	l.Window = record.Window{StartUS: from.UnixMicro(), EndUS: to.UnixMicro(), Steady: true}
	if n := account.Finished; n != nil && *n < 1<<52 {
		l.Requests.Completed = int(math.Round(*n))
		l.Throughput.RequestsPerS = *n / l.DurationS
	}
	l.Throughput.OutputTokensPerS = rate(l.DurationS, account.OutputTokens)
	l.Throughput.TotalTokensPerS = rate(l.DurationS, account.OutputTokens, account.PromptTokens)
	l.GPU, l.Node = beside.accounts(from, to)
	return l, true
}

// rate is what was counted per second; 0 where one of the counts is not known, as
// a level has it.
func rate(seconds float64, counts ...*float64) float64 {
	sum := 0.0
	for _, c := range counts {
		if c == nil {
			return 0
		}
		sum += *c
	}
	if v := finite(sum / seconds); v != nil {
		return *v
	}
	return 0
}

// spanOf is a level as the result shows it.
func spanOf(l record.Level) Span {
	s := Span{ID: l.ID, From: l.Start, DurationS: l.DurationS, Load: l.Load.Value}
	if l.Server.Finished != nil {
		s.RequestsPerS = &l.Throughput.RequestsPerS
	}
	if l.Server.OutputTokens != nil {
		s.OutputTokensPerS = &l.Throughput.OutputTokensPerS
	}
	return s
}
