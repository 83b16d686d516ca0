package compare

import (
	"fmt"
	"math"
	"slices"

	"assay/internal/record"
	"assay/internal/spec"
	"assay/internal/stats"
)

// apart says why two runs as a whole may not be compared; empty when they may.
func apart(base, next Side, opt Options) string {
	b, n := base.Run.Target, next.Run.Target
	switch {
	case b.Simulated != n.Simulated:
		return "one run is of the simulated engine, the other of a real one"
	case b.Model != n.Model && b.Model != "" && n.Model != "" && !opt.AcrossModels:
		return fmt.Sprintf("the models differ: %s and %s (--across-models compares them all the same)", b.Model, n.Model)
	}
	return ""
}

// unlike says why two levels may not be compared in anything.
func unlike(p pair) string {
	b, n := p.base.first(), p.next.first()
	if b.Load.Value == 0 && n.Load.Value == 0 {
		return "neither file says which load was held"
	}
	for _, l := range []struct {
		name string
		base *float64
		next *float64
	}{
		{"prompts", lengths(b).Prompt, lengths(n).Prompt},
		{"answers", lengths(b).Output, lengths(n).Output},
	} {
		if !near(l.base, l.next) {
			return fmt.Sprintf("%s are not as long: %.4g and %.4g tokens in the mean", l.name, *l.base, *l.next)
		}
	}
	return ""
}

// lengths are the mean lengths that the server saw, or those asked for.
func lengths(l *record.Level) record.Tokens {
	t := l.Got
	if t.Prompt == nil {
		t.Prompt = l.Asked.Prompt
	}
	if t.Output == nil {
		t.Output = l.Asked.Output
	}
	return t
}

// spoiled says why a side's levels are no measurement of a figure. The share of
// errors is one of the server also where there are too many of them.
func spoiled(side string, g group, f figure) string {
	for _, l := range g {
		v := l.Validity
		why := ""
		switch {
		case f.name == spec.ErrorShare:
			continue
		case v.Verdict == record.Invalid || v.Verdict == record.ClientLimited:
			why = v.Verdict
		case v.Verdict == record.Unstable && l.Window.Steady:
			why = "unstable, and percentiles of what moves depend on how long one looks"
		case v.Verdict == record.Unstable && f.latency == "":
			why = "unstable: its throughput holds ramp and drain"
		}
		if why != "" {
			if len(v.Reasons) > 0 && v.Verdict != record.Unstable {
				why += ": " + v.Reasons[0]
			}
			return fmt.Sprintf("level %s of %s is %s", l.ID, side, why)
		}
	}
	return ""
}

// defined says why the two sides' figures are not of the same thing.
func defined(base, next Side, p pair, f figure) string {
	if why := definitions(base, next, f); why != "" {
		return why
	}
	b, n := p.base.first(), p.next.first()
	switch {
	case countsTokens(f) && counted(b) != counted(n):
		return fmt.Sprintf("tokens are counted by %s in BASE and by %s in NEW", b.TokensFrom, n.TokensFrom)
	case f.latency == "icl" && !chunksAlike(b, n):
		return fmt.Sprintf("chunks do not hold as many tokens: %.2g in BASE and %.2g in NEW", chunkTokens(b), chunkTokens(n))
	case f.name == spec.GoodputPerS && !sameSLO(b, n):
		return "goodput is of different SLOs"
	}
	return ""
}

// definitions compares what other tools mean by a figure: what differs from
// Assay's may still be compared with the same tool's.
func definitions(base, next Side, f figure) string {
	key := definedBy(f)
	okBase, whyBase := base.Run.Comparable(key)
	okNext, whyNext := next.Run.Comparable(key)
	switch {
	case okBase && okNext:
		return ""
	case !okBase && !okNext && base.Run.Tool.Name == next.Run.Tool.Name:
		return ""
	case !okBase && !okNext:
		return fmt.Sprintf("%s and %s define it differently: %s; %s", base.Run.Tool.Name, next.Run.Tool.Name, whyBase, whyNext)
	case okBase:
		return fmt.Sprintf("%s defines it differently: %s", next.Run.Tool.Name, whyNext)
	}
	return fmt.Sprintf("%s defines it differently: %s", base.Run.Tool.Name, whyBase)
}

// definedBy is the key under which a figure's definition is remarked on.
func definedBy(f figure) string {
	switch {
	case f.latency != "":
		return f.latency
	case f.share():
		return f.name
	}
	return "throughput"
}

// countsTokens reports a figure that rests on the number of output tokens.
func countsTokens(f figure) bool {
	return f.latency == "itl" || f.name == spec.OutputTokensPerS || f.name == spec.CostPerMillion
}

// counted is who counted the tokens of a level: the server, or whoever takes a
// chunk for a token.
func counted(l *record.Level) string {
	switch l.TokensFrom {
	case record.FromChunks, record.FromMixed:
		return l.TokensFrom
	}
	return "server"
}

// chunkTokens is how many tokens a chunk of a level holds in the mean; NaN
// where it is not known.
func chunkTokens(l *record.Level) float64 {
	if l.Got.Output == nil || l.Requests.Completed == 0 || l.ICL.N == 0 {
		return math.NaN()
	}
	return *l.Got.Output / (1 + float64(l.ICL.N)/float64(l.Requests.Completed))
}

// chunksAlike allows a quarter: servers merge a few tokens under load.
func chunksAlike(a, b *record.Level) bool {
	x, y := chunkTokens(a), chunkTokens(b)
	return math.IsNaN(x) || math.IsNaN(y) || max(x, y) <= 1.25*min(x, y)
}

func sameSLO(a, b *record.Level) bool {
	return slices.EqualFunc(a.SLO, b.SLO, func(x, y record.Criterion) bool {
		return x.Metric == y.Metric && x.Percentile == y.Percentile && x.Limit == y.Limit
	})
}

// lacking says why a side has no value of a figure.
func lacking(side string, g group, f figure) string {
	l := g.first()
	switch {
	case f.latency != "" && f.percentile > 0 && l.Metric(f.latency).N > 0:
		return fmt.Sprintf("%s needs %d samples; %s has %d", stats.Name(f.percentile), stats.SupportedAt(f.percentile), side, l.Metric(f.latency).N)
	case f.name == spec.CostPerMillion:
		return side + " has no price"
	}
	return side + " does not have it"
}
