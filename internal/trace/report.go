package trace

// Report is what a trace is like. What the trace does not say is nil: its keys
// are null, never 0.
type Report struct {
	File    string `json:"file"`
	Format  string `json:"format"`
	Because string `json:"because"` // by what the format was recognised

	// Verdict is what to do with the trace, and Remarks what to know before.
	Verdict Verdict  `json:"verdict"`
	Remarks []string `json:"remarks"`

	Rows    int  `json:"rows"`
	Skipped int  `json:"skipped"` // that hold nothing to ask
	Failed  int  `json:"failed"`  // that got no answer then
	Whole   bool `json:"whole"`   // the file was read to its end

	SpanS    *float64 `json:"span_s"`     // from the first request to the last
	PerS     *float64 `json:"rate_per_s"` // requests a second, over the span
	Gaps     Gaps     `json:"gaps_s"`     // between one request and the next
	Distinct *int     `json:"distinct_timestamps"`
	Stamps   *Stamps  `json:"timestamps"`
	Bursts   Bursts   `json:"burstiness"`
	Arrivals *Bins    `json:"arrivals"`

	ISL     Lengths `json:"isl"` // tokens as the trace counts them
	OSL     Lengths `json:"osl"`
	Chars   Lengths `json:"prompt_characters"` // of prompts that are texts
	Context *Fit    `json:"context"`           // against the limit that was given

	PrefixHitBound *float64 `json:"prefix_hit_bound"` // share that an infinite cache would serve
	Prefix         *Prefix  `json:"prefix"`
	Repeated       *int     `json:"repeated_prompts"` // prompts that came before word for word

	Sessions *Sessions `json:"sessions"`
	Models   []Model   `json:"models"` // most used first
	Images   *Images   `json:"images"`

	// TTFT and Latency are those that the trace recorded, on its own server.
	TTFT    *Lengths `json:"recorded_ttft_ms"`
	Latency *Lengths `json:"recorded_latency_ms"`
}

// Ways to use a trace, best first.
const (
	ReplayAsIs    = "replay"   // by its time stamps
	ReplaySpread  = "spread"   // by its time stamps, spread within their ticks
	ReplayAtLoad  = "at-load"  // it has no times, or none that sessions share: at a load of one's choice
	ReplayNothing = "unusable" // it says neither lengths nor prompts
)

// Verdict is what to do with a trace.
type Verdict struct {
	Use string `json:"use"`  // one of the ways above
	Fit *bool  `json:"fits"` // no row is beyond the context that was given; null: no row says its length, or none was given
	Say string `json:"sentence"`
}

// Gaps are the times between arrivals, in seconds. A Poisson process has a
// coefficient of variation of 1.
type Gaps struct {
	Mean *float64 `json:"mean"`
	CV   *float64 `json:"cv"`
	Max  *float64 `json:"max"`
}

// Stamps say how finely time was recorded.
type Stamps struct {
	TickS      *float64 `json:"tick_s"`       // stamps are multiples of it; null: no tick shows
	Shared     int      `json:"shared_rows"`  // rows that have another's stamp
	MostAtOnce int      `json:"most_at_once"` // rows of one stamp
	OutOfOrder int      `json:"out_of_order"` // rows before the one above them
	Left       int      `json:"left_out"`     // rows so far out of order that the figures leave them out
}

// Bursts are the indexes of dispersion of counts: the variance of the number of
// requests in windows of a length, over its mean. 1 is a Poisson process, 0 a
// constant rate; null under 10 windows.
type Bursts struct {
	D1  *float64 `json:"idc_1s"`
	D10 *float64 `json:"idc_10s"`
	D60 *float64 `json:"idc_60s"`
}

// Bins are the requests of equal parts of the span.
type Bins struct {
	WidthS float64 `json:"bin_s"`
	Counts []int   `json:"counts"`
}

// Lengths are the exact figures of a whole file, by nearest rank.
type Lengths struct {
	N    int      `json:"n"`
	Mean *float64 `json:"mean"`
	P50  *int     `json:"p50"`
	P95  *int     `json:"p95"`
	Max  *int     `json:"max"`
}

// Fit counts the rows that a server's context does not hold.
type Fit struct {
	Limit  int `json:"max_model_len"`
	Prompt int `json:"prompt_over"` // the prompt alone is longer
	Total  int `json:"total_over"`  // the prompt with its answer is
}

// Prefix is what an infinite prefix cache would serve. Traces whose last block
// may be cut short (Mooncake) are weighed by blocks, those of full blocks only
// (WEKA) by tokens.
type Prefix struct {
	Unit         string `json:"unit"` // blocks or tokens
	BlockSize    int    `json:"block_size"`
	HitBlocks    int    `json:"hit_blocks"`
	Blocks       int    `json:"blocks"`
	HitTokens    int    `json:"hit_tokens"`
	PromptTokens int    `json:"prompt_tokens"`
	// Mismatched are rows whose number of blocks is not that of their length: the
	// block size is another.
	Mismatched int `json:"mismatched_rows"`
}

// Sessions are conversations of several turns.
type Sessions struct {
	N       int     `json:"n"`
	Turns   Lengths `json:"turns"`
	ThinkMS Lengths `json:"think_ms"`
}

// Model is one that requests named.
type Model struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
}

// Images counts those that requests carry.
type Images struct {
	Rows  int `json:"rows"` // with at least one
	Total int `json:"total"`
	Most  int `json:"most"` // in one request
}
