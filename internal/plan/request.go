package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/internal/price"
	"assay/internal/spec"
)

// Bounds of what may be asked: they catch typing errors, not models.
const (
	mostTokens      = 16 << 20 // of a context, a prompt or an answer
	mostConcurrency = 1_000_000
	mostRate        = 1e6
	leastRate       = 1e-6 // one request in eleven days
	mostReplicas    = 4096
	mostBlock       = 1 << 16 // tokens
)

// Kinds of capacity.
const (
	OnDemand = "on-demand"
	Spot     = "spot"
	Any      = "any" // whichever is cheaper
)

// Capacities are the kinds of capacity that may be asked for.
var Capacities = []string{OnDemand, Spot, Any}

// UsageError is a request that contradicts itself or says too little.
type UsageError struct{ What, Way string }

func (e *UsageError) Error() string { return e.What }

// Hint is the way out.
func (e *UsageError) Hint() string { return e.Way }

func wrongf(way, format string, args ...any) error {
	return &UsageError{fmt.Sprintf(format, args...), way}
}

// Asked is a request as resolved: the load of the whole service, its lengths in
// tokens, and the limits. A zero that a user can not mean is the engine's default.
type Asked struct {
	Model       string           `json:"model"`
	Precision   string           `json:"precision"`
	KVPrecision string           `json:"kv_precision"`
	Context     int              `json:"context"`
	Concurrency int              `json:"concurrency,omitempty"`  // requests in flight, closed loop
	Rate        float64          `json:"request_rate,omitempty"` // requests a second, open loop
	ISL         int              `json:"isl"`
	OSL         int              `json:"osl"`
	SLO         []spec.Criterion `json:"-"`
	Conditions  []string         `json:"slo"`             // the same as text
	Budget      *float64         `json:"budget_per_hour"` // US dollars
	Region      string           `json:"region"`
	Capacity    string           `json:"capacity"`
	Engine      string           `json:"engine"`
	Instances   []string         `json:"instances,omitempty"` // empty: all

	Utilization      float64 `json:"gpu_memory_utilization,omitempty"` // 0: the engine's default
	MaxNumSeqs       int     `json:"max_num_seqs,omitempty"`
	MaxBatchedTokens int     `json:"max_num_batched_tokens,omitempty"`
	BlockSize        int     `json:"block_size,omitempty"`
	KVBytes          int64   `json:"kv_cache_memory_bytes,omitempty"`
	Spare            int     `json:"spare"`
	ReplicasMax      int     `json:"replicas_max"`

	CalibratedBy string `json:"calibrated_by,omitempty"`
}

// check refuses what cannot be planned, each with the value and the way out.
func (a Asked) check() error {
	switch {
	case a.Concurrency != 0 && a.Rate != 0:
		return wrongf("give one of them: --concurrency for users that wait for answers, --request-rate for arrivals that do not", "both --concurrency %d and --request-rate %g", a.Concurrency, a.Rate)
	case a.Concurrency == 0 && a.Rate == 0:
		return wrongf("give --concurrency 32 (requests in flight) or --request-rate 5 (a second)", "no load")
	case a.Concurrency < 0 || a.Concurrency > mostConcurrency:
		return wrongf("", "--concurrency %d: it must be between 1 and %d", a.Concurrency, mostConcurrency)
	case a.Rate != 0 && !(a.Rate >= leastRate && a.Rate <= mostRate):
		return wrongf("", "--request-rate %g: it must be between %g and %g a second", a.Rate, leastRate, mostRate)
	case a.ISL < 1 || a.ISL > mostTokens:
		return wrongf("give the mean tokens of a prompt, such as --isl 1000", "--isl %d: it must be between 1 and %d tokens", a.ISL, mostTokens)
	case a.OSL < 1 || a.OSL > mostTokens:
		return wrongf("give the mean tokens of an answer, such as --osl 300", "--osl %d: it must be between 1 and %d tokens", a.OSL, mostTokens)
	case a.Context < 0 || a.Context > mostTokens:
		return wrongf("", "--context %d: it must be between 1 and %d tokens", a.Context, mostTokens)
	case a.Context != 0 && a.ISL+a.OSL > a.Context:
		return wrongf(fmt.Sprintf("give --context %d or more, or shorter lengths", a.ISL+a.OSL), "--isl %d and --osl %d do not fit in a context of %d tokens", a.ISL, a.OSL, a.Context)
	case a.Budget != nil && !(*a.Budget > 0 && !math.IsInf(*a.Budget, 0)):
		return wrongf("", "--budget %g: it must be above 0 dollars an hour", *a.Budget)
	case !slices.Contains(Capacities, a.Capacity):
		return wrongf("", "--capacity %q is not one of %s", a.Capacity, strings.Join(Capacities, ", "))
	case a.Utilization != 0 && !(a.Utilization > 0 && a.Utilization <= 1):
		return wrongf("", "--gpu-memory-utilization %g: it must be above 0 and at most 1", a.Utilization)
	case a.MaxNumSeqs < 0 || a.MaxBatchedTokens < 0 || a.BlockSize < 0 || a.KVBytes < 0:
		return wrongf("", "--max-num-seqs, --max-num-batched-tokens, --block-size and --kv-cache-memory-bytes cannot be negative")
	case a.MaxNumSeqs > mostConcurrency:
		return wrongf("", "--max-num-seqs %d: it must be between 1 and %d", a.MaxNumSeqs, mostConcurrency)
	case a.MaxBatchedTokens > mostTokens:
		return wrongf("", "--max-num-batched-tokens %d: it must be between 1 and %d", a.MaxBatchedTokens, mostTokens)
	case a.BlockSize > mostBlock:
		return wrongf("", "--block-size %d: it must be between 1 and %d tokens", a.BlockSize, mostBlock)
	case !price.IsRegion(a.Region):
		return wrongf("", "--region %q is no AWS region, such as eu-central-1", a.Region)
	case a.Spare < 0 || a.Spare > mostReplicas:
		return wrongf("", "--spare %d: it must be between 0 and %d replicas", a.Spare, mostReplicas)
	case a.ReplicasMax < 1 || a.ReplicasMax > mostReplicas:
		return wrongf("", "--replicas-max %d: it must be between 1 and %d", a.ReplicasMax, mostReplicas)
	}
	for _, c := range a.SLO {
		if !slices.Contains(judgedMetrics, c.Metric) {
			return wrongf("leave it out; assay bench measures it", "--slo %s: a plan predicts %s, not %s", c, strings.Join(judgedMetrics, ", "), c.Metric)
		}
	}
	return nil
}
