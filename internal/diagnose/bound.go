package diagnose

import (
	"cmp"
	"fmt"
	"slices"

	"assay/internal/record"
	"assay/internal/saturate"
)

// any order, valid or not; Saturation is nil when they are too few for one.
// maxEvidence is how many facts a verdict shows.
const maxEvidence = 3

// Bound says what limits the service.
func Bound(in Evidence) record.Bound {
	c := examine(in)
	for _, ask := range []func() (record.Bound, bool){
		c.client, c.cold, c.failing, c.notSaturated, c.kvCache, c.admission, c.tokenBudget,
	} {
		if b, ok := ask(); ok {
			return finish(b)
		}
	}
	return finish(c.unknown())
}

// finish cuts to the strongest facts, which stand first, and leaves no nulls.
func finish(b record.Bound) record.Bound {
	b.Evidence = b.Evidence[:min(len(b.Evidence), maxEvidence)]
	b.Evidence = append([]record.Evidence{}, b.Evidence...)
	b.Against = append([]record.Evidence{}, b.Against...)
	b.Missing = append([]string{}, b.Missing...)
	return b
}

// examination is the case at hand: the levels by load, and the highest valid one, at
// which a limit shows most.
type examination struct {
	levels []record.Level // by load
	valid  []record.Level
	sat    *record.Saturation
	top    *record.Level  // highest valid; nil: none
	below  *record.Level  // the next valid one with an account of the engine
	server *record.Server // of top; nil: out of reach

	service    bool
	thresholds Thresholds
}

// at is the value of a threshold.
func (c *examination) at(name string) float64 {
	t, _ := c.thresholds.Lookup(name)
	return t.Value
}

func examine(in Evidence) *examination {
	c := &examination{levels: slices.Clone(in.Levels), sat: in.Saturation, service: in.Service, thresholds: in.Thresholds}
	slices.SortStableFunc(c.levels, func(a, b record.Level) int { return cmp.Compare(a.Load.Value, b.Load.Value) })
	for _, l := range c.levels {
		if l.Validity.Verdict == record.Valid || saturate.Overloaded(&l) {
			c.valid = append(c.valid, l)
		}
	}
	if n := len(c.valid); n > 0 {
		c.top = &c.valid[n-1]
		c.server = c.top.Server
		for i := n - 2; i >= 0 && c.below == nil; i-- {
			if c.valid[i].Server != nil {
				c.below = &c.valid[i]
			}
		}
	}
	return c
}

func (c *examination) saturated() bool { return c.sat != nil && c.sat.Saturated }

// queue says whether requests wait at the top level; known is false when the
// engine does not say.
func (c *examination) queue() (waiting, known bool) {
	if c.server == nil || c.server.WaitingShare == nil {
		return false, false
	}
	return *c.server.WaitingShare >= c.at(queueShare), true
}

func (c *examination) source() string { return "level " + c.top.ID + ", engine /metrics" }

// fact is a measured value of the top level.
func (c *examination) fact(text, metric string, value *float64, unit string) record.Evidence {
	return record.Evidence{Fact: text, Metric: metric, Value: value, Unit: unit, Source: c.source()}
}

func (c *examination) queueFact() record.Evidence {
	return c.fact(fmt.Sprintf("requests waited in %.0f %% of the samples", 100**c.server.WaitingShare),
		"waiting_share", c.server.WaitingShare, "share")
}

func fraction(v *float64) string { return fmt.Sprintf("%.0f %%", 100**v) }
