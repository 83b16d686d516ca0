package survey

import (
	"fmt"

	"assay/internal/telemetry"
)

// refuseAlternating recognises a URL behind which several processes answer.
func refuseAlternating(p Place, snapshots []telemetry.Snapshot) error {
	why, ok := alternates(snapshots)
	if !ok {
		return nil
	}
	return &UsageError{
		Err: fmt.Errorf("%s answers from several processes: %s; their counters cannot be subtracted from one another", p.Shown, why),
		Out: "it is a Service or a load balancer: give one --metrics for each pod (kubectl get pods -o wide; port-forward where they are out of reach), or --prometheus URL",
	}
}

// alternates reports a start time that came back after another had been seen:
// a process that restarts never shows its old one again.
func alternates(snapshots []telemetry.Snapshot) (why string, ok bool) {
	var starts []float64
	for _, s := range snapshots {
		v, known := s.Value(telemetry.ProcessStart)
		if !known || len(starts) > 0 && starts[len(starts)-1] == v {
			continue
		}
		for _, before := range starts {
			if before == v {
				return fmt.Sprintf("the process that started at %.10g answered again after the one of %.10g", v, starts[len(starts)-1]), true
			}
		}
		starts = append(starts, v)
	}
	return "", false
}
