// Package view shows a run while it goes on: a live panel on a terminal, plain
// lines elsewhere, one JSON object an event for programs, and metrics in
// Prometheus form for whoever watches from outside.
//
// It knows what happened so far. What a level came to is judged in package
// bench; what a finished run looks like is package report's. The figures of a
// level under way are of its latest answers and say so: they are for watching,
// not for the record.
//
//	v := view.All(view.NewLines(os.Stderr), view.NewMetrics())
//	run, err := bench.Run(hard, soft, opt, plan, v)
package view
