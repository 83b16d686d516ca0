package survey

import (
	"math"

	"assay/internal/record"
)

const (
	// widest is the ratio between the highest and the lowest load from which the
	// growth of throughput with load can be told. Ours.
	widest = 2.0
	// stillGrows is the elasticity of throughput above which it still grows with
	// load; the same as a bench's.
	stillGrows = 0.25
)

// saturationOf is what the spans' throughput says of a limit: nil where their
// loads lie too close together, or the engine counts nothing.
func saturationOf(levels []record.Level) *record.Saturation {
	var busy []record.Level
	for _, l := range levels {
		if l.Load.Value > 0 && l.Throughput.OutputTokensPerS > 0 {
			busy = append(busy, l)
		}
	}
	n := len(busy)
	if n < 2 || busy[n-1].Load.Value < widest*busy[0].Load.Value {
		return nil
	}
	s := &record.Saturation{Scenario: "service", Unit: record.ByConcurrency}
	for i := 1; i < n; i++ {
		a, b := busy[i-1], busy[i]
		s.Elasticities = append(s.Elasticities,
			math.Log(b.Throughput.OutputTokensPerS/a.Throughput.OutputTokensPerS)/math.Log(b.Load.Value/a.Load.Value))
	}
	s.Saturated = s.Elasticities[len(s.Elasticities)-1] < stillGrows
	return s
}
