// Package coldstart says how long it takes from an unscheduled pod to an engine that
// answers, by phase, with each technique that shortens a phase alone and together,
// and where one makes it worse.
//
// Phases follow one another; each is a range with its source, or measured where the
// engine's log is given. Times in seconds, sizes in bytes.
//
//	result, err := coldstart.Plan(coldstart.Request{Image: 12e9, Weights: 60e9, From: coldstart.S3, Instance: node})
package coldstart
