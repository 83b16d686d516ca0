// Package telemetry reads what a serving engine, the exporters of its GPUs and its
// node say: Prometheus text or a Prometheus server in, canonical quantities out,
// whatever the engine and its version call them.
//
// It knows names, kinds and units; it judges nothing. Times are milliseconds in
// a record.Server and seconds in a Snapshot, as the engines give them. What an
// engine does not say is absent, never 0.
//
//	before, err := telemetry.Scrape(ctx, "http://host:8000/metrics", client)
//	…                                    // hold the load
//	account := telemetry.Fold(snapshots) // differences of counters, means of gauges
//	gpus := telemetry.FoldGPU(scrapesOfDCGM)
package telemetry
