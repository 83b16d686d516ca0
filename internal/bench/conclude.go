package bench

import (
	"cmp"
	"slices"

	"assay/internal/diagnose"
	"assay/internal/record"
	"assay/internal/saturate"
	"assay/internal/spec"
)

// Terms are what a run is judged by.
type Terms struct {
	SLO        []spec.Criterion
	Seed       uint64             // of the bootstrap
	Thresholds map[string]float64 // of the diagnosis, where they are not its defaults
}

// terms are those of a run under way.
func (s *session) terms() Terms {
	return Terms{SLO: s.opt.SLO, Seed: s.opt.Seed, Thresholds: s.plan.Options.Thresholds}
}

// Conclude judges a run over its levels: the knee and the operating point of
// the scenario that looks for them, what limits the service, the SLO, the cost.
// It is a pure function of what was recorded.
func Conclude(run *record.Run, recorded []Recorded, by Terms) {
	run.Repeats = repeatsOf(recorded, run.Levels)
	one := *run
	curve := mergeRepeats(recorded, run.Levels)
	one.Levels = withoutTrials(levelsOfCurve(curve))
	run.Saturation = saturationOf(curve, by.Seed)
	addConfirmation(run.Saturation, run.Levels)
	nameWork(run.Saturation, run.Levels)
	one.Saturation = run.Saturation
	price := 0.0
	if run.Cost != nil {
		price = run.Cost.PricePerHour
	}
	if s := run.Saturation; s != nil && s.OperatingPoint != nil {
		s.OperatingPoint.USDPerM = usdPerMillion(price, s.OperatingPoint.OutputTokensPerS)
	}
	run.Bound = tried(boundOf(&one, by.Thresholds), run.Levels)
	run.SLO = sloOf(&one, by.SLO)
}

// saturation is the present state of the curve, before the run has ended.
func (s *session) saturation() *record.Saturation {
	return saturationOf(mergeRepeats(s.recorded, s.run.Levels), s.opt.Seed)
}

// saturationOf analyses the first scenario that looks for the knee; nil without one.
func saturationOf(levels []curveLevel, seed uint64) *record.Saturation {
	for _, l := range levels {
		if s := l.recorded.Plan.Scenario; s.LooksForKnee() {
			curve, opt := curveOf(levels, s, seed)
			result := saturate.Analyse(curve, opt)
			return &result
		}
	}
	return nil
}

// next is the next level of a scenario worth measuring.
func (s *session) next(scenario spec.Scenario) (load float64, why string, ok bool) {
	curve, opt := curveOf(mergeRepeats(s.recorded, s.run.Levels), scenario, s.opt.Seed)
	opt.MaxRefine = s.plan.Refine
	return saturate.Next(curve, opt)
}

// curveOf is the levels of one scenario as package saturate takes them.
func curveOf(levels []curveLevel, scenario spec.Scenario, seed uint64) ([]saturate.Level, saturate.Options) {
	opt := saturate.Options{Scenario: scenario.Name, Unit: record.ByConcurrency, Seed: seed}
	if len(scenario.RequestRate) > 0 {
		opt.Unit = record.ByRate
	}
	var out []saturate.Level
	for _, m := range levels {
		l := m.Level
		if l.Scenario != scenario.Name {
			continue
		}
		p := saturate.Level{
			ID: l.ID, Load: l.Load.Value, Pass: l.Pass, Between: m.Between,
			RequestsPerS: l.Throughput.RequestsPerS, TokensPerS: work(&l), InFlight: l.Client.InFlight.Mean,
			WindowS: float64(l.Window.EndUS-l.Window.StartUS) / 1e6,
			Valid:   l.Validity.Verdict == record.Valid || saturate.Overloaded(&l), Criteria: judgedUnder(l),
		}
		if !p.Valid && len(l.Validity.Reasons) > 0 {
			p.Why = l.Validity.Verdict + ": " + l.Validity.Reasons[0]
		}
		p.Completions = completions(credited(m.recorded.Requests, l.Load), l.Window)
		if l.Load.Kind == record.ByRate {
			p.Load = offered(m.recorded.Requests, l)
		}
		out = append(out, p)
	}
	return out, opt
}

// judgedUnder are a level's criteria. Where the server did not keep up, one that
// is still met would be missed later.
func judgedUnder(l record.Level) []record.Criterion {
	out := slices.Clone(l.SLO)
	for i := range out {
		if saturate.Overloaded(&l) && out[i].Verdict == record.Met {
			out[i].Verdict = record.Undecided
		}
	}
	return out
}

// offered is the rate that the schedule really asked for within the window. The
// rate that random arrivals come to over a short level differs from the one
// asked for, and what is served follows the former.
func offered(requests []record.Request, l record.Level) float64 {
	n := 0.0
	for i := range requests {
		if at := requests[i].IntendedUS; at > l.Window.StartUS && at <= l.Window.EndUS {
			n++
		}
	}
	if seconds := float64(l.Window.EndUS-l.Window.StartUS) / 1e6; n > 0 && seconds > 0 {
		return n / seconds
	}
	return l.Load.Value
}

// completions are the requests that ended within the window.
func completions(counted []*record.Request, w record.Window) []saturate.Completion {
	var out []saturate.Completion
	for _, r := range counted {
		if !w.Ended(r) {
			continue
		}
		e2e, _ := r.E2E()
		out = append(out, saturate.Completion{
			EndS: float64(r.EndUS) / 1e6, LatencyS: e2e / 1000, Tokens: workOf(r),
		})
	}
	return out
}

// diagnosed are the levels that the bound is read from: those of the curve, or
// of a run without one all.
func diagnosed(run *record.Run) []record.Level {
	if run.Saturation == nil {
		return run.Levels
	}
	return slices.DeleteFunc(slices.Clone(run.Levels), func(l record.Level) bool { return l.Scenario != run.Saturation.Scenario })
}

// sloOf is the verdict over the run. In a scenario that looks for the knee it
// is met when an operating point exists; in one of fixed load when each level
// meets it.
func sloOf(run *record.Run, slo []spec.Criterion) record.SLO {
	out := record.SLO{Given: run.SLO.Given, Criteria: criteria(slo)}
	verdicts := []string{}
	if s := run.Saturation; s != nil {
		verdicts = append(verdicts, kneeSLO(run, s))
	}
	for _, l := range run.Levels {
		if l.Pass != record.PassConfirm && l.Pass != record.PassTrial && (run.Saturation == nil || l.Scenario != run.Saturation.Scenario) {
			verdicts = append(verdicts, trusted(l, levelSLO(l)))
		}
	}
	switch {
	case slices.Contains(verdicts, record.Missed):
		out.Met = new(bool)
	case len(verdicts) > 0 && !slices.Contains(verdicts, record.Undecided):
		met := true
		out.Met = &met
	}
	for i := range out.Criteria {
		out.Criteria[i] = judgedAt(run, out.Criteria[i])
		if out.Criteria[i].Verdict == record.Undecided && out.Met != nil && *out.Met {
			out.Met = nil
		}
	}
	return out
}

// kneeSLO is met with an operating point, missed when the lowest load misses
// already, and undecided otherwise.
func kneeSLO(run *record.Run, s *record.Saturation) string {
	if s.OperatingPoint != nil {
		return record.Met
	}
	for _, l := range byLoad(run.Levels, s.Scenario) {
		if v := trusted(l, levelSLO(l)); l.Validity.Verdict == record.Valid || v == record.Missed {
			return v
		}
	}
	return record.Undecided
}

func byLoad(levels []record.Level, scenario string) []record.Level {
	out := slices.DeleteFunc(slices.Clone(levels), func(l record.Level) bool { return l.Scenario != scenario })
	slices.SortStableFunc(out, func(a, b record.Level) int {
		return cmp.Compare(a.Load.Value, b.Load.Value)
	})
	return out
}

// judgedAt fills a condition from the level that the run's verdict rests on:
// the highest measured load up to the operating point, or where that is too
// short to decide a higher one that meets it; the lowest load when there is no
// operating point; without a curve the level that fares worst.
func judgedAt(run *record.Run, c record.Criterion) record.Criterion {
	var at *record.Criterion
	if s := run.Saturation; s != nil {
		for _, l := range byLoad(run.Levels, s.Scenario) {
			got := find(l, c)
			if l.Validity.Verdict != record.Valid && (got == nil || trusted(l, got.Verdict) != record.Missed) {
				continue
			}
			above := s.OperatingPoint == nil || l.Load.Value > loadOf(s)
			if at == nil || !above || s.OperatingPoint != nil && at.Verdict == record.Undecided && got != nil && got.Verdict == record.Met {
				at = got
			}
		}
	} else {
		for _, l := range run.Levels {
			got := find(l, c)
			if got == nil {
				continue
			}
			got.Verdict = trusted(l, got.Verdict)
			if at == nil || worse(*got, *at) {
				at = got
			}
		}
	}
	if at == nil {
		c.Verdict = record.Undecided
		return c
	}
	return *at
}

// loadOf is the operating point in the unit of the curve.
func loadOf(s *record.Saturation) float64 {
	if s.Unit == record.ByConcurrency {
		return s.OperatingPoint.Concurrency
	}
	return s.OperatingPoint.RequestsPerS
}

// trusted is what a level's verdict on the SLO is worth to the run. What the
// client spoiled can only have been better; a load that the server did not keep
// up with can only become worse; what else was not steady or not whole decides
// nothing.
func trusted(l record.Level, verdict string) string {
	switch {
	case l.Validity.Verdict == record.Valid:
		return verdict
	case l.Validity.Verdict == record.ClientLimited && verdict == record.Met:
		return verdict
	case saturate.Overloaded(&l) && verdict == record.Missed:
		return verdict
	}
	return record.Undecided
}

// find is a copy of the level's judgement on a condition; nil without one.
func find(l record.Level, c record.Criterion) *record.Criterion {
	for _, j := range l.SLO {
		if j.Metric == c.Metric && j.Percentile == c.Percentile {
			return &j
		}
	}
	return nil
}

// worse orders by verdict, then by value.
func worse(a, b record.Criterion) bool {
	rank := map[string]int{record.Met: 0, record.Undecided: 1, record.Missed: 2}
	if rank[a.Verdict] != rank[b.Verdict] {
		return rank[a.Verdict] > rank[b.Verdict]
	}
	return a.Value != nil && (b.Value == nil || *a.Value > *b.Value)
}

// criteria are the SLO's conditions before anything is known of them.
func criteria(slo []spec.Criterion) []record.Criterion {
	out := make([]record.Criterion, 0, len(slo))
	for _, c := range slo {
		out = append(out, record.Criterion{Metric: c.Metric, Percentile: c.Percentile, Limit: c.Limit, Verdict: record.Undecided})
	}
	return out
}

// unknownYet is the bound before anything was measured.
func unknownYet() record.Bound { return diagnose.Bound(diagnose.Evidence{}) }

// usdPerMillion is the price of a million output tokens at a throughput, US
// dollars; nil where price or throughput is not known.
func usdPerMillion(pricePerHour, tokensPerS float64) *float64 {
	if pricePerHour <= 0 || tokensPerS <= 0 {
		return nil
	}
	usd := pricePerHour / 3600 / tokensPerS * 1e6
	return &usd
}
