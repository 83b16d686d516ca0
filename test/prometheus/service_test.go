package prometheus

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/internal/engine"
	"assay/internal/engine/httpd"
	"assay/internal/record"
	"assay/internal/survey"
	"assay/internal/telemetry"
)

// TestServiceIsDiagnosedFromWhatIsRecorded asks a Prometheus of two replicas, one
// of which has its batch capped and is scraped by two jobs.
func TestServiceIsDiagnosedFromWhatIsRecorded(t *testing.T) {
	t.Parallel()
	busy, idle := capped(t), serve(t)
	targets := simTargets(busy)
	again, other := targets[0], targets[0]
	again.job = "pods"
	other.job, other.url, other.labels = "others", idle.URL()+"/metrics", map[string]string{"namespace": "default", "pod": "assay-sim-1"}
	prom := start(t, append(targets, again, other))
	opt := survey.Options{
		Prometheus: &telemetry.Prometheus{URL: prom.url}, Window: 40 * time.Second, Namespace: "default",
		Cluster: survey.Cluster{Off: true},
	}
	var last *survey.Result
	t.Cleanup(func() {
		if t.Failed() && last != nil {
			t.Logf("%+v\nremarks %q", last.Instances, last.Remarks)
		}
	})
	within(t, "the cap as what binds, and two samples of the idle replica", func() bool {
		r, err := survey.Look(t.Context(), opt)
		if err != nil {
			return false // nothing was scraped yet
		}
		last = r
		return r.Bound.Verdict == record.BoundAdmission && len(r.Instances) == 2 && r.Instances[0].GPU != nil &&
			r.Instances[1].Bound.Verdict != record.BoundUnknown
	})
	first, second := last.Instances[0], last.Instances[1]
	if first.Name != "assay-sim-0" || second.Name != "assay-sim-1" || second.Bound.Verdict != record.BoundNotSaturated {
		t.Errorf("%s is %s, %s is %s", first.Name, first.Bound.Verdict, second.Name, second.Bound.Verdict)
	}
	if first.GPU.Count != 1 || second.GPU != nil {
		t.Errorf("GPUs %+v and %+v: those attributed to assay-sim-0 are its own", first.GPU, second.GPU)
	}
	if s := first.Server; s == nil || s.RunningMax == nil || *s.RunningMax > 2 || s.Changed != "" {
		t.Errorf("%+v: two jobs that scrape a replica count once", s)
	}
	if !strings.Contains(strings.Join(last.Remarks, "\n"), "1 of 2 replicas are scraped by more than one job") {
		t.Errorf("remarks %q", last.Remarks)
	}
}

// capped is an engine that takes two requests at once and is asked for eight.
func capped(t *testing.T) *httpd.Server {
	t.Helper()
	cfg, err := engine.Preset("H100", "llama-3.1-8b")
	if err != nil {
		t.Fatal(err)
	}
	cfg.MaxNumSeqs = 2
	s, err := httpd.Start(cfg, httpd.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for ctx.Err() == nil {
				_ = complete(ctx, s, "a short prompt", 64) // the last ones are cut off
			}
		})
	}
	t.Cleanup(func() {
		stop()
		clients.Wait()
		_ = s.Shutdown(ctx) // at once, which it calls an error
	})
	return s
}
