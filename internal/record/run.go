package record

import (
	"encoding/json"
	"time"

	"assay/internal/stats"
)

// Schema is the version of the run format that this program writes.
const Schema = "assay.run/v1"

// Run is run.json. Scripts rely on its keys: see docs/run-format.md.
type Run struct {
	Schema      string          `json:"schema"`
	Tool        Tool            `json:"tool"`
	Command     []string        `json:"command"` // the exact command, without secrets
	Start       time.Time       `json:"start"`
	End         *time.Time      `json:"end"`      // null while running or after a kill
	Complete    bool            `json:"complete"` // every planned level was run to its end
	Interrupted bool            `json:"interrupted,omitempty"`
	Host        Host            `json:"host"`
	Seed        uint64          `json:"seed"`
	Nonce       string          `json:"nonce"` // makes this run's prompts unique to a prefix cache
	Target      Target          `json:"target"`
	Platform    Platform        `json:"platform"`
	Spec        json.RawMessage `json:"spec"` // what was asked, as resolved
	Inspection  *Inspection     `json:"inspection,omitempty"`
	Levels      []Level         `json:"levels"`
	Repeats     []Repeats       `json:"repeats,omitempty"` // one for each load that was held several times
	Saturation  *Saturation     `json:"saturation"`
	Bound       Bound           `json:"bound"`
	SLO         SLO             `json:"slo"`
	Cost        *Cost           `json:"cost,omitempty"`
	Notes       []string        `json:"notes,omitempty"` // remarks for the reader: defaults cut, lengths missed
	// Definitions say, for a run read from another tool's file, what its
	// metrics are. None for a run of Assay's own.
	Definitions []Definition `json:"definitions,omitempty"`
}

// Tool says which program wrote the run.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Go      string `json:"go"`
}

// Host is the machine of the client.
type Host struct {
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	CPUs     int    `json:"cpus"`
	CPUModel string `json:"cpu_model,omitempty"`
	MemBytes int64  `json:"mem_bytes,omitempty"`
}

// Target is what was measured. URL carries no user info and no query.
type Target struct {
	URL       string       `json:"url"`
	Model     string       `json:"model"`
	API       string       `json:"api"` // one of wire.APIs
	Simulated bool         `json:"simulated"`
	Preset    string       `json:"preset,omitempty"` // of the simulated engine, in words
	Engine    TargetEngine `json:"engine"`
	MaxLen    int          `json:"max_model_len,omitempty"`
}

// TargetEngine is the server software; empty strings mean not known.
type TargetEngine struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	// The limits of its scheduler where it tells its configuration; 0: not known.
	MaxNumSeqs       int `json:"max_num_seqs,omitempty"`
	MaxBatchedTokens int `json:"max_num_batched_tokens,omitempty"`
}

// Platform is the hardware behind the target; nil means not known.
type Platform struct {
	Instance *string `json:"instance"`
	GPU      *string `json:"gpu"`
	Count    *int    `json:"count"`
	TP       *int    `json:"tp"`
	Region   *string `json:"region"`
}

// Inspection is what the first, unmeasured request showed of the stream.
type Inspection struct {
	Status            int      `json:"status"`
	RoleChunkFirst    bool     `json:"role_chunk_first"`
	Comments          int      `json:"comments"` // SSE comment lines (pings)
	CRLF              bool     `json:"crlf"`
	UsageChunk        string   `json:"usage_chunk"` // own, last-content, every or none
	TokensPerChunk    float64  `json:"tokens_per_chunk"`
	FirstChunkTokens  int      `json:"first_chunk_tokens"`
	ReasoningField    string   `json:"reasoning_field,omitempty"`
	CachedTokensKnown bool     `json:"cached_tokens_known"`
	Buffered          bool     `json:"buffered"` // all chunks came in one read: TTFT is not real
	IgnoreEOS         bool     `json:"ignore_eos"`
	Remarks           []string `json:"remarks,omitempty"`
}

// Verdicts on the validity of a level.
const (
	Valid         = "valid"
	ClientLimited = "client-limited" // the client spoiled it
	Unstable      = "unstable"       // it drifted, or the server changed within it
	Invalid       = "invalid"        // too many errors, or cut short
	// NotJudged is of a level read from another tool's file that holds too
	// little to tell. Assay's own levels are always judged.
	NotJudged = "not-judged"
)

// Kinds of load.
const (
	ByConcurrency = "concurrency" // closed loop
	ByRate        = "rate"        // open loop, requests per second
)

// ArrivalTrace is the arrival process of a replay: requests are due when a file
// says, Speed times as fast.
const ArrivalTrace = "trace"

// Passes of a scenario.
const (
	PassGrid   = "grid"   // a level that the scenario lists
	PassRefine = "refine" // a level added by bisection
	// PassConfirm is an open-loop level that tests a closed loop's knee.
	PassConfirm = "confirm"
	// PassTrial is a level that tests the verdict on what binds.
	PassTrial = "trial"
)

// Level is one fixed load and what it gave.
type Level struct {
	ID         string         `json:"id"`
	Scenario   string         `json:"scenario"`
	Pass       string         `json:"pass"`
	Load       Load           `json:"load"`
	Start      time.Time      `json:"start"`
	End        time.Time      `json:"end"`
	DurationS  float64        `json:"duration_s"` // of the whole level, warm-up included
	Window     Window         `json:"window"`     // what throughput is taken over
	Requests   Requests       `json:"requests"`
	Errors     map[string]int `json:"errors"` // by kind
	Validity   Validity       `json:"validity"`
	TTFT       stats.Dist     `json:"ttft_ms"`
	TTFO       stats.Dist     `json:"ttfo_ms"`
	ITL        stats.Dist     `json:"itl_ms"`
	ICL        stats.Dist     `json:"icl_ms"`
	E2E        stats.Dist     `json:"e2e_ms"`
	TPSRequest stats.Dist     `json:"tps_per_request"` // n_tokens / (t_last - t_sent) of each request
	Throughput Throughput     `json:"throughput"`
	Goodput    *float64       `json:"goodput_per_s"` // null when the window is too short
	Asked      Tokens         `json:"asked"`         // mean tokens per request
	Got        Tokens         `json:"got"`
	TokensFrom string         `json:"tokens_from"`   // usage, continuous-usage, tokenize, chunks or mixed
	Cached     *int64         `json:"cached_tokens"` // null when the server does not say
	USDPerM    *float64       `json:"usd_per_million_output_tokens"`
	FromIntent FromIntended   `json:"from_intended"`
	Client     Client         `json:"client"`
	Anatomy    Anatomy        `json:"anatomy"`
	Server     *Server        `json:"server"`         // the engine's own metrics over the level; null when out of reach
	GPU        *GPU           `json:"gpu,omitempty"`  // what the GPUs' exporter says of the level; null when out of reach
	Node       *Node          `json:"node,omitempty"` // what the node's exporters say of the level; null when out of reach
	SLO        []Criterion    `json:"slo"`
	CutBy      string         `json:"cut_by,omitempty"` // budget, errors, oversaturated, interrupt or empty
	// Oversaturated is of an open loop; null for a closed one.
	Oversaturated *Oversaturation `json:"oversaturated,omitempty"`
	// Little is null without a steady window.
	Little *Little `json:"littles_law,omitempty"`
	// Cache is what a prefix cache had to do with the level; nil in another tool's.
	Cache    *Cache       `json:"cache,omitempty"`
	Repeat   int          `json:"repeat,omitempty"` // 1..N of the levels that hold one load N times; 0: held once
	Reuse    string       `json:"reuse"`            // what prompts share by intent: none, prefix, session, trace or dataset
	Models   []ModelLevel `json:"models,omitempty"` // of a level that mixes models, each by itself
	Sessions *Sessions    `json:"sessions,omitempty"`
	// Quoted are percentiles that another tool's file gives and that n cannot
	// support, by name ("ttft.p99"), milliseconds: theirs to defend.
	Quoted map[string]float64 `json:"quoted,omitempty"`
}

// What the prompts of a level share by intent, so that a prefix cache may serve
// it. A dataset's prompts share what they happen to.
const (
	ReuseNone    = "none"
	ReusePrefix  = "prefix"  // prefixes that prompts share on purpose
	ReuseSession = "session" // each turn begins with those before it
	ReuseTrace   = "trace"   // blocks as a trace's hash ids say
	ReuseDataset = "dataset"
)

// ModelLevel is the part of a level that asked for one of several models. The
// level's own figures are of the mix.
type ModelLevel struct {
	Model    string     `json:"model"`
	Requests Requests   `json:"requests"`
	TTFT     stats.Dist `json:"ttft_ms"`
	ITL      stats.Dist `json:"itl_ms"`
	E2E      stats.Dist `json:"e2e_ms"`
}

// Sessions counts the conversations of a level whose requests are turns. InProgress
// is the mean of those that waited for an answer or thought about one.
type Sessions struct {
	Completed  int     `json:"completed"` // to their last turn
	Failed     int     `json:"failed"`    // ended by a turn that failed
	Cut        int     `json:"cut"`       // the level ended before their last turn
	Turns      float64 `json:"turns_mean"`
	InProgress float64 `json:"in_progress_mean"`
}

// Load is what was held.
type Load struct {
	Kind       string  `json:"kind"`
	Value      float64 `json:"value"`
	Arrival    string  `json:"arrival,omitempty"` // constant, poisson, gamma, or trace: as a file recorded them
	Burstiness float64 `json:"burstiness,omitempty"`
	Speed      float64 `json:"speed,omitempty"`    // of a replayed trace: 2 is twice as fast as recorded
	Sessions   bool    `json:"sessions,omitempty"` // requests are turns of sessions; a concurrency counts sessions in progress
	Requests   int     `json:"requests"`           // how many were to be measured; 0: by time only
}

// Window is the part of a level under full load, microseconds since the run's start.
// Steady is false when there was none and the span of the measured requests stands in.
type Window struct {
	StartUS int64 `json:"start_us"`
	EndUS   int64 `json:"end_us"`
	Steady  bool  `json:"steady"`
}

// Requests counts one level's requests. Warmup are on top of the others.
type Requests struct {
	Completed int `json:"completed"`
	Failed    int `json:"failed"`
	Cancelled int `json:"cancelled"`
	Warmup    int `json:"warmup"`
}

// Total is how many were measured.
func (r Requests) Total() int { return r.Completed + r.Failed + r.Cancelled }

// Validity is the judgement on one level.
type Validity struct {
	Verdict string   `json:"verdict"`
	Reasons []string `json:"reasons"`
}

// Throughput of the whole system, over the window.
type Throughput struct {
	RequestsPerS     float64 `json:"requests_per_s"`
	OutputTokensPerS float64 `json:"output_tokens_per_s"`
	TotalTokensPerS  float64 `json:"total_tokens_per_s"`
}

// Tokens are means per request; nil means not known.
type Tokens struct {
	Prompt *float64 `json:"prompt_tokens"`
	Output *float64 `json:"output_tokens"`
}

// FromIntended are the latencies from the moment the schedule said to send.
type FromIntended struct {
	TTFT stats.Dist `json:"ttft_ms"`
	E2E  stats.Dist `json:"e2e_ms"`
}

// Client is how the client did at this level.
type Client struct {
	Lag        stats.Dist `json:"lag_ms"`         // actual - intended send, without the time to connect
	SchedDelay stats.Dist `json:"sched_delay_ms"` // goroutine runnable to running, from the runtime's histogram: the p99 of each second
	// SchedWait is the mean of that wait, over the seconds of the level; nil where not recorded.
	SchedWait  *float64 `json:"sched_wait_mean_ms,omitempty"`
	GCPauseMax float64  `json:"gc_pause_max_ms"`
	CPU        float64  `json:"cpu_cores"`             // of this process
	SharedCPU  bool     `json:"shared_with_simulator"` // CPU includes the embedded engine
	InFlight   InFlight `json:"in_flight"`
}

// InFlight compares open requests with what was asked for (closed loop only).
type InFlight struct {
	Asked float64 `json:"asked"`
	Mean  float64 `json:"mean"`
	Max   int     `json:"max"`
}

// Anatomy is a mean request cut into parts, milliseconds. Client and network
// parts are measured here; server parts come from the engine's histograms as
// differences of sums and counts. nil means not known.
type Anatomy struct {
	ClientWait  *float64 `json:"client_wait_ms"` // intended to actual send
	Connect     *float64 `json:"connect_ms"`
	Network     *float64 `json:"network_ms"` // client TTFT - server TTFT
	Frontend    *float64 `json:"frontend_ms"`
	Queue       *float64 `json:"queue_ms"`
	Prefill     *float64 `json:"prefill_ms"`
	FirstToken  *float64 `json:"first_token_ms"` // sent to first token, as the client saw it
	Decode      *float64 `json:"decode_ms"`      // first to last token
	Close       *float64 `json:"close_ms"`       // last token to the end of the stream
	ServerTTFT  *float64 `json:"server_ttft_ms"`
	ServerKnown bool     `json:"server_known"`
}

// Criterion is one SLO condition and how it fared.
type Criterion struct {
	Metric     string   `json:"metric"`     // ttft, ttfo, itl, icl, e2e
	Percentile string   `json:"percentile"` // p50, p90, p95, p99 or mean
	Limit      float64  `json:"limit"`      // milliseconds
	Value      *float64 `json:"value"`      // milliseconds; null when unsupported
	Verdict    string   `json:"verdict"`    // met, missed or undecided
	Basis      string   `json:"basis,omitempty"`
}

// Verdicts on a criterion.
const (
	Met       = "met"
	Missed    = "missed"
	Undecided = "undecided"
)

// SLO is the verdict over the run: in a scenario that looks for the knee it is
// met when an operating point exists, in one of fixed load when each level
// meets it. Met is null when undecided. Given is true when the user set it.
type SLO struct {
	Met      *bool       `json:"met"`
	Given    bool        `json:"given"`
	Criteria []Criterion `json:"criteria"`
}

// Saturation is what the levels of one scenario say together.
type Saturation struct {
	Scenario  string    `json:"scenario"`
	Unit      string    `json:"unit"` // concurrency or requests/s
	Saturated bool      `json:"saturated"`
	Knee      *Interval `json:"knee"` // null when not reached
	KneeLevel float64   `json:"knee_confidence,omitempty"`
	// KneeRate is the throughput at knee.low, requests per second.
	KneeRate *float64 `json:"knee_requests_per_s,omitempty"`
	// Confirmation is what open-loop levels below a closed loop's knee say of it.
	Confirmation   []Confirmation  `json:"confirmation,omitempty"`
	Peak           *Point          `json:"peak,omitempty"` // the level of the highest throughput
	OperatingPoint *OperatingPoint `json:"operating_point"`
	WhyNoPoint     string          `json:"why_no_operating_point,omitempty"`
	Estimates      []KneeEstimate  `json:"estimates,omitempty"` // each method's answer, labelled
	USL            *USL            `json:"usl,omitempty"`
	Elasticities   []float64       `json:"elasticities,omitempty"` // between neighbouring levels, by load
	Remarks        []string        `json:"remarks,omitempty"`
}

// Interval is closed.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Point is a place on the curve.
type Point struct {
	Load             float64 `json:"load"`
	RequestsPerS     float64 `json:"requests_per_s"`
	OutputTokensPerS float64 `json:"output_tokens_per_s"`
}

// OperatingPoint is the largest load that meets the SLO, at most 0.8 of the
// throughput at knee.low. Interpolated between levels.
type OperatingPoint struct {
	Concurrency      float64  `json:"concurrency"`
	RequestsPerS     float64  `json:"requests_per_s"`
	OutputTokensPerS float64  `json:"output_tokens_per_s"`
	LimitedBy        string   `json:"limited_by"` // slo, knee or grid
	USDPerM          *float64 `json:"usd_per_million_output_tokens,omitempty"`
}

// KneeEstimate is one method's knee. High and Low are the bootstrap's 95 %
// interval, nil when it could not be had.
type KneeEstimate struct {
	Method string   `json:"method"`
	Value  *float64 `json:"value"`
	Low    *float64 `json:"low"`
	High   *float64 `json:"high"`
	Note   string   `json:"note,omitempty"`
}

// USL is Gunther's universal scalability law fitted to the levels:
// X(N) = lambda N / (1 + sigma (N-1) + kappa N (N-1)).
type USL struct {
	Lambda float64 `json:"lambda"`
	Sigma  float64 `json:"sigma"`
	Kappa  float64 `json:"kappa"`
}

// Cost says what the tokens cost.
type Cost struct {
	PricePerHour float64 `json:"price_per_hour"` // US dollars, as the user gave it
	Source       string  `json:"source"`
}
