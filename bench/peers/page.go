package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/template"
)

//go:embed peers.md.tmpl
var pageText string

// page is the result as Markdown.
func page(r *Result) ([]byte, error) {
	t, err := template.New("peers.md").Parse(pageText)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, view{r})
	return b.Bytes(), err
}

// view is the result as the template asks for it. Its tables are Markdown.
type view struct{ *Result }

// Day of the measurement.
func (v view) Day() string { return v.Date.Format("2006-01-02") }

// Others is the range of what the rest of the machine used during a run.
func (v view) Others() string {
	var cores []float64
	for _, r := range v.Runs {
		if r.Error == "" && r.Experiment != realVLLM {
			cores = append(cores, r.OtherCores)
		}
	}
	if len(cores) == 0 {
		return "not known"
	}
	slices.Sort(cores)
	return fmt.Sprintf("%.2f cores in the median, %.2f at most", middle(cores), cores[len(cores)-1])
}

// Loads says how many requests each tool is asked for, by number of streams.
func (v view) Loads() string {
	var loads []string
	for _, x := range experiments(v.Quick) {
		if !x.vllm && x.failEvery == 0 {
			loads = append(loads, fmt.Sprintf("%s at %s", count(x.Requests), x.name))
		}
	}
	return strings.Join(loads, ", ")
}

// Load is one experiment's, for those that have a section of their own.
func (v view) Load(name string) experiment {
	all := experiments(v.Quick)
	return all[slices.IndexFunc(all, func(x experiment) bool { return x.name == name })]
}

// TTFT is the table of reported minus true means.
func (v view) TTFT() string {
	return v.table([]string{one, few, many, crowd}, func(r Run) *float64 { return minus(r.Reported.TTFTMean, r.Truth.TTFTMean) }, "%+.1f")
}

// ITL is the same of inter-token latency.
func (v view) ITL() string {
	return v.table([]string{one, few, many, crowd}, func(r Run) *float64 { return minus(r.Reported.ITLMean, r.Truth.ITLMean) }, "%+.2f")
}

// ITLFigures say which figure of each tool stands in the table of ITL.
func (v view) ITLFigures() string {
	var notes []string
	for _, t := range tools {
		if v.has(t.name) {
			notes = append(notes, fmt.Sprintf("%s: `%s`", t.name, t.note))
		}
	}
	return strings.Join(notes, "; ")
}

// Cost is the table of what a tool takes, of the runs at 256 streams.
func (v view) Cost() string {
	rows := [][]string{{"", "CPU s for a million tokens, start-up included", "of these start-up", "requests/s, of " + fmt.Sprintf("%.0f possible", v.possible()), "TTFT p99, reported / true, ms", "peak memory, MiB", "start to first request, s", "to first measured request, s"}}
	for _, t := range v.names() {
		rows = append(rows, []string{
			t, number(v.million(t), "%.1f"), number(v.startup(t), "%.2f"),
			v.spread(t, many, func(r Run) *float64 { return r.Truth.RequestsPerS }, "%.0f"),
			v.spread(t, many, func(r Run) *float64 { return r.Reported.TTFTP99 }, "%.0f") + " / " + v.spread(t, many, func(r Run) *float64 { return r.Truth.TTFTP99 }, "%.0f"),
			v.spread(t, many, func(r Run) *float64 { return r.Usage.PeakMiB }, "%.0f"),
			v.spread(t, "", func(r Run) *float64 { return r.FirstRequestS }, "%.2f"),
			v.spread(t, "", func(r Run) *float64 { return r.FirstMeasuredS }, "%.2f"),
		})
	}
	return markdown(rows)
}

// possible is the request rate of 256 streams whose client costs no time.
func (v view) possible() float64 {
	x := v.Load(many)
	return float64(x.Streams) / (serverTTFT + (outputTokens-1)*x.itl).Seconds()
}

// startup is the CPU time, seconds, of a run of ten requests one after the other.
func (v view) startup(tool string) *float64 {
	return median(v.values(tool, one, func(r Run) *float64 { return &r.Usage.CPUS }))
}

// million is the CPU time of a run of a million tokens at 256 Streams: the
// start-up once, and for each token what the runs took beyond it.
func (v view) million(tool string) *float64 {
	start := v.startup(tool)
	if start == nil {
		return nil
	}
	return median(v.values(tool, many, func(r Run) *float64 {
		if r.Truth.Tokens == 0 {
			return nil
		}
		cpu := *start + (r.Usage.CPUS-*start)/float64(r.Truth.Tokens)*1e6
		return &cpu
	}))
}

// Failures is the table of streams that died half-way.
func (v view) Failures() string {
	rows := [][]string{{"", "died", "reported as failures", "counted as successes"}}
	for _, t := range v.names() {
		died := v.values(t, failing, func(r Run) *float64 { return whole(r.Truth.Failed) })
		reported := v.values(t, failing, func(r Run) *float64 { return whole(r.Reported.Failed) })
		rows = append(rows, []string{t, number(median(died), "%.0f"), number(median(reported), "%.0f"), number(v.swallowed(t), "%.0f")})
	}
	return markdown(rows)
}

// swallowed are the failures that a tool counted as successes, the most of a run.
func (v view) swallowed(tool string) *float64 {
	n := v.values(tool, failing, func(r Run) *float64 { return whole(max(0, r.Truth.Failed-r.Reported.Failed)) })
	if len(n) == 0 {
		return nil
	}
	most := slices.Max(n)
	return &most
}

// VLLM is the table of the real engine, or nothing.
func (v view) VLLM() string {
	rows := [][]string{{"", "TTFT, reported / the engine's, ms", "ITL, reported / the engine's, ms", "requests/s, reported", "failed", "CPU s of the client"}}
	for _, t := range v.names() {
		if len(v.values(t, realVLLM, func(r Run) *float64 { return &r.Usage.CPUS })) == 0 {
			continue
		}
		get := func(f func(Run) *float64, format string) string { return v.spread(t, realVLLM, f, format) }
		rows = append(rows, []string{
			t,
			get(func(r Run) *float64 { return r.Reported.TTFTMean }, "%.1f") + " / " + get(func(r Run) *float64 { return r.Truth.TTFTMean }, "%.1f"),
			get(func(r Run) *float64 { return r.Reported.ITLMean }, "%.2f") + " / " + get(func(r Run) *float64 { return r.Truth.ITLMean }, "%.2f"),
			get(func(r Run) *float64 { return r.Reported.RequestsPerS }, "%.0f"),
			get(func(r Run) *float64 { return whole(r.Reported.Failed) }, "%.0f"),
			get(func(r Run) *float64 { return &r.Usage.CPUS }, "%.1f"),
		})
	}
	if len(rows) == 1 {
		return ""
	}
	return markdown(rows)
}

// Verdicts says how Assay judged its own runs against the null server, by
// number of streams.
func (v view) Verdicts() string {
	var parts []string
	for _, x := range []string{one, few, many, crowd} {
		var verdicts []string
		for _, r := range v.Runs {
			if r.Tool == assayTool.name && r.Experiment == x && r.Error == "" {
				verdicts = append(verdicts, r.Reported.Validity)
			}
		}
		if len(verdicts) > 0 {
			parts = append(parts, x+": "+strings.Join(verdicts, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// Remarks are runs without a result, and those whose load or account was of
// another number than asked.
func (v view) Remarks() []string {
	var remarks []string
	for _, r := range v.Runs {
		switch {
		case r.Error != "":
			remarks = append(remarks, fmt.Sprintf("%s gave no result in experiment %s", r.Tool, r.Experiment))
		case r.Experiment != realVLLM && r.Truth.MostOpen < r.Streams:
			remarks = append(remarks, fmt.Sprintf("%s had %d of %d asked streams open at once", r.Tool, r.Truth.MostOpen, r.Streams))
		}
		if n := r.Reported.Completed + r.Reported.Failed; r.Error == "" && n != r.Asked {
			remarks = append(remarks, fmt.Sprintf("%s reported on %d of %d requests in experiment %s", r.Tool, n, r.Asked, r.Experiment))
		}
	}
	slices.Sort(remarks)
	return slices.Compact(remarks)
}

// table has a row for each tool and a column for each experiment.
func (v view) table(columns []string, f func(Run) *float64, format string) string {
	rows := [][]string{append([]string{""}, columns...)}
	for _, t := range v.names() {
		row := []string{t}
		for _, x := range columns {
			row = append(row, v.spread(t, x, f, format))
		}
		rows = append(rows, row)
	}
	return markdown(rows)
}

// names are the tools that were measured, in their order.
func (v view) names() []string {
	var names []string
	for _, t := range tools {
		if v.has(t.name) {
			names = append(names, t.name)
		}
	}
	return names
}

func (v view) has(tool string) bool {
	return slices.ContainsFunc(v.Runs, func(r Run) bool { return r.Tool == tool })
}

// values are f of a tool's runs of one experiment, with "" of all against the
// null server.
func (v view) values(tool, experiment string, f func(Run) *float64) []float64 {
	var values []float64
	for _, r := range v.Runs {
		if r.Tool != tool || r.Error != "" || r.Experiment != experiment && (experiment != "" || r.Experiment == realVLLM) {
			continue
		}
		if x := f(r); x != nil {
			values = append(values, *x)
		}
	}
	return values
}

// spread is the median and, of several, the range.
func (v view) spread(tool, experiment string, f func(Run) *float64, format string) string {
	values := v.values(tool, experiment, f)
	m := number(median(values), format)
	if len(values) < 2 {
		return m
	}
	least, most := fmt.Sprintf(format, slices.Min(values)), fmt.Sprintf(format, slices.Max(values))
	if least == most {
		return m
	}
	return fmt.Sprintf("%s (%s … %s)", m, least, most)
}

func median(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(values))
	m := middle(sorted)
	return &m
}

func middle(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func minus(a, b *float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	d := *a - *b
	return &d
}

func whole(n int) *float64 {
	x := float64(n)
	return &x
}

// count writes a whole number with commas.
func count(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", count(n/1000), n%1000)
}

func number(v *float64, format string) string {
	if v == nil || math.IsNaN(*v) {
		return "–"
	}
	return fmt.Sprintf(format, *v)
}

// markdown is a table whose first row is its head.
func markdown(rows [][]string) string {
	var b strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			b.WriteString("|" + strings.Repeat("---|", len(row)) + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
