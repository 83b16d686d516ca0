package httpd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"
)

// Version is that of the vLLM whose behaviour is followed.
const Version = "0.32.0"

const (
	serverName  = "assay-sim"
	fingerprint = serverName + "-vllm-" + Version
)

// Options is how the engine is served. The zero value serves the model's own
// name on a free loopback port, in real time, without faults.
type Options struct {
	Listen      string // host:port; empty: 127.0.0.1:0, a free port
	ServedModel string // empty: the model's name
	// Adapters are the names of LoRA adapters that are served beside it. They
	// cost no time here, and share no cached prefixes.
	Adapters []string
	APIKey   string // guards /v1 as vLLM's --api-key does, and /admin; empty: no key

	// ShutdownTimeout is vLLM's --shutdown-timeout: 0 aborts what is in flight.
	ShutdownTimeout time.Duration

	Speed               float64 // engine seconds in one real second; 0: 1
	PromptTokensDetails bool    // vLLM's --enable-prompt-tokens-details: cached_tokens in usage
	MFUMetrics          bool    // vLLM's --enable-mfu-metrics: FLOPs and bytes of memory are counted
	// CountWindow is dcgm-exporter's for its counts of XIDs and clock events,
	// engine time; 0: its default of 5 minutes.
	CountWindow time.Duration
	Faults      Faults
}

// Faults are ways in which servers and what stands before them misbehave. The
// zero value misbehaves in none. Counts of tokens are of one choice's output; 0
// is off, and -1 means before the first token.
type Faults struct {
	// Share of requests that any fault below touches; 0: all of them.
	Share float64 `json:"share,omitempty"`

	ErrorRate    float64 `json:"error_rate,omitempty"`    // share of requests refused with ErrorStatus
	ErrorStatus  int     `json:"error_status,omitempty"`  // 400 to 599; 0: 500
	RetryAfterS  int     `json:"retry_after_s,omitempty"` // Retry-After of such a refusal; 0: none
	Shed         float64 `json:"shed,omitempty"`          // share of requests refused as by a full queue
	HTML         bool    `json:"html,omitempty"`          // a proxy's page with status 200
	FirstByteMS  int     `json:"first_byte_ms,omitempty"` // hold back the answer's headers
	StallAfter   int     `json:"stall_after_tokens,omitempty"`
	StallMS      int     `json:"stall_ms,omitempty"` // 0: until the client leaves
	ErrorAfter   int     `json:"error_after_tokens,omitempty"`
	ResetAfter   int     `json:"reset_after_tokens,omitempty"`
	NoUsage      bool    `json:"no_usage,omitempty"`
	ChunkTokens  int     `json:"tokens_per_chunk,omitempty"`
	MergeFirst   bool    `json:"merge_first_chunk,omitempty"` // role and first tokens in one chunk
	PingMS       int     `json:"ping_ms,omitempty"`           // comments in between
	CRLF         bool    `json:"crlf,omitempty"`
	Buffer       bool    `json:"buffer,omitempty"`           // a proxy that passes all on at the end
	Reasoning    int     `json:"reasoning_tokens,omitempty"` // the first ones go to delta.reasoning
	ReasoningKey string  `json:"reasoning_field,omitempty"`  // empty: reasoning; older servers: reasoning_content
	ChunkMS      int     `json:"chunk_ms,omitempty"`         // hold each chunk back: a slow way to the client

	// Faults of the engine and of what is scraped. Share does not touch them.
	EngineStall bool `json:"engine_stall,omitempty"` // requests run and no token comes
	ScrapeMS    int  `json:"scrape_ms,omitempty"`    // hold back each scrape
	NoMetrics   bool `json:"no_metrics,omitempty"`   // /metrics answers 503
	NoDCGM      bool `json:"no_dcgm,omitempty"`      // /dcgm/metrics answers 503
	NoNode      bool `json:"no_node,omitempty"`      // /node/metrics answers 503

	// Faults of the machine, of the GPU with this index. A throttled one slows the
	// engine, for the others wait for it.
	GPU             int     `json:"gpu,omitempty"`
	ThermalClock    float64 `json:"thermal_clock,omitempty"`     // share of the SM clock that heat leaves; 0: all
	BrakeClock      float64 `json:"power_brake_clock,omitempty"` // the same, of the power brake
	TemperatureC    int     `json:"temperature_c,omitempty"`     // shown in place of the real one
	XID             int     `json:"xid,omitempty"`
	DoubleBitErrors int     `json:"ecc_double_bit_errors,omitempty"` // happen when it is switched on
	RowRemapFailure bool    `json:"row_remap_failure,omitempty"`
	NVLinkErrors    float64 `json:"nvlink_errors_per_s,omitempty"` // of each kind
	EFARetransmits  float64 `json:"efa_retransmits_per_s,omitempty"`
	EFADrops        float64 `json:"efa_drops_per_s,omitempty"`
	ENAExceeded     float64 `json:"ena_allowance_exceeded_per_s,omitempty"` // packets
	CFSThrottled    float64 `json:"cfs_throttled_share,omitempty"`          // of the container's periods
}

// maxFault bounds times in milliseconds and counts of tokens.
const maxFault = 1 << 30

func (f Faults) check() error {
	switch {
	case f.Share < 0 || f.Share > 1:
		return fmt.Errorf("share %g must lie between 0 and 1", f.Share)
	case f.ErrorRate < 0 || f.ErrorRate > 1:
		return fmt.Errorf("error_rate %g must lie between 0 and 1", f.ErrorRate)
	case f.ErrorStatus != 0 && (f.ErrorStatus < 400 || f.ErrorStatus > 599):
		return fmt.Errorf("error_status %d is not between 400 and 599", f.ErrorStatus)
	case f.ReasoningKey != "" && f.ReasoningKey != "reasoning" && f.ReasoningKey != "reasoning_content":
		return fmt.Errorf("reasoning_field %q is neither reasoning nor reasoning_content", f.ReasoningKey)
	}
	for _, n := range []int{f.RetryAfterS, f.FirstByteMS, f.StallMS, f.ChunkTokens, f.PingMS, f.Reasoning, f.ChunkMS, f.ScrapeMS, f.TemperatureC, f.XID, f.DoubleBitErrors, f.GPU} {
		if n < 0 || n > maxFault {
			return fmt.Errorf("%d is not between 0 and %d", n, maxFault)
		}
	}
	for name, v := range map[string]float64{"shed": f.Shed, "thermal_clock": f.ThermalClock, "power_brake_clock": f.BrakeClock, "cfs_throttled_share": f.CFSThrottled} {
		if !(v >= 0 && v <= 1) {
			return fmt.Errorf("%s %g must lie between 0 and 1", name, v)
		}
	}
	for _, v := range []float64{f.NVLinkErrors, f.EFARetransmits, f.EFADrops, f.ENAExceeded} {
		if !(v >= 0 && v <= maxFault) {
			return fmt.Errorf("%g a second is not between 0 and %d", v, maxFault)
		}
	}
	for _, n := range []int{f.StallAfter, f.ErrorAfter, f.ResetAfter} {
		if n < -1 || n > maxFault {
			return fmt.Errorf("%d tokens are not between -1 and %d", n, maxFault)
		}
	}
	return nil
}

// FaultNames are the keys of a Faults object in JSON, in order.
func FaultNames() []string {
	var names []string
	for field := range reflect.TypeFor[Faults]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// ParseFaults reads the body of POST /admin/faults.
func ParseFaults(r io.Reader) (Faults, error) {
	var f Faults
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return Faults{}, fmt.Errorf("read faults: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Faults{}, errors.New("read faults: more follows the JSON object")
	}
	return f, f.check()
}
