package engine

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"assay/internal/facts"
)

// Coefficients are how far an engine on a chip stays from what the chip's data
// sheet allows, and what each step costs beside bytes and FLOPs. Shares are of the
// data sheet; times are seconds.
type Coefficients struct {
	Read       float64 `json:"read"`        // share of bandwidth at which dense weights are read
	ExpertRead float64 `json:"expert_read"` // experts
	KVRead     float64 `json:"kv_read"`     // keys, values and recurrent state

	Decode        float64 `json:"decode"`         // share of the peak that products of a decode batch reach
	ExpertDecode  float64 `json:"expert_decode"`  // of a model with experts
	Prefill       float64 `json:"prefill"`        // of prompts
	ExpertPrefill float64 `json:"expert_prefill"` // of a model with experts

	Step        float64 `json:"step"`         // each step: scheduling, sampling
	Layer       float64 `json:"layer"`        // each layer: launches
	ExpertLayer float64 `json:"expert_layer"` // each layer with experts, beside: routing, sorting
	StateLayer  float64 `json:"state_layer"`  // each layer with a recurrent state, beside
	Sequence    float64 `json:"sequence"`     // each request in a step

	AllReduce float64 `json:"all_reduce"` // each all-reduce, for each doubling of ranks
	Link      float64 `json:"link"`       // share of the link's bandwidth
	Dispatch  float64 `json:"dispatch"`   // each layer of experts spread over ranks, beside
	Imbalance float64 `json:"imbalance"`  // what the busiest rank's experts have beyond the mean, share
}

// Fit is the coefficients fitted to published measurements, by part: what a step
// costs by the engine, shares by the chip's generation, the rest common to all.
// internal/predict/fit writes it; docs/prediction.md says how.
type Fit struct {
	Date   string       `json:"date"`
	Points string       `json:"points"` // SHA-256 of the measurements
	Source facts.Source `json:"source"`

	Engines       map[string]Coefficients `json:"engines"`
	Architectures map[string]Coefficients `json:"architectures"`
	Common        Coefficients            `json:"common"`
}

//go:embed coefficients.json
var coefficients []byte

// Fitted is the fit that ships with the tool.
var Fitted = sync.OnceValue(func() Fit {
	var f Fit
	if err := json.Unmarshal(coefficients, &f); err != nil {
		panic(fmt.Sprintf("coefficients.json: %v", err)) // a test reads it
	}
	return f
})

// pcieAllReduce is how much longer an all-reduce takes without a fabric between
// the chips: an estimate, NCCL over PCIe with small messages.
const pcieAllReduce = 3

// Of are the coefficients of an engine (vllm, sglang, trtllm; another: vllm's) on a
// chip. One whose generation was not measured takes the nearest that was.
func (f Fit) Of(engine string, c facts.Chip) Coefficients {
	e, ok := f.Engines[strings.ToLower(engine)]
	if !ok {
		e = f.Engines["vllm"]
	}
	a := f.Architectures[MeasuredArchitecture(c)]
	k := f.Common
	k.Step, k.Layer, k.ExpertLayer, k.Sequence = e.Step, e.Layer, e.ExpertLayer, e.Sequence
	k.Read, k.KVRead, k.Decode, k.ExpertDecode, k.AllReduce = a.Read, a.KVRead, a.Decode, a.ExpertDecode, a.AllReduce
	k.ExpertRead = e.ExpertRead
	// An engine's own overhead of prompts stands on the chip's share.
	k.Prefill, k.ExpertPrefill = a.Prefill*e.Prefill, a.ExpertPrefill*e.Prefill
	if !c.NVLink {
		k.AllReduce *= pcieAllReduce
	}
	return k
}

// MeasuredArchitecture is the chip's generation, or the nearest of those that the
// coefficients were fitted on.
func MeasuredArchitecture(c facts.Chip) string {
	if strings.HasPrefix(c.Architecture, "blackwell") {
		return "blackwell"
	}
	return "hopper"
}
