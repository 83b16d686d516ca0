package bench

import (
	"slices"

	"assay/internal/record"
	"assay/internal/saturate"
)

// Exit codes of a run, in the order in which one takes precedence over another:
// 130, 3, 4, 1, 0.
const (
	exitInterrupted = 130
	exitImpossible  = 3
	exitNotValid    = 4
	exitSLOMissed   = 1
)

// ExitCode is what a finished run means to a script.
func ExitCode(run *record.Run) int {
	succeeded := func(l record.Level) bool { return l.Requests.Completed > 0 }
	notValid := func(l record.Level) bool {
		// That a server falls behind at the top of a curve is what the curve is for.
		expected := run.Saturation != nil && l.Scenario == run.Saturation.Scenario && saturate.Overloaded(&l)
		return l.Validity.Verdict != record.Valid && !expected && l.Pass != record.PassConfirm && l.Pass != record.PassTrial
	}
	disagree := func(r record.Repeats) bool { return r.Verdict == record.Unstable }
	switch {
	case run.Interrupted:
		return exitInterrupted
	case !slices.ContainsFunc(run.Levels, succeeded):
		return exitImpossible
	case slices.ContainsFunc(run.Levels, notValid), slices.ContainsFunc(run.Repeats, disagree), refuted(run.Saturation):
		return exitNotValid
	case run.SLO.Given && run.SLO.Met != nil && !*run.SLO.Met:
		return exitSLOMissed
	}
	return 0
}

// refuted reports a knee of which an open loop does not hold even the share that
// the operating point takes.
func refuted(s *record.Saturation) bool {
	return s != nil && slices.ContainsFunc(s.Confirmation, func(c record.Confirmation) bool {
		return c.Share == saturate.ConfirmShares[0] && c.Held != nil && !*c.Held
	})
}
