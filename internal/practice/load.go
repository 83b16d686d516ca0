package practice

import (
	"time"

	"assay/internal/facts"
	"assay/internal/figure"
	"assay/internal/plan/storage"
)

// SlowLoad is how long loading the weights may take before a user is told: every start,
// every replacement of a Spot node and every step of the autoscaler waits for it. Ours.
const SlowLoad = 5 * time.Minute

// Load is how long each of some readers loads the bytes of weights from a place, in
// seconds, and by which flow. Without an instance the limits of the node are left out.
func Load(weights int64, kind storage.Kind, given storage.Given, node *facts.Instance, readers int) (storage.Flow, figure.Range, error) {
	flow, err := storage.Read(kind, given, node, readers)
	if err != nil {
		return flow, figure.Range{}, err
	}
	return flow, flow.Reader.Inverse(float64(weights)), nil
}

// Slow says that a load takes longer than SlowLoad, as it is expected.
func Slow(took figure.Range) bool { return took.Mid > SlowLoad.Seconds() }

// ClassFlow is the place that a StorageClass's parameters make for a claim of so many
// GiB; false where they do not tell how fast it is: EFS has its throughput from the file
// system.
func ClassFlow(driver string, parameters map[string]string, gib int64) (storage.Kind, storage.Given, bool) {
	switch driver {
	case EBSDriverName, EBSAutoMode:
		return ebsFlow(parameters)
	case FSxDriverName:
		return fsxFlow(parameters, gib)
	}
	return "", storage.Given{}, false
}
