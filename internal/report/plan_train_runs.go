package report

import (
	"bytes"
	"fmt"
	"io"

	"assay/internal/plan/train"
)

// TrainRuns writes the replay of published training runs for a terminal.
func TrainRuns(w io.Writer, v train.Validation, opt TextOptions) error {
	t := newTextWriter(w, opt)
	t.wrap("", "Published training runs, each predicted from the others (tokens/s of a GPU)", bold)
	rows := make([][]string, len(v.Runs))
	for i, r := range v.Runs {
		rows[i] = []string{
			r.ID, num(r.Published), fmt.Sprintf("%s (%s–%s)", num(r.Predicted.Mid), num(r.Predicted.Low), num(r.Predicted.High)),
			trainSigned(r.Error), trainSignedOrNone(r.GroupLeft),
		}
	}
	t.grid(words([]string{"run", "published", "predicted", "error", "by others"}, rows))
	t.line("")
	t.grid(words(trainSummaryHead, trainSummaries(v)))
	t.line("")
	for _, s := range trainRunsNotes {
		t.wrap("  - ", s, "")
	}
	return t.w.Flush()
}

// trainRunsNotes say how to read the errors.
var trainRunsNotes = []string{
	"An error is of the prediction, as a share of what was published; \"by others\": predicted without all runs of the group that measured it.",
	"A range is to hold 9 in 10. Its width is the median of high ÷ low.",
	"Layouts, batches and recomputation are those of the run; what a source does not state, and what was taken for it, is in its note.",
}

var trainSummaryHead = []string{"runs", "count", "mean error", "worst", "by others", "in range", "width"}

func trainSummaries(v train.Validation) [][]string {
	var rows [][]string
	for _, s := range v.Summaries {
		if s.Runs > 0 {
			rows = append(rows, []string{
				s.Name, count(s.Runs), fmt.Sprintf("%.0f %%", 100*s.Mean), trainSigned(s.Worst), trainShareOrNone(s.GroupLeft),
				fmt.Sprintf("%d of %d", s.Covered, s.Runs), fmt.Sprintf("%.1f", s.HighByLow),
			})
		}
	}
	return rows
}

func trainSigned(share float64) string { return fmt.Sprintf("%+.0f %%", 100*share) }

// TrainRunsMarkdown writes the same for a page, with sources and notes.
func TrainRunsMarkdown(w io.Writer, v train.Validation) error {
	b := &bytes.Buffer{}
	markdownGrid(b, words(trainSummaryHead, trainSummaries(v)))
	b.WriteString("\n")
	for _, s := range trainRunsNotes {
		fmt.Fprintf(b, "- %s\n", md(s))
	}
	b.WriteString("\n")
	var rows [][]string
	for _, r := range v.Runs {
		rows = append(rows, []string{
			fmt.Sprintf("[%s](%s)", r.ID, r.Source), r.Model, fmt.Sprintf("%d × %s", r.GPUs, r.GPU), r.Layout, r.Precision + ", " + string(r.Method),
			num(r.Published), fmt.Sprintf("%s (%s–%s)", num(r.Predicted.Mid), num(r.Predicted.Low), num(r.Predicted.High)), trainSigned(r.Error), trainSignedOrNone(r.GroupLeft), r.Note,
		})
	}
	runs := words([]string{"run", "model", "GPUs", "layout", "", "published tokens/s·GPU", "predicted", "error", "by others", "note"}, rows)
	runs.Marked = map[int]bool{0: true} // a link
	markdownGrid(b, runs)
	b.WriteString("\nMemory of a GPU, where a source states its peak:\n\n")
	rows = nil
	for _, r := range v.Runs {
		if r.Memory != nil {
			rows = append(rows, []string{r.ID, num(*r.Memory) + " GiB", num(*r.Memory*(1+*r.MemoryError)) + " GiB", trainSigned(*r.MemoryError)})
		}
	}
	markdownGrid(b, words([]string{"run", "published", "planned", "error"}, rows))
	_, err := b.WriteTo(w)
	return err
}

// trainSignedOrNone is none where no other group measured anything of the kind.
func trainSignedOrNone(share *float64) string {
	if share == nil {
		return none
	}
	return trainSigned(*share)
}

func trainShareOrNone(share *float64) string {
	if share == nil {
		return none
	}
	return fmt.Sprintf("%.0f %%", 100**share)
}
