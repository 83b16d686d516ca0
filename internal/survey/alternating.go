package survey

import (
	"fmt"

	"assay/internal/telemetry"
)

// enoughInTurn is how many scrapes show that processes answer in turn. More are
// not looked at: they are compared after each scrape.
const enoughInTurn = 20

// refuseAlternating recognises a URL behind which several processes answer.
func refuseAlternating(p Place, snapshots []telemetry.Snapshot) error {
	why, ok := telemetry.Alternates(snapshots[max(0, len(snapshots)-enoughInTurn):])
	if !ok {
		return nil
	}
	return &UsageError{
		Err: fmt.Errorf("%s answers from several processes: %s; their counters cannot be subtracted from one another", p.Shown, why),
		Out: "it is a Service or a load balancer: give one --metrics for each pod (kubectl get pods -o wide; port-forward where they are out of reach), or --prometheus URL",
	}
}
