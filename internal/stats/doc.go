// Package stats folds samples into figures that can be defended: exact
// percentiles with the smallest sample that supports each, one-sided binomial
// bounds, bootstrap intervals, and tests for drift within a level.
//
// It knows nothing of requests, tokens or servers. Samples are float64 in
// whatever unit the caller holds; the result is in the same unit.
//
//	d := stats.Summarize(ttftMillis) // d.P99 is nil when n < 662
package stats
