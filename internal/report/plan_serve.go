package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"assay/internal/figure"
	"assay/internal/plan"
)

// mostOptions are listed without --all.
const mostOptions = 8

// ServePlan writes a plan for a terminal: the verdict first.
func ServePlan(w io.Writer, r *plan.Result, all bool, opt TextOptions) error {
	t := newTextWriter(w, opt)
	t.wrap("", servedModel(r), bold)
	t.wrap("", servedLoad(r), dim)
	t.line("")
	tone := green
	if len(r.Options) == 0 {
		tone = red
	}
	t.wrap("  ", sentence(r.Verdict.Say), tone)
	for _, a := range r.Verdict.Also {
		t.wrap("  ", sentence(plain(a)), "")
	}
	if n := r.Verdict.Nearest; n != nil {
		t.nearest(n)
	}
	if o := shownOption(r); o != nil {
		t.line("")
		for _, f := range optionFacts(r, *o) {
			t.wrap(fmt.Sprintf("  %-12s", f.Name), f.Text, "")
		}
	}
	if len(r.Options) > 0 {
		t.line("")
		n := limitOf(all, len(r.Options))
		t.grid(optionGrid(r, n))
		if more := moreOptions(r, n); more != "" {
			t.wrap("  ", more, dim)
		}
	}
	t.rejections(r, all)
	if o := shownOption(r); o != nil {
		t.line("")
		t.wrap("  ", "One replica is started with", bold)
		t.wrap("    ", startLine(r, *o), "")
	}
	t.block(servedRemarks(r), dim)
	if o := shownOption(r); o != nil && len(o.Figures) > 0 {
		t.line("")
		t.wrap("  ", "Where the numbers of "+plain(o.ID)+" come from", bold)
		t.figures(o.Figures)
	}
	if len(r.Options) > 0 {
		t.line("")
		t.wrap("  → ", "assay plan serve … -o json >plan.json keeps the plan; assay bench --target URL measures what it predicts", "")
	}
	return t.w.Flush()
}

// startLine is the command that starts one replica.
func startLine(r *plan.Result, o plan.Option) string {
	engine, _, _ := strings.Cut(r.Request.Engine, "@")
	start := map[string][]string{"sglang": {"python", "-m", "sglang.launch_server", "--model-path"}, "trtllm": {"trtllm-serve"}}[engine]
	if start == nil {
		start = []string{"vllm", "serve"}
	}
	return shellJoin(append(append(slices.Clone(start), plain(r.Model.Serve)), o.Flags...))
}

func limitOf(all bool, n int) int {
	if all {
		return n
	}
	return min(n, mostOptions)
}

// moreOptions says how many options are not listed.
func moreOptions(r *plan.Result, listed int) string {
	if n := len(r.Options) - len(optionsListed(r, listed)); n > 0 {
		return fmt.Sprintf("… and %s more: --all lists them", plural(n, "option"))
	}
	return ""
}

// optionsListed are the first options, and behind them the cheapest that is sure to
// meet the SLO.
func optionsListed(r *plan.Result, n int) []plan.Option {
	out := slices.Clone(r.Options[:n])
	for _, o := range r.Options[n:] {
		if o.ID == r.Verdict.Sure {
			out = append(out, o)
		}
	}
	return out
}

// shownOption is the first option, or where there is none the nearest thing.
func shownOption(r *plan.Result) *plan.Option {
	if len(r.Options) > 0 {
		return &r.Options[0]
	}
	if r.Verdict.Nearest != nil {
		return r.Verdict.Nearest.Option
	}
	return nil
}

func (t *textWriter) nearest(n *plan.Nearest) {
	for _, m := range n.Misses {
		t.wrap("  − ", plain(m), "")
	}
	for _, m := range n.Relax {
		t.wrap("  → ", "what works: "+plain(m), "")
	}
}

// servedModel names the model and what its memory takes.
func servedModel(r *plan.Result) string {
	m := r.Model
	s := fmt.Sprintf("%s in %s: %s parameters, %s of weights, %s of KV cache a token", plain(m.Name), m.Precision,
		parameters(m.Parameters), byteSize(float64(r.Memory.Weights)), byteSize(float64(r.Memory.KVPerToken)))
	if k := r.Memory.KVRange; k != nil && k.Low < k.High {
		s += fmt.Sprintf(" (%s to %s)", byteSize(k.Low), byteSize(k.High))
	}
	if m.Assumed {
		s += "; architecture assumed: " + list(m.Candidates)
	}
	return s
}

func parameters(n int64) string {
	switch {
	case n >= 1e12:
		return num(float64(n)/1e12) + " T"
	case n >= 1e9:
		return num(float64(n)/1e9) + " B"
	}
	return num(float64(n)/1e6) + " M"
}

// servedLoad says what was asked.
func servedLoad(r *plan.Result) string {
	a := r.Request
	load := plural(a.Concurrency, "request") + " in flight"
	if a.Rate > 0 {
		load = short(a.Rate) + " requests/s"
	}
	s := fmt.Sprintf("%s of %s + %s tokens, context %s", load, count(a.ISL), count(a.OSL), count(a.Context))
	if len(a.Conditions) > 0 {
		s += ", SLO " + strings.Join(a.Conditions, " ")
	} else {
		s += ", no SLO"
	}
	if a.Budget != nil {
		s += ", at most " + usd(*a.Budget) + "/h"
	}
	return s + "; " + a.Engine + "; " + a.Capacity + " in " + plain(a.Region)
}

// thousands is a number of tokens in a narrow column.
func thousands(tokens int) string {
	if tokens < 10_000 {
		return count(tokens)
	}
	return fmt.Sprintf("%.0fk", float64(tokens)/1000)
}

// optionGrid is the table of options; $/M is of output tokens, KV of tokens a replica.
func optionGrid(r *plan.Result, n int) grid {
	g := grid{Heads: []string{"option", "$/h", "$/M", "TTFT ms", "ITL ms", "tok/s", "knee", "KV", "SLO"}, Left: map[int]bool{8: true}}
	for _, o := range optionsListed(r, n) {
		price, million, knee := none, none, none
		if o.Price.OnDemand != nil {
			price = fmt.Sprintf("%.2f", *o.Price.OnDemand)
		}
		if r.Request.Capacity != plan.OnDemand && o.Price.Spot != nil {
			price = fmt.Sprintf("%.2f–%.2f", o.Price.Spot.Low, o.Price.Spot.High)
		}
		if o.USD != nil {
			million = fmt.Sprintf("%.2f", o.USD.Mid)
		}
		if k := o.Predicted.Knee; k != nil {
			knee = short(k.Low) + "–" + short(k.High)
		}
		p := o.Predicted
		row := []string{o.ID, price, million, spanOf(p.TTFT), spanOf(p.ITL), num(p.Output.Mid), knee, thousands(o.KVTokens), ""}
		if len(o.SLO) > 0 {
			row[8] = o.Meets
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// spanOf is a range for a narrow column: the middle and the ends without spaces.
func spanOf(r figure.Range) string {
	return fmt.Sprintf("%s (%s–%s)", brief(r.Mid), brief(r.Low), brief(r.High))
}

// brief is a number with two digits, or all of its whole part.
func brief(v float64) string {
	if v < 10 {
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// rejections tells why the others would not do: a line for each kind of reason, or
// with all a row for each layout.
func (t *textWriter) rejections(r *plan.Result, all bool) {
	if len(r.Rejected) == 0 {
		return
	}
	t.line("")
	t.wrap("  ", "Rejected", bold)
	if all {
		for _, j := range r.Rejected {
			t.wrap("    ", fmt.Sprintf("%s %s: %s", j.Instance, j.Layout, plain(j.Reason)), "")
		}
		return
	}
	for _, g := range rejectedGroups(r.Rejected) {
		t.wrap(fmt.Sprintf("    %-22s ", g.Name), g.Text, "")
	}
}

// rejectedGroups are the reasons by kind, each with how many layouts it holds for and
// an example.
func rejectedGroups(list []plan.Rejection) []traceFact {
	var kinds []string
	byKind := map[string][]plan.Rejection{}
	for _, j := range list {
		if byKind[j.Kind] == nil {
			kinds = append(kinds, j.Kind)
		}
		byKind[j.Kind] = append(byKind[j.Kind], j)
	}
	var out []traceFact
	for _, k := range kinds {
		js := byKind[k]
		instances := map[string]bool{}
		for _, j := range js {
			instances[j.Instance] = true
		}
		last := js[len(js)-1]
		text := fmt.Sprintf("%s of %s", plural(len(js), "layout"), plural(len(instances), "instance type"))
		if len(js) == 1 {
			text = fmt.Sprintf("%s %s: %s", last.Instance, last.Layout, plain(last.Reason))
		} else {
			text += fmt.Sprintf(", such as %s %s: %s", last.Instance, last.Layout, plain(last.Reason))
		}
		out = append(out, traceFact{k, text})
	}
	return out
}

func servedRemarks(r *plan.Result) []string {
	var out []string
	if o := shownOption(r); o != nil {
		for _, s := range o.Notes {
			out = append(out, "Of "+plain(o.ID)+": "+ended(plain(s)))
		}
	}
	for _, s := range r.Remarks {
		out = append(out, sentence(s))
	}
	for _, s := range r.NotKnown {
		out = append(out, "Not known: "+plain(s)+".")
	}
	return out
}
