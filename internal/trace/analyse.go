package trace

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"time"
	"unicode/utf8"
)

// AnalyseOptions say what a trace is held against.
type AnalyseOptions struct {
	MaxModelLen int // tokens of the server's context; 0: not checked
}

// Bounds on what is remembered of a file, whatever it holds.
const (
	maxPrompts = 8 << 20
	maxModels  = 1000
)

// Analyse reads a trace to its end and says what it is like, in one pass and in
// bounded memory. Beside an error it says what was whole.
func Analyse(r *Reader, file string, o AnalyseOptions) (Report, error) {
	a := analysis{options: o, arrivals: newArrivals(), models: map[string]int{}, prompts: map[uint64]struct{}{}, turns: map[uint64]int{}}
	a.order.to = a.arrivals.add
	err := a.read(r)
	rep := a.report()
	rep.File, rep.Format, rep.Because = file, r.Kind(), r.Why()
	rep.Skipped, rep.Whole = r.Skipped(), err == nil
	if err == nil && rep.Rows == 0 {
		err = errors.New(file + " holds no row: nothing in it can be asked")
	}
	judge(&rep, a)
	return rep, err
}

type analysis struct {
	options AnalyseOptions
	rows    int
	failed  int
	asked   int // rows that say what to ask, or how long it was

	order    ordered
	arrivals *arrivals
	clock    string // of the last row that has a time
	clocks   int    // of conversations, one after the other

	isl, osl, chars, think, ttft, latency lengths
	fit                                   Fit
	cache                                 cache
	images                                Images
	anyImages                             bool

	prompts  map[uint64]struct{} // hashes
	repeated int
	counted  int // prompts looked at
	turns    map[uint64]int
	models   map[string]int
	others   int // rows of models beyond those that are kept
}

func (a *analysis) read(r *Reader) error {
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		a.add(row)
	}
}

func (a *analysis) add(row Row) {
	a.rows++
	if row.Failed {
		a.failed++
	}
	if row.HasPrompt() || row.PromptTokens != nil {
		a.asked++
	}
	if row.At != nil {
		if a.clocks == 0 || row.Clock != a.clock {
			a.clock = row.Clock
			a.clocks++
		}
		a.order.add(*row.At)
	}
	a.addLengths(row)
	a.cache.add(row)
	a.addPrompt(row)
	a.addModel(row)
	if row.Session != "" && len(a.turns) < maxSessions {
		a.turns[hash(row.Session)]++
	}
	if row.Images != nil {
		a.anyImages = true
		a.images.Total += *row.Images
		a.images.Most = max(a.images.Most, *row.Images)
		if *row.Images > 0 {
			a.images.Rows++
		}
	}
}

func (a *analysis) addLengths(row Row) {
	a.isl.addPtr(row.PromptTokens)
	if !row.Failed {
		a.osl.addPtr(row.OutputTokens)
	}
	if row.Text != "" {
		a.chars.add(utf8.RuneCountInString(row.Prefix) + utf8.RuneCountInString(row.Text))
	}
	a.think.addMillis(row.Delay)
	a.ttft.addMillis(row.TTFT)
	a.latency.addMillis(row.Latency)
	if row.PromptTokens == nil {
		return
	}
	total := *row.PromptTokens + row.MaxTokens
	if row.OutputTokens != nil {
		total = *row.PromptTokens + *row.OutputTokens
	}
	if *row.PromptTokens > a.options.MaxModelLen {
		a.fit.Prompt++
	}
	if total > a.options.MaxModelLen {
		a.fit.Total++
	}
}

// addPrompt looks for prompts that came before. Later turns are other prompts
// wherever their first turns are.
func (a *analysis) addPrompt(row Row) {
	if !row.HasPrompt() || row.Continues || len(a.prompts) >= maxPrompts {
		return
	}
	a.counted++
	key := hash(row.Prefix, row.Text, string(row.Messages), string(row.Body))
	if _, known := a.prompts[key]; known {
		a.repeated++
	}
	a.prompts[key] = struct{}{}
}

func (a *analysis) addModel(row Row) {
	_, known := a.models[row.Model]
	switch {
	case row.Model == "":
	case known || len(a.models) < maxModels:
		a.models[row.Model]++
	default:
		a.others++
	}
}

// longest bounds a duration that is counted.
const longest = 400 * 24 * time.Hour

// addMillis adds a duration in whole milliseconds, where it is known.
func (l *lengths) addMillis(d *time.Duration) {
	if d != nil && *d >= 0 {
		l.add(int(min(*d, longest).Round(time.Millisecond).Milliseconds()))
	}
}

func (a *analysis) report() Report {
	a.order.flush()
	a.arrivals.endStamp()
	rep := Report{
		Rows: a.rows, Failed: a.failed,
		ISL: a.isl.figures(), OSL: a.osl.figures(), Chars: a.chars.figures(),
		TTFT: a.ttft.known(), Latency: a.latency.known(), Models: a.modelList(), Remarks: []string{},
	}
	if a.options.MaxModelLen > 0 && a.isl.n > 0 {
		a.fit.Limit = a.options.MaxModelLen
		rep.Context = &a.fit
	}
	rep.PrefixHitBound, rep.Prefix = a.cache.bound()
	if a.counted > 0 && len(a.prompts) < maxPrompts {
		rep.Repeated = &a.repeated
	}
	if len(a.turns) > 0 && len(a.turns) < maxSessions {
		var turns lengths
		for _, n := range a.turns {
			turns.add(n)
		}
		rep.Sessions = &Sessions{N: len(a.turns), Turns: turns.figures(), ThinkMS: a.think.figures()}
	}
	if a.anyImages {
		rep.Images = &a.images
	}
	a.times(&rep)
	return rep
}

// times fills in what arrivals say. Conversations that each have a clock of their
// own say nothing of arrivals.
func (a *analysis) times(rep *Report) {
	f := a.arrivals
	if f.n == 0 || a.clocks > 1 {
		return
	}
	span := (f.last - f.first).Seconds()
	rep.SpanS, rep.Gaps, rep.Distinct = &span, f.gaps(), &f.distinct
	if span > 0 {
		rep.PerS = new(float64(f.n-1) / span)
	}
	rep.Stamps = &Stamps{TickS: f.tick(), Shared: f.shared, MostAtOnce: f.atOnce, OutOfOrder: a.order.outOfOrder, Left: a.order.left}
	rep.Bursts = Bursts{f.windows[0].dispersion(), f.windows[1].dispersion(), f.windows[2].dispersion()}
	rep.Arrivals = &Bins{WidthS: f.bins.width.Seconds(), Counts: f.bins.counts}
}

// modelList are the models, most used first.
func (a *analysis) modelList() []Model {
	list := []Model{}
	for name, n := range a.models {
		list = append(list, Model{name, n})
	}
	slices.SortFunc(list, func(x, y Model) int {
		return cmp.Or(cmp.Compare(y.Rows, x.Rows), cmp.Compare(x.Name, y.Name))
	})
	if a.others > 0 {
		list = append(list, Model{"others", a.others})
	}
	return list
}
