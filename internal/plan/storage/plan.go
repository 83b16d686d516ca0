package storage

import (
	"cmp"
	"fmt"
	"slices"

	"assay/internal/facts"
	"assay/internal/figure"
)

// Need is a request in numbers.
type Need struct {
	Size       int64    `json:"size_bytes"`
	Readers    int      `json:"readers"`
	Use        Use      `json:"use"`
	Own        float64  `json:"reader_bytes"` // that one reader reads in a load
	Reader     *float64 `json:"reader_bytes_per_s"`
	All        *float64 `json:"all_bytes_per_s"`
	Write      *float64 `json:"write_bytes_per_s"`
	LoadWithin *float64 `json:"load_within_s"`
	Shared     bool     `json:"shared"`
	Durable    bool     `json:"durable"`
	POSIX      bool     `json:"posix"`
	Zones      bool     `json:"several_zones"`
	Loads      float64  `json:"loads_per_month"`
	Region     string   `json:"region"`
	Instance   *string  `json:"instance"`
}

// Result is the answer: the recommendation first, then the others.
type Result struct {
	Request     Need     `json:"request"`
	Say         string   `json:"say"`
	Recommended *Kind    `json:"recommended"` // null: nothing meets the need
	Nearest     *Kind    `json:"nearest"`     // of those that do not, where nothing does
	Band        Band     `json:"size_band"`
	Options     []Option `json:"options"`
	Remarks     []string `json:"remarks"`
}

// Met says whether anything meets the need.
func (r Result) Met() bool { return r.Recommended != nil }

// Figures are the numbers behind the options that are shown, the recommended first.
func (r Result) Figures() []figure.Figure {
	var all []figure.Figure
	for _, o := range r.Options {
		all = append(all, o.Figures...)
		for _, p := range o.Parts {
			if p.USD != nil && p.Source.Title != "" {
				all = append(all, figure.Figure{
					Name: o.Name + ": " + p.Name, Value: p.USD.Mid, Unit: "USD/month", Kind: figure.Computed, Formula: "amount × price",
					Inputs: []figure.Input{{Name: "amount", Value: p.Amount, Unit: p.Unit}}, Source: p.Source,
				})
			}
		}
	}
	return all
}

// Plan says where to keep the data. The error is of a request that asks for nothing
// that could be.
func Plan(r Request) (Result, error) {
	r, err := r.check()
	if err != nil {
		return Result{}, err
	}
	options := build(r)
	for i := range options {
		if r.Region != facts.StorageRegion {
			options[i].unprice()
		}
		options[i].add()
		options[i].judge(r)
	}
	result := Result{Request: needOf(r), Band: bandOf(r.Size), Remarks: remarks(r)}
	slices.SortStableFunc(options, func(a, b Option) int { return order(a, b, r, result.Band) })
	result.Options = options
	result.conclude(r)
	return result, nil
}

func build(r Request) []Option {
	options := []Option{volume(GP3, r)}
	if r.IO2 {
		options = append(options, volume(IO2, r))
	}
	for _, kind := range []Kind{EFSElastic, EFSProvisioned, EFSBursting, EFSOneZone} {
		options = append(options, efsOption(kind, r))
	}
	for _, kind := range lustreKinds {
		options = append(options, lustreOption(kind, r))
	}
	return append(options, tieringOption(r), bucket(S3, r), bucket(S3Express, r), local(r))
}

// order puts what meets the need first: homes before caches, the choice of the size
// band where only a size was given, then the cheaper.
func order(a, b Option, r Request, band Band) int {
	rank := map[Verdict]int{Meets: 0, May: 1, Fails: 2}
	banded := func(o Option) int {
		if r.onlySize() && o.ID == band.ID {
			return 0
		}
		return 1
	}
	if c := cmp.Or(cmp.Compare(rank[a.Verdict], rank[b.Verdict]), truth(a.Cache, b.Cache)); c != 0 {
		return c
	}
	if a.Verdict == Fails {
		return cmp.Or(cmp.Compare(b.reach, a.reach), cmp.Compare(a.ID, b.ID))
	}
	if c := cmp.Or(cmp.Compare(banded(a), banded(b)), truth(a.Total == nil, b.Total == nil)); c != 0 {
		return c
	}
	if a.Total != nil && a.Total.Mid != b.Total.Mid {
		return cmp.Compare(a.Total.Mid, b.Total.Mid)
	}
	return cmp.Compare(a.ID, b.ID)
}

// truth orders false before true.
func truth(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// conclude names the recommendation, or the nearest where nothing meets the need.
func (r *Result) conclude(q Request) {
	first := &r.Options[0]
	var choice *Option
	if first.Verdict != Fails && !first.Cache {
		choice = first
		r.Recommended = &first.ID
	} else {
		for i := range r.Options {
			if !r.Options[i].Cache {
				r.Nearest = &r.Options[i].ID
				break
			}
		}
	}
	r.Band.overrule(choice, r.Options, q)
	r.Say = r.say(choice)
}

func (r *Result) say(choice *Option) string {
	if choice == nil {
		for _, o := range r.Options {
			if r.Nearest != nil && o.ID == *r.Nearest {
				why := ""
				if len(o.Why) > 0 {
					why = ": " + o.Why[0]
				}
				return "nothing meets the need; nearest is " + o.Name + why
			}
		}
		return "nothing meets the need"
	}
	s := choice.Name
	if choice.Verdict == May {
		s += " may meet the need (" + choice.Why[0] + ")"
	} else {
		s += " meets the need"
	}
	if choice.Total != nil {
		s += ", for " + dollars(choice.Total.Mid) + " a month"
	} else {
		s += "; its price is not known"
	}
	return s
}

func needOf(r Request) Need {
	n := Need{Size: r.Size, Readers: r.Readers, Use: r.Use, Own: r.own(), Shared: r.Shared, Durable: r.Durable, POSIX: r.POSIX, Zones: r.Zones, Loads: r.Loads, Region: r.Region}
	set := func(to **float64, v float64) {
		if v > 0 {
			*to = &v
		}
	}
	set(&n.Reader, r.reader())
	set(&n.All, r.all())
	set(&n.Write, r.WriteRate)
	set(&n.LoadWithin, r.LoadWithin.Seconds())
	if r.Instance != nil {
		n.Instance = &r.Instance.Name
	}
	return n
}

func remarks(r Request) []string {
	list := []string{}
	if r.Instance == nil {
		list = append(list, "without --instance, what its EBS bandwidth, network and local disks allow is not counted")
	}
	if r.Region != facts.StorageRegion {
		list = append(list, "storage prices are known of "+facts.StorageRegion+" alone: what it costs in "+r.Region+" is not known")
	}
	if r.Use == Weights {
		list = append(list, fmt.Sprintf("an engine's default loader takes %s to %s whatever the storage gives; a streaming loader takes what there is (assay plan coldstart)", Rate(facts.DefaultLoader.Low), Rate(facts.DefaultLoader.High)))
	}
	if r.onlySize() {
		list = append(list, "no rate was asked, so the choice is by size; --read-rate or --load-within choose by speed")
	}
	return list
}
