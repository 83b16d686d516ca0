package diagnose

import (
	"math"

	"assay/internal/record"
)

// curve is what the levels say together of how the engine's work grows.
type curve struct {
	// batch is the throughput of twice the batch over that of the largest batch seen,
	// 1 to 2; tokens the same of a step's tokens; 0: not known. Both extend the
	// line through the largest and a clearly smaller one.
	batch, tokens float64
	// step is d ln(time of a step) / d ln(batch) between the smallest and the largest
	// batch; NaN: not known.
	step float64
}

func curveOf(levels []record.Level) curve {
	var byBatch, byTokens, steps []costAt
	for i := range levels {
		s := levels[i].Server
		if s == nil {
			continue
		}
		if x := outputRate(&levels[i]); x > 0 && s.RunningMean != nil && *s.RunningMean > 0 {
			byBatch = append(byBatch, costAt{*s.RunningMean, *s.RunningMean / x})
		}
		if s.StepMS == nil || *s.StepMS <= 0 {
			continue
		}
		if s.IterationTokens != nil && *s.IterationTokens > 0 {
			byTokens = append(byTokens, costAt{*s.IterationTokens, *s.StepMS})
		}
		if s.RunningMean != nil && *s.RunningMean > 0 {
			steps = append(steps, costAt{*s.RunningMean, *s.StepMS})
		}
	}
	return curve{batch: doubling(byBatch), tokens: doubling(byTokens), step: elasticity(steps)}
}

// outputRate is tokens per second: the client's count, or the engine's where
// there is no client. 0: not known.
func outputRate(l *record.Level) float64 {
	if x := l.Throughput.OutputTokensPerS; x > 0 {
		return x
	}
	if s := l.Server; s != nil && s.OutputTokens != nil && l.DurationS > 0 {
		return *s.OutputTokens / l.DurationS
	}
	return 0
}

// costAt is the time that a size takes: of a step with so many tokens, or of a
// token with so many requests in the batch.
type costAt struct{ size, time float64 }

// Sizes that count as the largest, and as clearly smaller, relative to it.
const (
	nearLargest    = 0.93
	clearlySmaller = 0.67
	notTooSmall    = 0.2
)

// doubling is how much more is done per second with twice the largest size, by
// the line through it and those clearly smaller. 0: all sizes are much the same.
func doubling(points []costAt) float64 {
	largest := 0.0
	for _, p := range points {
		largest = max(largest, p.size)
	}
	high := meanOf(points, nearLargest*largest, largest)
	low := meanOf(points, notTooSmall*largest, clearlySmaller*largest)
	if low.size == 0 {
		low = meanOf(points, 0, clearlySmaller*largest)
	}
	if high.size == 0 || low.size == 0 {
		return 0
	}
	slope := max((high.time-low.time)/(high.size-low.size), 0)
	fixed := max(high.time-slope*high.size, 0)
	return 2 * high.time / (fixed + 2*max(high.time-fixed, 0))
}

// meanOf is the mean point of the sizes in [from, to].
func meanOf(points []costAt, from, to float64) costAt {
	var sum costAt
	n := 0.0
	for _, p := range points {
		if p.size >= from && p.size <= to {
			sum.size, sum.time, n = sum.size+p.size, sum.time+p.time, n+1
		}
	}
	if n == 0 {
		return costAt{}
	}
	return costAt{sum.size / n, sum.time / n}
}

// elasticity is between the first and the last, where they lie twice apart.
func elasticity(points []costAt) float64 {
	if len(points) < 2 {
		return math.NaN()
	}
	low, high := points[0], points[len(points)-1]
	if high.size < 2*low.size {
		return math.NaN()
	}
	return math.Log(high.time/low.time) / math.Log(high.size/low.size)
}
