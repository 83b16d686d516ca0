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

// trainOption says of the first option what goes into memory and time, how often to
// write a checkpoint, how its nodes are bought, placed and connected.
func (t *textWriter) trainOption(r train.Result, o train.Option) {
	t.line("")
	t.wrap("", "The first: "+o.ID, bold)
	for _, line := range trainLines(r, o) {
		t.wrap(fmt.Sprintf("  %-12s", line[0]), line[1], "")
	}
}

// trainLines are what is said of one option, each with what it is about.
func trainLines(r train.Result, o train.Option) [][2]string {
	lines := [][2]string{
		{"layout", trainLayoutExplained(o.Layout)},
		{"memory", trainMemoryWords(o.Memory)},
		{"step", trainStepWords(r, o)},
		{"time", trainPhaseWords(o.Phases)},
		{"checkpoint", trainCheckpointWords(o.Checkpoint)},
		{"capacity", trainCapacityWords(o)},
		{"network", trainNetworkWords(o)},
	}
	if o.Count > 1 && o.Connect.EFA > 0 && !strings.HasPrefix(o.GPU.Name, "Trainium") {
		lines = append(lines, [2]string{"settings", trainSettingWords(r.Network.Environment)})
	}
	for _, s := range o.Remarks {
		lines = append(lines, [2]string{"note", sentence(trainCapital(s))})
	}
	return lines
}

// trainLayoutExplained says what the degrees mean.
func trainLayoutExplained(l train.Layout) string {
	var parts []string
	if l.DP > 1 {
		parts = append(parts, fmt.Sprintf("%d copies of the model, their optimizer sharded over them (ZeRO-1)", l.DP))
	}
	if l.FSDP > 1 {
		parts = append(parts, fmt.Sprintf("weights, gradients and optimizer sharded over %d GPUs (FSDP)", l.FSDP))
	}
	if l.TP > 1 {
		parts = append(parts, fmt.Sprintf("each matrix product shared by %d GPUs, with sequence parallelism", l.TP))
	}
	if l.PP > 1 {
		parts = append(parts, fmt.Sprintf("%d pipeline stages", l.PP))
	}
	if l.EP > 1 {
		parts = append(parts, fmt.Sprintf("experts spread over %d GPUs", l.EP))
	}
	if len(parts) == 0 {
		parts = append(parts, "one GPU")
	}
	return fmt.Sprintf("%s; %s in a step, %s at once on a GPU; activation checkpointing: %s", strings.Join(parts, ", "),
		plural(l.Accumulation*l.MicroBatch, "sequence"), count(l.MicroBatch), l.Recompute)
}

func trainMemoryWords(m train.Memory) string {
	var parts []string
	for _, p := range []struct {
		name  string
		bytes int64
	}{
		{"weights", m.Weights}, {"gradients", m.Gradients}, {"optimizer", m.Optimizer}, {"activations", m.Activations},
		{"logits", m.Logits}, {"FSDP buffers", m.Gather}, {"overhead", m.Overhead},
	} {
		if p.bytes > 0 {
			parts = append(parts, p.name+" "+byteSize(float64(p.bytes)))
		}
	}
	return fmt.Sprintf("%s of %s usable: %s", byteSize(float64(m.Total)), byteSize(float64(m.Usable)), strings.Join(parts, ", "))
}

func trainStepWords(r train.Result, o train.Option) string {
	return fmt.Sprintf("%s (%s to %s): %s of compute at %.0f %% of the peak (%.0f to %.0f; %s), transfers of %s of which %s shows; %s tokens/s in all",
		trainWall(o.Step.Total.Mid), trainWall(o.Step.Total.Low), trainWall(o.Step.Total.High), trainWall(o.Step.Compute.Mid),
		100*o.Efficiency.Mid, 100*o.Efficiency.Low, 100*o.Efficiency.High, o.Rests,
		trainWall(o.Step.Transfers), trainWall(o.Step.Tensor.Mid+o.Step.Shards.Mid+o.Step.Experts.Mid+o.Step.Stages.Mid), num(o.TokensPerS.Mid))
}

func trainPhaseWords(phases []train.Phase) string {
	var parts []string
	for _, p := range phases {
		if p.Share < 0.0005 {
			continue
		}
		parts = append(parts, fmt.Sprintf("%s %.1f %%", p.Name, 100*p.Share))
	}
	return strings.Join(parts, ", ")
}

func trainCheckpointWords(c train.Checkpoint) string {
	s := fmt.Sprintf("%s every %s (Daly): %s to write, a failure every %s, %.1f %% of the time lost (%.1f to %.1f). Where to: %s.",
		byteSize(float64(c.Bytes)), trainWall(c.Interval), trainWall(c.Write.Mid), trainWall(c.Failures.Mid), 100*c.Lost.Mid, 100*c.Lost.Low, 100*c.Lost.High, c.Where)
	if len(c.Assumed) > 0 {
		s += " Assumed: " + strings.Join(c.Assumed, "; ") + "."
	}
	return s
}

func trainCapacityWords(o train.Option) string {
	c := o.Capacity
	s := c.Advice + ": " + c.Why + "."
	if c.BlockDays > 0 {
		price := "its price is what aws ec2 describe-capacity-block-offerings says that day"
		if c.BlockUSD != nil {
			price = usd(*c.BlockUSD) + " an hour and instance"
		}
		s += fmt.Sprintf(" A block of %s holds it; %s.", plural(c.BlockDays, "day"), price)
	}
	if o.Price != nil && o.Price.Spot != nil && o.Price.Kind != facts.Spot {
		s += fmt.Sprintf(" Spot was sold at %s to %s an hour and instance, as of %s.", usd(o.Price.Spot.Low), usd(o.Price.Spot.High), o.Price.Spot.AsOf)
	}
	if c.Quota != nil {
		s += fmt.Sprintf(" Quota to have: %d vCPU of %q (%s).", c.VCPU, c.Quota.Name, c.Quota.Code)
	}
	for _, r := range c.Remarks {
		s += " " + ended(trainCapital(r))
	}
	return s
}

func trainNetworkWords(o train.Option) string {
	n := o.Connect
	s := ended(trainCapital(n.Why))
	if n.EFA > 0 {
		s += fmt.Sprintf(" Each pod asks for vpc.amazonaws.com/efa: %d, hugepages-2Mi: %s and memory of %s or more.", n.EFA, n.HugePages, n.Memory)
	}
	if n.Placement == "none" {
		return s
	}
	if o.Capacity.Advice == train.CapacityBlock {
		return s + " One zone; a Capacity Block places its nodes close together, elsewhere a cluster placement group does."
	}
	return s + " One zone, and a placement group with strategy " + n.Placement + " (docs/train.md says how it is made)."
}

// trainSettingWords are the variables to set, and those that old guides set and that are
// better left out.
func trainSettingWords(settings []facts.Setting) string {
	var set, out []string
	for _, s := range settings {
		switch s.Advice {
		case facts.Set:
			set = append(set, s.Name+"="+s.Value)
		case facts.NotNeeded, facts.LeaveOut, facts.Never:
			out = append(out, s.Name)
		}
	}
	return "set " + strings.Join(set, ", ") + "; leave out " + strings.Join(out, ", ") + " (libfabric 1.18 and aws-ofi-nccl 1.7 or later; -o json has the reasons)"
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
