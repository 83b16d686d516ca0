package bench

import (
	"assay/internal/record"
	"assay/internal/saturate"
)

// curveLevel is the levels that held one load as one, and what was recorded of
// the repeat that stands for them.
type curveLevel struct {
	saturate.Merged
	recorded *Recorded
}

// mergeRepeats are the levels as the curve takes them. Of a level whose lines
// are not at hand nothing is recorded.
func mergeRepeats(recorded []Recorded, levels []record.Level) []curveLevel {
	var out []curveLevel
	for _, m := range saturate.Merge(levels) {
		c := curveLevel{Merged: m, recorded: &Recorded{}}
		if m.At < len(recorded) {
			c.recorded = &recorded[m.At]
		}
		out = append(out, c)
	}
	return out
}

func levelsOfCurve(curve []curveLevel) []record.Level {
	out := make([]record.Level, 0, len(curve))
	for _, c := range curve {
		out = append(out, c.Level)
	}
	return out
}

// repeatsOf says of each load that was held several times whether its levels
// agree.
func repeatsOf(recorded []Recorded, levels []record.Level) []record.Repeats {
	var order []string
	of := map[string][]saturate.Repeat{}
	for i := range levels {
		l := &levels[i]
		if l.Repeat == 0 {
			continue
		}
		r := saturate.Repeat{Level: *l}
		if i < len(recorded) {
			r.Completions = completions(credited(recorded[i].Requests, l.Load), l.Window)
			measured, _ := split(recorded[i].Requests)
			for _, q := range bySend(measured) {
				if q.OK() {
					r.TTFT = appendDefined(r.TTFT, q.TTFT)
				}
			}
		}
		key := l.Base()
		if of[key] == nil {
			order = append(order, key)
		}
		of[key] = append(of[key], r)
	}
	var out []record.Repeats
	for _, key := range order {
		out = append(out, saturate.Agree(of[key], of[key][0].Level.Load.Kind == record.ByRate))
	}
	return out
}
