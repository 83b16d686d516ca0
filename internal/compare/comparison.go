package compare

import (
	"assay/internal/record"
	"assay/internal/spec"
)

// Side is one of the two runs. Requests calls its argument for each request of
// the run, in any order; nil where the file holds no single requests.
type Side struct {
	Name     string // as the user named it
	Run      record.Run
	Requests func(func(record.Request) error) error
}

// foreign reports a run that another tool measured.
func (s Side) foreign() bool { return s.Run.Tool.Name != "assay" && s.Run.Tool.Name != "" }

// Options of a comparison. The zero value is the strict one.
type Options struct {
	// AcrossModels compares runs of different models: a quantised one, or one
	// that is served under another name.
	AcrossModels bool
	Gates        []spec.Gate
}

// Verdicts on one figure, and over all of them.
const (
	Better        = "better"
	Worse         = "worse"
	NoDifference  = "no-difference-shown"
	NotComparable = "not-comparable"
	Mixed         = "mixed" // over all: some better, some worse
)

// Comparison is what two runs say together, as compare -o json prints it.
type Comparison struct {
	Schema      string       `json:"schema"`
	Verdict     string       `json:"verdict"` // over all metrics: better, worse, mixed, no-difference-shown or not-comparable
	Base        Subject      `json:"base"`
	New         Subject      `json:"new"`
	Differences []Difference `json:"differences"` // what else differs between the runs
	Metrics     []Metric     `json:"metrics"`
	Unpaired    []Unpaired   `json:"unpaired"` // levels that only one run held
	Gates       []Outcome    `json:"gates"`
	Remarks     []string     `json:"remarks"`
}

// Schema is the version of the comparison's JSON.
const Schema = "assay.comparison/v1"

// Subject names one of the runs.
type Subject struct {
	Name      string `json:"name"`
	Tool      string `json:"tool"`
	Start     string `json:"start"`
	Model     string `json:"model"`
	URL       string `json:"url"`
	Simulated bool   `json:"simulated"`
}

// Difference is something about the runs, not measured, in which they differ.
type Difference struct {
	What string `json:"what"`
	Base string `json:"base"`
	New  string `json:"new"`
}

// Metric is one figure of one level on both sides. Values are in Unit; DeltaPct
// and CI are per cent of the base, of a share percentage points. nil: not known.
type Metric struct {
	Scenario string   `json:"scenario"`
	Level    string   `json:"level"` // empty: of the whole scenario
	Name     string   `json:"name"`
	Unit     string   `json:"unit"`
	Base     *float64 `json:"base"`
	New      *float64 `json:"new"`
	DeltaPct *float64 `json:"delta_pct"`
	CI       *Range   `json:"ci_pct"`
	Points   bool     `json:"points,omitempty"` // DeltaPct and CI are percentage points
	P        *float64 `json:"p,omitempty"`      // two-sided, of this figure by itself
	Verdict  string   `json:"verdict"`
	Why      string   `json:"why,omitempty"`   // not comparable, or nothing shown
	Basis    string   `json:"basis,omitempty"` // what the interval rests on

	higherIsBetter bool
	load           record.Load
}

// Range is an interval.
type Range struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Load is the load at which a metric was measured; of a metric over a whole
// scenario it has no kind.
func (m Metric) Load() record.Load { return m.load }

// Unpaired is a level that has no partner in the other run.
type Unpaired struct {
	Side     string `json:"side"` // base or new
	Scenario string `json:"scenario"`
	Level    string `json:"level"`
	Why      string `json:"why"`
}

// Outcome is how one gate fared at one level, or over none.
type Outcome struct {
	Gate     string `json:"gate"`
	Scenario string `json:"scenario,omitempty"`
	Level    string `json:"level,omitempty"`
	Verdict  string `json:"verdict"` // failed, held or undecided
	Why      string `json:"why"`
}

// Verdicts on a gate.
const (
	Failed    = "failed"    // the data show that the limit is passed
	Held      = "held"      // the data show that it is not
	Undecided = "undecided" // the data allow both
)
