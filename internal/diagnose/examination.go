package diagnose

import (
	"cmp"
	"fmt"
	"slices"

	"assay/internal/facts"
	"assay/internal/record"
	"assay/internal/saturate"
)

// examination is the case at hand: the levels by load, and the highest valid
// one, at which a limit shows most. Pointers are nil where nothing is known.
type examination struct {
	Evidence
	levels []record.Level // by load
	valid  []record.Level
	sat    *record.Saturation
	top    *record.Level  // highest valid
	below  *record.Level  // the next valid one of clearly less load, with an account of the engine
	server *record.Server // of top
	gpu    *record.GPU    // of top
	node   *record.Node   // of top
	curve  curve
	parts  parts
}

// clearlyMore is how many times the load must grow for a figure that stays the
// same to be a plateau.
const clearlyMore = 1.2

func examine(in Evidence) *examination {
	x := &examination{Evidence: in, levels: slices.Clone(in.Levels), sat: in.Saturation}
	slices.SortStableFunc(x.levels, func(a, b record.Level) int { return cmp.Compare(a.Load.Value, b.Load.Value) })
	for _, l := range x.levels {
		if l.Validity.Verdict == record.Valid || saturate.Overloaded(&l) {
			x.valid = append(x.valid, l)
		}
	}
	if n := len(x.valid); n > 0 {
		x.top = &x.valid[n-1]
		x.server, x.gpu, x.node = x.top.Server, x.top.GPU, x.top.Node
		for i := n - 2; i >= 0 && x.below == nil; i-- {
			if x.valid[i].Server != nil && x.valid[i].Load.Value*clearlyMore <= x.top.Load.Value {
				x.below = &x.valid[i]
			}
		}
		x.parts = partsOf(x.top)
	}
	if x.Chip == nil {
		x.Chip = reported(x.levels)
	}
	x.curve = curveOf(x.valid)
	return x
}

// reported is the chip that an exporter names; nil where none does, or it is not
// known.
func reported(levels []record.Level) *facts.Chip {
	for _, l := range levels {
		if l.GPU == nil {
			continue
		}
		if c, ok := facts.ChipReported(l.GPU.Model); ok {
			return &c
		}
	}
	return nil
}

// at is the value of a threshold.
func (x *examination) at(name string) float64 {
	t, ok := x.Thresholds.Lookup(name)
	if !ok {
		panic("diagnose: no threshold is named " + name)
	}
	return t.Value
}

func (x *examination) saturated() bool { return x.sat != nil && x.sat.Saturated }

// queue says whether requests wait at the top level; known is false when the
// engine does not say.
func (x *examination) queue() (waiting, known bool) {
	if x.server == nil || x.server.WaitingShare == nil {
		return false, false
	}
	return *x.server.WaitingShare >= x.at(queueShare), true
}

// tp is how many GPUs share a replica's layers, 0 when not known.
func (x *examination) tp() int {
	switch {
	case x.Platform.TP != nil:
		return *x.Platform.TP
	case x.gpu != nil && x.gpu.Count == 1:
		return 1
	}
	return 0
}

// fact is what the engine said of the top level.
func (x *examination) fact(text, metric string, value *float64, unit string) record.Evidence {
	return record.Evidence{Fact: text, Metric: metric, Value: value, Unit: unit, Source: "level " + x.top.ID + ", engine /metrics"}
}

func (x *examination) gpuFact(text, metric string, value *float64, unit string) record.Evidence {
	return record.Evidence{Fact: text, Metric: metric, Value: value, Unit: unit, Source: "level " + x.top.ID + ", " + cmp.Or(x.gpu.Source, "dcgm")}
}

func (x *examination) nodeFact(text, metric string, value *float64, unit string) record.Evidence {
	return record.Evidence{Fact: text, Metric: metric, Value: value, Unit: unit, Source: "level " + x.top.ID + ", node"}
}

// clientFact is what the client measured at the top level.
func (x *examination) clientFact(text, metric string, value float64, unit string) record.Evidence {
	return record.Evidence{Fact: text, Metric: metric, Value: &value, Unit: unit, Source: "level " + x.top.ID}
}

func (x *examination) queueFact() record.Evidence {
	return x.fact(fmt.Sprintf("requests waited in %.0f %% of the samples", 100**x.server.WaitingShare),
		"waiting_share", x.server.WaitingShare, "share")
}

func fraction(v *float64) string { return percent(*v) }

func percent(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) }

// atMost is a largest share in words: a little is not nothing.
func atMost(v float64) string {
	if v > 0 && v < 0.01 {
		return "less than 1 % in use"
	}
	return percent(v) + " in use at most"
}

// ratio is a of b, false where either is not known or b is 0.
func ratio(a, b *float64) (float64, bool) {
	if a == nil || b == nil || *b <= 0 {
		return 0, false
	}
	return *a / *b, true
}
