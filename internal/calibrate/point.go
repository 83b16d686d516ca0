package calibrate

import (
	"math"

	"assay/internal/predict"
	"assay/internal/record"
)

// Point is one measured level.
type Point struct {
	Level     string
	Load      predict.Load
	TTFT, ITL float64 // ms, means
	// PromptPerSecond are prompt tokens that were computed, cached ones not
	// counted; 0: not known. OutputPerSecond are tokens too.
	PromptPerSecond, OutputPerSecond float64
	Cached                           float64 // share of the prompts that a prefix cache served
	Shared                           bool    // prompts share text, and the server does not say what was cached
}

// pointOf is what a level gives; false where it is not valid or says too little.
func pointOf(l record.Level) (Point, bool) {
	if l.Validity.Verdict != record.Valid || l.TTFT.Mean == nil || l.ITL.Mean == nil || len(l.Models) > 0 ||
		l.Load.Arrival == record.ArrivalTrace || l.Got.Output == nil {
		return Point{}, false
	}
	prompt := l.Got.Prompt
	if prompt == nil {
		prompt = l.Asked.Prompt
	}
	if prompt == nil || !sane(*prompt, 1e7) || !sane(*l.Got.Output, 1e7) || !sane(*l.TTFT.Mean, 1e9) || !sane(*l.ITL.Mean, 1e9) {
		return Point{}, false
	}
	p := Point{Level: l.ID, TTFT: *l.TTFT.Mean, ITL: *l.ITL.Mean, OutputPerSecond: l.Throughput.OutputTokensPerS}
	if l.Cached != nil && l.Requests.Completed > 0 {
		p.Cached = math.Min(float64(*l.Cached)/(*prompt*float64(l.Requests.Completed)), 1)
	}
	p.Shared = l.Cached == nil && l.Reuse != record.ReuseNone
	p.PromptPerSecond = l.Throughput.RequestsPerS * *prompt * (1 - p.Cached)
	p.Load = predict.Load{ISL: int(math.Round(*prompt)), OSL: int(math.Round(*l.Got.Output))}
	switch {
	case p.Load.OSL < 2 || p.Load.ISL < 1:
		return Point{}, false
	case l.Load.Kind == record.ByConcurrency && l.Load.Value >= 1 && l.Load.Value <= 1e6:
		p.Load.Concurrency = int(l.Load.Value)
	case l.Load.Kind == record.ByRate && sane(l.Load.Value, 1e6):
		p.Load.Rate = l.Load.Value
	default:
		return Point{}, false
	}
	return p, true
}

// inFlight are the requests open at once: those of a rate by Little's law.
func (p Point) inFlight() float64 {
	if p.Load.Concurrency > 0 {
		return float64(p.Load.Concurrency)
	}
	return p.Load.Rate * (p.TTFT + p.ITL*float64(p.Load.OSL-1)) / 1000
}

func sane(x, most float64) bool { return x > 0 && x <= most }
