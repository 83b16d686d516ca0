package record

// Examination is what a few unmeasured requests showed of an endpoint.
type Examination struct {
	Target     Target      `json:"target"`
	Inspection Inspection  `json:"inspection"` // of the first, short request
	Answers    []Examined  `json:"answers"`
	Findings   []Finding   `json:"findings"`
	Dialect    DialectUsed `json:"dialect"`
}

// Examined is one answer as it arrived. Times are milliseconds since the
// request had been sent; null: not known.
type Examined struct {
	What          string    `json:"what"`
	ConnectMS     *float64  `json:"connect_ms"` // null: on a kept connection
	HeadersMS     float64   `json:"headers_ms"`
	TTFTMS        *float64  `json:"ttft_ms"`
	E2EMS         float64   `json:"e2e_ms"`
	PromptTokens  *int      `json:"prompt_tokens"`
	CachedTokens  *int      `json:"cached_tokens"`
	OutputTokens  *int      `json:"output_tokens"`
	AskedOutput   int       `json:"asked_output_tokens"`
	Chunks        int       `json:"chunks"` // that carry tokens
	Finish        string    `json:"finish"`
	Done          bool      `json:"done"` // it said that it was at its end
	Reads         []Arrival `json:"reads"`
	ReasoningMS   *float64  `json:"reasoning_ms"` // from the first token to the first that is not reasoning
	ReasoningName string    `json:"reasoning_field,omitempty"`
}

// Arrival is what the network brought at one moment.
type Arrival struct {
	AtMS   float64 `json:"at_ms"`
	Chunks int     `json:"chunks"`
	Tokens int     `json:"tokens"` // 0: the server does not say
}

// DialectUsed are the fields that a run will send.
type DialectUsed struct {
	IncludeUsage    bool   `json:"include_usage"`
	ContinuousUsage bool   `json:"continuous_usage"`
	IgnoreEOS       bool   `json:"ignore_eos"`
	MinTokens       bool   `json:"min_tokens"`
	MaxTokensField  string `json:"max_tokens_field"`
}

// Statuses of a finding.
const (
	Fine    = "fine"
	Remark  = "remark"  // it changes how figures are to be read
	Trouble = "trouble" // figures of a run are not the engine's
)

// Finding is one thing that an examination says, and what it means.
type Finding struct {
	Status string `json:"status"`
	What   string `json:"what"`
	Means  string `json:"means,omitempty"`
}
