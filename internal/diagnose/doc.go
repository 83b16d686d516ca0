// Package diagnose says which resource limits a service, from what a run
// recorded: the levels with the engine's own account of each, and their
// saturation.
//
// It is pure. It gates first (was the server measured, or the client?), then
// asks whether anything binds at all, and only then what. A metric that is
// missing makes a verdict weaker or unknown; it is never taken for 0. Each
// verdict names the change to make and the measurement that would refute it.
//
//	bound := diagnose.Bound(diagnose.Evidence{Levels: run.Levels, Saturation: run.Saturation})
package diagnose
