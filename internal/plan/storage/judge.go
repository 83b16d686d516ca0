package storage

import (
	"fmt"
	"math"
	"slices"

	"assay/internal/facts"
	"assay/internal/figure"
)

// judge says whether an option meets the need, and what it misses.
func (o *Option) judge(r Request) {
	o.Why = []string{}
	o.Verdict = Meets
	fail := func(text string, args ...any) {
		o.Verdict = Fails
		o.Why = append(o.Why, fmt.Sprintf(text, args...))
	}
	o.reach = 1
	if o.tooSmall != "" {
		fail("%s", o.tooSmall)
		o.reach = 0
	}
	if r.Shared && !o.shared {
		fail("one node mounts it at a time; %d readers share one copy", r.Readers)
		o.reach = 0
	}
	if r.Zones && !o.zones {
		fail("it is in one zone, and the readers are in several")
		o.reach = 0
	}
	if r.Durable && !o.durable {
		fail("it does not outlive its servers (%s)", o.Durability)
		o.reach = 0
	}
	if r.POSIX && !o.posix {
		fail("files cannot be renamed, changed in place or locked")
		o.reach = 0
	}
	if o.unsure != "" {
		o.open(o.unsure)
	}
	o.judgeRate("a reader gets", o.Reader, r.reader(), o.tooSmall == "")
	if o.Write != nil {
		o.judgeRate("writers get", *o.Write, r.WriteRate, o.tooSmall == "")
	} else if r.WriteRate > 0 && o.tooSmall == "" {
		o.open("its write rate is not known")
	}
}

// open leaves an option undecided.
func (o *Option) open(why string) {
	if o.Verdict == Meets {
		o.Verdict = May
	}
	o.Why = append(o.Why, why)
}

// slack is what a rate may fall short by and still be taken for enough: a rounding.
const slack = 0.999

func (o *Option) judgeRate(who string, rate figure.Range, need float64, known bool) {
	if need == 0 || !known {
		return
	}
	o.reach = math.Min(o.reach, rate.High/need)
	switch {
	case rate.High < slack*need:
		o.Verdict = Fails
		o.Why = append(o.Why, fmt.Sprintf("%s at most %s of %s: %s binds first", who, Rate(rate.High), Rate(need), o.binding(who)))
	case rate.Low < slack*need:
		o.open(fmt.Sprintf("%s between %s and %s, of %s", who, Rate(rate.Low), Rate(rate.High), Rate(need)))
	}
}

func (o *Option) binding(who string) string {
	if who == "a reader gets" && o.Binding != "" {
		return "the " + o.Binding
	}
	return "the storage"
}

// Rate prints bytes/s as data sheets do.
func Rate(v float64) string {
	switch {
	case v >= 9.95e10:
		return fmt.Sprintf("%.0f GB/s", v/1e9)
	case v >= 9.95e8:
		return fmt.Sprintf("%.3g GB/s", v/1e9)
	}
	return fmt.Sprintf("%.3g MB/s", v/1e6)
}

// add sums up the bill and gathers the sources.
func (o *Option) add() {
	total := figure.Range{}
	known := true
	for _, p := range o.Parts {
		if p.USD == nil {
			known = false
			continue
		}
		total = total.Plus(*p.USD)
	}
	o.Total, o.Sum = nil, nil
	if known {
		o.Total, o.Sum = &total, &Sum{total, "USD/month"}
	}
	if o.Notes == nil {
		o.Notes = []string{}
	}
	if o.Bounds == nil {
		o.Bounds = []Bound{}
	}
	o.Sources = []facts.Source{}
	keep := func(s facts.Source) {
		if s.Title != "" && !slices.Contains(o.Sources, s) {
			o.Sources = append(o.Sources, s)
		}
	}
	for _, b := range o.Bounds {
		keep(b.Source)
	}
	for _, p := range o.Parts {
		keep(p.Source)
	}
}

// unprice forgets prices: those of another region are not known.
func (o *Option) unprice() {
	if o.Cache {
		return
	}
	for i := range o.Parts {
		o.Parts[i].USD, o.Parts[i].Source = nil, facts.Source{}
	}
}
