package survey

import (
	"context"
	"time"

	"assay/internal/telemetry"
)

// recorded asks the Prometheus server for the window that has just passed.
func recorded(ctx context.Context, opt Options, remark func(string)) ([]seen, error) {
	p := *opt.Prometheus
	p.Remark = remark
	to := time.Now()
	replicas, err := p.Range(ctx, telemetry.Query{From: to.Add(-opt.window()), To: to, Namespace: opt.Namespace, Selector: opt.Selector})
	if err != nil {
		return nil, err
	}
	var all []seen
	for _, r := range replicas {
		all = append(all, seen{name: r.Name, labels: r.Labels, snapshots: r.Snapshots, beside: exporters{gpu: r.GPU, node: r.Node}})
	}
	return all, nil
}
