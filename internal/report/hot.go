package report

import (
	"fmt"

	"assay/internal/diagnose"
	"assay/internal/record"
)

// hotWarnings say that figures are of a GPU whose clock was held back, where the
// verdict is another: a service that is not saturated is slower all the same.
func hotWarnings(run record.Run) []string {
	if run.Bound.Verdict == record.BoundThrottled {
		return nil
	}
	from, _ := diagnose.DefaultThresholds().Lookup("throttled-share")
	var hot, known int
	var worst *record.GPU
	by := "heat"
	for i := range run.Levels {
		g := run.Levels[i].GPU
		if g == nil || g.ThermalShare == nil && g.BrakeShare == nil {
			continue
		}
		known++
		thermal := g.ThermalShare != nil && *g.ThermalShare >= from.Value
		brake := g.BrakeShare != nil && *g.BrakeShare >= from.Value
		if !thermal && !brake {
			continue
		}
		hot++
		if !thermal {
			by = "the power brake"
		}
		if worst == nil || clockOf(g) < clockOf(worst) {
			worst = g
		}
	}
	if hot == 0 {
		return nil
	}
	s := fmt.Sprintf("%s held a GPU's clock back in %d of %s", by, hot, plural(known, "level"))
	if worst.SMClockMHz != nil && worst.SMClockMaxMHz != nil {
		s += fmt.Sprintf(", at worst at %s of %s MHz", num(*worst.SMClockMHz), num(*worst.SMClockMaxMHz))
	}
	return []string{sentence(s + ": these are not the figures of a healthy one")}
}

// clockOf is a GPU's clock as a share of its highest, 1 where not known.
func clockOf(g *record.GPU) float64 {
	if g.SMClockMHz == nil || g.SMClockMaxMHz == nil || *g.SMClockMaxMHz <= 0 {
		return 1
	}
	return *g.SMClockMHz / *g.SMClockMaxMHz
}
