// Package plan says what to buy for a model that is to be served, and how to lay it
// out: which instances, over how many GPUs each replica is spread, how many replicas
// the load needs at the SLO, and what that costs.
//
// It puts together what others know: package memory whether a layout fits, package
// predict how fast it is, package price what it costs, package karpenter who can
// launch it. It asks no network; of files it reads those that the request names. Bytes
// are of one GPU where the name says so, else of one replica; loads, throughput and
// prices are of all replicas together.
//
//	r, err := plan.Serve(plan.Request{Model: ref, Context: 8192, Concurrency: 32, ISL: 1000, OSL: 300})
//	r.Options[0].ID // g6e.12xlarge-tp4-x1
package plan
