package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"assay/internal/record"
	"assay/internal/stats"
)

// group is the levels of one scenario in order of load, whichever pass
// measured them.
type group struct {
	Scenario string
	Levels   []record.Level
	// ByPrompt: the load is the same throughout and the prompts differ, so
	// that a level is named by its prompt.
	ByPrompt bool
}

// groups puts levels by scenario, in order of first appearance.
func groups(levels []record.Level) []group {
	var out []group
	at := map[string]int{}
	for _, l := range levels {
		i, ok := at[l.Scenario]
		if !ok {
			i = len(out)
			at[l.Scenario] = i
			out = append(out, group{Scenario: l.Scenario})
		}
		out[i].Levels = append(out[i].Levels, l)
	}
	for i := range out {
		slices.SortStableFunc(out[i].Levels, byLoad)
		out[i].ByPrompt = differOnlyInPrompt(out[i].Levels)
	}
	return out
}

func byLoad(a, b record.Level) int {
	return cmp.Or(
		cmp.Compare(a.Load.Kind, b.Load.Kind),
		cmp.Compare(a.Load.Value, b.Load.Value),
		cmp.Compare(value(a.Asked.Prompt), value(b.Asked.Prompt)),
	)
}

func differOnlyInPrompt(levels []record.Level) bool {
	for i := 1; i < len(levels); i++ {
		a, b := levels[i-1], levels[i]
		if a.Load.Kind != b.Load.Kind || a.Load.Value != b.Load.Value || value(a.Asked.Prompt) == value(b.Asked.Prompt) {
			return false
		}
	}
	return len(levels) > 1
}

func value(p *float64) float64 {
	if p == nil {
		return 0
	}
	return *p
}

// label names a level within its group: its load, or its prompt's length.
func (g group) label(l record.Level) string {
	switch {
	case g.ByPrompt:
		return short(math.Round(value(l.Asked.Prompt)))
	case l.Load.Kind == record.ByRate:
		return short(l.Load.Value) + "/s"
	default:
		return short(l.Load.Value)
	}
}

// name is the label with its unit, for sentences.
func (g group) name(l record.Level) string {
	switch {
	case g.ByPrompt:
		return g.label(l) + " prompt tokens"
	case l.Load.Speed > 0:
		return short(l.Load.Value) + " requests/s (replay at " + short(l.Load.Speed) + "x)"
	case l.Load.Kind == record.ByRate:
		return short(l.Load.Value) + " requests/s"
	case l.Load.Sessions:
		return short(l.Load.Value) + " sessions in progress"
	default:
		return short(l.Load.Value) + " in flight"
	}
}

// amount is the load or the length alone, for "from 5 to 20 requests/s".
func (g group) amount(l record.Level) string { return strings.TrimSuffix(g.label(l), "/s") }

// unit heads the column of labels.
func (g group) unit() string {
	switch {
	case g.ByPrompt:
		return "prompt tokens"
	case len(g.Levels) > 0 && g.Levels[0].Load.Kind == record.ByRate:
		return "asked req/s"
	case len(g.Levels) > 0 && g.Levels[0].Load.Sessions:
		return "sessions"
	default:
		return "in flight"
	}
}

// mark is how a level's validity is shown: never by colour alone.
type mark struct {
	Glyph, Word string
}

var marks = map[string]mark{
	record.Valid:         {"✓", "valid"},
	record.ClientLimited: {"△", "client-limited"},
	record.Unstable:      {"◇", "unstable"},
	record.Invalid:       {"✕", "invalid"},
	record.NotJudged:     {"?", "not judged"},
}

func markOf(l record.Level) mark {
	if m, ok := marks[l.Validity.Verdict]; ok {
		return m
	}
	return mark{"?", "not judged"}
}

// whyNotValid says what a level's numbers are worth; empty for a valid one.
func whyNotValid(g group, l record.Level) string {
	if l.Validity.Verdict == record.Valid {
		return ""
	}
	s := g.name(l) + ": " + markOf(l).Word
	if l.Validity.Verdict == record.ClientLimited { // first, for long reasons are cut
		s += " (the client's numbers, not the server's)"
	}
	if len(l.Validity.Reasons) > 0 {
		s += ": " + plains(l.Validity.Reasons, "; ")
	}
	return s
}

// Most kinds of failure that one sentence names.
const mostKinds = 8

// errorsOf lists a level's failures by kind, the most frequent first.
func errorsOf(errors map[string]int) string {
	kinds := make([]string, 0, len(errors))
	for k := range errors {
		kinds = append(kinds, k)
	}
	slices.SortFunc(kinds, func(a, b string) int {
		return cmp.Or(cmp.Compare(errors[b], errors[a]), cmp.Compare(a, b))
	})
	more := 0
	if len(kinds) > mostKinds {
		kinds, more = kinds[:mostKinds], len(kinds)-mostKinds
	}
	for i, k := range kinds {
		kinds[i] = plain(k) + " " + count(errors[k])
	}
	s := strings.Join(kinds, ", ")
	if more > 0 {
		s += " and " + plural(more, "more kind")
	}
	return s
}

// highest is the highest percentile up to p95 that the samples support.
func highest(d stats.Dist) (name string, v float64, ok bool) {
	for _, p := range []struct {
		name string
		v    *float64
	}{{"p95", d.P95}, {"p90", d.P90}, {"p50", d.P50}} {
		if p.v != nil {
			return p.name, *p.v, true
		}
	}
	return "", 0, false
}

// mean is what stands in for a percentile where none is supported.
const mean = "mean"

// central is the highest supported percentile, or else the mean.
func central(d stats.Dist) (name string, v float64, ok bool) {
	if name, v, ok = highest(d); ok || d.Mean == nil {
		return name, v, ok
	}
	return mean, *d.Mean, true
}
