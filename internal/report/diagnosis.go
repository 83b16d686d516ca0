package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/internal/record"
	"assay/internal/survey"
)

// diagnosisSubject says what was looked at, and for how long.
func diagnosisSubject(r *survey.Result) string {
	var models []string
	seen := map[string]bool{}
	for _, i := range r.Instances {
		if m := plainTo(i.Model, 60); m != "" && !seen[m] {
			seen[m] = true
			models = append(models, m)
		}
	}
	s := plural(len(r.Instances), "replica")
	if len(models) > 0 && len(models) <= mostModels {
		s += " of " + list(models)
	}
	how := "watched for"
	if r.Source == survey.FromPrometheus {
		how = "as a Prometheus server recorded them, over"
	}
	s += ", " + how + " " + span(time.Duration(r.WindowS*float64(time.Second)))
	if !r.From.IsZero() {
		s += fmt.Sprintf(", %s to %s UTC", r.From.UTC().Format("2 January 2006, 15:04:05"), r.To.UTC().Format("15:04:05"))
	}
	return s + oddNames(r)
}

// diagnosisHead is the verdict in one line: bound, confidence, change.
func diagnosisHead(b record.Bound) string {
	s := boundName(b.Verdict)
	if c := changeText(b.Change); c != "" && (b.Verdict == record.BoundUnknown || b.Verdict == "") {
		return sentence(c) // what to do is known all the same
	}
	if b.Verdict != record.BoundUnknown && b.Verdict != "" {
		s += ", confidence " + confidence(b)
	}
	if c := changeText(b.Change); c != "" {
		s += ": " + c
	}
	return sentence(s)
}

// shownBound is the service's bound with sources as they are said of a service: its
// spans are no levels, and where there is but one it needs no name.
func shownBound(r *survey.Result) record.Bound {
	b := r.Bound
	one := len(r.Instances) == 1 && len(r.Instances[0].Spans) <= 1
	said := func(all []record.Evidence) []record.Evidence {
		out := slices.Clone(all)
		for i := range out {
			where, source, more := strings.Cut(strings.TrimPrefix(out[i].Source, "level "), ", ")
			switch {
			case !strings.HasPrefix(out[i].Source, "level "):
			case one && more:
				out[i].Source = source
			default:
				out[i].Source = strings.Trim(where+", "+source, ", ")
			}
		}
		return out
	}
	b.Evidence, b.Against = said(b.Evidence), said(b.Against)
	return b
}

// changeText is a remedy with its flag, where the words do not hold it.
func changeText(c *record.Change) string {
	if c == nil {
		return ""
	}
	s := plain(c.Text)
	if flag := plain(c.Flag); flag != "" && !strings.Contains(s, flag) {
		s += " (" + strings.TrimSpace(flag+" "+plain(c.To)) + ")"
	}
	return s
}

// replicaColumns are what a table of replicas shows, the name first.
var replicaColumns = []column{
	{Head: "replica", Left: true}, {Head: "bound", Left: true}, {Head: "running", Unit: "mean"}, {Head: "waiting", Unit: "mean"},
	{Head: "KV", Unit: "max %"}, {Head: "step", Unit: "ms"}, {Head: "output", Unit: "tokens/s"}, {Head: "TTFT", Unit: "mean ms"}, {Head: "SM clock", Unit: "MHz"},
}

const mostName = 48 // characters of a replica's name in a table

func replicaRow(i survey.Instance) []string {
	s, g := record.Server{}, record.GPU{}
	if i.Server != nil {
		s = *i.Server
	}
	if i.GPU != nil {
		g = *i.GPU
	}
	bound := boundName(i.Bound.Verdict)
	switch {
	case i.Failed != "":
		bound = "not read"
	case i.Bound.Verdict != record.BoundUnknown:
		bound += " " + confidence(i.Bound)
	}
	kv := none
	if s.KVUsageMax != nil {
		kv = num(100 * *s.KVUsageMax)
	}
	return []string{
		oddMark(i) + plainTo(i.Name, mostName), bound, opt(s.RunningMean), opt(s.WaitingMean), kv, opt(s.StepMS), opt(i.OutputTokensPerS()), opt(s.TTFTMean), opt(g.SMClockMHz),
	}
}

func oddMark(i survey.Instance) string {
	if i.Odd {
		return "! "
	}
	return "  "
}

// shownColumns leaves out what no replica says.
func shownColumns(rows [][]string) ([]column, [][]string) {
	var cols []column
	out := make([][]string, len(rows))
	for c, col := range replicaColumns {
		said := false
		for _, row := range rows {
			said = said || row[c] != none
		}
		if !said {
			continue
		}
		cols = append(cols, col)
		for i, row := range rows {
			out[i] = append(out[i], row[c])
		}
	}
	return cols, out
}

// comparison says which replica is the odd one, or what differs between two.
func comparison(r *survey.Result) []string {
	var lines []string
	for _, i := range r.Instances {
		if i.Odd {
			lines = append(lines, fmt.Sprintf("%s is the odd one: %s", plain(i.Name), plains(i.Why, "; ")))
		}
	}
	var differ []string
	for _, d := range r.Differences {
		if len(d.Odd) > 0 {
			continue
		}
		var sides []string
		for _, i := range r.Instances {
			if v, ok := d.Of[i.Name]; ok {
				sides = append(sides, fmt.Sprintf("%s %s %s", plain(i.Name), num(v), d.Unit))
			}
		}
		differ = append(differ, d.What+" ("+strings.Join(sides, ", ")+")")
	}
	if len(differ) > 0 {
		lines = append(lines, "two replicas differ in "+strings.Join(differ, ", ")+"; with two one cannot tell which is the odd one")
	}
	return lines
}

// oddNames are the replicas that are not like the others, as a clause for the
// line below the verdict; empty where none is.
func oddNames(r *survey.Result) string {
	var names []string
	for _, i := range r.Instances {
		if i.Odd {
			names = append(names, plainTo(i.Name, mostName))
		}
	}
	switch n := len(names); {
	case n == 0:
		return ""
	case n == 1:
		return "; the odd one out is " + names[0]
	case n > mostModels:
		return fmt.Sprintf("; %d are not like the others", n)
	}
	return "; not like the others: " + list(names)
}

// mostTails bounds the replicas whose tails are shown.
const mostTails = 8

// tailLines are the tails of the first replicas.
func tailLines(r *survey.Result) []string {
	var lines []string
	for _, i := range r.Instances {
		if s := tailLine(i); s != "" {
			lines = append(lines, s)
		}
	}
	if more := len(lines) - mostTails; more > 0 {
		lines = append(lines[:mostTails], fmt.Sprintf("and of %s more with -o json", plural(more, "replica")))
	}
	return lines
}

// tailLine says how long the slowest of a replica took, and why no more is known.
func tailLine(i survey.Instance) string {
	var parts []string
	for _, t := range i.Tails {
		name := metricName(t.Metric)
		if t.Percentile != "" {
			parts = append(parts, fmt.Sprintf("%s %s %s (n=%s)", name, t.Percentile, bucketWords(t.AboveS, t.AtMostS), count(t.N)))
		} else {
			parts = append(parts, fmt.Sprintf("%s of %s, too few for a percentile", name, plural(t.N, "sample")))
		}
		if t.MaxAtMostS != nil {
			parts[len(parts)-1] += ", the longest at most " + short(*t.MaxAtMostS) + " s"
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return plain(i.Name) + ": " + strings.Join(parts, "; ")
}

func bucketWords(above float64, bound *float64) string {
	if bound == nil {
		return "above " + short(above) + " s (last bucket)"
	}
	return "at most " + short(*bound) + " s (bucket)"
}

// restartLines name what began anew within the window.
func restartLines(r *survey.Result) []string {
	var lines []string
	for _, i := range r.Instances {
		for k, s := range i.Restarts {
			if k == mostEvidence {
				lines = append(lines, fmt.Sprintf("%s: %d more restarts", plain(i.Name), len(i.Restarts)-k))
				break
			}
			lines = append(lines, fmt.Sprintf("%s at %s UTC: %s", plain(i.Name), s.At.UTC().Format("15:04:05"), plain(s.Why)))
		}
	}
	for _, i := range r.Incidents {
		at := ""
		if !i.At.IsZero() {
			at = " at " + i.At.UTC().Format("15:04:05") + " UTC"
		}
		lines = append(lines, fmt.Sprintf("%s%s, %s: %s (%s)", plain(i.Object), at, plain(i.Kind), plain(i.Fact), plain(i.Source)))
	}
	return lines
}

// diagnosisRemarks are all other lines: what was missed on the way.
func diagnosisRemarks(r *survey.Result) []string {
	var lines []string
	for _, i := range r.Instances {
		if i.Failed != "" && !i.Odd { // of an odd one it is said why
			lines = append(lines, sentence(i.Failed))
		}
	}
	for _, m := range r.Remarks {
		lines = append(lines, sentence(m))
	}
	if r.Interrupted {
		lines = append(lines, "Interrupted: this is of what had been seen by then.")
	}
	return lines
}
