package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"assay/internal/facts"
	"assay/internal/figure"
	"assay/internal/plan/train"
)

// trainOptionsShown is how many options a terminal shows; JSON has all.
const trainOptionsShown = 8

// PlanTrain writes a plan of training for a terminal.
func PlanTrain(w io.Writer, r train.Result, explain, all bool, opt TextOptions) error {
	t := newTextWriter(w, opt)
	t.wrap("", trainSubject(r), dim)
	t.line("")
	t.wrap("  ", trainVerdict(r), bold)
	if r.Nearest != "" {
		t.wrap("  ", sentence(trainCapital(r.Nearest)), yellow)
	}
	if len(r.Options) > 0 {
		options := trainShown(r, all)
		t.line("")
		t.wrap("", fmt.Sprintf("Options in order of %s%s", r.Order, trainShownOf(len(options), len(r.Options))), bold)
		t.trainTable(options)
		t.trainOption(r, r.Options[0])
	}
	t.trainRejected(r)
	for _, s := range r.Remarks {
		t.wrap("  - ", sentence(trainCapital(s)), "")
	}
	if explain && len(r.Options) > 0 {
		t.line("")
		t.wrap("", "The numbers of "+r.Options[0].ID, bold)
		t.figures(r.Options[0].Figures)
	}
	return t.w.Flush()
}

func trainShownOf(shown, of int) string {
	if shown == of {
		return ""
	}
	return fmt.Sprintf(" (%d of %d; --all shows the rest)", shown, of)
}

// trainShown are the options to show: those that do not miss first.
func trainShown(r train.Result, all bool) []train.Option {
	if all {
		return r.Options
	}
	return r.Options[:min(trainOptionsShown, len(r.Options))]
}

func trainSubject(r train.Result) string {
	q := r.Request
	s := fmt.Sprintf("%s, %s training in %s with %s: %s tokens in %s steps of %d sequences of %s tokens", plain(r.Model.Name), q.Method, q.Precision, q.Optimizer,
		trainBig(q.Tokens), count(int(q.Steps)), q.GlobalBatch, count(q.Sequence))
	if q.Method != train.Full {
		s += fmt.Sprintf("; adapters of rank %d beside %s: %s parameters", q.Rank, plains(q.Targets, ", "), trainBig(float64(r.Model.Trained)))
	}
	return s + "."
}

// trainBig prints a large count in words.
func trainBig(v float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e12, "trillion"}, {1e9, "billion"}, {1e6, "million"}} {
		if v >= u.size {
			return short(v/u.size) + " " + u.name
		}
	}
	return short(v)
}

func trainVerdict(r train.Result) string {
	if len(r.Options) == 0 {
		return "Nothing trains it as asked."
	}
	o := r.Options[0]
	s := fmt.Sprintf("%d × %s (%s): %s, %s", o.Count, o.Instance, trainLayoutWords(o.Layout), trainTimeRange(o.Seconds), trainCostRange(o))
	switch {
	case !r.Met:
		return "Nothing does as asked. First of what misses: " + s + "."
	case o.Verdict == train.May:
		return s + ": it may do as asked, within the error bar."
	}
	return s + "."
}

func trainLayoutWords(l train.Layout) string {
	s := l.String() + fmt.Sprintf(", micro-batch %d", l.MicroBatch)
	if l.Recompute != train.NoRecompute {
		s += ", " + string(l.Recompute) + " activation checkpointing"
	}
	return s
}

// trainWall prints seconds as people plan them.
func trainWall(s float64) string {
	switch {
	case s >= 48*3600:
		return short(s/86400) + " days"
	case s >= 2*3600:
		return short(s/3600) + " h"
	case s >= 120:
		return short(s/60) + " min"
	}
	return short(s) + " s"
}

func trainTimeRange(r figure.Range) string {
	return fmt.Sprintf("%s (%s to %s)", trainWall(r.Mid), trainWall(r.Low), trainWall(r.High))
}

func trainCostRange(o train.Option) string {
	if o.USD == nil {
		return "price not known"
	}
	return fmt.Sprintf("%s (%s to %s) %s as of %s", usd(o.USD.Mid), usd(o.USD.Low), usd(o.USD.High), trainBought[o.Price.Kind], o.Price.AsOf)
}

// trainTable is what tells options apart, in the width of a terminal; the detail is
// said of the first one.
func (t *textWriter) trainTable(options []train.Option) {
	rows := make([][]string, len(options))
	for i, o := range options {
		cost := "not known"
		if o.USD != nil {
			cost = fmt.Sprintf("$%s (%s–%s)", trainDollars(o.USD.Mid), trainDollars(o.USD.Low), trainDollars(o.USD.High))
		}
		rows[i] = []string{
			fmt.Sprintf("%d × %s", o.Count, o.Instance), o.Layout.String(), num(o.PerGPU.Mid), fmt.Sprintf("%.0f %%", 100*o.MFU.Mid),
			trainNarrowTime(o.Seconds), cost, trainVerdictWord(o.Verdict),
		}
	}
	t.grid(words([]string{"instances", "layout", "tok/s·GPU", "MFU", "wall time", "cost", ""}, rows))
}

// trainDollars are whole from 100 on, in thousands or millions where there are many.
func trainDollars(v float64) string {
	switch {
	case v >= 1e6:
		return short(v/1e6) + "M"
	case v >= 1e5:
		return short(v/1e3) + "k"
	case v >= 100:
		return commas(fmt.Sprintf("%.0f", v))
	}
	return fmt.Sprintf("%.2f", v)
}

// trainNarrowTime prints a range in the unit of its middle.
func trainNarrowTime(r figure.Range) string {
	size, unit := 1.0, "s"
	switch {
	case r.Mid >= 48*3600:
		size, unit = 86400, "d"
	case r.Mid >= 2*3600:
		size, unit = 3600, "h"
	case r.Mid >= 120:
		size, unit = 60, "min"
	}
	return fmt.Sprintf("%s (%s–%s) %s", short(r.Mid/size), short(r.Low/size), short(r.High/size), unit)
}

// trainBought are ways of buying, as they stand after a price.
var trainBought = map[string]string{facts.OnDemand: "on demand", facts.Spot: "on Spot", train.CapacityBlock: "in a Capacity Block"}

var trainHead = []string{"instances", "layout", "activation checkpointing", "GiB of a GPU", "tokens/s a GPU", "MFU", "wall time", "cost", "verdict"}

func trainRows(options []train.Option) [][]string {
	var rows [][]string
	for _, o := range options {
		rows = append(rows, []string{
			fmt.Sprintf("%d × %s", o.Count, o.Instance), o.Layout.String(), string(o.Layout.Recompute),
			fmt.Sprintf("%s of %s", num(float64(o.Memory.Total)/facts.GiB), num(float64(o.Memory.Usable)/facts.GiB)),
			fmt.Sprintf("%s (%s–%s)", num(o.PerGPU.Mid), num(o.PerGPU.Low), num(o.PerGPU.High)),
			fmt.Sprintf("%.0f %%", 100*o.MFU.Mid), trainTimeRange(o.Seconds), trainCostRange(o), string(o.Verdict),
		})
	}
	return rows
}

func trainVerdictWord(v train.Verdict) string {
	if v == train.Meets || v == train.Unpriced { // that stands under the cost
		return ""
	}
	return string(v)
}

// trainRejected says what was rejected, types of one reason together.
func (t *textWriter) trainRejected(r train.Result) {
	for i, line := range trainRejectedWords(r.Rejected) {
		if i == 0 {
			t.line("")
			t.wrap("", "Rejected", bold)
		}
		t.wrap("  - ", line, "")
	}
	if len(r.Rejected) > 0 || len(r.Remarks) > 0 {
		t.line("")
	}
}

// trainRejectedWords are the reasons, each with its types; those of memory are one.
func trainRejectedWords(rejected []train.Rejection) []string {
	var order []string
	types := map[string][]string{}
	for _, x := range rejected {
		reason := x.Reason
		if x.Layout != "" {
			reason = "does not fit in the memory of its GPUs"
		}
		if types[reason] == nil {
			order = append(order, reason)
		}
		types[reason] = append(types[reason], x.Instance)
	}
	var out []string
	for _, reason := range order {
		out = append(out, trainCapital(plain(reason))+": "+plains(types[reason], ", "))
	}
	return out
}

func trainCapital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(string(r)) + s[n:]
}

// PlanTrainMarkdown writes the same for a page.
func PlanTrainMarkdown(w io.Writer, r train.Result, explain, all bool) error {
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "## Training %s\n\n**%s**\n\n%s\n", md(plain(r.Model.Name)), md(trainVerdict(r)), md(trainSubject(r)))
	if r.Nearest != "" {
		fmt.Fprintf(b, "\n%s\n", md(sentence(trainCapital(r.Nearest))))
	}
	if len(r.Options) > 0 {
		b.WriteString("\n")
		markdownGrid(b, words(trainHead, trainRows(trainShown(r, all))))
		fmt.Fprintf(b, "\n### %s\n\n", md(r.Options[0].ID))
		for _, line := range trainLines(r, r.Options[0]) {
			fmt.Fprintf(b, "- **%s**: %s\n", line[0], whole(line[1]))
		}
	}
	if words := trainRejectedWords(r.Rejected); len(words) > 0 {
		b.WriteString("\n### Rejected\n\n")
		for _, line := range words {
			fmt.Fprintf(b, "- %s\n", md(line))
		}
	}
	for i, s := range r.Remarks {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "- %s\n", md(sentence(trainCapital(s))))
	}
	if explain && len(r.Options) > 0 {
		fmt.Fprintf(b, "\n### The numbers of %s\n\n", md(r.Options[0].ID))
		if err := FiguresMarkdown(b, r.Options[0].Figures); err != nil {
			return err
		}
	}
	_, err := b.WriteTo(w)
	return err
}
