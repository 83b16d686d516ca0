package manifest

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/internal/manifest/dashboard"
	"assay/internal/record"
	"assay/internal/saturate"
	"assay/internal/spec"
	"assay/internal/stats"
)

// A stall is so many times the longest time in which a healthy run gave no token,
// at least two minutes, in which even a Prometheus that scrapes each minute has the
// two samples of a rate, and at most a quarter of an hour. Ours.
const (
	stallFactor  = 5
	leastStall   = Seconds(120)
	longestStall = Seconds(900)
)

// Measured sets what a run knows, where the user did not set it: limits and
// objective from its SLO, the knee, the operating point, the longest gap between
// tokens, the KV cache. Each says which figure of which run it is. Remarks are on
// what the run could not say.
func (o Options) Measured(run *record.Run, name string) (Options, []string) {
	m := measured{Options: o, run: run, name: name, objectiveGiven: o.Objective != 0}
	if run.Target.Simulated {
		m.remark("%s measured the simulated engine: its levels are those of a model, not of your servers", name)
	}
	if !run.Complete {
		m.remark("%s was not finished: its levels rest on what was measured until then", name)
	}
	if met := run.SLO.Met; met != nil && !*met {
		m.remark("%s did not meet its SLO: alerts on it will fire at the load that was measured", name)
	}
	m.slo()
	m.load()
	m.stall()
	m.cache()
	return m.Options, m.remarks
}

// Declared sets the limits and the objective that a file's SLO declares, where the
// user did not set them by flags.
func (o Options) Declared(slo []spec.Criterion, file string) (Options, []string) {
	m := measured{Options: o, name: file, objectiveGiven: o.Objective != 0}
	for _, c := range slo {
		m.criterion(c.Metric, c.Percentile, c.Limit)
	}
	return m.Options, m.remarks
}

// measured is options that are being set from a run or a file, and what of it
// could not be used.
type measured struct {
	Options
	run     *record.Run
	name    string
	remarks []string

	objectiveGiven bool
}

func (m *measured) remark(format string, args ...any) {
	m.remarks = append(m.remarks, fmt.Sprintf(format, args...))
}

func (m *measured) slo() {
	for _, c := range m.run.SLO.Criteria {
		m.criterion(c.Metric, c.Percentile, c.Limit)
	}
}

// criterion takes one condition, its limit in milliseconds, where it is on what
// alerts count and the user has not set it.
func (m *measured) criterion(metric, percentile string, limit float64) {
	d := time.Duration(limit * float64(time.Millisecond))
	switch {
	case metric == "ttft" && m.TTFT == 0:
		m.TTFT = m.boundary("TTFT", dashboard.TTFTBoundaries, d)
	case metric == "itl" && m.ITL == 0:
		m.ITL = m.boundary("ITL", dashboard.ITLBoundaries, d)
	default:
		return
	}
	m.objective(metric, percentile)
}

// boundary is the limit, or the lowest boundary above it.
func (m *measured) boundary(what string, b dashboard.Boundaries, limit time.Duration) time.Duration {
	for _, v := range b {
		if at := time.Duration(math.Round(v * float64(time.Second))); at >= limit {
			if at != limit {
				m.remark("the SLO of %s has %s %s, which is no boundary of vLLM's histogram: the alerts count what is slower than %s", m.name, what, limit, at)
			}
			return at
		}
	}
	m.remark("the SLO of %s has %s %s, beyond vLLM's histogram: the default is used", m.name, what, limit)
	return 0
}

// objective is the share that the SLO's percentile asks for, the stricter of two.
func (m *measured) objective(metric, percentile string) {
	p, err := strconv.ParseFloat(strings.TrimPrefix(percentile, "p"), 64)
	if err != nil {
		m.remark("the SLO of %s is on the %s of %s, which is no share of requests: the objective is not taken from it", m.name, percentile, metric)
		return
	}
	if share := p / 100; !m.objectiveGiven && share > m.Objective {
		m.Objective = share
	}
}

// load is the knee and the operating point, for one server.
func (m *measured) load() {
	s := m.run.Saturation
	switch {
	case s == nil:
		m.remark("%s looked for no knee: no alert on load is written (assay bench saturation finds it)", m.name)
		return
	case s.Unit != record.ByConcurrency:
		m.remark("the knee of %s is a rate, and servers show requests in flight: no alert on load is written", m.name)
		return
	}
	if engines := m.engines(); engines > 1 {
		m.remark("%s had %d engines behind its target, and its knee is of all of them: give the knee of one with --knee", m.name, engines)
		return
	}
	switch {
	case m.Knee != 0:
	case s.Knee == nil:
		m.remark("%s did not reach a knee: no alert on it is written", m.name)
	default:
		m.Knee = s.Knee.High
		m.KneeFrom = fmt.Sprintf("knee of run %s, scenario %s: between %g and %g requests in flight, measured %s", m.name, s.Scenario, s.Knee.Low, s.Knee.High, m.run.Start.UTC().Format(time.DateOnly))
	}
	if m.engines() == 0 && (s.Knee != nil || s.OperatingPoint != nil) {
		m.remark("%s had no metrics of the engine: its loads are taken as those of one server; where several were behind its target, give the knee of one with --knee", m.name)
	}
	switch p := s.OperatingPoint; {
	case p == nil:
	case p.LimitedBy == saturate.LimitedByGrid:
		m.remark("%s met its SLO at its largest load, %.3g: that is no limit, and no alert on the operating point is written", m.name, p.Concurrency)
	default:
		m.OperatingPoint = p.Concurrency
		m.OperatingFrom = fmt.Sprintf("operating point of run %s, scenario %s: %.3g requests in flight, limited by %s, measured %s", m.name, s.Scenario, p.Concurrency, p.LimitedBy, m.run.Start.UTC().Format(time.DateOnly))
	}
}

// engines are how many were seen behind the target at once.
func (m *measured) engines() int {
	most := 0
	for _, l := range m.run.Levels {
		if l.Server != nil {
			most = max(most, l.Server.Engines)
		}
	}
	return most
}

// stall is set by the longest time without a token, of one request: before its
// first one, or between two.
func (m *measured) stall() {
	if m.Stall != 0 {
		return
	}
	longest, at := 0.0, ""
	for _, l := range m.run.Levels {
		for _, d := range []stats.Dist{l.TTFT, l.ICL} {
			if l.Validity.Verdict == record.Valid && d.Max != nil && *d.Max > longest {
				longest, at = *d.Max, l.ID
			}
		}
	}
	if at == "" {
		m.remark("%s has no valid level: the time after which an engine counts as stalled is the default", m.name)
		return
	}
	s := Seconds(30 * math.Ceil(stallFactor*longest/1000/30))
	m.Stall = min(max(s, leastStall), longestStall)
	m.StallFrom = fmt.Sprintf("%d times the longest time without a token in run %s, %.0f ms in level %s; at least %s and at most %s", stallFactor, m.name, longest, at, leastStall, longestStall)
}

func (m *measured) cache() {
	i := slices.IndexFunc(m.run.Levels, func(l record.Level) bool { return l.Server != nil && l.Server.KVTokens != nil })
	if i >= 0 {
		m.KVFrom = fmt.Sprintf("; full is %.0f tokens in run %s", *m.run.Levels[i].Server.KVTokens, m.name)
	}
}
