package survey

import (
	"time"

	"assay/internal/record"
	"assay/internal/telemetry"
)

// exporters are what was read beside a replica, in order of time.
type exporters struct{ gpu, node []telemetry.Snapshot }

// accounts are what they say of a span. An exporter is read less often than the
// engine: the sample before the span and the one after it stand for its edges.
func (e exporters) accounts(from, to time.Time) (*record.GPU, *record.Node) {
	return telemetry.FoldCollections(around(e.gpu, from, to)), telemetry.FoldNode(around(e.node, from, to))
}

func around(all []telemetry.Snapshot, from, to time.Time) []telemetry.Snapshot {
	first, last := 0, len(all)
	for i, s := range all {
		if !s.At.After(from) {
			first = i
		}
		if !s.At.Before(to) {
			last = i + 1
			break
		}
	}
	return all[min(first, last):last]
}
