package report

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"assay/internal/figure"
	"assay/internal/plan"
	"assay/internal/record"
)

var planTemplate = template.Must(template.New("plan.html").ParseFS(assets, "assets/plan.html"))

// planPage is what the template shows. The template decides nothing.
type planPage struct {
	Style                  template.CSS
	Title, Subject, Load   string
	Verdict                string
	Also                   []string
	Tiles                  []answer
	Nearest                []string
	ChartWide, ChartNarrow template.HTML
	FactsOf, Flags         string
	Facts                  []traceFact
	Options                grid
	Groups, Rejected       grid
	Remarks                []string
	Figures                grid
}

// ServePlanHTML writes a plan as one file that needs no network and no script.
func ServePlanHTML(w io.Writer, r *plan.Result) error {
	style, err := assets.ReadFile("assets/style.css")
	if err != nil {
		return err
	}
	p := planPage{
		Style: template.CSS(style), // ours, embedded
		Title: "Assay: a plan for " + plain(r.Model.Name), Subject: servedModel(r), Load: servedLoad(r),
		Verdict: sentence(r.Verdict.Say), Remarks: servedRemarks(r),
		Options: optionGrid(r, len(r.Options)), Rejected: rejectedGrid(r.Rejected), Groups: groupGrid(r.Rejected),
	}
	for _, a := range r.Verdict.Also {
		p.Also = append(p.Also, sentence(a))
	}
	if n := r.Verdict.Nearest; n != nil {
		p.Nearest = append(p.Nearest, n.Misses...)
		for _, s := range n.Relax {
			p.Nearest = append(p.Nearest, "What works: "+s)
		}
	}
	if o := shownOption(r); o != nil {
		p.FactsOf, p.Facts, p.Flags = o.ID, optionFacts(r, *o), startLine(r, *o)
		p.Tiles, p.Figures = planTiles(*o), figureGrid(o.Figures)
	}
	p.ChartWide, p.ChartNarrow = bothSizes(costPlot(r))
	var b bytes.Buffer
	if err := planTemplate.Execute(&b, p); err != nil {
		return fmt.Errorf("write the plan: %w", err)
	}
	_, err = b.WriteTo(w)
	return err
}

// planTiles are the four figures that one asks for first.
func planTiles(o plan.Option) []answer {
	tone := map[string]string{plan.Met: "good", plan.Undecided: "warn", plan.Missed: "bad"}
	price := answer{Name: "price", Text: "not known"}
	if o.Price.OnDemand != nil {
		price.Text, price.Note = cents(*o.Price.OnDemand)+"/h", "on demand"+asOf(o.Price)
	}
	tile := func(name, metric string, r figure.Range) answer {
		a := answer{Name: name, Text: millis(r.Mid), Note: "between " + millis(r.Low) + " and " + millis(r.High)}
		for _, j := range o.SLO {
			if j.Metric == metric {
				a.Tone = tone[j.Verdict]
			}
		}
		return a
	}
	return []answer{
		price, tile("mean TTFT", "ttft", o.Predicted.TTFT), tile("mean ITL", "itl", o.Predicted.ITL),
		{Name: "throughput", Text: num(o.Predicted.Output.Mid) + " tokens/s", Note: kneeFact(o.Predicted.Knee)},
	}
}

// costPlot is the ITL that money buys: of the options those than which none is both
// cheaper and quicker.
func costPlot(r *plan.Result) plot {
	p := plot{Title: "ITL against cost", X: axis{Title: "$ an hour →"}, Y: axis{Title: "mean ITL, ms", Log: true}}
	var priced []plan.Option
	for _, o := range r.Options {
		if o.Price.OnDemand != nil {
			priced = append(priced, o)
		}
	}
	slices.SortStableFunc(priced, func(a, b plan.Option) int {
		return cmp.Or(cmp.Compare(*a.Price.OnDemand, *b.Price.OnDemand), cmp.Compare(a.Predicted.ITL.Mid, b.Predicted.ITL.Mid))
	})
	var said []string
	for _, o := range priced {
		if n := len(p.Points); n > 0 && o.Predicted.ITL.Mid >= p.Points[n-1].Y {
			continue
		}
		tip := o.ID + ": " + usd(*o.Price.OnDemand) + "/h, ITL " + barsOfTime(o.Predicted.ITL)
		said = append(said, tip)
		p.add(point{X: *o.Price.OnDemand, Y: o.Predicted.ITL.Mid, Label: o.ID, Tip: tip, Verdict: record.Valid})
	}
	for _, c := range r.Request.SLO {
		if c.Metric == "itl" {
			p.Rules = append(p.Rules, rule{At: c.Limit, Label: "SLO " + c.String()})
		}
	}
	p.Desc = strings.Join(said, "; ")
	return p
}

func rejectedGrid(list []plan.Rejection) grid {
	g := grid{Heads: []string{"instance", "layout", "why"}, Left: map[int]bool{1: true, 2: true}}
	for _, j := range list {
		g.Rows = append(g.Rows, []string{j.Instance, j.Layout, plain(j.Reason)})
	}
	return g
}

func groupGrid(list []plan.Rejection) grid {
	g := grid{Heads: []string{"for", "what"}, Left: map[int]bool{1: true}}
	for _, f := range rejectedGroups(list) {
		g.Rows = append(g.Rows, []string{f.Name, f.Text})
	}
	return g
}
