package bench

import (
	"slices"

	"assay/internal/record"
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
	notValid := func(l record.Level) bool { return l.Validity.Verdict != record.Valid }
	switch {
	case run.Interrupted:
		return exitInterrupted
	case !slices.ContainsFunc(run.Levels, succeeded):
		return exitImpossible
	case slices.ContainsFunc(run.Levels, notValid):
		return exitNotValid
	case run.SLO.Given && run.SLO.Met != nil && !*run.SLO.Met:
		return exitSLOMissed
	}
	return 0
}
