package record

// Bound is what limits the service.
type Bound struct {
	Verdict    string     `json:"verdict"`
	Confidence float64    `json:"confidence"` // 0..1
	Evidence   []Evidence `json:"evidence"`
	Against    []Evidence `json:"against"`
	Missing    []string   `json:"missing"`
	// Change is what to do about it, Next the experiment that would refute it.
	Change *Change `json:"change,omitempty"`
	Next   string  `json:"next"`
	// Experiment is Next where load alone can run it, Trial what became of it.
	Experiment *Experiment `json:"experiment,omitempty"`
	Trial      *Trial      `json:"trial,omitempty"`
}

// Change is a remedy. Flag and To are empty where no flag makes it.
type Change struct {
	Text string `json:"text"`
	Flag string `json:"flag,omitempty"` // of the engine, such as --max-num-seqs
	From string `json:"from,omitempty"` // its value now, where known
	To   string `json:"to,omitempty"`
}

// Kinds of experiment that are a matter of load. Each repeats a level with one
// thing changed.
const (
	HalveOutput   = "halve-output"   // half the output tokens
	OneToken      = "one-token"      // max_tokens 1: no decode
	SharedPrompts = "shared-prompts" // prompts that share all but their end
	UniquePrompts = "unique-prompts" // prompts that share nothing
	DoubleLoad    = "double-load"
)

// Experiment is a level to hold and what it should show if the verdict is right.
type Experiment struct {
	Kind   string `json:"kind"`
	Level  string `json:"level"` // the id of the level that it is compared with
	Load   Load   `json:"load"`
	Expect string `json:"expect"`
}

// Trial is an experiment that was run. Verdict is supported, refuted or undecided.
type Trial struct {
	Level    string     `json:"level"` // the id of the level that was held
	Verdict  string     `json:"verdict"`
	Evidence []Evidence `json:"evidence"`
}

// Verdicts on a trial; the third is Undecided.
const (
	Supported = "supported"
	Refuted   = "refuted"
)

// Evidence is one fact with its number and where it came from.
type Evidence struct {
	Fact   string   `json:"fact"`
	Metric string   `json:"metric"`
	Value  *float64 `json:"value"`
	Unit   string   `json:"unit"`
	Source string   `json:"source"` // e.g. "level saturation-c50", "engine /metrics"
}

// Bound verdicts.
const (
	BoundCompute      = "compute"
	BoundMemory       = "memory-bandwidth"
	BoundCollective   = "collective"
	BoundKVCache      = "kv-cache"
	BoundAdmission    = "admission"
	BoundTokenBudget  = "token-budget"
	BoundCPU          = "cpu"
	BoundNetwork      = "network"
	BoundClient       = "client"
	BoundThrottled    = "gpu-throttled"
	BoundFault        = "gpu-fault"
	BoundCold         = "cold"
	BoundNotSaturated = "not-saturated"
	BoundUnknown      = "unknown"
)
