package report

import (
	"assay/internal/record"
	"assay/internal/saturate"
	"fmt"
	"math"
	"slices"
	"strings"
)

// answer is one of the verdict's short answers: a tile of the HTML report, a
// line in the terminal.
type answer struct {
	Name string
	Text string // the answer: "26–31 in flight", "not reached"
	Note string // what qualifies it
	// Brief is Note for a terminal; empty where Note is short enough.
	Brief string
	Tone  string // good, bad, warn or empty
}

func fixedAnswers(measured []record.Level) []answer {
	gs := groups(measured)
	g := gs[len(gs)-1]
	l := g.Levels[len(g.Levels)-1]
	latency := answer{Name: "latency", Text: "too few samples", Note: plural(l.Requests.Completed, "request") + " at " + g.name(l)}
	if p, v, ok := central(l.E2E); ok && inOnePiece(l) {
		latency.Text = "E2E " + millis(v)
		latency.Note = p + " at " + g.name(l)
	}
	if p, v, ok := central(l.TTFT); ok {
		latency.Text = "TTFT " + millis(v)
		latency.Note = p + " at " + g.name(l)
		if p, v, ok := central(l.ITL); ok {
			latency.Note += "; ITL " + p + " " + millis(v)
		}
	}
	throughput := answer{
		Name: "throughput",
		Text: num(l.Throughput.OutputTokensPerS) + " tokens/s",
		Note: num(l.Throughput.RequestsPerS) + " requests/s at " + g.name(l),
	}
	if inOnePiece(l) {
		throughput.Text, throughput.Note = flow(l), "at "+g.name(l)
		if l.Got.Prompt != nil {
			throughput.Note = num(l.Throughput.TotalTokensPerS) + " prompt tokens/s at " + g.name(l)
		}
	}
	if l.USDPerM != nil {
		throughput.Note += "; " + usd(*l.USDPerM) + " per million output tokens"
	}
	if l.Validity.Verdict != record.Valid {
		latency.Tone, throughput.Tone = "warn", "warn"
		latency.Note += "; " + markOf(l).Word
		throughput.Note += "; " + markOf(l).Word
	}
	return []answer{latency, throughput}
}

func pointAnswer(run record.Run) answer {
	s := *run.Saturation
	a := answer{Name: "operating point"}
	p := s.OperatingPoint
	if p == nil {
		a.Text, a.Note, a.Tone = "none", plain(s.WhyNoPoint), "warn"
		return a
	}
	a.Text = loadIn(s.Unit, pointLoad(s))
	a.Note = pointFlow(p.OutputTokensPerS, p.RequestsPerS)
	if unitWord(s.Unit) == inFlight && p.OutputTokensPerS > 0 {
		a.Note = num(p.RequestsPerS) + " requests/s, " + a.Note
	} else if p.Concurrency > 0 {
		a.Note += ", " + short(p.Concurrency) + " in flight"
	}
	if p.USDPerM != nil {
		a.Note += ", " + usd(*p.USDPerM) + " per million output tokens"
	}
	measured := func(l record.Level) bool { return l.Scenario == s.Scenario && l.Load.Value == pointLoad(s) }
	if p.LimitedBy != "grid" && !slices.ContainsFunc(run.Levels, measured) {
		a.Note += ", interpolated between levels"
	}
	switch p.LimitedBy {
	case "slo":
		a.Note += "; limited by the SLO"
	case "knee":
		a.Note += "; 0.8 of the throughput at the knee"
	case "grid":
		a.Note += "; the highest load tested, not a limit"
	}
	a.Tone = "good"
	if _, refuted := refutedAt(s); refuted {
		a.Tone = "warn"
		a.Note += "; an open loop does not hold it"
	}
	return a
}

func kneeAnswer(run record.Run) answer {
	s := *run.Saturation
	a := answer{Name: "knee"}
	switch {
	case s.Knee != nil:
		a.Text = interval(*s.Knee, s.Unit)
	case s.Saturated:
		a.Text = "not located"
	case validLevels(run.Levels, s.Scenario) < kneeNeeds:
		a.Text = "not known"
		a.Note = fmt.Sprintf("valid levels: %d; it takes %d", validLevels(run.Levels, s.Scenario), kneeNeeds)
	default:
		a.Text = "not reached"
		if top, ok := topLoad(run.Levels, s.Scenario); ok {
			a.Note = "throughput still grows at " + loadIn(s.Unit, top)
		}
	}
	if s.Peak != nil && s.Saturated {
		peak := "most throughput " + pointFlow(s.Peak.OutputTokensPerS, s.Peak.RequestsPerS) + " at " + loadIn(s.Unit, s.Peak.Load)
		if m, ok := notValid(run.Levels, s.Scenario, s.Peak.Load); ok {
			peak += ", a level that is " + m
			a.Tone = "warn"
		}
		if a.Note != "" {
			a.Note += "; "
		}
		a.Note += peak
	}
	return confirmed(a, s)
}

// confirmed puts what open loops say of the knee into its answer.
func confirmed(a answer, s record.Saturation) answer {
	said := saturate.Confirmed(s.Confirmation)
	if said == "" {
		return a
	}
	if a.Note != "" {
		a.Note += "; "
	}
	a.Note += said
	if _, refuted := refutedAt(s); refuted {
		a.Tone = "bad"
	}
	return a
}

func boundAnswer(run record.Run) answer {
	b := run.Bound
	a := answer{Name: "bound", Text: boundName(b.Verdict)}
	switch b.Verdict {
	case record.BoundUnknown, "":
		if len(b.Missing) > 0 {
			a.Note = "missing: " + plains(b.Missing, ", ")
		}
	default:
		a.Note = "confidence " + confidence(b)
	}
	if b.Trial != nil {
		a.Note += "; a trial leaves it undecided"
		switch b.Trial.Verdict {
		case record.Supported:
			a.Note = "confidence " + confidence(b) + "; a trial supports it"
		case record.Refuted:
			a.Note, a.Tone = "confidence "+confidence(b)+"; a trial refutes it", "warn"
		}
	}
	if b.Verdict == record.BoundClient || b.Verdict == record.BoundFault || b.Verdict == record.BoundThrottled {
		a.Tone = "warn"
	}
	return a
}

func confidence(b record.Bound) string { return short(math.Round(100*b.Confidence)) + " %" }

func sloAnswer(run record.Run) answer {
	a := answer{Name: "SLO"}
	var parts, brief []string
	for _, c := range run.SLO.Criteria {
		parts, brief = append(parts, outcome(c)), append(brief, briefOutcome(run, c))
	}
	a.Note, a.Brief = strings.Join(parts, ", "), strings.Join(brief, ", ")
	switch {
	case len(run.SLO.Criteria) == 0 && run.SLO.Met == nil:
		a.Text = "not set"
	case run.SLO.Met == nil:
		a.Text = "undecided"
	case *run.SLO.Met:
		a.Text, a.Tone = "met", "good"
	default:
		a.Text, a.Tone = "missed", "bad"
	}
	if !run.SLO.Given && a.Note != "" {
		a.Note += "; Assay's default"
		a.Brief += "; Assay's default"
	}
	return a
}

// briefOutcome is outcome with the sample for the reason of an undecided one.
func briefOutcome(run record.Run, c record.Criterion) string {
	if c.Value != nil || c.Verdict != record.Undecided {
		return outcome(c)
	}
	s := condition(c) + " undecided"
	same := func(of record.Criterion) bool {
		return of.Metric == c.Metric && of.Percentile == c.Percentile && of.Limit == c.Limit && of.Basis == c.Basis
	}
	for _, l := range run.Levels {
		if slices.ContainsFunc(l.SLO, same) {
			return s + " (n=" + count(l.Metric(c.Metric).N) + ")"
		}
	}
	return s
}

// outcome is a criterion with its value: "TTFT p95 < 500 ms (412 ms)".
func outcome(c record.Criterion) string {
	s := condition(c)
	switch {
	case c.Value != nil && c.Verdict == record.Met:
		return s + " (" + millis(*c.Value) + ")"
	case c.Value != nil:
		return s + " (" + millis(*c.Value) + ", " + plain(c.Verdict) + ")"
	case c.Verdict == record.Undecided && c.Basis != "":
		return s + " (undecided: " + plain(c.Basis) + ")"
	case c.Verdict != "":
		return s + " (" + plain(c.Verdict) + ")"
	}
	return s
}
