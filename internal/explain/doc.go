// Package explain says what a name means: a metric of any engine or exporter,
// old or new, a quantity, an alert, an XID, a clock-event reason, a verdict's
// class, a threshold, a rule of lint or a term of the field.
//
// It knows terms and how a page is laid out. All else it takes from where it is
// used: telemetry's catalogue, manifest's alerts, facts, diagnose's classes and
// thresholds, the rules of lint. So what it says is what the rest goes by.
//
//	page, err := explain.Topic("vllm:gpu_cache_usage_perc")
package explain
