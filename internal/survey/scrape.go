package survey

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"assay/internal/telemetry"
)

// seen is what was read of one replica.
type seen struct {
	name      string
	labels    map[string]string
	snapshots []telemetry.Snapshot
	beside    exporters
	failed    string // why nothing could be read
	remarks   []string
}

// exporterInterval is how often exporters are read at most: dcgm-exporter
// collects every 30 s by default, and cAdvisor every 10 to 15.
const exporterInterval = 5 * time.Second

// scrapeAll watches the replicas side by side. A replica whose URL answers from
// several processes is an error: what they say cannot be subtracted.
func scrapeAll(ctx context.Context, opt Options) ([]seen, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	all := make([]seen, len(opt.Replicas))
	errs := make([]error, len(opt.Replicas))
	var running sync.WaitGroup
	for i, r := range opt.Replicas {
		running.Go(func() {
			if all[i], errs[i] = scrapeOne(ctx, r, opt); errs[i] != nil {
				cancel()
			}
		})
	}
	running.Wait()
	return all, errors.Join(errs...)
}

func scrapeOne(ctx context.Context, r Endpoint, opt Options) (seen, error) {
	s := seen{name: r.name(), labels: map[string]string{}}
	span, interval := opt.pace()
	beside := max(interval, min(exporterInterval, span/fewestScrapes))
	var running sync.WaitGroup
	var gpuFailed, nodeFailed error
	running.Go(func() { s.beside.gpu, gpuFailed = followAll(ctx, r.DCGM, span, beside) })
	running.Go(func() { s.beside.node, nodeFailed = followAll(ctx, r.Node, span, beside) })

	var failed, alternating error
	failures := 0
	follow(ctx, []Place{r.Metrics}, span, interval, func(one telemetry.Snapshot, err error) bool {
		if err != nil {
			failures++
			failed = err
			return true
		}
		s.snapshots = append(s.snapshots, one)
		alternating = refuseAlternating(r.Metrics, s.snapshots)
		return alternating == nil
	})
	running.Wait()
	for _, err := range []error{gpuFailed, nodeFailed} {
		if err != nil {
			s.remarks = append(s.remarks, err.Error())
		}
	}
	switch {
	case alternating != nil:
		return s, alternating
	case len(s.snapshots) == 0 && failed != nil:
		s.failed = failed.Error() + r.Metrics.wayOut(ctx, failed)
	case allEmpty(s.snapshots) && ctx.Err() == nil:
		s.failed = r.Metrics.Shown + ": none of an engine's metrics is there; give the URL of the engine's own metrics, such as http://host:8000/metrics" + r.Metrics.wayOut(ctx, nil)
	case failures > 0:
		s.remarks = append(s.remarks, fmt.Sprintf("%s: %d of %d scrapes failed, the last one so: %v", s.name, failures, failures+len(s.snapshots), failed))
	}
	return s, nil
}

// wayOut says what makes the engine publish metrics, where it answers and says what
// it is; err is why there are none, nil where the answer held none.
func (p Place) wayOut(ctx context.Context, err error) string {
	_, answered := errors.AsType[telemetry.StatusError](err)
	if err != nil && !answered || p.Engine == nil {
		return ""
	}
	engine := p.Engine(ctx)
	if engine == "" {
		return ""
	}
	return "; " + telemetry.WhyNoneOf(engine, err)
}

// name is where a replica is, as short as it can be said.
func (r Endpoint) name() string {
	_, s, _ := strings.Cut(r.Metrics.Shown, "://")
	return strings.TrimSuffix(s, "/metrics")
}

// pace is how long to look, and how often.
func (o Options) pace() (span, interval time.Duration) {
	span, interval = o.For, o.Interval
	if span <= 0 {
		span = DefaultFor
	}
	if interval <= 0 {
		interval = DefaultInterval
	}
	return span, max(min(interval, span/fewestScrapes), span/mostScrapes, 10*time.Millisecond)
}

// window is how far back to look.
func (o Options) window() time.Duration {
	if o.Window <= 0 {
		return DefaultWindow
	}
	return o.Window
}

// followAll keeps what some exporters say together; its error is why they said
// nothing.
func followAll(ctx context.Context, places []Place, span, interval time.Duration) ([]telemetry.Snapshot, error) {
	var all []telemetry.Snapshot
	var failed error
	if len(places) == 0 {
		return nil, nil
	}
	follow(ctx, places, span, interval, func(one telemetry.Snapshot, err error) bool {
		if err != nil {
			failed = err
			return true
		}
		all = append(all, one)
		return true
	})
	if len(all) > 0 {
		return all, nil
	}
	return nil, failed
}

// follow reads places together until the span is over, once more then, or until
// ctx ends or each has seen enough.
func follow(ctx context.Context, places []Place, span, interval time.Duration, each func(telemetry.Snapshot, error) bool) {
	end := time.NewTimer(span)
	defer end.Stop()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for over := false; ; {
		s, err := scrape(ctx, places)
		if ctx.Err() != nil || !each(s, err) || over {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-end.C:
			over = true
		case <-tick.C:
			select { // a slow scrape may have left both due
			case <-end.C:
				over = true
			default:
			}
		}
	}
}

// scrape reads places one after the other, as one.
func scrape(ctx context.Context, places []Place) (telemetry.Snapshot, error) {
	if len(places) == 1 {
		s, err := telemetry.Scrape(ctx, places[0].URL, places[0].Client)
		return s, place(places[0], err)
	}
	values := map[string]float64{}
	for _, p := range places {
		s, err := telemetry.Scrape(ctx, p.URL, p.Client)
		if err != nil {
			return s, place(p, err)
		}
		maps.Copy(values, s.Values())
	}
	return telemetry.FromValues(time.Now(), values)
}

func place(p Place, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", p.Shown, err)
}

func allEmpty(snapshots []telemetry.Snapshot) bool {
	for _, s := range snapshots {
		if !s.Empty() {
			return false
		}
	}
	return true
}
