package report

import (
	"slices"
	"strings"
	"time"

	"assay/internal/record"
	"assay/internal/stats"
)

// verdict is a run in words.
type verdict struct {
	Subject  string // what was measured
	Sentence string // what came out
	Answers  []answer
	Warnings []string // what the reader must know before believing it
}

func judge(run record.Run) verdict {
	v := verdict{Subject: subject(run), Warnings: warnings(run)}
	measured := withResults(slices.DeleteFunc(slices.Clone(run.Levels), func(l record.Level) bool { return l.Pass == record.PassTrial }))
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
	out = append(out, hotWarnings(run)...)
	out = append(out, repeatWarnings(run)...)
	out = append(out, confirmWarnings(run)...)
	out = append(out, cacheWarnings(run)...)
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
