package diagnose

import (
	"fmt"
	"math"

	"assay/internal/record"
)

// Judge says what an experiment shows of a verdict: whether the figure went as
// the verdict predicts, or as it would were another resource the one that binds.
// Between the two lies a band as wide as both levels' noise, in which nothing is
// shown. base is the level that the experiment was compared with.
func Judge(b record.Bound, base, trial record.Level) record.Trial {
	t := record.Trial{Level: trial.ID, Verdict: record.Undecided, Evidence: []record.Evidence{}}
	if b.Experiment == nil {
		return t
	}
	if trial.Validity.Verdict != record.Valid {
		t.Evidence = append(t.Evidence, record.Evidence{Fact: "the trial is not valid: " + validityOf(trial), Metric: "validity", Source: "level " + trial.ID})
		return t
	}
	p, ok := predict(b.Verdict, b.Experiment.Kind, base)
	if !ok {
		return t
	}
	before, after := p.value(base), p.value(trial)
	if before == nil || after == nil {
		t.Evidence = append(t.Evidence, record.Evidence{Fact: "the trial shows nothing: " + p.what + " are not known of both levels", Metric: p.metric, Source: "level " + trial.ID})
		return t
	}
	ratio := *after / *before
	noise := noiseOf(base, trial)
	t.Verdict = p.sides(ratio, noise)
	t.Evidence = append(t.Evidence,
		record.Evidence{Fact: fmt.Sprintf("%s became %s of what they were (%.4g from %.4g, give or take %.0f %%): %s were predicted if %s binds, %s if it does not",
			p.what, times(ratio), *after, *before, 100*noise, times(p.right), b.Verdict, times(p.wrong)), Metric: p.metric, Value: after, Unit: p.unit, Source: "level " + trial.ID})
	if kv, was := kvMax(trial), kvMax(base); b.Verdict == record.BoundKVCache && kv != nil && was != nil {
		t.Evidence = append(t.Evidence, record.Evidence{Fact: fmt.Sprintf("KV cache usage went from %s to %s at most", fraction(was), fraction(kv)),
			Metric: "kv_usage_max", Value: kv, Unit: "share", Source: "level " + trial.ID + ", engine /metrics"})
	}
	return t
}

// sides says on which side of the middle of both predictions a ratio lies, by the
// logarithm, and whether further from it than noise.
func (p prediction) sides(ratio, noise float64) string {
	middle := (math.Log(p.right) + math.Log(p.wrong)) / 2
	off := math.Log(ratio) - middle
	if p.right < p.wrong {
		off = -off
	}
	switch {
	case off > noise:
		return record.Supported
	case off < -noise:
		return record.Refuted
	}
	return record.Undecided
}

// noiseOf is two standard errors of a ratio of two levels' throughputs, relative.
// Requests that end in a window scatter as their square root at most; in a closed
// loop only as far as latencies do, and as where in a request each slot stands when
// the window ends.
func noiseOf(a, b record.Level) float64 {
	variance := 0.0
	for _, l := range []record.Level{a, b} {
		n := float64(max(l.Requests.Completed, 1))
		scatter, ok := ratio(l.E2E.Std, l.E2E.Mean)
		if !ok || l.Load.Kind != record.ByConcurrency {
			variance += 1 / n
			continue
		}
		variance += min(max(scatter*scatter, leastScatter), 1)/n + l.Load.Value/(6*n*n)
	}
	return min(2*math.Sqrt(variance), 1)
}

// leastScatter is the least square of latencies' coefficient of variation that is
// believed: slow spells of a server come on top of it. Ours.
const leastScatter = 0.25

func kvMax(l record.Level) *float64 {
	if l.Server == nil {
		return nil
	}
	return l.Server.KVUsageMax
}

// Tried is a bound with its trial: more sure of itself where the trial supports
// it, hardly at all where it is refuted.
func Tried(b record.Bound, t record.Trial) record.Bound {
	b.Trial = &t
	switch t.Verdict {
	case record.Supported:
		b.Confidence += (1 - b.Confidence) / 2
	case record.Refuted:
		b.Confidence *= refutedKeeps
		b.Against = append(append([]record.Evidence{}, b.Against...), t.Evidence...)
	}
	b.Confidence = rounded(b.Confidence)
	return b
}

// refutedKeeps is the part of its confidence that a refuted verdict keeps: the
// trial is one level, and may itself be wrong.
const refutedKeeps = 0.25

func rounded(confidence float64) float64 { return math.Round(100*confidence) / 100 }
