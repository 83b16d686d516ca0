package bench

import (
	"slices"
	"time"

	"assay/internal/record"
	"assay/internal/telemetry"
)

// accounts are what the sources of metrics say of a level: one for the engines,
// one for the GPUs, one for the nodes, nil where nothing was said.
type accounts struct {
	server *record.Server
	gpu    *record.GPU
	node   *record.Node
	whole  bool // the engines' counters were read at both edges of the level
}

// accountsOf folds a level's scrapes, source by source, and merges those of the
// same kind: each engine source is a replica.
func accountsOf(start time.Time, samples []record.MetricsSample) accounts {
	var servers []record.Server
	var gpus []record.GPU
	var nodes []record.Node
	a := accounts{whole: true}
	for _, from := range bySource(samples) {
		switch from[0].Of {
		case record.OfEngine:
			if s := serverAccount(start, from); s != nil {
				servers = append(servers, *s)
				a.whole = a.whole && from[0].Edge != ""
			}
		case record.OfGPU:
			if g := telemetry.FoldCollections(snapshotsOf(start, from)); g != nil {
				gpus = append(gpus, *g)
			}
		case record.OfNode:
			if n := telemetry.FoldNode(snapshotsOf(start, from)); n != nil {
				nodes = append(nodes, *n)
			}
		}
	}
	a.server, a.gpu, a.node = mergeServers(servers), mergeGPUs(gpus), mergeNodes(nodes)
	return a
}

// bySource parts samples by their source, in the order in which sources come.
func bySource(samples []record.MetricsSample) [][]record.MetricsSample {
	type source struct{ of, name string }
	var order []source
	parts := map[source][]record.MetricsSample{}
	for _, s := range samples {
		key := source{s.Of, s.Source}
		if _, seen := parts[key]; !seen {
			order = append(order, key)
		}
		parts[key] = append(parts[key], s)
	}
	var out [][]record.MetricsSample
	for _, key := range order {
		out = append(out, parts[key])
	}
	return out
}

// snapshot is what a line says; ok is false for one that says nothing.
func snapshot(start time.Time, s record.MetricsSample) (telemetry.Snapshot, bool) {
	if s.Error != "" || len(s.Values) == 0 {
		return telemetry.Snapshot{}, false
	}
	out, err := telemetry.FromValues(start.Add(time.Duration(s.AtUS)*time.Microsecond), s.Values)
	return out, err == nil
}

func snapshotsOf(start time.Time, samples []record.MetricsSample) []telemetry.Snapshot {
	var out []telemetry.Snapshot
	for _, s := range samples {
		if one, ok := snapshot(start, s); ok {
			out = append(out, one)
		}
	}
	return out
}

func between(samples []record.MetricsSample) []record.MetricsSample {
	return slices.DeleteFunc(slices.Clone(samples), func(s record.MetricsSample) bool { return s.Edge != "" })
}

// serverAccount folds a level's scrapes of one engine. Gauges come from the
// scrapes between the edges where there are any: at the edges the engine idles.
func serverAccount(start time.Time, samples []record.MetricsSample) *record.Server {
	all, inner := snapshotsOf(start, samples), snapshotsOf(start, between(samples))
	if len(all) < 2 {
		return nil
	}
	a := telemetry.Fold(all)
	if why, several := telemetry.Alternates(all); several {
		a.Changed = (&alternates{why}).Error()
	}
	if len(inner) > 0 {
		g := telemetry.Fold(inner)
		a.RunningMean, a.WaitingMean, a.WaitingShare, a.KVUsageMean = g.RunningMean, g.WaitingMean, g.WaitingShare, g.KVUsageMean
		a.WaitingCapacity, a.WaitingDeferred, a.StepMS = g.WaitingCapacity, g.WaitingDeferred, g.StepMS
	} else {
		// Nothing was seen of the level itself.
		a.RunningMean, a.RunningMax, a.WaitingMean, a.WaitingMax = nil, nil, nil, nil
		a.WaitingShare, a.WaitingCapacity, a.WaitingDeferred = nil, nil, nil
		a.KVUsageMean, a.KVUsageMax, a.StepMS = nil, nil, nil
	}
	return &a
}
