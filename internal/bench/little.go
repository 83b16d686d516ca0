package bench

import (
	"fmt"
	"math"

	"assay/internal/record"
)

// littleTolerance is how far N and X R may lie apart in a steady level, beside
// what its edges explain. Ours.
const littleTolerance = 0.05

// littlesLaw checks a level's steady window; nil where there is none, or where
// the server did not keep up and more arrived than ended.
func littlesLaw(l record.Level, requests []record.Request) *record.Little {
	if !l.Window.Steady || l.Oversaturated != nil && l.Oversaturated.Verdict == record.Oversaturated {
		return nil
	}
	seconds := float64(l.Window.EndUS-l.Window.StartUS) / 1e6
	ended, sum := 0.0, 0.0
	for i := range requests {
		if r := &requests[i]; !r.NotSent && l.Window.Ended(r) {
			ended++
			sum += float64(r.EndUS-r.SentUS) / 1e6
		}
	}
	if ended == 0 || seconds <= 0 {
		return nil
	}
	c := &record.Little{InFlight: l.Client.InFlight.Mean, PerS: ended / seconds, LatencyS: sum / ended}
	c.Product = c.PerS * c.LatencyS
	// A request that lies across an edge counts in one of both: about one answer's
	// time of the window.
	c.Tolerance = littleTolerance + c.LatencyS/seconds
	c.OK = math.Abs(c.InFlight-c.Product) <= c.Tolerance*max(c.InFlight, c.Product)
	return c
}

func littleReason(c *record.Little) string {
	return fmt.Sprintf("%.4g requests were in flight in the mean, but %.4g ended a second after %.3g s each, which makes %.4g (Little's law, to %.0f %%): some do not end, or the level is not steady",
		c.InFlight, c.PerS, c.LatencyS, c.Product, 100*c.Tolerance)
}
