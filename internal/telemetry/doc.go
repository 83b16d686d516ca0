// Package telemetry reads what a serving engine says of itself: Prometheus text
// in, canonical quantities out, whatever the engine calls its metrics.
//
// It knows names, kinds and units; it judges nothing. Times are milliseconds in
// a record.Server and seconds in a Snapshot, as the engines give them. What an
// engine does not say is absent, never 0.
//
//	before, err := telemetry.Scrape(ctx, "http://host:8000/metrics", client)
//	…                                    // hold the load
//	account := telemetry.Fold(snapshots) // differences of counters, means of gauges
package telemetry
