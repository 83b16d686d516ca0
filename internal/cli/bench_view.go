package cli

import (
	"assay/internal/bench"
	"assay/internal/view"
)

// watching is how a run is shown while it goes on.
type watching struct {
	view   bench.View
	events *view.JSONL // nil: not asked for
	close  func()
}

// watch picks the views: a live panel on a terminal and plain lines elsewhere on
// stderr, events on stdout and metrics where they are asked for.
func (f *benchFlags) watch(env *Env) (watching, error) {
	var w watching
	views, closers := []bench.View{}, []func(){}
	if f.output == "jsonl" {
		w.events = view.NewJSONL(env.Stdout)
		views = append(views, w.events)
	}
	var at string
	if f.serveMetrics != "" {
		m := view.NewMetrics()
		url, err := m.Listen(f.serveMetrics)
		if err != nil {
			return w, err
		}
		at = url
		views, closers = append(views, m), append(closers, m.Close)
	}
	if env.StderrWidth > 0 && env.Getenv("TERM") != "dumb" {
		s := view.NewScreen(env.Stderr, env.StderrWidth, env.StderrHeight, env.color(env.StderrWidth))
		views, closers = append(views, s), append(closers, s.Close)
	} else {
		views = append(views, view.NewLines(env.Stderr))
	}
	w.view = view.All(views...)
	w.close = func() {
		for _, c := range closers {
			c()
		}
	}
	if at != "" {
		w.view.Note("metrics of this run: " + at)
	}
	return w, nil
}
