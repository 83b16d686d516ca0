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
	Faults              Faults
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
	for _, n := range []int{f.RetryAfterS, f.FirstByteMS, f.StallMS, f.ChunkTokens, f.PingMS, f.Reasoning} {
		if n < 0 || n > maxFault {
			return fmt.Errorf("%d is not between 0 and %d", n, maxFault)
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
