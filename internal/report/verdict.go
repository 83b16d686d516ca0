package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"assay/internal/record"
	"assay/internal/stats"
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

// verdict is a run in words.
type verdict struct {
	Subject  string // what was measured
	Sentence string // what came out
	Answers  []answer
	Warnings []string // what the reader must know before believing it
}

func judge(run record.Run) verdict {
	v := verdict{Subject: subject(run), Warnings: warnings(run)}
	measured := withResults(run.Levels)
	switch {
	case len(measured) == 0:
		v.Sentence = nothingMeasured(run)
		v.Answers = []answer{{Name: "latency", Text: "not measured"}, {Name: "throughput", Text: "not measured"}, boundAnswer(run), sloAnswer(run)}
	case run.Saturation != nil:
		v.Sentence = saturationSentence(run)
		v.Answers = []answer{pointAnswer(run), kneeAnswer(run), boundAnswer(run), sloAnswer(run)}
	default:
		v.Sentence = fixedSentence(run, measured)
		v.Answers = append(fixedAnswers(measured), boundAnswer(run), sloAnswer(run))
	}
	return v
}

func withResults(levels []record.Level) []record.Level {
	var out []record.Level
	for _, l := range levels {
		if l.Requests.Completed > 0 {
			out = append(out, l)
		}
	}
	return out
}

const simulatedEngine = "Simulated engine"

// subject says what was measured, the simulated engine first of all as such.
func subject(run record.Run) string {
	t := run.Target
	model := plain(t.Model)
	if model == "" {
		model = "an unnamed model"
	}
	if t.Simulated {
		if p := presetName(t.Preset); p != "" {
			return simulatedEngine + ", " + p
		}
		return simulatedEngine + ", model " + model
	}
	s := model
	if url := plain(t.URL); url != "" {
		s += " at " + url
	}
	if e := strings.TrimSpace(plain(t.Engine.Name) + " " + plain(t.Engine.Version)); e != "" {
		s += " (" + e + ")"
	}
	return s
}

// presetName is a preset's model and hardware, without its settings.
func presetName(preset string) string {
	name, _, _ := strings.Cut(plain(preset), ":")
	return strings.TrimSuffix(name, ", simulated")
}

// extent says how much was measured and when.
func extent(run record.Run) string {
	var parts []string
	for _, g := range groups(run.Levels) {
		parts = append(parts, plural(len(g.Levels), "level")+" of "+plain(g.Scenario))
	}
	s := "No level"
	if len(parts) > 0 {
		s = list(parts)
	}
	if d := length(run); d > 0 {
		s += " in " + span(d)
	}
	if !run.Start.IsZero() {
		s += ", " + run.Start.UTC().Format("2 January 2006, 15:04 UTC")
	}
	return s
}

// length is from the run's start to its end, or to the end of its last level
// where it has none.
func length(run record.Run) time.Duration {
	end := run.Start
	for _, l := range run.Levels {
		if l.End.After(end) {
			end = l.End
		}
	}
	if run.End != nil {
		end = *run.End
	}
	return end.Sub(run.Start)
}

func warnings(run record.Run) []string {
	var out []string
	if run.Target.Simulated {
		out = append(out, "These are a simulator's numbers, not a GPU's: name a server with --target to measure one.")
	}
	switch {
	case run.Interrupted:
		out = append(out, "The run was cut short by an interrupt: only what had been measured by then is here.")
	case run.End == nil:
		out = append(out, "The run was cut short: it never recorded its end. What had been measured by then is here.")
	case !run.Complete:
		out = append(out, "The run is not complete: not every planned level ran to its end.")
	}
	if i := run.Inspection; i != nil && i.Buffered {
		out = append(out, "Something between server and client buffers the stream: all chunks came in one read, so TTFT and ITL are not real.")
	}
	gs := groups(run.Levels)
	for _, g := range gs {
		for _, l := range g.Levels {
			s := whyNotValid(g, l)
			switch {
			case s == "":
			case len(gs) > 1:
				out = append(out, sentence("level "+plain(g.Scenario)+" at "+s))
			default:
				out = append(out, sentence("level "+s))
			}
		}
	}
	return out
}

func nothingMeasured(run record.Run) string {
	if len(run.Levels) == 0 {
		return "Nothing was measured: no level ran."
	}
	errors := map[string]int{}
	failed := 0
	for _, l := range run.Levels {
		failed += l.Requests.Failed
		for k, n := range l.Errors {
			errors[k] += n
		}
	}
	if failed == 0 {
		return "Nothing was measured: no request finished."
	}
	return fmt.Sprintf("Nothing was measured: all %s failed (%s).", plural(failed, "request"), errorsOf(errors))
}

// loadIn names a load in a scenario's unit.
func loadIn(unit string, v float64) string { return loadValue(unit, v) + " " + unitWord(unit) }

// loadValue leaves the decimals off ten and more in flight: an interpolated
// load is not known better than to one request.
func loadValue(unit string, v float64) string {
	if unitWord(unit) == inFlight && v >= 10 {
		v = math.Round(v)
	}
	return short(v)
}

const inFlight = "in flight"

func unitWord(unit string) string {
	if unit == "" || unit == "concurrency" {
		return inFlight
	}
	return plain(unit)
}

func interval(i record.Interval, unit string) string {
	low, high := loadValue(unit, i.Low), loadValue(unit, i.High)
	if low == high {
		return low + " " + unitWord(unit)
	}
	return low + "–" + high + " " + unitWord(unit)
}

// pointLoad is the operating point's load in the scenario's unit.
func pointLoad(s record.Saturation) float64 {
	if unitWord(s.Unit) == inFlight {
		// Rounded down: one more in flight may already miss the SLO.
		if c := s.OperatingPoint.Concurrency; c >= 10 {
			return math.Floor(c)
		}
		return s.OperatingPoint.Concurrency
	}
	return s.OperatingPoint.RequestsPerS
}

func saturationSentence(run record.Run) string {
	s := *run.Saturation
	var knee string
	switch {
	case s.Knee != nil && loadValue(s.Unit, s.Knee.Low) == loadValue(s.Unit, s.Knee.High):
		knee = "Throughput stops growing at about " + interval(*s.Knee, s.Unit)
	case s.Knee != nil:
		knee = fmt.Sprintf("Throughput stops growing between %s and %s %s", loadValue(s.Unit, s.Knee.Low), loadValue(s.Unit, s.Knee.High), unitWord(s.Unit))
	case s.Saturated:
		knee = "Throughput stopped growing, but the levels do not say where"
	case validLevels(run.Levels, s.Scenario) < kneeNeeds:
		knee = "Too few levels are valid to look for a knee"
	default:
		knee = "No knee was reached"
		if top, ok := topLoad(run.Levels, s.Scenario); ok {
			knee += " up to " + loadIn(s.Unit, top)
		}
	}
	switch {
	case s.OperatingPoint != nil && s.OperatingPoint.LimitedBy == "grid":
		knee += fmt.Sprintf(". At %s it gives %s output tokens/s, and more may be possible",
			loadIn(s.Unit, pointLoad(s)), num(s.OperatingPoint.OutputTokensPerS))
	case s.OperatingPoint != nil:
		knee += fmt.Sprintf(". Run it at %s: %s output tokens/s", loadIn(s.Unit, pointLoad(s)), num(s.OperatingPoint.OutputTokensPerS))
		if len(run.SLO.Criteria) > 0 {
			knee += " within the SLO"
		}
	default:
		knee += ", and there is no operating point"
		if why := plain(s.WhyNoPoint); why != "" {
			knee += ": " + strings.TrimRight(why, ".")
		}
	}
	return knee + ". " + boundSentence(run.Bound)
}

// kneeNeeds is how many valid levels a knee can be told from.
const kneeNeeds = 3

func validLevels(levels []record.Level, scenario string) int {
	n := 0
	for _, l := range levels {
		if l.Scenario == scenario && l.Validity.Verdict == record.Valid {
			n++
		}
	}
	return n
}

func topLoad(levels []record.Level, scenario string) (float64, bool) {
	top, ok := 0.0, false
	for _, l := range levels {
		if l.Scenario == scenario && l.Validity.Verdict == record.Valid && l.Load.Value >= top {
			top, ok = l.Load.Value, true
		}
	}
	return top, ok
}

// notValid is the validity of the level of that load, in words, where it is
// not valid.
func notValid(levels []record.Level, scenario string, load float64) (string, bool) {
	for _, l := range levels {
		if l.Scenario == scenario && l.Load.Value == load && l.Validity.Verdict != record.Valid {
			return markOf(l).Word, true
		}
	}
	return "", false
}

func boundSentence(b record.Bound) string {
	switch b.Verdict {
	case record.BoundNotSaturated:
		return "Nothing was saturated."
	case record.BoundUnknown, "":
		return "What limits it is not known."
	case record.BoundClient:
		return "The client was the limit, not the server."
	default:
		return "The limit is " + boundPhrase(b.Verdict) + "."
	}
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

// fixedSentence is the verdict of levels whose load was given, not sought.
func fixedSentence(run record.Run, measured []record.Level) string {
	gs := groups(measured)
	g := gs[len(gs)-1]
	l := g.Levels[len(g.Levels)-1]
	s := "At " + g.name(l) + ": " + latencies(l) + ", " + num(l.Throughput.OutputTokensPerS) + " output tokens/s."
	if len(g.Levels) > 1 {
		s = rangeSentence(g)
	}
	if l.Validity.Verdict != record.Valid {
		s += " The level at " + g.name(l) + " is " + markOf(l).Word + "."
	}
	switch {
	case len(run.SLO.Criteria) == 0 && !anyCriterion(measured):
		return s
	case run.SLO.Met == nil:
		return s + " Whether the SLO is met is undecided."
	case *run.SLO.Met:
		return s + " The SLO is met."
	default:
		return s + " The SLO is missed."
	}
}

// rangeSentence says how the latencies go from a group's lowest load to its
// highest, each at a percentile that both support.
func rangeSentence(g group) string {
	first, last := g.Levels[0], g.Levels[len(g.Levels)-1]
	var parts []string
	for _, key := range []string{"ttft", "itl"} {
		pa, _, okA := central(first.Metric(key))
		pb, _, okB := central(last.Metric(key))
		if !okA || !okB {
			continue
		}
		p := min(pa, pb) // "mean" < "p50" < "p90" < "p95"
		a, b := first.Metric(key), last.Metric(key)
		parts = append(parts, fmt.Sprintf("%s %s from %s to %s", metricName(key), p, millis(at(a, p)), millis(at(b, p))))
	}
	parts = append(parts, fmt.Sprintf("throughput from %s to %s output tokens/s", num(first.Throughput.OutputTokensPerS), num(last.Throughput.OutputTokensPerS)))
	return fmt.Sprintf("From %s to %s: %s.", g.amount(first), g.name(last), list(parts))
}

// at is a percentile that d supports.
func at(d stats.Dist, p string) float64 {
	switch p {
	case mean:
		return value(d.Mean)
	case "p50":
		return value(d.P50)
	case "p90":
		return value(d.P90)
	}
	return value(d.P95)
}

func anyCriterion(levels []record.Level) bool {
	for _, l := range levels {
		if len(l.SLO) > 0 {
			return true
		}
	}
	return false
}

// latencies names each latency at the highest percentile that it supports, or
// its mean where it supports none.
func latencies(l record.Level) string {
	var parts []string
	for _, m := range []struct {
		name string
		d    stats.Dist
	}{{"TTFT", l.TTFT}, {"ITL", l.ITL}, {"E2E", l.E2E}} {
		if p, v, ok := central(m.d); ok {
			parts = append(parts, m.name+" "+p+" "+millis(v))
		}
	}
	if len(parts) == 0 {
		return plural(l.Requests.Completed, "request")
	}
	return list(parts)
}

func fixedAnswers(measured []record.Level) []answer {
	gs := groups(measured)
	g := gs[len(gs)-1]
	l := g.Levels[len(g.Levels)-1]
	latency := answer{Name: "latency", Text: "too few samples", Note: plural(l.Requests.Completed, "request") + " at " + g.name(l)}
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
	a.Note = num(p.OutputTokensPerS) + " output tokens/s"
	if unitWord(s.Unit) == inFlight {
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
		peak := "most throughput " + num(s.Peak.OutputTokensPerS) + " output tokens/s at " + loadIn(s.Unit, s.Peak.Load)
		if m, ok := notValid(run.Levels, s.Scenario, s.Peak.Load); ok {
			peak += ", a level that is " + m
			a.Tone = "warn"
		}
		if a.Note != "" {
			a.Note += "; "
		}
		a.Note += peak
	}
	return a
}

func boundAnswer(run record.Run) answer {
	b := run.Bound
	a := answer{Name: "bound", Text: boundName(b.Verdict)}
	switch b.Verdict {
	case record.BoundUnknown, "":
		if len(b.Missing) > 0 {
			a.Note = "missing: " + plain(strings.Join(b.Missing, ", "))
		}
	default:
		a.Note = "confidence " + confidence(b)
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

// lackRemark says which sample each percentile needs that some level lacks,
// and the smallest sample there is; empty where none lacks any.
func lackRemark(run record.Run) string {
	levels := withResults(run.Levels)
	var needs []string
	least := 0 // the smallest sample lacks all that any lacks
	for _, p := range []float64{50, 90, 95, 99} {
		missing := 0
		for _, l := range levels {
			for _, d := range []stats.Dist{l.TTFT, l.ITL, l.E2E} {
				if d.N == 0 || d.N >= stats.SupportedAt(p) {
					continue
				}
				missing++
				if least == 0 || d.N < least {
					least = d.N
				}
			}
		}
		if missing > 0 {
			needs = append(needs, stats.Name(p)+" needs "+count(stats.SupportedAt(p)))
		}
	}
	if len(needs) == 0 {
		return ""
	}
	s := none + " means too few samples"
	if slices.ContainsFunc(groups(run.Levels), showsMeans) {
		s = none + ", or a mean in its place, means too few samples for the percentile"
	}
	return s + " (n=" + count(least) + ": " + strings.Join(needs, ", ") + ")."
}
