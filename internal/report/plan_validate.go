package report

import (
	"bytes"
	"fmt"
	"io"

	"assay/internal/predict"
)

// PlanValidate writes for a terminal how far predictions of published serving
// measurements are off.
func PlanValidate(w io.Writer, v predict.Validation, opt TextOptions) error {
	t := newTextWriter(w, opt)
	t.wrap("", validateTitle(v), bold)
	t.line("")
	t.grid(words(scoreHead, validateRows(v)))
	t.line("")
	t.wrap("", thinTitle, bold)
	t.grid(words(scoreHead, thinRows(v)))
	t.line("")
	t.grid(words(targetHead, targetRows(v)))
	if len(v.Each) > 0 {
		t.line("")
		t.grid(words(eachHead, eachRows(v)))
	}
	t.line("")
	for _, s := range validateNotes {
		t.wrap("  - ", s, "")
	}
	return t.w.Flush()
}

// PlanValidateMarkdown writes the same for a page.
func PlanValidateMarkdown(w io.Writer, v predict.Validation) error {
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "%s\n\n", validateTitle(v))
	markdownGrid(b, words(scoreHead, validateRows(v)))
	fmt.Fprintf(b, "\n%s\n\n", thinTitle)
	markdownGrid(b, words(scoreHead, thinRows(v)))
	b.WriteString("\n")
	markdownGrid(b, words(targetHead, targetRows(v)))
	if len(v.Each) > 0 {
		b.WriteString("\n")
		markdownGrid(b, words(eachHead, eachRows(v)))
	}
	b.WriteString("\n")
	for _, s := range validateNotes {
		fmt.Fprintf(b, "- %s\n", md(s))
	}
	_, err := b.WriteTo(w)
	return err
}

func validateTitle(v predict.Validation) string {
	return fmt.Sprintf("Published serving measurements, %d rows, replayed by the fit of %s; %d refused", v.Rows, v.Fitted, v.Refused)
}

// scoreHead: errors are mean, median and worst, in per cent.
var scoreHead = []string{"measurements", "n", "TPOT error, %", "in range", "width", "TTFT error, %", "in range", "width"}

func validateRows(v predict.Validation) [][]string {
	var out [][]string
	for _, s := range v.CrossValidated {
		out = append(out, scoreRow(s.Protocol+" left out", s.All))
	}
	out = append(out, scoreRow("all, in sample", v.InSample))
	for _, g := range v.Groups {
		out = append(out, scoreRow(g.By+" "+g.Name, g.InSample), scoreRow(g.Name+", left out", g.Left))
	}
	return out
}

const thinTitle = "On chips that the fit has no measurement of (internal/predict/points/thin_chips.md)"

func thinRows(v predict.Validation) [][]string {
	var out [][]string
	for _, g := range v.ThinChips {
		row := scoreRow(g.Name, g.InSample)
		if g.InSample.TTFT == (predict.Errors{}) { // none measured
			row[5], row[6], row[7] = "", "", ""
		}
		out = append(out, row)
	}
	return out
}

func scoreRow(name string, s predict.Score) []string {
	row := []string{name, count(s.N)}
	for _, e := range []predict.Errors{s.ITL, s.TTFT} {
		row = append(row, fmt.Sprintf("%.1f, %.1f, %.0f", 100*e.Mean, 100*e.Median, 100*e.Worst), inPercent(e.Inside), fmt.Sprintf("%.2f", e.Width))
	}
	return row
}

func inPercent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

var targetHead = []string{"what", "aim", "is", "", "guarded"}

func targetRows(v predict.Validation) [][]string {
	var out [][]string
	for _, t := range v.Targets {
		sign, verdict := "at most ", "met"
		if t.Least {
			sign = "at least "
		}
		if !t.Met {
			verdict = "missed"
		}
		if !t.Held {
			verdict += ", beyond its guard"
		}
		form := inPercent
		if t.Limit > 1 {
			form = func(x float64) string { return fmt.Sprintf("%.2f", x) }
		}
		out = append(out, []string{t.What, sign + form(t.Limit), form(t.Value), verdict, sign + form(t.Guard)})
	}
	return out
}

var eachHead = []string{"engine", "model", "GPU", "format", "TP/DP", "ISL/OSL", "open", "TTFT ms", "predicted", "error", "TPOT ms", "predicted", "error"}

func eachRows(v predict.Validation) [][]string {
	var out [][]string
	for _, e := range v.Each {
		r := e.Row
		row := []string{r.Backend + " " + r.Version, r.Model, r.System, r.Precision, fmt.Sprintf("%d/%d", r.TP, max(r.AttentionDP, 1)),
			fmt.Sprintf("%d/%d", r.ISL, r.OSL), count(r.Concurrency)}
		if e.Refused != "" {
			out = append(out, append(row, num(r.TTFT), e.Refused, "", num(r.TPOT), "", ""))
			continue
		}
		out = append(out, append(row, num(r.TTFT), num(e.Prediction.TTFT.Mid), trainSigned(e.TTFTError), num(r.TPOT), num(e.Prediction.ITL.Mid), trainSigned(e.TPOTError)))
	}
	return out
}

// validateNotes say how to read the errors.
var validateNotes = []string{
	"Errors are mean, median and worst of the predictions, without sign, as shares of what was measured. In sample: of measurements that the fit has seen; what is left out it has not.",
	"A range is to hold 9 in 10: that of left-out measurements is made from others. Its width is the median of high over low.",
	"Aims stand for measurements not seen. A guard is what the exit code stands for: an aim that was reached, or as far as one that was missed may fall behind.",
	"docs/prediction.md says how measurements are left out, and where predictions are weak.",
}
