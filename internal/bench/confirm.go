package bench

import (
	"cmp"
	"slices"
	"time"

	"assay/internal/load"
	"assay/internal/record"
	"assay/internal/saturate"
	"assay/internal/spec"
)

// confirmable reports a scenario whose knee an open loop can test.
func confirmable(s spec.Scenario) bool {
	return s.LooksForKnee() && len(s.Concurrency) > 0 && s.ConfirmKnee != spec.Never
}

// confirmName is the scenario under which a knee's open-loop levels stand.
func confirmName(s spec.Scenario) string { return s.Name + "-confirm" }

// confirmLevel is an open loop of the scenario's requests at a rate, for so long.
func confirmLevel(s spec.Scenario, rate float64, length time.Duration) PlannedLevel {
	out := s
	out.Name, out.Description = confirmName(s), "Open loop below the knee of "+s.Name
	out.Concurrency, out.RequestRate, out.Arrival = nil, []float64{rate}, load.Poisson
	out.NumRequests, out.Exact, out.Duration, out.Warmup, out.Repeat = 0, false, length, 0, 0
	// The length is ours, not the user's.
	out.StopOversaturated = cmp.Or(s.StopOversaturated, spec.Always)
	if s.StopOversaturated == spec.Auto {
		out.StopOversaturated = spec.Always
	}
	l := newLevel(out, record.ByRate, rate)
	l.Pass = record.PassConfirm
	return l
}

// confirm holds open loops below the knee of a closed loop. A closed loop's
// clients wait for the server and cannot overrun it; a service's do not wait.
func (s *session) confirm(like PlannedLevel, total int) error {
	sc := like.Scenario
	if !confirmable(sc) {
		return nil
	}
	sat := s.saturation()
	if sat == nil || sat.Scenario != sc.Name || sat.Knee == nil || sat.KneeRate == nil || *sat.KneeRate <= 0 {
		return nil
	}
	lowest := saturate.ConfirmShares[0] * *sat.KneeRate
	wanted, least := saturate.ConfirmLength(lowest, saturate.KneeLatency(*sat))
	if s.opt.confirmFor > 0 {
		wanted = s.opt.confirmFor.Seconds()
	} else if sc.ConfirmKnee != spec.Always {
		wanted = min(wanted, s.longest(sc.Name))
		if s.target.embedded != nil {
			wanted = min(wanted, embeddedConfirm.Seconds())
		}
		if wanted < least {
			s.note("the knee is not confirmed by an open loop: levels of %.0f s would tell, and none was as long (--confirm-knee always)", least)
			return nil
		}
	}
	for i, share := range saturate.ConfirmShares {
		if s.interrupted() {
			return nil
		}
		l := confirmLevel(sc, share**sat.KneeRate, time.Duration(wanted*float64(time.Second)))
		if _, err := s.level(l, total+i+1, total+len(saturate.ConfirmShares)); err != nil {
			return err
		}
	}
	return nil
}

// longest is how long the longest level of a scenario sent requests, seconds.
func (s *session) longest(scenario string) float64 {
	out := 0.0
	for _, l := range s.run.Levels {
		if l.Scenario == scenario {
			out = max(out, float64(l.Window.EndUS-l.Window.StartUS)/1e6)
		}
	}
	return out
}

// addConfirmation judges the levels that test a knee.
func addConfirmation(s *record.Saturation, levels []record.Level) {
	if s == nil || s.KneeRate == nil || *s.KneeRate <= 0 {
		return
	}
	own := slices.DeleteFunc(slices.Clone(levels), func(l record.Level) bool {
		return l.Pass != record.PassConfirm || l.Scenario != confirmName(spec.Scenario{Name: s.Scenario})
	})
	s.Confirmation = saturate.Confirm(own, *s.KneeRate)
	if said := saturate.Confirmed(s.Confirmation); said != "" {
		s.Remarks = append(s.Remarks, said)
	}
}
