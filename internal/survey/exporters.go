package survey

import (
	"maps"
	"time"

	"assay/internal/record"
	"assay/internal/telemetry"
)

// exporters are what was read beside a replica, in order of time.
type exporters struct{ gpu, node []telemetry.Snapshot }

// accounts are what they say of a span. An exporter is read less often than the
// engine: the sample before the span and the one after it stand for its edges.
func (e exporters) accounts(from, to time.Time) (*record.GPU, *record.Node) {
	return telemetry.FoldGPU(around(e.gpu, from, to)), telemetry.FoldNode(around(e.node, from, to))
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

// slowly reports that GPUs were seen, and that their exporter collected less than
// twice meanwhile: what it shows may be of before the look.
func (e exporters) slowly() bool {
	collected := 0
	for i := 1; i < len(e.gpu); i++ {
		if !maps.Equal(e.gpu[i-1].Values(), e.gpu[i].Values()) {
			collected++
		}
	}
	return collected < 2 && telemetry.FoldGPU(e.gpu) != nil
}
