package report

import (
	"bytes"
	"fmt"
	"strings"

	"assay/internal/record"
)

func boundSentence(b record.Bound) string {
	switch b.Verdict {
	case record.BoundNotSaturated:
		return "Nothing was saturated."
	case record.BoundUnknown, "":
		return "What limits it is not known."
	case record.BoundClient:
		return "The client was the limit, not the server."
	}
	switch {
	case b.Trial != nil && b.Trial.Verdict == record.Refuted:
		return "The levels point to " + boundPhrase(b.Verdict) + " as the limit, but a trial refutes it."
	case b.Trial != nil && b.Trial.Verdict == record.Supported:
		return "The limit is " + boundPhrase(b.Verdict) + ", and a trial supports it."
	}
	return "The limit is " + boundPhrase(b.Verdict) + "."
}

var boundNames = map[string]string{
	record.BoundCompute:      "compute",
	record.BoundMemory:       "memory bandwidth",
	record.BoundCollective:   "collective communication",
	record.BoundKVCache:      "KV cache",
	record.BoundAdmission:    "admission",
	record.BoundTokenBudget:  "token budget",
	record.BoundCPU:          "CPU",
	record.BoundNetwork:      "network",
	record.BoundClient:       "client",
	record.BoundThrottled:    "throttled GPU",
	record.BoundFault:        "faulty GPU",
	record.BoundCold:         "cold start",
	record.BoundNotSaturated: "not saturated",
	record.BoundUnknown:      "unknown",
}

// boundPhrase says in a sentence what a short name leaves open.
func boundPhrase(verdict string) string {
	switch verdict {
	case record.BoundAdmission:
		return "how many sequences the engine admits"
	case record.BoundTokenBudget:
		return "how many tokens the engine puts into one step"
	case record.BoundCompute, record.BoundMemory, record.BoundCollective:
		return boundName(verdict)
	case record.BoundThrottled, record.BoundFault, record.BoundCold:
		return "a " + boundName(verdict)
	}
	return "the " + boundName(verdict)
}

func boundName(verdict string) string {
	if n, ok := boundNames[verdict]; ok {
		return n
	}
	if verdict == "" {
		return "unknown"
	}
	return plain(verdict)
}

// evidence is a fact with its number and its source.
func evidence(e record.Evidence) string {
	s := plain(e.Fact)
	if q := quantity(e); q != "" {
		s += ": " + q
	}
	if src := plain(e.Source); src != "" {
		s += " (" + src + ")"
	}
	return s
}

// quantity is the number behind a fact, where its words do not already hold
// numbers.
func quantity(e record.Evidence) string {
	if e.Value == nil || strings.ContainsAny(e.Fact, "0123456789") {
		return ""
	}
	switch u := plain(e.Unit); u {
	case "", "1":
		return short(*e.Value)
	case "share":
		return short(100**e.Value) + " %"
	default:
		return short(*e.Value) + " " + u
	}
}

// changeWords is a remedy in a line: what to do, then the flag that does it where
// the words do not hold it.
func changeWords(c *record.Change) string {
	if c == nil {
		return ""
	}
	s := plain(c.Text)
	if flag := flagWords(*c); flag != "" && !strings.Contains(s, flag) {
		s = strings.TrimRight(s, ". ") + ": " + flag
	}
	if from := plain(c.From); from != "" && c.Flag != "" {
		s += " (now " + from + ")"
	}
	return s
}

// flagWords is the flag of a remedy with its value.
func flagWords(c record.Change) string { return strings.TrimSpace(plain(c.Flag) + " " + plain(c.To)) }

// trialMarks are a trial's verdicts: never by colour alone.
var trialMarks = map[string]string{record.Supported: "✓", record.Refuted: "✕"}

// trialWords says what became of the experiment that would refute a verdict.
func trialWords(t *record.Trial) (mark, words string) {
	if t == nil {
		return "", ""
	}
	mark = trialMarks[t.Verdict]
	if mark == "" {
		mark = "?"
	}
	words = "tried by " + plain(t.Level) + ": " + plain(t.Verdict)
	var facts []string
	for _, e := range t.Evidence {
		if e.Source == "level "+t.Level {
			e.Source = "" // which the words name already
		}
		facts = append(facts, evidence(e))
	}
	if len(facts) > 0 {
		words += ": " + strings.Join(facts, "; ")
	}
	return mark, words
}

// Most facts shown in the terminal; the HTML report has them all.
const mostEvidence = 3

func (t *textWriter) bound(b record.Bound) {
	facts := func(sign string, es []record.Evidence) {
		for i, e := range es {
			if i == mostEvidence {
				t.line(answerIndent + t.style(fmt.Sprintf("%s and %d more in run.json", sign, len(es)-i), dim))
				break
			}
			t.wrap(answerIndent+sign+" ", evidence(e), "")
		}
	}
	facts("+", b.Evidence)
	facts("−", b.Against)
	if len(b.Missing) > 0 && b.Verdict != record.BoundUnknown && b.Verdict != "" {
		t.wrap(answerIndent+"? ", "not known: "+plains(b.Missing, ", "), "")
	}
	if change := changeWords(b.Change); change != "" {
		t.wrap(answerIndent+"⇒ ", "change: "+change, bold)
	}
	if next := plain(b.Next); next != "" {
		t.wrap(answerIndent+"→ ", next, "")
	}
	if mark, words := trialWords(b.Trial); words != "" {
		t.wrap(answerIndent+mark+" ", words, map[string]string{record.Supported: green, record.Refuted: red}[b.Trial.Verdict])
	}
}

func markdownBound(b *bytes.Buffer, bound record.Bound) {
	var lines []string
	for _, e := range bound.Evidence {
		lines = append(lines, "For it: "+evidence(e))
	}
	for _, e := range bound.Against {
		lines = append(lines, "Against it: "+evidence(e))
	}
	if len(bound.Missing) > 0 {
		lines = append(lines, "Not known: "+plains(bound.Missing, ", "))
	}
	if change := changeWords(bound.Change); change != "" {
		lines = append(lines, "Change: "+change)
	}
	if next := plain(bound.Next); next != "" {
		lines = append(lines, "Next: "+next)
	}
	if mark, words := trialWords(bound.Trial); words != "" {
		lines = append(lines, mark+" "+sentence(words))
	}
	if len(lines) == 0 {
		return
	}
	b.WriteString("\n### What limits: " + md(boundName(bound.Verdict)) + "\n\n")
	for _, l := range lines {
		fmt.Fprintf(b, "- %s\n", md(l))
	}
}

type boundView struct {
	Name       string
	Confidence string
	For        []factView
	Against    []factView
	Missing    []string
	Change     *changeView
	Next       string
	Trial      *trialView
}

// changeView is a remedy with the flag that makes it.
type changeView struct{ Text, Flag, From string }

// trialView is what became of the experiment; Class is its verdict.
type trialView struct {
	Class, Mark, Level string
	Facts              []factView
}

type factView struct{ Fact, Value, Metric, Source string }

func boundOf(b record.Bound) boundView {
	v := boundView{Name: boundName(b.Verdict), Next: sentence(b.Next)}
	if b.Verdict != record.BoundUnknown && b.Verdict != "" {
		v.Confidence = confidence(b)
	}
	facts := func(es []record.Evidence) []factView {
		var out []factView
		for _, e := range es {
			out = append(out, factView{plain(e.Fact), quantity(e), plain(e.Metric), plain(e.Source)})
		}
		return out
	}
	v.For, v.Against = facts(b.Evidence), facts(b.Against)
	for _, m := range b.Missing {
		v.Missing = append(v.Missing, plain(m))
	}
	if c := b.Change; c != nil {
		v.Change = &changeView{Text: sentence(c.Text), Flag: flagWords(*c), From: plain(c.From)}
	}
	if t := b.Trial; t != nil {
		mark, _ := trialWords(t)
		v.Trial = &trialView{Class: plain(t.Verdict), Mark: mark, Level: plain(t.Level), Facts: facts(t.Evidence)}
	}
	return v
}
