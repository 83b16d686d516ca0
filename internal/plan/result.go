package plan

import (
	"assay/internal/figure"
	"assay/internal/karpenter"
)

// Result is the answer to a request: what would do, in order of cost, and why the
// rest would not.
type Result struct {
	Request  Asked       `json:"request"`
	Model    Model       `json:"model"`
	Memory   Memory      `json:"memory"`
	Verdict  Verdict     `json:"verdict"`
	Options  []Option    `json:"options"`
	Rejected []Rejection `json:"rejected"`
	Remarks  []string    `json:"remarks,omitempty"`
	NotKnown []string    `json:"not_known,omitempty"`
}

// Model is what is to be served.
type Model struct {
	Name       string   `json:"name"`
	Parameters int64    `json:"parameters"`
	Active     int64    `json:"active_parameters"`
	Precision  string   `json:"precision"`
	Context    int      `json:"context"`
	Assumed    bool     `json:"assumed"`              // of a bare count: the architecture is assumed
	Candidates []string `json:"candidates,omitempty"` // known architectures of that count
	From       string   `json:"from"`                 // what kind of reference it was
	Serve      string   `json:"serve"`                // what an engine is given to load
}

// Memory is of the whole model, one replica.
type Memory struct {
	Weights      int64         `json:"weights_bytes"`
	KVPerToken   int64         `json:"kv_bytes_per_token"`
	KVRange      *figure.Range `json:"kv_bytes_per_token_range,omitempty"` // over the candidates of a bare count
	KVFormat     string        `json:"kv_precision"`
	WeightsExact bool          `json:"weights_exact"` // summed from tensor headers, not by rule
}

// Verdicts of a plan.
const (
	Fits       = "fits"        // options meet what was asked
	MeetsNone  = "slo-missed"  // what fits misses the SLO
	OverBudget = "over-budget" // what meets the SLO costs more
	TooLarge   = "too-large"   // nothing holds the model, or the context
	NoForecast = "unpredicted" // what fits cannot be predicted, or no NodePool has room for it
)

// Verdict is the answer in a sentence, and where it is no, the nearest thing that works.
type Verdict struct {
	Verdict string   `json:"verdict"`
	Say     string   `json:"say"`
	Also    []string `json:"also,omitempty"` // what a reader asks next, each in a sentence
	Sure    string   `json:"sure,omitempty"` // the id of the cheapest option whose error bars lie within the SLO
	Nearest *Nearest `json:"nearest,omitempty"`
}

// Nearest is what comes closest where nothing meets what was asked.
type Nearest struct {
	Option *Option  `json:"option"` // nil where no option exists at all
	Misses []string `json:"misses"` // by how much, each in a sentence
	Relax  []string `json:"relax"`  // what to ask instead
}

// Option is one way to serve the model.
type Option struct {
	ID       string `json:"id"` // INSTANCE-tpN[-ppN][-dpN][-epN]-xR
	Instance string `json:"instance"`
	Count    int    `json:"count"` // instances, all replicas together
	TP       int    `json:"tp"`
	PP       int    `json:"pp"`
	DP       int    `json:"dp"` // data parallel ranks of attention in one replica
	EP       int    `json:"ep"`
	Replicas int    `json:"replicas"`

	GPU            GPU           `json:"gpu"`
	GPUs           int           `json:"gpus"`                      // that the replicas use
	GPUsIdle       int           `json:"gpus_idle"`                 // paid for and not used
	KVTokens       int           `json:"kv_tokens"`                 // of one replica
	KVTokensRange  *figure.Range `json:"kv_tokens_range,omitempty"` // over the candidates of a bare count
	MaxConcurrency float64       `json:"max_concurrency"`           // requests of the whole context that one replica's KV cache holds
	KVBlocks       int           `json:"kv_blocks"`
	BlockSize      int           `json:"block_size"`

	Load      Load       `json:"load"`
	Predicted Predicted  `json:"predicted"`
	Simulated *Simulated `json:"simulated"` // nil: not run through the engine
	SLO       []Judged   `json:"slo,omitempty"`
	Meets     string     `json:"meets"` // met, undecided or missed

	Price  Price         `json:"price"`
	USD    *figure.Range `json:"usd_per_million_output_tokens"`         // at the load
	AtKnee *figure.Range `json:"usd_per_million_output_tokens_at_knee"` // nil where no knee is known
	Spare  *Spare        `json:"with_spare,omitempty"`

	Flags []string `json:"flags"` // of one replica
	Host  Host     `json:"host"`

	Notes      []string        `json:"notes,omitempty"`      // what makes the option's figures unsure
	Calibrated []string        `json:"calibrated,omitempty"` // memory, latency: what was measured
	Figures    []figure.Figure `json:"figures,omitempty"`
}

// GPU is one GPU of an option: what lies in its memory, in bytes.
type GPU struct {
	Name       string `json:"name"`
	Vendor     string `json:"vendor"`
	Usable     int64  `json:"usable_bytes"`
	Weights    int64  `json:"weights_bytes"`
	Activation int64  `json:"activation_bytes"`
	Graphs     int64  `json:"cuda_graph_bytes"`
	Other      int64  `json:"other_bytes"`
	KV         int64  `json:"kv_bytes"`
}

// Load is what one replica bears.
type Load struct {
	Concurrency int      `json:"concurrency,omitempty"`
	Rate        *float64 `json:"requests_per_s,omitempty"`
}

// Predicted is how fast an option is. Latencies are means over requests.
type Predicted struct {
	TTFT     figure.Range `json:"ttft_ms"`
	ITL      figure.Range `json:"itl_ms"`
	E2E      figure.Range `json:"e2e_ms"`
	Output   figure.Range `json:"output_tokens_per_s"` // of all replicas
	Requests figure.Range `json:"requests_per_s"`
	Knee     *Knee        `json:"knee"` // nil: not reached
}

// Knee is the load past which throughput stops growing, of all replicas.
type Knee struct {
	Low    float64      `json:"low"`
	High   float64      `json:"high"`
	Unit   string       `json:"unit"` // in flight
	Output figure.Range `json:"output_tokens_per_s"`
}

// Simulated is what the engine in virtual time shows at the option's load, once it
// is steady: of the fullest replica.
type Simulated struct {
	KVPeak      float64  `json:"kv_peak"`      // share of the KV cache that was in use at most
	Preemptions int64    `json:"preemptions"`  // in the span
	Batch       float64  `json:"mean_batch"`   // requests in a step
	Queued      float64  `json:"mean_queued"`  // requests that wait for room in the KV cache or in max_num_seqs
	Wait        float64  `json:"mean_wait_ms"` // of each request for that room
	Requests    int      `json:"requests"`     // that ended in the span
	Span        float64  `json:"span_s"`       // of virtual time
	Factors     []Factor `json:"percentiles,omitempty"`
}

// Factor is a percentile over the mean of the same latency.
type Factor struct {
	Metric     string       `json:"metric"`
	Percentile string       `json:"percentile"`
	OverMean   figure.Range `json:"over_mean"`
}

// Judged is one condition of the SLO held against the prediction.
type Judged struct {
	Metric     string       `json:"metric"`
	Percentile string       `json:"percentile"`
	Limit      float64      `json:"limit"` // ms
	Value      figure.Range `json:"value"` // ms
	Verdict    string       `json:"verdict"`
	How        string       `json:"how"` // how the percentile was had from the prediction
}

// Price is of all instances of an option, US dollars an hour.
type Price struct {
	OnDemand    *float64   `json:"on_demand_per_hour"`
	AsOf        *string    `json:"as_of"`
	PerInstance *float64   `json:"on_demand_per_instance_hour"`
	Spot        *SpotPrice `json:"spot_per_hour"`
	AskSpot     string     `json:"ask_spot,omitempty"` // the command that says, where Spot is not known
}

// SpotPrice is the range of a Spot price over zones and time.
type SpotPrice struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	AsOf string  `json:"as_of"`
}

// Spare is an option with more replicas than the load needs, so that one may fail.
type Spare struct {
	Replicas int      `json:"replicas"`
	Count    int      `json:"count"`
	OnDemand *float64 `json:"on_demand_per_hour"`
}

// Host is what an operator asks of the machines.
type Host struct {
	VCPU        int                    `json:"vcpus"` // of all instances
	Quota       string                 `json:"quota"` // the EC2 quota that counts them
	QuotaCode   string                 `json:"quota_code,omitempty"`
	Memory      int64                  `json:"memory_bytes"`          // of one instance
	LoadMemory  int64                  `json:"load_bytes"`            // with which one instance reads the weights once: page cache and processes
	Allocatable int64                  `json:"allocatable_bytes"`     // that pods can count on there
	Pods        int                    `json:"pods"`                  // that one node holds
	NodePools   []string               `json:"node_pools,omitempty"`  // that could launch it
	Tolerations []karpenter.Toleration `json:"tolerations,omitempty"` // of pods there
}

// Rejection is one layout that would not do.
type Rejection struct {
	Instance string `json:"instance"`
	Layout   string `json:"layout"`
	Reason   string `json:"reason"`
	Kind     string `json:"kind"` // by which reasons are grouped
}
