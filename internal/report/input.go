package report

import "assay/internal/record"

// Input is a run as read from its folder. Only Run is needed; what else is
// missing leaves its charts out, and the report says so.
type Input struct {
	Run record.Run
	// Requests calls f for each request of the run in any order and stops at
	// its first error. nil: the requests are not at hand.
	Requests func(f func(record.Request) error) error
	Client   []record.ClientSample
	Metrics  []record.MetricsSample
}
