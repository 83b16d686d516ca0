package saturate

import (
	"fmt"
	"math"

	"assay/internal/record"
	"assay/internal/stats"
)

// Thresholds of the test for over-saturation. GuideLLM tests the same two
// slopes (in flight, TTFT) over single requests, accepts a margin of error of
// twice the slope, and asks for a TTFT above 2.5 s. Requests in flight a moment
// apart are nearly the same requests, so a line through single ones looks far
// surer than it is; and what counts as a long TTFT depends on the model. Here
// the slopes are of means over blocks, and growth is measured against the
// arrivals.
const (
	// growthBlocks is how many equal spans of time the slopes are taken over:
	// enough for a t-test, and longer than one answer in a level worth judging.
	growthBlocks = 10
	// growthSure is the two-sided confidence of a slope: one that does not rise is
	// taken for one that does in half a per cent. Ours.
	growthSure = 0.99
	// piledUp is the share of the arrivals that must stay in the system for the
	// server not to keep up: what is left of load.MinRate, by which the client
	// is judged. A first-come queue's wait grows by as much of the time.
	piledUp = 0.03
	// settling is the part of the window that is left out at its start: an open
	// loop begins with an empty server, and filling it is no growth.
	settling = 0.2
	// Below leastGrowthS seconds or leastGrowthN arrivals nothing is said. Ours:
	// below it a queue's common ups and downs look like a trend.
	leastGrowthS = 10
	leastGrowthN = 100
)

// Served is one request of an open loop. Latencies are in milliseconds, NaN
// where there is none.
type Served struct {
	SentS, EndS float64
	TTFT, E2E   float64
}

// Growth tests whether an open loop's server kept up between two moments. All
// requests that were open then belong to it, warm-up included.
func Growth(requests []Served, startS, endS float64) record.Oversaturation {
	startS += settling * (endS - startS)
	arrivals, answered := 0, 0.0
	for _, r := range requests {
		if r.SentS >= startS && r.SentS < endS {
			arrivals++
		}
		if r.EndS >= startS && r.EndS < endS && !math.IsNaN(r.E2E) {
			answered++
		}
	}
	sent := func(r Served) float64 { return r.SentS }
	o := growth(openIn(requests, startS, endS), requests, sent, arrivals, startS, endS)
	if arrivals > 0 {
		offered, delivered := float64(arrivals)/(endS-startS), answered/float64(arrivals)
		o.Offered, o.Delivered = &offered, &delivered
	}
	return o
}

// Moment is what a running open loop has open, and how many it sent since the
// moment before.
type Moment struct {
	AtS  float64
	Open float64
	Sent int
}

// GrowthSoFar is Growth of a level that still runs, from moments a second or so
// apart and the requests that have ended. Latencies count where they ended: of
// those sent last only the fast ones have.
func GrowthSoFar(moments []Moment, ended []Served, startS, endS float64) record.Oversaturation {
	startS += settling * (endS - startS)
	arrivals := 0
	at, open := make([]float64, len(moments)), make([]float64, len(moments))
	for i, m := range moments {
		at[i], open[i] = m.AtS, m.Open
		if m.AtS >= startS && m.AtS < endS {
			arrivals += m.Sent
		}
	}
	end := func(r Served) float64 { return r.EndS }
	return growth(stats.MeanWindows(at, open, startS, endS, growthBlocks), ended, end, arrivals, startS, endS)
}

// growth judges blocks of requests in flight and of latencies, each at a moment.
func growth(open []float64, requests []Served, moment func(Served) float64, arrivals int, startS, endS float64) record.Oversaturation {
	o := record.Oversaturation{Verdict: record.NotKnown, WindowS: max(endS-startS, 0)}
	if o.WindowS < leastGrowthS*(1-settling) || float64(arrivals) < leastGrowthN*(1-settling) {
		o.Why = fmt.Sprintf("it takes %d s and %d requests to tell", leastGrowthS, leastGrowthN)
		return o
	}
	latency := func(of func(Served) float64) *record.Slope {
		at, values := make([]float64, len(requests)), make([]float64, len(requests))
		for i, r := range requests {
			at[i], values[i] = moment(r), of(r)
		}
		return slope(stats.MeanWindows(at, values, startS, endS, growthBlocks), o.WindowS)
	}
	o.InFlight = slope(open, o.WindowS)
	o.TTFT = latency(func(r Served) float64 { return r.TTFT })
	o.E2E = latency(func(r Served) float64 { return r.E2E })
	if o.InFlight == nil {
		o.Why = "requests in flight were seen at too few moments"
		return o
	}
	share := o.InFlight.PerS * o.WindowS / float64(arrivals)
	o.PiledUp = &share
	o.Verdict = record.Steady
	if o.InFlight.Rises() && share >= piledUp && (o.TTFT.Rises() || o.E2E.Rises()) {
		o.Verdict = record.Oversaturated
		o.Why = fmt.Sprintf("requests in flight grew by %s a second: %.0f %% of the arrivals piled up", number(o.InFlight.PerS), 100*share)
	}
	return o
}

// openIn is the mean number of open requests in each block.
func openIn(requests []Served, startS, endS float64) []float64 {
	out := make([]float64, growthBlocks)
	width := (endS - startS) / growthBlocks
	for _, r := range requests {
		for b := range out {
			from := startS + float64(b)*width
			out[b] += max(0, min(r.EndS, from+width)-max(r.SentS, from)) / width
		}
	}
	return out
}

// slope is the least-squares line through the blocks' means, by time; nil for
// fewer than eight of them.
func slope(blocks []float64, windowS float64) *record.Slope {
	width := windowS / growthBlocks
	var x, y []float64
	for i, v := range blocks {
		if !math.IsNaN(v) {
			x, y = append(x, float64(i)*width), append(y, v)
		}
	}
	if len(x) < 8 {
		return nil
	}
	perS, se := stats.Line(x, y)
	return &record.Slope{PerS: perS, Margin: se * stats.StudentQuantile(growthSure, float64(len(x)-2))}
}
