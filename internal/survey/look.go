package survey

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"assay/internal/diagnose"
	"assay/internal/record"
	"assay/internal/telemetry"
)

// Look watches a service, or asks what was recorded of it, and says what binds
// it. Where ctx ends while it watches, what was seen until then is judged and
// Result.Interrupted is set. The error is a UsageError, wraps ErrUnreachable, or
// is the Prometheus server's.
func Look(ctx context.Context, opt Options) (*Result, error) {
	r := &Result{Source: FromScrapes}
	remark := func(s string) {
		if !slices.Contains(r.Remarks, s) {
			r.Remarks = append(r.Remarks, s)
		}
	}
	var all []seen
	var err error
	if opt.Prometheus != nil {
		r.Source = FromPrometheus
		all, err = recorded(ctx, opt, remark)
	} else {
		all, err = scrapeAll(ctx, opt)
	}
	if err != nil {
		return nil, err
	}
	r.Interrupted = ctx.Err() != nil
	incidents := opt.Cluster.ask(ctx, namespaceOf(opt, all), opt.window(), remark)
	if err := reachable(all, r); err != nil {
		return nil, explained(err, incidents)
	}
	for _, s := range all {
		for _, m := range s.remarks {
			remark(m)
		}
		r.Instances = append(r.Instances, instanceOf(s, opt, incidents))
	}
	for _, i := range incidents {
		r.Incidents = append(r.Incidents, Incident(i))
	}
	r.extent(all)
	r.Differences = apart(r.Instances)
	r.Bound = together(r.Instances)
	return r, nil
}

// reachable says why nothing could be read, where that is so.
func reachable(all []seen, r *Result) error {
	if r.Source == FromPrometheus {
		if len(all) == 0 && !r.Interrupted {
			return fmt.Errorf("%w: the Prometheus server has none of an engine's metrics in that window: see that it scrapes the service (up), and that -n and --selector name it", ErrUnreachable)
		}
		return nil
	}
	var errs []error
	for _, s := range all {
		switch {
		case s.failed != "":
			errs = append(errs, errors.New(s.failed))
		case len(s.snapshots) > 0:
			return nil
		}
	}
	if r.Interrupted {
		return context.Canceled
	}
	return fmt.Errorf("%w: %w", ErrUnreachable, errors.Join(errs...))
}

// instanceOf judges one replica by itself.
func instanceOf(s seen, opt Options, incidents []diagnose.Incident) Instance {
	i := Instance{Name: s.name, Labels: s.labels, Failed: s.failed, Spans: []Span{}}
	i.Model = s.labels["model"]
	parts, restarts := segments(s.snapshots)
	i.Restarts = restarts
	i.levels = levelsOf(s.name, parts, s.beside)
	for _, l := range i.levels {
		i.Spans = append(i.Spans, spanOf(l))
	}
	i.whole(parts, s.beside)
	i.Bound = judge(i, opt, incidents)
	return i
}

// whole is the account of the longest part of the window without a restart.
func (i *Instance) whole(parts [][]telemetry.Snapshot, beside exporters) {
	if len(parts) == 0 {
		return
	}
	longest := slices.MaxFunc(parts, func(a, b []telemetry.Snapshot) int { return cmp.Compare(spanTime(a), spanTime(b)) })
	i.Engine = longest[0].Engine
	account := telemetry.Fold(longest)
	i.Server = &account
	i.Load = loadOf(longest)
	i.start, i.seconds = longest[0].At, spanTime(longest).Seconds()
	last := parts[len(parts)-1]
	if all := last[len(last)-1].At.Sub(parts[0][0].At).Seconds(); all > 0 {
		i.ofSeen = i.seconds / all
	}
	i.errors = errorsIn(longest)
	i.Tails = tailsIn(longest)
	i.Model = cmp.Or(i.Model, modelIn(longest[0]))
	i.GPU, i.Node = beside.accounts(longest[0].At, longest[len(longest)-1].At)
}

func spanTime(span []telemetry.Snapshot) time.Duration {
	return span[len(span)-1].At.Sub(span[0].At)
}

// extent is the time from the first sample to the last, over all replicas.
func (r *Result) extent(all []seen) {
	for _, s := range all {
		for _, one := range s.snapshots {
			if r.From.IsZero() || one.At.Before(r.From) {
				r.From = one.At
			}
			if one.At.After(r.To) {
				r.To = one.At
			}
		}
	}
	r.WindowS = r.To.Sub(r.From).Seconds()
}

// judge asks diagnose what binds one replica. A GPU that is broken is so without
// traffic too, and a server that is killed again and again may leave no samples.
func judge(i Instance, opt Options, incidents []diagnose.Incident) record.Bound {
	b := diagnose.Bound(evidence(i, opt, incidents))
	broken, cold := b.Verdict == record.BoundFault, b.Verdict == record.BoundCold
	switch {
	case broken:
	case i.Failed != "" && !cold:
		return unknown("the replica's metrics: " + i.Failed)
	case i.Failed == "" && len(i.levels) == 0 && !cold:
		return unknown("two samples of the engine's running requests without a restart between them")
	case len(i.levels) > 0 && !slices.ContainsFunc(i.levels, func(l record.Level) bool { return !idle(l) }):
		return noTraffic(i)
	}
	return b
}

func unknown(missing string) record.Bound {
	return record.Bound{Verdict: record.BoundUnknown, Evidence: []record.Evidence{}, Against: []record.Evidence{}, Missing: []string{missing}}
}

// noTraffic: nothing ran, so nothing was limited.
func noTraffic(i Instance) record.Bound {
	zero := 0.0
	return record.Bound{Verdict: record.BoundNotSaturated, Confidence: 0.9,
		Evidence: []record.Evidence{{Fact: "no traffic in the window", Metric: "running + waiting", Value: &zero, Unit: "requests", Source: i.Name + ", engine /metrics"}},
		Against:  []record.Evidence{}, Missing: []string{},
		Next: "look again while it serves, or measure it with `assay bench saturation --target URL`"}
}
