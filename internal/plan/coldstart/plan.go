package coldstart

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/internal/facts"
	"assay/internal/figure"
)

// Option is a start with a set of techniques.
type Option struct {
	ID         string          `json:"id"`
	Name       string          `json:"name"`
	Techniques []Technique     `json:"techniques"`
	Total      figure.Range    `json:"total_s"`
	Sum        Sum             `json:"total"` // the same with its unit
	Phases     []Phase         `json:"phases"`
	Saved      *float64        `json:"saved_pct"` // of the baseline's middle; null: the baseline
	Worse      bool            `json:"worse"`     // it takes longer than the baseline
	Warnings   []string        `json:"warnings"`
	Next       Next            `json:"next"`
	SLO        *string         `json:"slo"` // met, missed, undecided; null: none was given
	Figures    []figure.Figure `json:"figures"`
	Sources    []facts.Source  `json:"sources"`
}

// Sum is a total with its unit beside it.
type Sum struct {
	figure.Range
	Unit string `json:"unit"`
}

// Next is the phase to attack: the longest, and what remains if it took no time.
type Next struct {
	Phase     string       `json:"phase"`
	Seconds   figure.Range `json:"s"`
	Remaining figure.Range `json:"remaining_s"`
}

// Verdicts on an SLO.
const (
	Met       = "met"
	Missed    = "missed"
	Undecided = "undecided"
)

// Skipped is a technique that cannot help here.
type Skipped struct {
	Technique Technique `json:"technique"`
	Why       string    `json:"why"`
}

// Result is the answer: the baseline, each technique alone, the best together.
type Result struct {
	Request Asked     `json:"request"`
	Say     string    `json:"say"`
	Options []Option  `json:"options"`
	Skipped []Skipped `json:"skipped"`
	Claims  []Claim   `json:"claims"`
	Remarks []string  `json:"remarks"`
}

// Asked is the request as resolved.
type Asked struct {
	Image      int64    `json:"image_bytes"`
	ImageSizes string   `json:"image_sizes"`
	Weights    int64    `json:"weights_bytes"`
	From       From     `json:"weights_from"`
	Instance   string   `json:"instance"`
	OS         OS       `json:"os"`
	Disk       string   `json:"image_disk"`
	DiskRate   float64  `json:"image_disk_bytes_per_s"`
	Replicas   int      `json:"replicas"`
	Engine     string   `json:"engine"`
	SLO        *float64 `json:"slo_s"`
	Measured   bool     `json:"measured"` // phases of the engine come from a log
}

// Names of the options that are not one technique.
const (
	Baseline = "baseline"
	Best     = "best"
	BestWarm = "best-warm"
	Chosen   = "chosen"
)

// Met says whether any option can meet the SLO; true where none was given.
func (r Result) Met() bool {
	return slices.ContainsFunc(r.Options, func(o Option) bool { return o.SLO == nil || *o.SLO != Missed })
}

// Option finds an option by its id.
func (r Result) Option(id string) (Option, bool) {
	i := slices.IndexFunc(r.Options, func(o Option) bool { return o.ID == id })
	if i < 0 {
		return Option{}, false
	}
	return r.Options[i], true
}

// Plan says how long a start takes. A log that beats what the hardware allows is an
// error.
func Plan(r Request) (Result, error) {
	r, err := r.check()
	if err != nil {
		return Result{}, err
	}
	if err := r.refuse(); err != nil {
		return Result{}, err
	}
	base := r.option(Baseline, "as it is", with{}, nil)
	result := Result{Request: r.asked(), Options: []Option{base}, Skipped: []Skipped{}, Remarks: r.remarks()}
	if len(r.Chosen) > 0 {
		result.Options = append(result.Options, r.option(Chosen, "as chosen: "+together(set(r.Chosen)), set(r.Chosen), &base))
	}
	for _, a := range techniques {
		if why := r.needless(a.ID); why != "" {
			result.Skipped = append(result.Skipped, Skipped{a.ID, why})
			continue
		}
		result.Options = append(result.Options, r.option(string(a.ID), a.Name, with{a.ID: true}, &base))
	}
	result.Options = append(result.Options, r.best(false, &base), r.best(true, &base))
	result.Claims = r.claims(result)
	result.Say = r.say(result)
	return result, nil
}

// phases of a start with a set of techniques.
func (r Request) phases(w with) []Phase {
	ready := facts.NodeAL2023
	if r.OS == Bottlerocket {
		ready = facts.NodeBottlerocket
	}
	formula := "capacity found, booted and joined"
	if w[WarmNode] {
		ready, formula = facts.NodeWarm, "the pod takes a pause pod's place"
	}
	phases := append([]Phase{taken(Node, ready, formula)}, r.imagePhases(w)...)
	return append(append(phases, r.loadPhases(w)...), r.enginePhases(w)...)
}

func (r Request) option(id, name string, w with, base *Option) Option {
	o := Option{ID: id, Name: name, Techniques: w.list(), Phases: r.phases(w), Warnings: r.warnings(w)}
	for _, p := range o.Phases {
		o.Total = o.Total.Plus(p.Seconds)
		o.Figures = append(o.Figures, p.figure(id))
		if !slices.Contains(o.Sources, p.Source) {
			o.Sources = append(o.Sources, p.Source)
		}
	}
	o.Sum = Sum{o.Total, "s"}
	o.Next = nextOf(o)
	if base != nil {
		saved := 100 * (1 - o.Total.Mid/base.Total.Mid)
		o.Saved, o.Worse = &saved, saved < -1
	}
	if r.SLO > 0 {
		verdict := Undecided
		switch limit := r.SLO.Seconds(); {
		case o.Total.High <= limit:
			verdict = Met
		case o.Total.Low > limit:
			verdict = Missed
		}
		o.SLO = &verdict
	}
	return o
}

func nextOf(o Option) Next {
	longest := slices.MaxFunc(o.Phases, func(a, b Phase) int { return cmp.Compare(a.Seconds.Mid, b.Seconds.Mid) })
	rest := figure.Range{}
	for _, p := range o.Phases {
		if p.Name != longest.Name {
			rest = rest.Plus(p.Seconds)
		}
	}
	return Next{longest.Name, longest.Seconds, rest}
}

// best is the set of techniques with the least time, by the mean of its middle and
// its high end so that no gamble wins; of several the smallest set.
func (r Request) best(warm bool, base *Option) Option {
	var chosen with
	least, fewest := 0.0, 0
	for _, w := range r.combinations(warm) {
		total := figure.Range{}
		for _, p := range r.phases(w) {
			total = total.Plus(p.Seconds)
		}
		score := (total.Mid + total.High) / 2
		if chosen == nil || score < least-0.5 || (score < least+0.5 && len(w) < fewest) {
			chosen, least, fewest = w, score, len(w)
		}
	}
	id, name := Best, "best on a new node"
	if warm {
		id, name = BestWarm, "best with a node kept warm"
	}
	return r.option(id, name+": "+together(chosen), chosen, base)
}

// combinations are all sets of techniques that can be used together: of the ways of
// an image at most one.
func (r Request) combinations(warm bool) []with {
	ways := []Technique{""}
	var others []Technique
	for _, a := range techniques {
		switch {
		case r.needless(a.ID) != "" || a.ID == WarmNode:
		case a.kind == "image":
			ways = append(ways, a.ID)
		default:
			others = append(others, a.ID)
		}
	}
	var sets []with
	for _, way := range ways {
		for mask := range 1 << len(others) {
			w := with{}
			if warm {
				w[WarmNode] = true
			}
			if way != "" {
				w[way] = true
			}
			for i, t := range others {
				if mask&(1<<i) != 0 {
					w[t] = true
				}
			}
			sets = append(sets, w)
		}
	}
	return sets
}

func together(w with) string {
	names := make([]string, 0, len(w))
	for _, t := range w.list() {
		names = append(names, string(t))
	}
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, " + ")
}

func (r Request) asked() Asked {
	disk, _, _ := r.disk(with{})
	name := "gp3"
	if r.Root.NVMe {
		name = "the instance store"
	}
	a := Asked{
		Image: r.Image, ImageSizes: r.imageSizes(with{}), Weights: r.Weights, From: r.From, Instance: r.Instance.Name, OS: r.OS, Disk: name, DiskRate: disk.Mid,
		Replicas: r.Replicas, Engine: r.Engine, Measured: r.Log != nil,
	}
	if r.SLO > 0 {
		s := r.SLO.Seconds()
		a.SLO = &s
	}
	return a
}

func (r Request) say(result Result) string {
	base := result.Options[0]
	best, _ := result.Option(Best)
	warm, _ := result.Option(BestWarm)
	s := fmt.Sprintf("from pod to first answer in %s as it is, %s at best on a new node, %s with one kept warm", span(base.Total), span(best.Total), span(warm.Total))
	if r.SLO > 0 {
		word := "cannot be met"
		for _, o := range result.Options {
			if *o.SLO == Met {
				word = "can be met"
				break
			}
			if *o.SLO == Undecided {
				word = "may be met"
			}
		}
		s += fmt.Sprintf("; an SLO of %.0f s %s", r.SLO.Seconds(), word)
	}
	return s
}

func span(r figure.Range) string { return fmt.Sprintf("%.0f to %.0f s", r.Low, r.High) }
