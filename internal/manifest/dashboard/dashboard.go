package dashboard

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Dashboard is one Grafana dashboard, to be imported or provisioned.
type Dashboard struct {
	Name  string // its uid, and a file name without .json
	Title string
	JSON  []byte
}

// Options are what a service is held to. Zero values stand for the defaults.
type Options struct {
	TTFT, ITL time.Duration // limits, at boundaries of vLLM's histograms; 500 ms and 50 ms
	Objective float64       // share of tokens that have to be within them; 0.99
	Levels    Levels        // DefaultLevels
	// OperatingPoint draws a measured run's operating point beside the load.
	OperatingPoint *OperatingPoint
}

// OperatingPoint is the load that one server was measured to carry within its SLO.
type OperatingPoint struct {
	Running float64 // requests at once, of one server
	Source  string  // which figure of which run it is
}

// Levels are where a figure becomes a judgement: those of the alerts.
type Levels struct {
	Warm, Hot             float64 // °C of a GPU
	KVFull                float64 // share of the KV cache
	Failing, Failed       float64 // share of requests answered with 5xx: a warning, a page
	Preempting, Thrashing float64 // preemptions a second: a warning, a page
	BusyFrontend          float64 // CPU cores of the process that serves /metrics: one event loop is at its end
	FastBurn              float64 // times the budget's even use at which a page is due
}

// DefaultLevels are in use where nothing else is given. 80 and 90 °C and 0.95 of
// the KV cache are those of the documents that Assay follows; preemptions are those
// of vLLM's own dashboards (tools/generate_grafana_dashboards.py, 2026); 14.4 is of
// Google's SRE workbook, chapter 5; failures and 0.9 cores are ours.
func DefaultLevels() Levels {
	return Levels{
		Warm: 80, Hot: 90, KVFull: 0.95,
		Failing: 0.01, Failed: 0.05,
		Preempting: 0.001, Thrashing: 1,
		BusyFrontend: 0.9, FastBurn: 14.4,
	}
}

// All makes the dashboards, the overview first. An error names the panels that
// ask for what nothing publishes, or the option that cannot be met.
func All(o Options) ([]Dashboard, error) {
	o, err := o.resolve()
	if err != nil {
		return nil, err
	}
	var (
		made []Dashboard
		errs []error
	)
	for _, b := range boards(o) {
		d, err := b.build()
		if err != nil {
			errs = append(errs, fmt.Errorf("dashboard %s: %w", b.name, err))
			continue
		}
		text, err := json.MarshalIndent(d, "", "  ")
		if err != nil {
			errs = append(errs, fmt.Errorf("dashboard %s: %w", b.name, err))
			continue
		}
		made = append(made, Dashboard{Name: b.name, Title: b.title, JSON: append(text, '\n')})
	}
	return made, errors.Join(errs...)
}

func boards(o Options) []board {
	return []board{overview(o), service(o), cache(o), gpus(o), objectives(o)}
}

// Metrics are the names of all that the dashboards read, as they are published,
// in order: what an exporter has to be told to publish is among them.
func Metrics() []string {
	o, err := Options{}.resolve()
	if err != nil {
		panic("dashboard: " + err.Error())
	}
	read := map[string]bool{}
	for _, b := range boards(o) {
		for _, q := range b.queries() {
			metrics, err := check(q.expr)
			if err != nil {
				panic("dashboard: " + err.Error())
			}
			for _, m := range metrics {
				read[m] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(read))
}

func (o Options) resolve() (Options, error) {
	if o.TTFT == 0 {
		o.TTFT = 500 * time.Millisecond
	}
	if o.ITL == 0 {
		o.ITL = 50 * time.Millisecond
	}
	if o.Objective == 0 {
		o.Objective = 0.99
	}
	if o.Levels == (Levels{}) {
		o.Levels = DefaultLevels()
	}
	var errs []error
	if _, err := TTFTBoundaries.Match(o.TTFT); err != nil {
		errs = append(errs, fmt.Errorf("TTFT: %w", err))
	}
	if _, err := ITLBoundaries.Match(o.ITL); err != nil {
		errs = append(errs, fmt.Errorf("ITL: %w", err))
	}
	if !(o.Objective > 0 && o.Objective < 1) {
		errs = append(errs, fmt.Errorf("an objective of %g: it is a share between 0 and 1, such as 0.99", o.Objective))
	}
	if p := o.OperatingPoint; p != nil && !(p.Running > 0) {
		errs = append(errs, fmt.Errorf("an operating point of %g requests: it has to be above 0", p.Running))
	}
	return o, errors.Join(errs...)
}
