package train

import (
	"assay/internal/facts"
	"assay/internal/figure"
	"assay/internal/price"
)

// Verdict says whether an option keeps budget and deadline.
type Verdict string

// Verdicts: at the bad end of the range, within it, not even at its good end; and
// what a budget says of an option whose price is not known.
const (
	Meets    Verdict = "meets"
	May      Verdict = "may meet"
	Misses   Verdict = "misses"
	Unpriced Verdict = "price not known"
)

// Result is the answer: the options in order, and what was rejected.
type Result struct {
	Request  Asked       `json:"request"`
	Model    ModelFacts  `json:"model"`
	Met      bool        `json:"met"` // an option meets or may meet what was asked, and its price is known where a budget is
	Order    string      `json:"order"`
	Nearest  string      `json:"nearest,omitempty"` // where nothing does: what would
	Options  []Option    `json:"options"`
	Rejected []Rejection `json:"rejected"`
	Network  NetworkPlan `json:"network"`
	Remarks  []string    `json:"remarks"`
}

// Asked is the request as resolved.
type Asked struct {
	Method       Method    `json:"method"`
	Tokens       float64   `json:"tokens"`
	Sequence     int       `json:"sequence"`
	GlobalBatch  int       `json:"global_batch"`
	Steps        float64   `json:"steps"`
	Precision    string    `json:"precision"`
	Optimizer    string    `json:"optimizer"`
	Recompute    Recompute `json:"activation_checkpointing"` // auto where each option has its own
	ChunkedLoss  bool      `json:"chunked_loss"`
	Rank         int       `json:"lora_rank,omitempty"`
	Targets      []string  `json:"lora_targets,omitempty"`
	Region       string    `json:"region"`
	Capacity     string    `json:"capacity"`
	BudgetUSD    *float64  `json:"budget_usd"`
	HourlyUSD    *float64  `json:"budget_usd_per_hour"`
	DeadlineS    *float64  `json:"deadline_s"`
	FailureHours *float64  `json:"gpu_hours_between_failures"`
}

// ModelFacts are the sizes that the plan rests on.
type ModelFacts struct {
	Name          string  `json:"name"`
	Parameters    int64   `json:"parameters"`
	Active        int64   `json:"active_parameters"`
	Trained       int64   `json:"trained_parameters"`
	FLOPsPerToken float64 `json:"flops_per_token"` // forward and backward, without recomputation
}

// GPU is the accelerator of an option.
type GPU struct {
	Name   string `json:"name"`
	Usable int64  `json:"usable_bytes"`
}

// Sum is a total with its unit beside it.
type Sum struct {
	figure.Range
	Unit string `json:"unit"`
}

// Phase is what part of the wall time goes into.
type Phase struct {
	Name  string       `json:"name"`
	Time  figure.Range `json:"time_s"`
	Share float64      `json:"share"` // of the total, at its middle
}

// Option is one way to train.
type Option struct {
	ID       string  `json:"id"`
	Verdict  Verdict `json:"verdict"`
	Instance string  `json:"instance"`
	Count    int     `json:"count"`
	GPUs     int     `json:"gpus"`
	GPU      GPU     `json:"gpu"`
	Layout   Layout  `json:"layout"`
	Memory   Memory  `json:"memory"` // of one GPU

	Step       Step         `json:"step"`
	Efficiency figure.Range `json:"efficiency"` // of the peak rates, during computation
	Rests      string       `json:"efficiency_from"`
	TokensPerS figure.Range `json:"tokens_per_s"`
	PerGPU     figure.Range `json:"tokens_per_s_per_gpu"`
	MFU        figure.Range `json:"mfu"` // of the BF16 peak

	Total   Sum           `json:"total"`
	Seconds figure.Range  `json:"total_s"`
	USD     *figure.Range `json:"total_usd"` // null: the price is not known
	Phases  []Phase       `json:"phases"`

	Price      *HourlyPrice `json:"price"`
	Checkpoint Checkpoint   `json:"checkpoint"`
	Connect    Connection   `json:"network"`
	Capacity   Purchase     `json:"capacity"`

	Remarks []string        `json:"remarks"`
	Figures []figure.Figure `json:"figures"`
	Sources []facts.Source  `json:"sources"`

	within bool // what was asked holds at the middle of the ranges
}

// HourlyPrice is what all instances of an option cost an hour, as bought: on demand,
// on Spot or in a Capacity Block where that was asked for.
type HourlyPrice struct {
	Kind    string           `json:"kind"`
	PerHour figure.Range     `json:"per_hour"`
	AsOf    string           `json:"as_of"`
	Spot    *price.SpotRange `json:"spot_instance_per_hour"` // of one instance; null: not known
	Source  facts.Source     `json:"source"`
}

// Connection is how the nodes of an option are connected and placed.
type Connection struct {
	EFA       int    `json:"efa"` // vpc.amazonaws.com/efa of each pod that has a node to itself
	Placement string `json:"placement_group"`
	Zones     int    `json:"zones"`
	HugePages string `json:"hugepages_2mi,omitempty"`
	Memory    string `json:"memory_at_least,omitempty"`
	Why       string `json:"why"`
}

// Purchase is how the nodes are bought.
type Purchase struct {
	Advice    string           `json:"advice"`
	Why       string           `json:"why"`
	BlockDays int              `json:"block_days,omitempty"`
	BlockUSD  *float64         `json:"block_usd_per_instance_hour,omitempty"`
	Quota     *facts.VCPUQuota `json:"quota"`
	VCPU      int              `json:"quota_vcpu"` // to have, for all instances
	Remarks   []string         `json:"remarks"`
}

// NetworkPlan is what holds for every option of more than one node.
type NetworkPlan struct {
	Environment []facts.Setting   `json:"environment"`
	Placements  []facts.Placement `json:"placement_groups"`
}

// Rejection is an instance type, or a layout of it, that does not do.
type Rejection struct {
	Instance string `json:"instance"`
	Layout   string `json:"layout"`
	Reason   string `json:"reason"`
}
