package report

import (
	"bytes"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"assay/internal/record"
)

//go:embed assets
var assets embed.FS

var pageTemplate = template.Must(template.New("page.html").Funcs(template.FuncMap{"marked": marked}).ParseFS(assets, "assets/page.html"))

// marked is text as HTML, with what stands between backquotes as code.
func marked(text string) template.HTML {
	var b strings.Builder
	for {
		before, rest, opened := strings.Cut(text, "`")
		inside, after, closed := strings.Cut(rest, "`")
		if !opened || !closed {
			break
		}
		b.WriteString(html.EscapeString(before) + "<code>" + html.EscapeString(inside) + "</code>")
		text = after
	}
	return template.HTML(b.String() + html.EscapeString(text))
}

// page is what the template shows. The template decides nothing.
type page struct {
	Style   template.CSS
	Script  template.JS
	Title   string
	Subject string
	Extent  string
	Badge   string
	Verdict verdict
	Remarks []string

	Curves  *curves
	Bound   boundView
	Tables  []tableView
	Tokens  tableView
	Repeats tableView
	Notes   []string // under the tables
	Anatomy *anatomy
	Spreads *spreads
	Strips  *strips
	Server  *serverView
	GPUs    tableView
	Nodes   tableView
	Client  tableView
	Cost    *costView
	Methods []methodView
	Repeat  repeatView
	Files   []fileView
}

// HTML writes the report as one file that needs no network and no script.
func HTML(w io.Writer, in Input) error {
	p, err := newPage(in)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	_, err = b.WriteTo(w)
	return err
}

func newPage(in Input) (*page, error) {
	run := onePerLoad(in.Run)
	f, err := fold(in)
	if err != nil {
		return nil, err
	}
	style, err := assets.ReadFile("assets/style.css")
	if err != nil {
		return nil, err
	}
	script, err := assets.ReadFile("assets/script.js")
	if err != nil {
		return nil, err
	}
	v := judge(run)
	p := &page{
		Style:   template.CSS(style), // ours, embedded
		Script:  template.JS(script), // ours, embedded
		Title:   "Assay: " + v.Subject,
		Subject: v.Subject,
		Extent:  extent(run),
		Verdict: v,
		Curves:  curvesOf(run),
		Bound:   boundOf(run.Bound),
		Tokens:  tokensOf(run),
		Anatomy: anatomyOf(run),
		Spreads: spreadsOf(run, f),
		Strips:  stripsOf(run, f),
		Server:  serverOf(run),
		GPUs:    gpusOf(run),
		Nodes:   nodesOf(run),
		Client:  clientOf(run),
		Cost:    costOf(run),
		Methods: methodsOf(run),
		Repeat:  repeatOf(run),
	}
	if run.Target.Simulated {
		p.Badge, p.Subject = simulatedEngine, strings.TrimPrefix(v.Subject, simulatedEngine+", ")
	}
	p.Remarks = append(p.Remarks, foreignNotes(run)...)
	for _, n := range run.Notes {
		p.Remarks = append(p.Remarks, sentence(n))
	}
	for _, g := range groups(run.Levels) {
		p.Tables = append(p.Tables, levelTable(g))
	}
	if len(run.Repeats) > 0 {
		p.Repeats = repeatsTable(run)
	}
	p.Notes = append(levelErrors(run), repeatRemarks(run)...)
	if s := lackRemark(run); s != "" {
		p.Notes = append(p.Notes, s)
	}
	p.Files, err = filesOf(in.Run, f)
	return p, err
}

// tableView is a table with the numbers behind its cells, for sorting.
type tableView struct {
	Name  string
	Heads []headView
	Rows  []rowView
	Note  string
}

type headView struct {
	Text, Unit string
	Left       bool
}

type rowView struct {
	Class string // of the level's validity
	Cells []cellView
}

type cellView struct {
	Text string
	Sub  string // below the text, smaller
	Sort string
	Left bool
	Tip  string
	Tone string // of a verdict: met, missed
}

func levelTable(g group) tableView {
	cols := columns(g)
	t := tableView{Name: plain(g.Scenario)}
	for _, c := range cols {
		t.Heads = append(t.Heads, headOf(c))
	}
	for _, l := range g.Levels {
		row := rowView{Class: markClass(l.Validity.Verdict)}
		for _, c := range cols {
			cell := cellView{Text: c.Cell(g, l), Left: c.Left}
			if c.Sort != nil {
				cell.Sort = sortKey(c.Sort(l))
			}
			if bound := columnBound(c, l); bound != "" {
				cell.Sub = bound
				t.Note = boundNote
			}
			if c.Key == "slo" {
				cell.Tone = cell.Text
			}
			if c.Key == "validity" {
				cell.Tip = plains(l.Validity.Reasons, "; ")
			}
			row.Cells = append(row.Cells, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// headOf breaks "TTFT p95" with its unit into two lines: TTFT over "p95 ms".
func headOf(c column) headView {
	first, rest := c.Head, c.Unit
	if a, b, ok := strings.Cut(c.Head, " "); ok && c.Unit != "" {
		first, rest = a, b+" "+c.Unit
	}
	return headView{first, rest, c.Left}
}

// serverView is what the engine said of itself.
type serverView struct {
	Table  tableView
	Checks []checkView
}

type checkView struct {
	Level, What, Client, Server string
	OK                          bool
}

func serverOf(run record.Run) *serverView {
	v := &serverView{}
	heads := []headView{{"level", "", true}, {"running", "mean", false}, {"running", "max", false}, {"waiting", "mean", false}, {"KV cache", "mean %", false},
		{"KV cache", "max %", false}, {"preemptions", "", false}, {"prefix hits", "%", false}, {"TTFT", "mean ms", false}, {"ITL", "mean ms", false}, {"limit", "sequences", false}}
	v.Table.Heads = heads
	for _, g := range groups(run.Levels) {
		for _, l := range g.Levels {
			s := l.Server
			if s == nil {
				continue
			}
			row := rowView{Class: markClass(l.Validity.Verdict), Cells: []cellView{{Text: levelName(run, g, l), Left: true}}}
			for _, x := range []*float64{s.RunningMean, s.RunningMax, s.WaitingMean, percent(s.KVUsageMean), percent(s.KVUsageMax), s.Preemptions,
				ratio(s.PrefixHits, s.PrefixQueries), s.TTFTMean, s.ITLMean, s.MaxNumSeqs} {
				row.Cells = append(row.Cells, numberCell(x))
			}
			v.Table.Rows = append(v.Table.Rows, row)
			for _, c := range s.Reconciled {
				v.Checks = append(v.Checks, checkView{levelName(run, g, l), plain(c.What), num(c.Client), num(c.Server), c.OK})
			}
		}
	}
	if len(v.Table.Rows) == 0 {
		return nil
	}
	return v
}

// levelName is a level's name among those of the whole run.
func levelName(run record.Run, g group, l record.Level) string {
	if len(groups(run.Levels)) > 1 {
		return plain(g.Scenario) + " " + g.label(l)
	}
	return g.name(l)
}

func numberCell(v *float64) cellView {
	c := cellView{Text: none}
	if v != nil {
		c.Text, c.Sort = short(*v), sortKey(v)
	}
	return c
}

// sortKey is a number for the page's script; empty where there is none.
func sortKey(v *float64) string {
	if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

func percent(v *float64) *float64 {
	if v == nil {
		return nil
	}
	p := 100 * *v
	return &p
}

func ratio(part, whole *float64) *float64 {
	if part == nil || whole == nil || *whole <= 0 {
		return nil
	}
	p := 100 * *part / *whole
	return &p
}

// clientOf is how the client itself did: what the validity rests on.
func clientOf(run record.Run) tableView {
	t := tableView{Heads: []headView{{"level", "", true}, {"in flight", "asked", false}, {"in flight", "mean", false}, {"lateness", "p50 ms", false}, {"lateness", "p99 ms", false},
		{"lateness", "max ms", false}, {"scheduler", "delay max ms", false}, {"GC pause", "max ms", false}, {"CPU", "cores", false}}}
	whole := wholeAnswers(group{Levels: run.Levels})
	if !whole {
		t.Heads = append(t.Heads, headView{"TTFT from due", "mean ms", false})
	}
	t.Heads = append(t.Heads, headView{"E2E from due", "mean ms", false})
	for _, g := range groups(run.Levels) {
		for _, l := range g.Levels {
			c := l.Client
			row := rowView{Class: markClass(l.Validity.Verdict), Cells: []cellView{{Text: levelName(run, g, l), Left: true}}}
			var asked *float64
			if l.Load.Kind == record.ByConcurrency {
				asked = &c.InFlight.Asked
			}
			for _, x := range []*float64{asked, &c.InFlight.Mean, c.Lag.P50, c.Lag.P99, c.Lag.Max, c.SchedDelay.Max, &c.GCPauseMax} {
				row.Cells = append(row.Cells, numberCell(x))
			}
			cpu := numberCell(&c.CPU)
			if c.SharedCPU {
				cpu.Text += " *"
				t.Note = "* with the embedded engine, which shares the process."
			}
			row.Cells = append(row.Cells, cpu)
			if !whole {
				row.Cells = append(row.Cells, numberCell(l.FromIntent.TTFT.Mean))
			}
			row.Cells = append(row.Cells, numberCell(l.FromIntent.E2E.Mean))
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// tokensOf compares the lengths that were asked for with what came.
func tokensOf(run record.Run) tableView {
	t := tableView{Heads: []headView{{"level", "", true}, {"prompt", "asked", false}, {"prompt", "got", false}, {"output", "asked", false}, {"output", "got", false},
		{"cached", "in all", false}, {"cached", "% of prompts", false}, {"engine's hits", "%", false}, {"prefix cache", "", true}, {"warm-up", "requests", false}, {"counted by", "", true}}}
	for _, g := range groups(run.Levels) {
		for _, l := range g.Levels {
			row := rowView{Class: markClass(l.Validity.Verdict), Cells: []cellView{{Text: levelName(run, g, l), Left: true}}}
			var cached *float64
			if l.Cached != nil {
				cached = float(int(*l.Cached))
			}
			for _, x := range []*float64{l.Asked.Prompt, l.Got.Prompt, l.Asked.Output, l.Got.Output, cached} {
				row.Cells = append(row.Cells, numberCell(x))
			}
			row.Cells = append(append(row.Cells, cacheCells(l)...), numberCell(float(l.Requests.Warmup)))
			row.Cells = append(row.Cells, cellView{Text: plain(l.TokensFrom), Left: true})
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

type costView struct {
	Price, Source, AtPoint string
	Cheapest               string
}

func costOf(run record.Run) *costView {
	if run.Cost == nil {
		return nil
	}
	v := &costView{Price: usd(run.Cost.PricePerHour), Source: plain(run.Cost.Source)}
	if s := run.Saturation; s != nil && s.OperatingPoint != nil && s.OperatingPoint.USDPerM != nil {
		v.AtPoint = usd(*s.OperatingPoint.USDPerM)
	}
	best := 0.0
	for _, g := range groups(run.Levels) {
		for _, l := range g.Levels {
			if l.USDPerM != nil && l.Validity.Verdict == record.Valid && (best == 0 || *l.USDPerM < best) {
				best = *l.USDPerM
				v.Cheapest = usd(best) + " at " + levelName(run, g, l)
			}
		}
	}
	return v
}

// methodView is one method's knee.
type methodView struct{ Method, Value, Range, Note string }

func methodsOf(run record.Run) []methodView {
	if run.Saturation == nil {
		return nil
	}
	var out []methodView
	for _, e := range run.Saturation.Estimates {
		m := methodView{Method: plain(e.Method), Value: none, Range: none, Note: plain(e.Note)}
		if e.Value != nil {
			m.Value = short(*e.Value)
		}
		if e.Low != nil && e.High != nil {
			m.Range = short(*e.Low) + "–" + short(*e.High)
		}
		out = append(out, m)
	}
	out = append(out, confirmRows(*run.Saturation)...)
	if u := run.Saturation.USL; u != nil {
		out = append(out, methodView{Method: "USL fit", Value: none, Range: none,
			Note: fmt.Sprintf("λ %s, σ %s, κ %s", short(u.Lambda), short(u.Sigma), short(u.Kappa))})
	}
	return out
}

type repeatView struct {
	Command string
	Facts   []pair
	Stream  []pair
	Spec    string
}

type pair struct{ Name, Value string }

func repeatOf(run record.Run) repeatView {
	v := repeatView{Command: plainCommand(run.Command)}
	add := func(name, value string) {
		if value = strings.TrimSpace(value); value != "" {
			v.Facts = append(v.Facts, pair{name, value})
		}
	}
	add("tool", plain(run.Tool.Name+" "+run.Tool.Version)+", "+plain(run.Tool.Go))
	add("seed", fmt.Sprintf("%d", run.Seed))
	if run.Nonce != "" {
		add("nonce", plain(run.Nonce)+" (new in each run, so that a prefix cache does not know its prompts)")
	}
	add("client", hostName(run.Host))
	add("target", plain(run.Target.URL))
	add("model", plain(run.Target.Model))
	add("API", plain(run.Target.API))
	if e := plain(run.Target.Engine.Name + " " + run.Target.Engine.Version); e != "" {
		add("engine", e)
	} else {
		add("engine", "not known")
	}
	add("simulated as", plain(run.Target.Preset))
	if run.Target.MaxLen > 0 {
		add("context", count(run.Target.MaxLen)+" tokens")
	}
	add("platform", platformName(run.Platform))
	add("tokens from", tokensFrom(run.Levels))
	add("run format", plain(run.Schema))
	v.Stream = streamOf(run.Inspection)
	v.Spec = prettySpec(run.Spec)
	return v
}

func plainCommand(args []string) string {
	if len(args) == 0 {
		return ""
	}
	const most = 4000 // a command that is cut cannot be repeated
	return plainTo(shellJoin(args), most)
}

func hostName(h record.Host) string {
	parts := []string{plain(h.OS + "/" + h.Arch), plural(h.CPUs, "CPU")}
	if h.CPUModel != "" {
		parts = append(parts, plain(h.CPUModel))
	}
	if h.MemBytes > 0 {
		parts = append(parts, short(float64(h.MemBytes)/(1<<30))+" GiB")
	}
	return strings.Join(parts, ", ")
}

func platformName(p record.Platform) string {
	var parts []string
	if p.Instance != nil {
		parts = append(parts, plain(*p.Instance))
	}
	if p.GPU != nil {
		gpu := plain(*p.GPU)
		if p.Count != nil {
			gpu = count(*p.Count) + " × " + gpu
		}
		parts = append(parts, gpu)
	}
	if p.TP != nil {
		parts = append(parts, fmt.Sprintf("tensor parallel %d", *p.TP))
	}
	if p.Region != nil {
		parts = append(parts, plain(*p.Region))
	}
	if len(parts) == 0 {
		return "not known"
	}
	return strings.Join(parts, ", ")
}

func tokensFrom(levels []record.Level) string {
	var from []string
	for _, l := range levels {
		if f := plain(l.TokensFrom); f != "" && !slices.Contains(from, f) && len(from) < mostKinds {
			from = append(from, f)
		}
	}
	return list(from)
}

func streamOf(i *record.Inspection) []pair {
	if i == nil {
		return nil
	}
	yes := map[bool]string{true: "yes", false: "no"}
	out := []pair{
		{"usage", plain(i.UsageChunk)},
		{"tokens per chunk", short(i.TokensPerChunk) + ", first chunk " + count(i.FirstChunkTokens)},
		{"role-only chunk first", yes[i.RoleChunkFirst]},
		{"says cached tokens", yes[i.CachedTokensKnown]},
		{"takes ignore_eos", yes[i.IgnoreEOS]},
		{"buffered on the way", yes[i.Buffered]},
	}
	if i.Comments > 0 {
		out = append(out, pair{"pings", count(i.Comments)})
	}
	if i.ReasoningField != "" {
		out = append(out, pair{"reasoning field", plain(i.ReasoningField)})
	}
	for _, r := range i.Remarks {
		out = append(out, pair{"remark", plain(r)})
	}
	return out
}

// prettySpec indents the spec; what is not JSON is shown as it stands.
func prettySpec(raw json.RawMessage) string {
	var b bytes.Buffer
	if len(raw) == 0 {
		return ""
	}
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return plain(string(raw))
	}
	return b.String()
}

// fileView is a file within the page, as a link that saves it.
type fileView struct {
	Name, Remark, Size string
	Link               template.URL
}

func filesOf(run record.Run, f *folded) ([]fileView, error) {
	var b bytes.Buffer
	if err := record.WriteRun(&b, &run); err != nil {
		return nil, fmt.Errorf("put run.json into the report: %w", err)
	}
	files := []fileView{{Name: "run.json", Remark: "the run with every level's figures", Size: bytesName(b.Len()), Link: dataURL("application/json", b.Bytes())}}
	if f.seen {
		text := []byte(f.csv.text())
		remark := "all " + plural(f.csv.total, "request")
		if f.csv.stride > 1 {
			remark = fmt.Sprintf("every %dth of %s requests, to bound this page's size; all of them are in requests.jsonl of the run's folder", f.csv.stride, count(f.csv.total))
		}
		files = append(files, fileView{Name: "requests.csv", Remark: remark, Size: bytesName(len(text)), Link: dataURL("text/csv", text)})
	}
	return files, nil
}

func bytesName(n int) string {
	if n < 1<<20 {
		return short(float64(n)/(1<<10)) + " KiB"
	}
	return short(float64(n)/(1<<20)) + " MiB"
}

// dataURL is safe as a link: base64 holds no character that ends an attribute.
func dataURL(kind string, b []byte) template.URL {
	return template.URL("data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(b))
}
