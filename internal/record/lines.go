package record

// Request is one line of requests.jsonl. Offsets ending in _us are
// microseconds since the run's start, except ChunkUS.
type Request struct {
	ID         string `json:"id"` // sent as X-Request-Id
	Level      string `json:"level"`
	Seq        int    `json:"seq"` // within the level, in order of intended send
	Phase      string `json:"phase"`
	IntendedUS int64  `json:"intended_us"` // when the schedule said to send
	SentUS     int64  `json:"sent_us"`     // when the request's bytes had been written; 0 with NotSent
	NotSent    bool   `json:"not_sent,omitempty"`
	ConnectUS  int64  `json:"connect_us,omitempty"` // spent dialling, 0 on a kept connection
	HeadersUS  int64  `json:"headers_us,omitempty"` // response headers read
	EndUS      int64  `json:"end_us"`               // the stream ended, or the error occurred

	// ChunkUS are the arrivals of the chunks that carry tokens, microseconds
	// since SentUS; ChunkTokens how many tokens each holds, absent when not
	// known (then chunks stand for tokens in proportion to OutputTokens).
	ChunkUS     []int64 `json:"chunk_us,omitempty"`
	ChunkTokens []int   `json:"chunk_tokens,omitempty"`
	// AnswerAt is the index into ChunkUS of the first token that is not
	// reasoning; -1 when there was none.
	AnswerAt int `json:"answer_at"`

	Model   string `json:"model,omitempty"`    // asked for, where a level mixes several
	Session string `json:"session,omitempty"`  // the conversation that the request is a turn of, unique in its level
	Turn    int    `json:"turn,omitempty"`     // in its session, from 1
	Turns   int    `json:"turns,omitempty"`    // of its session
	ThinkUS int64  `json:"think_us,omitempty"` // from the end of the turn before to IntendedUS
	Images  int    `json:"images,omitempty"`
	Bytes   int    `json:"body_bytes,omitempty"` // of the request's body, where it carries images

	AskedPrompt  int    `json:"asked_prompt_tokens,omitempty"` // 0: not asked
	AskedOutput  int    `json:"asked_output_tokens,omitempty"` // 0: not asked
	PromptTokens *int   `json:"prompt_tokens"`
	OutputTokens *int   `json:"output_tokens"`
	Reasoning    *int   `json:"reasoning_tokens,omitempty"`
	CachedTokens *int   `json:"cached_tokens,omitempty"`
	TokensFrom   string `json:"tokens_from,omitempty"`
	Finish       string `json:"finish,omitempty"`
	Status       int    `json:"status,omitempty"` // HTTP
	Error        string `json:"error,omitempty"`  // kind; empty for a success
	Detail       string `json:"detail,omitempty"` // the error in words, shortened, without secrets
}

// Phases of a request.
const (
	Warmup   = "warmup"
	Measured = "measured"
)

// Where token counts came from.
const (
	FromUsage           = "usage"
	FromContinuousUsage = "continuous-usage"
	FromTokenize        = "tokenize"
	FromChunks          = "chunks"
	FromMixed           = "mixed"
)

// ClientSample is one line of client.jsonl, written once a second. LagUS are
// the send latenesses of that second.
type ClientSample struct {
	AtUS         int64    `json:"at_us"`
	Level        string   `json:"level"`
	InFlight     int      `json:"in_flight"`
	Sent         int      `json:"sent"` // in this second
	Done         int      `json:"done"`
	LagP50US     int64    `json:"lag_p50_us"`
	LagP99US     int64    `json:"lag_p99_us"`
	LagMaxUS     int64    `json:"lag_max_us"`
	SchedP50US   float64  `json:"sched_p50_us"` // scheduler delay in this second
	SchedP99US   float64  `json:"sched_p99_us"`
	SchedMeanUS  *float64 `json:"sched_mean_us,omitempty"` // nil: not recorded, or nothing ran
	GCPauseMaxUS float64  `json:"gc_pause_max_us"`
	GCs          int      `json:"gcs"`
	CPUCores     float64  `json:"cpu_cores"` // user + system of this process
	HeapBytes    uint64   `json:"heap_bytes"`
	RSSBytes     uint64   `json:"rss_bytes"`
	Goroutines   int      `json:"goroutines"`
}

// MetricsSample is one line of metrics.jsonl: one scrape of one source, reduced
// to the families that Assay knows, as name{labels} -> value.
type MetricsSample struct {
	AtUS   int64              `json:"at_us"`
	Level  string             `json:"level"`
	Source string             `json:"source"`         // URL without user info and query, with #2 and so on where several look the same
	Of     string             `json:"of,omitempty"`   // what the source is an account of; empty: the engine
	Edge   string             `json:"edge,omitempty"` // start or end of a level
	Values map[string]float64 `json:"values,omitempty"`
	Error  string             `json:"error,omitempty"`
}

// What a source of metrics is an account of.
const (
	OfEngine = ""     // an engine's own metrics; each source is a replica
	OfGPU    = "gpu"  // the exporter of a node's GPUs
	OfNode   = "node" // the exporters of a node
)
