package train

import (
	"math"
	"slices"

	"assay/internal/figure"
)

// Replay is a published run predicted from the others.
type Replay struct {
	ID        string       `json:"id"`
	Model     string       `json:"model"`
	GPU       string       `json:"gpu"`
	GPUs      int          `json:"gpus"`
	Layout    string       `json:"layout"`
	Precision string       `json:"precision"`
	Method    Method       `json:"method"`
	Experts   bool         `json:"experts"`
	Group     string       `json:"group"`
	Published float64      `json:"published_tokens_per_s_per_gpu"`
	Predicted figure.Range `json:"predicted_tokens_per_s_per_gpu"`
	Error     float64      `json:"error"`       // of the prediction, as a share of what was published
	GroupLeft *float64     `json:"group_error"` // with all runs of its group left out; null: no other group has its kind
	Covered   bool         `json:"covered"`     // the range holds what was published

	Memory      *float64 `json:"memory_gib"` // null: not published
	MemoryError *float64 `json:"memory_error"`
	Note        string   `json:"note,omitempty"`
	Source      string   `json:"source"`
}

// Summary is how far predictions of some runs are off.
type Summary struct {
	Name      string   `json:"name"`
	Runs      int      `json:"runs"`
	Mean      float64  `json:"mean_error"`       // of absolute errors
	Worst     float64  `json:"worst_error"`      // with its sign
	GroupLeft *float64 `json:"mean_group_error"` // of those of which other groups have the kind
	Covered   int      `json:"covered"`
	HighByLow float64  `json:"median_high_by_low"`
}

// Validation is the replay of all published runs.
type Validation struct {
	Runs      []Replay  `json:"runs"`
	Summaries []Summary `json:"summaries"`
}

// Validate predicts each published run from the others, and from those of other
// groups alone.
func Validate() Validation {
	all := runs()
	v := Validation{}
	for i, r := range all {
		rest := fit(slices.Delete(slices.Clone(all), i, i+1))
		others := fit(slices.DeleteFunc(slices.Clone(all), func(o Run) bool { return o.Group == r.Group }))
		v.Runs = append(v.Runs, r.replay(rest, others))
	}
	v.Summaries = []Summary{
		summary("without experts", v.Runs, func(r Replay) bool { return !r.Experts }),
		summary("with experts", v.Runs, func(r Replay) bool { return r.Experts }),
	}
	for _, gpu := range gpus(v.Runs) {
		v.Summaries = append(v.Summaries, summary(gpu+", without experts", v.Runs, func(r Replay) bool { return r.GPU == gpu && !r.Experts }))
	}
	return v
}

func gpus(runs []Replay) []string {
	var out []string
	for _, r := range runs {
		if !slices.Contains(out, r.GPU) {
			out = append(out, r.GPU)
		}
	}
	slices.Sort(out)
	return out
}

// replay predicts a run with the efficiencies of some others.
func (r Run) replay(rest, others fitted) Replay {
	predicted := r.predict(rest)
	out := Replay{
		ID: r.ID, Model: r.sizing.arch.Name, GPU: r.Chip.Name, GPUs: r.GPUs, Layout: r.Layout.String(), Precision: r.Precision, Method: r.Method,
		Experts: r.sizing.experts > 0, Group: r.Group, Published: r.rate(), Predicted: predicted, Note: r.Note, Source: r.Source.URL,
	}
	out.Error = predicted.Mid/out.Published - 1
	if without := r.predict(others); without.Known() {
		off := without.Mid/out.Published - 1
		out.GroupLeft = &off
	}
	out.Covered = predicted.Low <= out.Published && out.Published <= predicted.High
	if r.MemoryGiB > 0 {
		said := r.MemoryGiB
		off := gib(r.sizing.memory(r.Layout, r.Chip.Usable).Total)/said - 1
		out.Memory, out.MemoryError = &said, &off
	}
	return out
}

// predict is the tokens a second for each GPU of a run.
func (r Run) predict(f fitted) figure.Range {
	e := f.of(classOf(r.Chip, r.Precision), r.sizing.experts > 0)
	step := r.sizing.step(r.Layout, ratesOf(r.Chip, r.Precision), e.Range, r.fabric)
	tokens := r.Layout.tokens(r.Sequence) * float64(r.Layout.Accumulation)
	return step.Total.Inverse(tokens / float64(r.Layout.TP*r.Layout.PP))
}

func summary(name string, runs []Replay, of func(Replay) bool) Summary {
	s := Summary{Name: name}
	var widths, groups []float64
	for _, r := range runs {
		if !of(r) {
			continue
		}
		s.Runs++
		s.Mean += math.Abs(r.Error)
		if r.GroupLeft != nil {
			groups = append(groups, math.Abs(*r.GroupLeft))
		}
		if math.Abs(r.Error) > math.Abs(s.Worst) {
			s.Worst = r.Error
		}
		if r.Covered {
			s.Covered++
		}
		widths = append(widths, r.Predicted.High/r.Predicted.Low)
	}
	if s.Runs == 0 {
		return s
	}
	s.Mean /= float64(s.Runs)
	if len(groups) > 0 {
		off := mean(groups)
		s.GroupLeft = &off
	}
	slices.Sort(widths)
	s.HighByLow = widths[len(widths)/2]
	return s
}
