package plan

import (
	"errors"

	"assay/internal/calibrate"
	"assay/internal/memory"
)

// openCalibration reads what was measured, and holds it against the model.
func (p *planner) openCalibration(r Request) error {
	if r.Calibrate == "" {
		return nil
	}
	if len(p.others) > 0 {
		return wrongf("give the model that was measured to --model", "--calibrate: a count such as %s has no architecture of which anything was measured", r.Model)
	}
	c, err := calibrate.Read(r.Calibrate)
	if err != nil {
		return err
	}
	var on *calibrate.Platform
	if len(p.asked.Instances) == 1 {
		i := p.instances[0]
		if chip, ok := i.Chip(); ok {
			on = &calibrate.Platform{Instance: i.Name, Chip: chip, Count: i.Count, TP: i.Count, PP: 1}
		}
	}
	if p.measured, err = c.For(p.arch, p.format, on); err != nil {
		return err
	}
	p.asked.CalibratedBy = r.Calibrate
	p.remarks = append(p.remarks, p.measured.Remarks...)
	return nil
}

// account is memory's, with what a log measured in place of estimates.
func (p *planner) account(c memory.Config) (a memory.Account, measured bool, err error) {
	if p.measured != nil {
		return p.measured.Memory(c)
	}
	a, err = memory.Of(c)
	return a, false, err
}

// refutes says whether an error is of the calibration itself: of another model, or of
// no hardware. It ends the plan; the first one is told.
func refutes(err error) bool {
	var other *calibrate.MismatchError
	var beats *calibrate.RooflineError
	return errors.As(err, &other) || errors.As(err, &beats)
}

// calibrated says what of an option was measured.
func (p *planner) calibrated(s sized) []string {
	var out []string
	if p.accounts[placed{s.chip.Name, s.layout}].measured {
		out = append(out, "memory")
	}
	if p.measured != nil && p.measured.Carries(p.system(p.arch, s.candidate)) != calibrate.Nothing {
		name := "latency"
		if p.measured.Simulated {
			name = "latency (of the simulated engine)"
		}
		out = append(out, name)
	}
	return out
}
