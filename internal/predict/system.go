package predict

import (
	"fmt"

	"assay/internal/facts"
	"assay/internal/figure"
	"assay/internal/model"
)

// System is one replica: a model under an engine on accelerators.
type System struct {
	Model   model.Arch
	Format  model.Format // of the weights; the zero Format is BF16
	KVWidth float64      // bytes of one KV element; 0: what the engine takes for the format

	Chip        facts.Chip
	GPUsPerNode int // 0: all in one node

	TP int // ranks that share one attention; 0: 1
	PP int // stages; 0: 1
	DP int // attention data parallel: TP x DP GPUs hold one copy of the experts; 0: 1
	EP int // ranks over which experts are spread, at most TP x DP; 0: 1

	Engine  string // vllm, sglang, trtllm
	Version string // of the engine; empty: not known

	MaxNumSeqs       int // of one rank's scheduler; 0: no limit but the KV cache
	MaxBatchedTokens int // of one step; 0: the engine's default
	MaxModelLen      int // 0: the model's
	KVTokens         int // that one attention rank keeps; 0: what memory leaves
}

// GPUs are all that the system stands on.
func (s System) GPUs() int { return max(s.TP, 1) * max(s.DP, 1) * max(s.PP, 1) }

// Load is what clients ask of the system: so many requests open at once, or so
// many a second. One of the two is set.
type Load struct {
	Concurrency int     // over the whole system
	Rate        float64 // requests per second
	ISL, OSL    int     // tokens
}

// check refuses what is no load.
func (l Load) check() error {
	switch {
	case l.ISL < 1 || l.OSL < 1:
		return fmt.Errorf("lengths of %d tokens in and %d out: each must be at least 1", l.ISL, l.OSL)
	case l.ISL > maxLength || l.OSL > maxLength:
		return fmt.Errorf("lengths of %d tokens in and %d out: at most %d can be predicted", l.ISL, l.OSL, maxLength)
	case (l.Concurrency > 0) == (l.Rate > 0):
		return fmt.Errorf("a load is a concurrency or a rate of requests: one of them, above 0")
	case l.Concurrency > maxConcurrency || l.Rate > maxConcurrency:
		return fmt.Errorf("a concurrency or a rate above %d can't be predicted", maxConcurrency)
	}
	return nil
}

// Bounds of what is predicted at all.
const (
	maxLength      = 10_000_000
	maxConcurrency = 1_000_000
)

// Prediction is how a system serves a load.
type Prediction struct {
	Concurrency float64 // requests open, those that wait for the KV cache with them

	TTFT, ITL         figure.Range // ms, means over requests
	E2E               figure.Range // ms
	OutputTPS         figure.Range // output tokens per second of the whole system
	RequestsPerSecond figure.Range

	Form Form // what the fitted form alone says, before measurements nearby correct it

	Waiting bool   // more is open than the KV cache or max_num_seqs lets in
	Note    string // what makes the range wide; empty: nothing does

	Figures []figure.Figure
}

// Form is the fixed point of the step loop, ms.
type Form struct{ TTFT, ITL, Wait float64 } // Wait is the part of TTFT that is the wait for room

// Curve is throughput and latency against concurrency, for one ISL and OSL.
type Curve struct {
	ISL, OSL int
	Points   []Point
	Knee     Knee // zero: not reached within the points
}

// Point is the prediction at one concurrency.
type Point struct {
	Concurrency int
	Prediction
}

// Knee is the load past which throughput stops growing, as an interval of
// concurrency.
type Knee struct{ Low, High float64 }

// Refused says why a system can't be predicted.
type Refused struct{ Reason string }

func (r *Refused) Error() string { return "can't be predicted: " + r.Reason }
