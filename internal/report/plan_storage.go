package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"assay/internal/figure"
	"assay/internal/plan/storage"
)

// mostRejected is how many of the options that do not meet a need a terminal shows.
const mostRejected = 20

// PlanStorage writes for a terminal where to keep data: the answer, what to
// provision, then each option with why not.
func PlanStorage(w io.Writer, r storage.Result, opt TextOptions, explain bool) error {
	t := newTextWriter(w, opt)
	t.wrap("", storageNeed(r.Request), dim)
	t.line("")
	t.wrap("  ", sentence(r.Say), bold)
	if r.Band.Overruled && r.Band.Why != "" {
		t.wrap("  ", sentence("by size alone it would be "+bandChoice(r.Band)+"; overruled: "+r.Band.Why), "")
	}
	if r.Met() {
		t.storageChoice(r.Options[0])
	}
	t.line("")
	t.grid(words(storageHeads, storageRows(r.Options)))
	for i, o := range r.Options {
		if len(o.Why) == 0 || i == mostRejected {
			continue
		}
		if i == 0 || !anyWhy(r.Options[:i]) {
			t.line("")
		}
		t.wrap("  "+string(o.ID)+": ", strings.Join(o.Why, "; "), "")
	}
	for i, remark := range r.Remarks {
		if i == 0 {
			t.line("")
		}
		t.wrap("  ! ", sentence(remark), yellow)
	}
	if explain {
		t.line("")
		t.figures(r.Figures())
	}
	return t.w.Flush()
}

func anyWhy(options []storage.Option) bool {
	for _, o := range options {
		if len(o.Why) > 0 {
			return true
		}
	}
	return false
}

func (t *textWriter) storageChoice(o storage.Option) {
	t.line("")
	for _, f := range storageFacts(o) {
		t.wrap(fmt.Sprintf("  %-13s", f[0]), f[1], "")
	}
}

// storageFacts are what one wants to know of an option, in the order in which one asks.
func storageFacts(o storage.Option) [][2]string {
	rows := [][2]string{{"provision", settings(o)}}
	add := func(name, text string) {
		if text != "" {
			rows = append(rows, [2]string{name, text})
		}
	}
	if o.Reader.High > 0 {
		add("a reader", rateRange(o.Reader)+", all together "+rateRange(o.All)+"; binds first: "+o.Binding)
		add("a load", secondsRange(o.Load))
	}
	add("mounted", strings.Join(o.AccessModes, ", ")+"; zones: "+o.Zones)
	add("durability", o.Durability)
	add("a month", bill(o))
	for _, n := range o.Notes {
		add("note", n)
	}
	return rows
}

func settings(o storage.Option) string {
	var parts []string
	for _, s := range o.Provision {
		switch {
		case s.Value != "":
			parts = append(parts, s.Name+" "+s.Value)
		case s.Unit != "":
			parts = append(parts, s.Name+" "+short(s.Count)+" "+s.Unit)
		default:
			parts = append(parts, s.Name+" "+short(s.Count))
		}
	}
	if o.Copies > 1 {
		parts = append(parts, fmt.Sprintf("on each of %d nodes", o.Copies))
	}
	return strings.Join(parts, ", ")
}

func bill(o storage.Option) string {
	var parts []string
	for _, p := range o.Parts {
		if p.USD == nil {
			parts = append(parts, p.Name+" not known")
		} else if p.USD.Mid > 0 {
			parts = append(parts, p.Name+" "+usd(p.USD.Mid))
		}
	}
	total := "not known"
	if o.Total != nil {
		total = usd(o.Total.Mid)
	}
	if len(parts) > 0 {
		total += ": " + strings.Join(parts, ", ")
	}
	return total
}

func bandChoice(b storage.Band) string {
	_, choice, _ := strings.Cut(b.Text, ": ")
	return choice
}

func storageNeed(n storage.Need) string {
	s := fmt.Sprintf("%s of %s for %s", figureSize(float64(n.Size)), n.Use, plural(n.Readers, "reader"))
	if n.Reader != nil {
		s += ", each at " + storage.Rate(*n.Reader)
	}
	if n.LoadWithin != nil {
		s += " (" + figureSize(n.Own) + " each in " + seconds(*n.LoadWithin) + ")"
	}
	if n.Write != nil {
		s += ", written at " + storage.Rate(*n.Write)
	}
	for _, flag := range []struct {
		on   bool
		word string
	}{{n.Shared, "one shared copy"}, {n.Durable, "durable"}, {n.POSIX, "renamed and changed in place"}, {n.Zones, "several zones"}} {
		if flag.on {
			s += ", " + flag.word
		}
	}
	if n.Instance != nil {
		s += ", on " + plain(*n.Instance)
	}
	return s + ", " + plain(n.Region)
}

// figureSize prints bytes in powers of ten, as they were asked.
func figureSize(v float64) string {
	for _, u := range []struct {
		name string
		size float64
	}{{"PB", 1e15}, {"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}} {
		if v >= u.size {
			return short(v/u.size) + " " + u.name
		}
	}
	return short(v) + " bytes"
}

func rateRange(r figure.Range) string {
	if r.Low == r.High {
		return storage.Rate(r.Mid)
	}
	return storage.Rate(r.Low) + " to " + storage.Rate(r.High)
}

func secondsRange(r figure.Range) string {
	if r.High < 0.001 {
		return "under 1 ms"
	}
	if r.Low == r.High {
		return seconds(r.Mid)
	}
	return seconds(r.Low) + " to " + seconds(r.High)
}

var verdictCell = map[storage.Verdict]string{storage.Meets: "meets", storage.May: "may", storage.Fails: "no"}

// rateCell is a range of rates in one unit.
func rateCell(r figure.Range) string {
	if r.Low == r.High {
		return storage.Rate(r.Mid)
	}
	unit, name := 1e6, " MB/s"
	if r.High >= 1e9 {
		unit, name = 1e9, " GB/s"
	}
	return short(r.Low/unit) + " to " + short(r.High/unit) + name
}

// timeCell is a range of times, short.
func timeCell(r figure.Range) string {
	if r.Low == r.High {
		return briefly(r.Mid)
	}
	low, high := briefly(r.Low), briefly(r.High)
	if number, unit, ok := strings.Cut(low, " "); ok && strings.HasSuffix(high, " "+unit) {
		low = number
	}
	return low + " to " + high
}

func briefly(s float64) string {
	switch {
	case s < 600:
		return wholeSeconds(s)
	case s < 2*3600:
		return commas(fmt.Sprintf("%.0f", s/60)) + " min"
	case s < 48*3600:
		return short(s/3600) + " h"
	}
	return short(s/86400) + " days"
}

var storageHeads = []string{"storage", "", "a reader", "a load", "modes", "zones", "$/month"}

func storageRows(options []storage.Option) [][]string {
	modes := map[string]string{"ReadWriteOnce": "RWO", "ReadWriteMany": "RWX", "ReadOnlyMany": "ROX"}
	rows := make([][]string, len(options))
	for i, o := range options {
		reader, load, month := none, none, none
		if o.Reader.High > 0 {
			reader, load = rateCell(o.Reader), timeCell(o.Load)
		}
		if o.Total != nil {
			month = num(o.Total.Mid)
		}
		mode := none
		if len(o.AccessModes) > 0 {
			mode = modes[o.AccessModes[0]]
		}
		zones := "1"
		if o.Zones == "several" {
			zones = "n"
		}
		rows[i] = []string{string(o.ID), verdictCell[o.Verdict], reader, load, mode, zones, month}
	}
	return rows
}

// PlanStorageMarkdown writes the same for a page.
func PlanStorageMarkdown(w io.Writer, r storage.Result, explain bool) error {
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "## Storage\n\n%s\n\n**%s**\n\n", md(sentence(storageNeed(r.Request))), md(sentence(r.Say)))
	if r.Band.Overruled && r.Band.Why != "" {
		fmt.Fprintf(b, "%s\n\n", md(sentence("by size alone it would be "+bandChoice(r.Band)+"; overruled: "+r.Band.Why)))
	}
	if r.Met() {
		b.WriteString("| | |\n|:--|:--|\n")
		for _, f := range storageFacts(r.Options[0]) {
			fmt.Fprintf(b, "| %s | %s |\n", md(f[0]), md(f[1]))
		}
		b.WriteString("\n")
	}
	rows := storageRows(r.Options)
	for i, o := range r.Options {
		rows[i] = append(rows[i], strings.Join(o.Why, "; "))
	}
	markdownGrid(b, words(append(slices.Clone(storageHeads), "why not"), rows))
	for i, remark := range r.Remarks {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "- %s\n", md(sentence(remark)))
	}
	if explain {
		b.WriteString("\n")
		if err := FiguresMarkdown(b, r.Figures()); err != nil {
			return err
		}
	}
	_, err := b.WriteTo(w)
	return err
}
