package bench

import (
	"slices"

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
	b := diagnose.Bound(diagnose.Evidence{
		Levels: levels, Saturation: run.Saturation, Platform: run.Platform, Chip: chipOf(run.Platform, levels), Model: modelOf(run.Target.Model), Thresholds: set,
	})
	for _, l := range levels {
		if l.GPU != nil && l.GPU.Coarse != "" && !slices.Contains(b.Missing, l.GPU.Coarse) {
			b.Missing = append(b.Missing, l.GPU.Coarse)
		}
	}
	return b
}

// modelOf is the architecture that a served name stands for; nil where it is not
// one of those known, as one with quantised weights is not.
func modelOf(name string) *model.Arch {
	if m, err := model.Named(name); err == nil {
		return &m
	}
	return nil
}

// chipOf is the accelerator that the user named, or else the one that its
// exporter reports; nil where neither is known.
func chipOf(p record.Platform, levels []record.Level) *facts.Chip {
	if p.GPU != nil {
		if c, err := facts.ChipNamed(*p.GPU); err == nil {
			return &c
		}
	}
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
