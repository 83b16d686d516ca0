package bench

import (
	"assay/internal/diagnose"
	"assay/internal/facts"
	"assay/internal/model"
	"assay/internal/record"
)

// boundOf says what limits a run whose levels are those of the curve.
func boundOf(run *record.Run, thresholds map[string]float64) record.Bound {
	levels := diagnosed(run)
	var set diagnose.Thresholds
	_ = set.SetAll(thresholds) // those of another version that this one does not know are its defaults
	return diagnose.Bound(diagnose.Evidence{
		Levels: levels, Saturation: run.Saturation, Platform: run.Platform, Chip: chipOf(run.Platform), Model: model.Served(run.Target.Model), Thresholds: set,
	})
}

// chipOf is the accelerator that the user named; nil for none, and then it is the
// one that its exporter reports.
func chipOf(p record.Platform) *facts.Chip {
	if p.GPU == nil {
		return nil
	}
	c, err := facts.ChipNamed(*p.GPU)
	if err != nil {
		return nil
	}
	return &c
}
