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

// Target is what is stated of predictions, and what holds.
type Target struct {
	What  string  `json:"what"`
	Limit float64 `json:"limit"`
	Value float64 `json:"value"`
	Least bool    `json:"least"` // Limit is the least, else the most
	Met   bool    `json:"met"`
}

// What is stated of predictions of measurements that the fit has not seen.
const (
	targetTPOT, targetTTFT             = 0.15, 0.30 // mean error, configurations of models that were measured
	targetUnseenTPOT, targetUnseenTTFT = 0.25, 0.45 // whole models that were not
	targetInside, targetUnseenTTFTIn   = 0.90, 0.85
	targetTPOTWidth, targetTTFTWidth   = 1.6, 2.5 // median of high over low
	targetRefused                      = 0.05
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
	v.Targets = v.targets()
	return v
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
	known, unseen := v.summary("points").All, v.summary("models").All
	most := func(what string, limit, value float64) Target {
		return Target{What: what, Limit: limit, Value: value, Met: value <= limit}
	}
	least := func(what string, limit, value float64) Target {
		return Target{What: what, Limit: limit, Value: value, Least: true, Met: value >= limit}
	}
	return []Target{
		most("mean TPOT error, points left out", targetTPOT, known.ITL.Mean),
		most("mean TTFT error, points left out", targetTTFT, known.TTFT.Mean),
		least("TPOT within its range, points left out", targetInside, known.ITL.Inside),
		least("TTFT within its range, points left out", targetInside, known.TTFT.Inside),
		most("median TPOT high/low, points left out", targetTPOTWidth, known.ITL.Width),
		most("median TTFT high/low, points left out", targetTTFTWidth, known.TTFT.Width),
		most("mean TPOT error, models left out", targetUnseenTPOT, unseen.ITL.Mean),
		most("mean TTFT error, models left out", targetUnseenTTFT, unseen.TTFT.Mean),
		least("TPOT within its range, models left out", targetInside, unseen.ITL.Inside),
		least("TTFT within its range, models left out", targetUnseenTTFTIn, unseen.TTFT.Inside),
		most("rows refused", targetRefused, float64(v.Refused)/math.Max(float64(v.Rows), 1)),
	}
}

// Met says whether all that is stated holds.
func (v *Validation) Met() bool {
	return !slices.ContainsFunc(v.Targets, func(t Target) bool { return !t.Met })
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
		ttft = append(ttft, comparison{r.Prediction.TTFT.Low, r.Prediction.TTFT.Mid, r.Prediction.TTFT.High, r.Row.TTFT})
	}
	return Score{N: len(rs), ITL: errorsOf(itl), TTFT: errorsOf(ttft)}
}
