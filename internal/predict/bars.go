package predict

import (
	"cmp"
	"math"
	"slices"
)

// Bars are how wide ranges are: quantiles of what cross-validation was off by, in
// units of the standard deviation that the correction gave beforehand. So a range
// is narrow beside measurements and wide far from them, and holds nine in ten
// either way.
type Bars struct {
	Seen   Spread `json:"seen"`   // the engine was measured with the model
	Unseen Spread `json:"unseen"` // with other models
}

// Spread is of one class of predictions, by engine and version.
type Spread struct {
	All      Width            `json:"all"`
	Versions map[string]Width `json:"versions,omitempty"`
}

// Width is of both quantities, signed: logarithm of measured over predicted, in
// standard deviations.
type Width struct {
	ITL  [2]float64 `json:"itl"`
	TTFT [2]float64 `json:"ttft"`
	N    int        `json:"n"`
}

// tails are the shares of trials left beyond each end of a range. Ranges hold nine in
// ten, and a little more, since what is asked next is never quite like what was
// measured.
type tails struct{ ITL, TTFT float64 }

// Of whole models left out there are few, and TTFT differs more between them than
// within one: the next is further off than quantiles of the others say.
var (
	seenTails   = tails{ITL: 0.04, TTFT: 0.04}
	unseenTails = tails{ITL: 0.04, TTFT: 0.022}
)

const fewTrials = 60 // with which a version's own quantiles weigh as much as all

func barsOf(seen, unseen []Trial) Bars {
	return Bars{Seen: spreadOf(seen, seenTails), Unseen: spreadOf(unseen, unseenTails)}
}

func spreadOf(trials []Trial, beyond tails) Spread {
	s := Spread{All: widthOf(trials, beyond), Versions: map[string]Width{}}
	by := map[string][]Trial{}
	for _, t := range trials {
		v := t.point.key.Engine + " " + t.point.key.Version
		by[v] = append(by[v], t)
	}
	for v, ts := range by {
		if len(ts) < fewTrials/4 {
			continue
		}
		w, k := widthOf(ts, beyond), float64(len(ts))/float64(len(ts)+fewTrials)
		for i := range 2 {
			w.ITL[i] = k*w.ITL[i] + (1-k)*s.All.ITL[i]
			w.TTFT[i] = k*w.TTFT[i] + (1-k)*s.All.TTFT[i]
		}
		s.Versions[v] = w
	}
	return s
}

func widthOf(trials []Trial, beyond tails) Width {
	w := Width{N: len(trials)}
	var itl, ttft []scored
	for _, t := range trials {
		itl = append(itl, scored{-t.ITL / t.ITLSD, 1 / t.point.twins})
		ttft = append(ttft, scored{-t.TTFT / t.TTFTSD, 1 / t.point.twins})
	}
	w.ITL = [2]float64{quantile(itl, beyond.ITL), quantile(itl, 1-beyond.ITL)}
	w.TTFT = [2]float64{quantile(ttft, beyond.TTFT), quantile(ttft, 1-beyond.TTFT)}
	return w
}

// scored is a value and its weight.
type scored struct{ value, weight float64 }

// quantile is of weighted values, by the smallest value that so much lies at or below.
func quantile(v []scored, q float64) float64 {
	v = slices.Clone(v)
	slices.SortFunc(v, func(a, b scored) int { return cmp.Compare(a.value, b.value) })
	total := 0.0
	for _, s := range v {
		total += s.weight
	}
	sum := 0.0
	for _, s := range v {
		if sum += s.weight; sum >= q*total {
			return s.value
		}
	}
	return math.NaN()
}

// of is the width of a prediction.
func (b *Bars) of(k key, seen bool) Width {
	s := b.Unseen
	if seen {
		s = b.Seen
	}
	if w, ok := s.Versions[k.Engine+" "+k.Version]; ok {
		return w
	}
	return s.All
}

// widest reaches as far as either.
func (w Width) widest(o Width) Width {
	for _, q := range []struct{ own, other *[2]float64 }{{&w.ITL, &o.ITL}, {&w.TTFT, &o.TTFT}} {
		q.own[0], q.own[1] = min(q.own[0], q.other[0]), max(q.own[1], q.other[1])
	}
	return w
}
