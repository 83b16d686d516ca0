package record

import (
	"fmt"
	"strings"
)

// Repeats says whether the levels that held one load several times agree.
type Repeats struct {
	Scenario string   `json:"scenario"`
	Load     Load     `json:"load"`
	Levels   []string `json:"levels"` // ids, in the order in which they ran
	N        int      `json:"n"`      // valid ones, which the rest is over
	// Throughput is nil where answers have no output tokens, and Requests where
	// they have. TTFT is of one percentile; nil where the levels support none.
	Throughput *Spread `json:"output_tokens_per_s"`
	Requests   *Spread `json:"requests_per_s,omitempty"`
	TTFT       *Spread `json:"ttft_ms"`
	Verdict    string  `json:"verdict"` // stable, unstable or unknown
	Why        string  `json:"why"`
}

// Stable is the verdict on repeats that agree. Unstable and NotKnown are the
// others.
const Stable = "stable"

// Spread is one figure of each repeat and how far they lie apart.
type Spread struct {
	Percentile string    `json:"percentile,omitempty"`
	Values     []float64 `json:"values"`
	Mean       float64   `json:"mean"`
	CV         float64   `json:"cv"` // standard deviation over mean
	// CI is the mean's 95 % interval by Student's t over the repeats.
	CI *Interval `json:"ci"`
	// WithinCV is the relative standard error of one value, from the requests
	// within its level; nil where they are too few.
	WithinCV *float64 `json:"within_cv"`
	Verdict  string   `json:"verdict"`
}

// repeatMark parts a level's id from the number of its repeat.
const repeatMark = "-rep"

// RepeatID is the id of the n-th level that holds the load of id.
func RepeatID(id string, n int) string { return fmt.Sprintf("%s%s%d", id, repeatMark, n) }

// Base is the id that a level shares with its repeats.
func (l *Level) Base() string {
	if l.Repeat > 0 {
		return strings.TrimSuffix(l.ID, fmt.Sprintf("%s%d", repeatMark, l.Repeat))
	}
	return l.ID
}

// CutRepeat parts an id of RepeatID; n is 0 for any other id.
func CutRepeat(id string) (base string, n int) {
	i := strings.LastIndex(id, repeatMark)
	if i < 0 {
		return id, 0
	}
	if _, err := fmt.Sscanf(id[i:], repeatMark+"%d", &n); err != nil || RepeatID(id[:i], n) != id {
		return id, 0
	}
	return id[:i], n
}
