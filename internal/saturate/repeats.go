package saturate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/internal/record"
	"assay/internal/stats"
)

const (
	// steadyCV and steadyTailCV are the coefficients of variation up to which
	// repeats agree: a twentieth for throughput, a tenth for a percentile of
	// TTFT, which a handful of requests decide. Ours; the case that made repeats
	// needed (NVIDIA/aicr #1197) is 20 %.
	steadyCV     = 0.05
	steadyTailCV = 0.1
	// differ is the chance with which repeats of one truth may be told apart.
	differ = 0.01
	// meanInterval is what the interval of their mean holds.
	meanInterval = 0.95
	// leastRepeats can show that repeats agree: two that do may be luck, two
	// that differ are enough.
	leastRepeats = 3
)

// Repeat is one of the levels that held a load.
type Repeat struct {
	Level record.Level
	// Completions of its window, and the TTFT of its requests in order of their
	// sending, milliseconds: what the noise within the level is told from.
	Completions []Completion
	TTFT        []float64
}

// Agree says whether the repeats of one load agree: whether throughput and TTFT
// lie further apart than the noise within one level explains, and by so much
// that it matters. Only valid repeats count.
func Agree(all []Repeat, byRate bool) record.Repeats {
	first := &all[0].Level
	out := record.Repeats{Scenario: first.Scenario, Load: first.Load, Verdict: record.NotKnown}
	var valid []Repeat
	for _, r := range all {
		out.Levels = append(out.Levels, r.Level.ID)
		if r.Level.Validity.Verdict == record.Valid || Overloaded(&r.Level) {
			valid = append(valid, r)
		}
	}
	out.N = len(valid)
	if len(valid) < 2 {
		out.Why = fmt.Sprintf("%d of %d runs are valid: there is nothing to compare", len(valid), len(all))
		return out
	}
	if slices.ContainsFunc(valid, func(r Repeat) bool { return r.Level.Throughput.OutputTokensPerS > 0 }) {
		out.Throughput = rateSpread(valid, byRate, func(l *record.Level) float64 { return l.Throughput.OutputTokensPerS })
	} else {
		out.Requests = rateSpread(countingRequests(valid), byRate, func(l *record.Level) float64 { return l.Throughput.RequestsPerS })
	}
	out.TTFT = ttftSpread(valid)
	out.Verdict, out.Why = agreement(out)
	if left := len(all) - len(valid); left > 0 {
		out.Why += fmt.Sprintf("; %d of %d runs not valid and left out", left, len(all))
	}
	return out
}

// Overloaded reports a level that is unstable for nothing but more arrivals than
// the server keeps up with: its throughput is what the server can give, and
// repeats as well as any other; its latencies are of no load.
func Overloaded(l *record.Level) bool {
	return l.Validity.Verdict == record.Unstable && len(l.Validity.Reasons) == 1 && l.Oversaturated != nil && l.Oversaturated.Verdict == record.Oversaturated
}

// countingRequests are repeats in which a request is the work.
func countingRequests(all []Repeat) []Repeat {
	out := slices.Clone(all)
	for i := range out {
		out[i].Completions = slices.Clone(out[i].Completions)
		for k := range out[i].Completions {
			out[i].Completions[k].Tokens = 0
		}
	}
	return out
}

func rateSpread(valid []Repeat, byRate bool, rate func(*record.Level) float64) *record.Spread {
	opt := Options{Unit: record.ByConcurrency}
	if byRate {
		opt.Unit = record.ByRate
	}
	var values, errors []float64
	for i := range valid {
		r := &valid[i]
		values = append(values, rate(&r.Level))
		errors = append(errors, withinError(r.Completions, opt, uint64(i))*rate(&r.Level))
	}
	return spreadOf(values, errors, steadyCV)
}

// withinError is the relative standard error of a level's throughput by its own
// completions; NaN for fewer than ten.
func withinError(done []Completion, opt Options, stream uint64) float64 {
	const least, draws = 10, 200
	if len(done) < least {
		return math.NaN()
	}
	r := newResampler(Level{Completions: done}, opt)
	rng := stats.NewRand(1, stream)
	factors := make([]float64, draws)
	for i := range factors {
		factors[i] = r.factor(rng)
	}
	_, std := stats.MeanStd(factors)
	return std
}

// ttftSpread is of the highest percentile up to p95 that all repeats support.
func ttftSpread(valid []Repeat) *record.Spread {
	for _, p := range []float64{95, 90, 50} {
		var values, errors []float64
		for _, r := range valid {
			_, sorted := stats.Order(r.TTFT)
			if len(sorted) < stats.SupportedAt(p) {
				break
			}
			values = append(values, stats.Percentile(sorted, p))
			errors = append(errors, stats.PercentileError(r.TTFT, p))
		}
		if len(values) == len(valid) {
			s := spreadOf(values, errors, steadyTailCV)
			s.Percentile = stats.Name(p)
			return s
		}
	}
	return nil
}

// spreadOf compares values with their standard errors. They differ where some
// pair lies further apart than its errors explain, by a normal test that is
// shared out among the pairs (Bonferroni).
func spreadOf(values, errors []float64, limit float64) *record.Spread {
	n := float64(len(values))
	mean, std := stats.MeanStd(values)
	s := &record.Spread{Values: values, Mean: mean, Verdict: record.NotKnown}
	half := stats.StudentQuantile(meanInterval, n-1) * std / math.Sqrt(n)
	s.CI = &record.Interval{Low: mean - half, High: mean + half}
	if mean <= 0 {
		return s
	}
	s.CV = std / mean
	within, _ := stats.MeanStd(errors)
	if !math.IsNaN(within) {
		within /= mean
		s.WithinCV = &within
	}
	z := stats.NormalQuantile(1 - differ/(n*(n-1))) // n(n-1)/2 pairs, two-sided
	apart := false
	for i := range values {
		for j := range i {
			apart = apart || math.Abs(values[i]-values[j]) > z*math.Hypot(errors[i], errors[j])
		}
	}
	switch {
	case s.CV > limit && apart:
		s.Verdict = record.Unstable
	case s.CV <= limit && len(values) >= leastRepeats:
		s.Verdict = record.Stable
	}
	return s
}

// agreement is the verdict over both figures, in words.
func agreement(r record.Repeats) (verdict, why string) {
	var bad, open, good []string
	add := func(name string, s *record.Spread) {
		if s == nil {
			return
		}
		text := fmt.Sprintf("%s varies by %.1f %% between runs", name, 100*s.CV)
		if s.WithinCV != nil {
			text += fmt.Sprintf(", %.1f %% is the noise within one", 100**s.WithinCV)
		}
		switch s.Verdict {
		case record.Unstable:
			bad = append(bad, text)
		case record.Stable:
			good = append(good, text)
		default:
			open = append(open, text)
		}
	}
	add("throughput", r.Throughput)
	add("requests per second", r.Requests)
	if r.TTFT != nil {
		add("TTFT "+r.TTFT.Percentile, r.TTFT)
	}
	switch {
	case len(bad) > 0:
		return record.Unstable, strings.Join(bad, "; ")
	case r.N < leastRepeats:
		return record.NotKnown, strings.Join(open, "; ") + fmt.Sprintf("; %d runs can show that they differ, not that they agree: it takes %d", r.N, leastRepeats)
	case len(open) > 0:
		return record.NotKnown, strings.Join(open, "; ") + "; longer levels would tell"
	}
	return record.Stable, strings.Join(good, "; ")
}
