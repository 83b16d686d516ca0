// Package hostile is a suite of servers that misbehave, one for each way that
// was met in the field or in the issues of other benchmarks, or that can be
// thought of. Each is a behaviour with the classification that it must get.
// Its test asks, for all of them: the right kind, no success that is a failure,
// an end within the time limits, bounded memory, and no goroutine left.
//
// How single answers are read is tested in package wire; this is the list of
// what a run must survive.
package hostile
