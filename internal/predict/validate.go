package predict

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
)

//go:embed crossvalidation.json
var crossvalidation []byte

// CrossValidation is what the fit found when it predicted measurements that it had
// left out.
var CrossValidation = sync.OnceValue(func() []Summary {
	var out []Summary
	if err := json.Unmarshal(crossvalidation, &out); err != nil {
		panic(fmt.Sprintf("crossvalidation.json: %v", err)) // a test reads it
	}
	return out
})

// Validation is the tool held against measurements.
type Validation struct {
	Fitted  string `json:"fitted"` // when
	Rows    int    `json:"rows"`
	Refused int    `json:"refused"`

	InSample       Score     `json:"in_sample"` // of measurements that the fit has seen
	Groups         []Group   `json:"groups"`
	CrossValidated []Summary `json:"cross_validated"` // of those that it had left out
	ThinChips      []Group   `json:"thin_chips"`      // of chips that the fit has no measurement of
	Targets        []Target  `json:"targets"`
	Each           []Replay  `json:"each,omitempty"`
}

// Group is a part of the measurements.
type Group struct {
	By       string `json:"by"` // model, chip, engine
	Name     string `json:"name"`
	InSample Score  `json:"in_sample"`
	Left     Score  `json:"left_out"` // by points
}

// Replay is one measurement and its prediction.
type Replay struct {
	Row        Row        `json:"row"`
	Prediction Prediction `json:"prediction"`
	TTFTError  float64    `json:"ttft_error"` // predicted over measured, less 1
	TPOTError  float64    `json:"tpot_error"`
	Refused    string     `json:"refused,omitempty"`
}

// Target is what is aimed at in predictions of measurements that the fit has not
// seen, what is reached, and what is guarded: an aim that was reached is to stay
// so, and one that was missed is to get no worse.
type Target struct {
	What  string  `json:"what"`
	Limit float64 `json:"limit"` // the aim
	Value float64 `json:"value"`
	Least bool    `json:"least"` // Limit is the least, else the most
	Met   bool    `json:"met"`
	Guard float64 `json:"guard"`
	Held  bool    `json:"held"` // the value is within the guard
}

// aim is a target of one protocol's figure.
type aim struct {
	what         string
	limit, guard float64
	least        bool
	value        func(Score) float64
}

// aims of a protocol, in the order of limits and guards below.
func aims(of string, limits, guards [6]float64) []aim {
	var out []aim
	for i, a := range []aim{
		{what: "mean TPOT error", value: func(s Score) float64 { return s.ITL.Mean }},
		{what: "mean TTFT error", value: func(s Score) float64 { return s.TTFT.Mean }},
		{what: "TPOT within its range", least: true, value: func(s Score) float64 { return s.ITL.Inside }},
		{what: "TTFT within its range", least: true, value: func(s Score) float64 { return s.TTFT.Inside }},
		{what: "median TPOT high/low", value: func(s Score) float64 { return s.ITL.Width }},
		{what: "median TTFT high/low", value: func(s Score) float64 { return s.TTFT.Width }},
	} {
		a.what += ", " + of + " left out"
		a.limit, a.guard = limits[i], guards[i]
		out = append(out, a)
	}
	return out
}

// What is aimed at, by what is left out, and what is guarded.
var (
	knownAims   = [6]float64{0.15, 0.30, 0.90, 0.90, 1.6, 2.5}
	unseenAims  = [6]float64{0.25, 0.40, 0.90, 0.90, 1.6, 2.5}
	systemGuard = [6]float64{0.15, 0.30, 0.89, 0.89, 1.8, 4.3}
	modelGuard  = [6]float64{0.25, 0.42, 0.89, 0.89, 3.2, 10.5}
)

const (
	mostRefused = 0.05
	leastOnThin = 0.9 // of measurements on chips that the fit has none of, within their range
)

// Validate replays measurements; each keeps the replays themselves.
func Validate(rows []Row, each bool) Validation {
	v := Validation{Fitted: current().Steps.Date, Rows: len(rows), CrossValidated: CrossValidation()}
	var order []string
	parts := map[string][]Replay{}
	for _, r := range rows {
		p := replay(r)
		if each {
			v.Each = append(v.Each, p)
		}
		if p.Refused != "" {
			v.Refused++
			continue
		}
		s, _ := Resolver{}.resolve(r)
		for _, g := range []string{"all ", "model " + s.Model.Name, "chip " + s.Chip.Name, "engine " + s.Engine} {
			if parts[g] == nil {
				order = append(order, g)
			}
			parts[g] = append(parts[g], p)
		}
	}
	slices.Sort(order)
	points := v.summary("points")
	for _, g := range order {
		by, name, _ := strings.Cut(g, " ")
		if by == "all" {
			v.InSample = replayed(parts[g])
			continue
		}
		v.Groups = append(v.Groups, Group{By: by, Name: name, InSample: replayed(parts[g]), Left: points.By[g]})
	}
	v.ThinChips = thinChips()
	v.Targets = v.targets()
	return v
}

// thinChips holds predictions against measurements on chips that the fit has none of.
func thinChips() []Group {
	var out []Group
	by := map[string][]Replay{}
	var order []string
	for _, r := range ThinChips() {
		p := replay(r)
		if p.Refused != "" {
			continue
		}
		c, _ := chipOf(r.System)
		if by[c.Name] == nil {
			order = append(order, c.Name)
		}
		by[c.Name] = append(by[c.Name], p)
	}
	for _, name := range order {
		out = append(out, Group{By: "chip", Name: name, InSample: replayed(by[name])})
	}
	return out
}

func (v *Validation) summary(protocol string) Summary {
	for _, s := range v.CrossValidated {
		if s.Protocol == protocol {
			return s
		}
	}
	return Summary{}
}

func (v *Validation) targets() []Target {
	var out []Target
	for _, p := range []struct {
		name   string
		limits [6]float64
		guards [6]float64
	}{{"points", knownAims, knownAims}, {"systems", knownAims, systemGuard}, {"models", unseenAims, modelGuard}} {
		score := v.summary(p.name).All
		for _, a := range aims(p.name, p.limits, p.guards) {
			out = append(out, a.target(a.value(score)))
		}
	}
	inside, n := 0.0, 0.0
	for _, g := range v.ThinChips {
		inside, n = inside+float64(g.InSample.N)*g.InSample.ITL.Inside, n+float64(g.InSample.N)
	}
	refused := aim{what: "rows refused", limit: mostRefused, guard: mostRefused}
	thin := aim{what: "TPOT within its range, chips without measurements", limit: leastOnThin, guard: leastOnThin, least: true}
	return append(out, refused.target(float64(v.Refused)/math.Max(float64(v.Rows), 1)), thin.target(inside/math.Max(n, 1)))
}

func (a aim) target(value float64) Target {
	within := func(limit float64) bool {
		if a.least {
			return value >= limit
		}
		return value <= limit
	}
	return Target{What: a.what, Limit: a.limit, Value: value, Least: a.least, Met: within(a.limit), Guard: a.guard, Held: within(a.guard)}
}

// Met says whether all that is guarded holds.
func (v *Validation) Met() bool {
	return !slices.ContainsFunc(v.Targets, func(t Target) bool { return !t.Held })
}

func replay(r Row) Replay {
	p, err := PredictRow(r, Resolver{})
	if err != nil {
		return Replay{Row: r, Refused: err.Error()}
	}
	p.Figures = nil
	return Replay{Row: r, Prediction: p, TTFTError: p.TTFT.Mid/r.TTFT - 1, TPOTError: p.ITL.Mid/r.TPOT - 1}
}

func replayed(rs []Replay) Score {
	var itl, ttft []comparison
	for _, r := range rs {
		itl = append(itl, comparison{r.Prediction.ITL.Low, r.Prediction.ITL.Mid, r.Prediction.ITL.High, r.Row.TPOT})
		if r.Row.TTFT > 0 {
			ttft = append(ttft, comparison{r.Prediction.TTFT.Low, r.Prediction.TTFT.Mid, r.Prediction.TTFT.High, r.Row.TTFT})
		}
	}
	return Score{N: len(rs), ITL: errorsOf(itl), TTFT: errorsOf(ttft)}
}
