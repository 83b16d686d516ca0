// Package wire sends one streaming request over a real protocol and turns the
// bytes of the answer into timed events. Errors are data: a request never
// returns a Go error, its Outcome says what happened and of which kind.
//
// It knows protocols and streams. It does not know levels, schedules or
// statistics. Times are durations on the monotonic clock since the epoch that
// the caller gave.
package wire
