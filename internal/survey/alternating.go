package survey

import (
	"fmt"

	"assay/internal/telemetry"
)

// refuseAlternating recognises a URL behind which several processes answer.
func refuseAlternating(p Place, snapshots []telemetry.Snapshot) error {
	why, ok := telemetry.Alternates(snapshots)
	if !ok {
		return nil
	}
	return &UsageError{
		Err: fmt.Errorf("%s answers from several processes: %s; their counters cannot be subtracted from one another", p.Shown, why),
		Out: "it is a Service or a load balancer: give one --metrics for each pod (kubectl get pods -o wide; port-forward where they are out of reach), or --prometheus URL",
	}
}
