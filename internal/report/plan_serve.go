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

// optionFacts are what is known of an option, in the order in which one asks.
func optionFacts(r *plan.Result, o plan.Option) []traceFact {
	var out []traceFact
	add := func(name, text string) {
		if text != "" {
			out = append(out, traceFact{name, text})
		}
	}
	p := o.Predicted
	add("option", optionSubject(o))
	add("TTFT", latencyFact(p.TTFT, "ttft", o.SLO))
	add("ITL", latencyFact(p.ITL, "itl", o.SLO))
	add("E2E", latencyFact(p.E2E, "e2e", o.SLO))
	add("throughput", bars(p.Output, num, "")+" output tokens/s, "+num(p.Requests.Mid)+" requests/s; "+kneeFact(p.Knee))
	add("cost", costFact(o))
	add("memory", memoryFact(o))
	add("KV cache", kvFact(r, o))
	add("simulated", simulatedFact(o.Simulated))
	if o.Spare != nil {
		add("spare", spareFact(o))
	}
	add("hosts", hostFact(o))
	if len(o.Calibrated) > 0 {
		add("calibrated", list(o.Calibrated)+", by "+plain(r.Request.CalibratedBy))
	}
	if o.Price.Spot != nil {
		add("Spot", fmt.Sprintf("%s to %s/h, as of %s", usd(o.Price.Spot.Low), usd(o.Price.Spot.High), plain(o.Price.Spot.AsOf)))
	}
	if len(o.Host.NodePools) > 0 {
		s := "launched by NodePool " + plains(o.Host.NodePools, ", ")
		if len(o.Host.Tolerations) > 0 {
			var words []string
			for _, n := range o.Host.Tolerations {
				words = append(words, strings.TrimSuffix(n.Key+"="+n.Value, "=")+":"+n.Effect)
			}
			s += "; pods tolerate " + plains(words, ", ")
		}
		add("Karpenter", s)
	}
	return out
}

func optionSubject(o plan.Option) string {
	s := fmt.Sprintf("%d × %s, %s of %s", o.Count, o.Instance, plural(o.Replicas, "replica"), layoutWords(o))
	if o.GPUsIdle > 0 {
		s += fmt.Sprintf("; %s idle", plural(o.GPUsIdle, "GPU"))
	}
	return s
}

// layoutWords say how one replica is spread.
func layoutWords(o plan.Option) string {
	var parts []string
	for _, d := range []struct {
		n    int
		name string
	}{{o.TP, "TP"}, {o.PP, "PP"}, {o.DP, "DP"}, {o.EP, "EP"}} {
		if d.n > 1 || d.name == "TP" {
			parts = append(parts, fmt.Sprintf("%s %d", d.name, d.n))
		}
	}
	return strings.Join(parts, ", ") + " on " + plain(o.GPU.Name)
}

// bars is a range with its middle first.
func bars(r figure.Range, print func(float64) string, unit string) string {
	if r.Low == r.High {
		return print(r.Mid) + unit
	}
	return print(r.Mid) + unit + " (" + print(r.Low) + "–" + print(r.High) + ")"
}

// barsOfTime is a range of milliseconds, of seconds where its middle is long.
func barsOfTime(r figure.Range) string {
	if r.Mid >= 10_000 {
		return bars(r.Scale(1.0/1000), num, " s")
	}
	return bars(r, num, " ms")
}

// cents is a price with two decimals, of less than ten cents with two digits.
func cents(v float64) string {
	if v >= 0.1 && v < 1000 {
		return fmt.Sprintf("$%.2f", v)
	}
	return usd(v)
}

func latencyFact(mean figure.Range, metric string, judged []plan.Judged) string {
	s := "mean " + barsOfTime(mean)
	for _, j := range judged {
		if j.Metric == metric {
			s += fmt.Sprintf("; %s %s < %s: %s", j.Percentile, barsOfTime(j.Value), limit(j.Limit), j.Verdict)
		}
	}
	return s
}

func kneeFact(k *plan.Knee) string {
	if k == nil {
		return "no knee reached"
	}
	return fmt.Sprintf("knee at %s–%s in flight", short(k.Low), short(k.High))
}

func costFact(o plan.Option) string {
	s := "price not known"
	if o.Price.OnDemand != nil {
		s = cents(*o.Price.OnDemand) + "/h on demand" + asOf(o.Price)
	}
	if o.USD != nil {
		s += "; " + bars(*o.USD, cents, "") + " per million output tokens at this load"
	}
	if o.AtKnee != nil {
		s += ", " + cents(o.AtKnee.Mid) + " at the knee"
	}
	return s
}

// asOf is the date of a price on demand.
func asOf(p plan.Price) string {
	if p.AsOf == nil || *p.AsOf == "" {
		return ""
	}
	return ", as of " + plain(*p.AsOf)
}

func memoryFact(o plan.Option) string {
	g := o.GPU
	graphs, other := "CUDA graphs", "CUDA and NCCL"
	if g.Vendor == "AWS" {
		graphs, other = "compiled graphs", "runtime"
	}
	return fmt.Sprintf("of each %s (%s usable): weights %s, activations %s, %s %s, %s %s, KV cache %s", plain(g.Name),
		byteSize(float64(g.Usable)), byteSize(float64(g.Weights)), byteSize(float64(g.Activation)), graphs, byteSize(float64(g.Graphs)), other, byteSize(float64(g.Other)), byteSize(float64(g.KV)))
}

func kvFact(r *plan.Result, o plan.Option) string {
	s := count(o.KVTokens) + " tokens"
	if k := o.KVTokensRange; k != nil {
		s += " (" + count(int(k.Low)) + "–" + count(int(k.High)) + ")"
	}
	return s + fmt.Sprintf(" a replica: %s requests of %s at once", num(o.MaxConcurrency), count(r.Request.Context)) + usedFact(o.Simulated)
}

// usedFact is how much of the KV cache the simulated engine took.
func usedFact(s *plan.Simulated) string {
	if s == nil {
		return ""
	}
	out := fmt.Sprintf("; at most %s %% in use, no preemption at this load", num(100*s.KVPeak))
	if s.Preemptions > 0 {
		out = fmt.Sprintf("; at most %s %% in use, %s among %s at this load", num(100*s.KVPeak), plural(int(s.Preemptions), "preemption"), plural(s.Requests, "request"))
	}
	if s.Queued >= 0.1 {
		out += fmt.Sprintf("; %s requests wait for room, each %s ms", num(s.Queued), num(s.Wait))
	}
	return out
}

// simulatedFact says what was run through the engine.
func simulatedFact(s *plan.Simulated) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%s of one replica over %s s of virtual time, once steady; %s in a step on average", plural(s.Requests, "request"), num(s.Span), num(s.Batch))
}

func spareFact(o plan.Option) string {
	s := fmt.Sprintf("%s on %d × %s", plural(o.Spare.Replicas, "replica"), o.Spare.Count, o.Instance)
	if o.Spare.OnDemand != nil {
		s += ", " + cents(*o.Spare.OnDemand) + "/h"
	}
	s += fmt.Sprintf(", so that %d may fail", o.Spare.Replicas-o.Replicas)
	if o.Spare.Count == o.Count {
		s += ", but not an instance"
	}
	return s
}

func hostFact(o plan.Option) string {
	h := o.Host
	s := plural(h.VCPU, "vCPU")
	if h.Quota != "" {
		s += fmt.Sprintf(" of the quota %q (%s)", h.Quota, h.QuotaCode)
	}
	if h.LoadMemory > h.Allocatable {
		s += fmt.Sprintf("; loading would take %s of host memory, and pods can count on %s: the page cache does not hold the weights, and each start reads them again", byteSize(float64(h.LoadMemory)), byteSize(float64(h.Allocatable)))
	} else {
		s += fmt.Sprintf("; loading takes %s of the %s host memory that pods can count on", byteSize(float64(h.LoadMemory)), byteSize(float64(h.Allocatable)))
	}
	if h.Pods > 0 {
		s += "; " + plural(h.Pods, "pod") + " a node"
	}
	return s
}

// optionGrid is the table of options.
func optionGrid(r *plan.Result, n int) grid {
	g := grid{Heads: []string{"option", "$/h", "$/M out", "TTFT ms", "ITL ms", "tok/s", "knee", "KV tokens", "SLO"}, Left: map[int]bool{8: true}}
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
		row := []string{o.ID, price, million, spanOf(p.TTFT), spanOf(p.ITL), num(p.Output.Mid), knee, count(o.KVTokens), ""}
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
