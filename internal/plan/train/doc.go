// Package train knows what training a model takes: the memory of one GPU by part,
// the layouts that fit an instance type, the time of a step, wall time and cost,
// how often to write a checkpoint, and how the nodes are bought, placed and
// connected. It knows no cluster and no manifest; storage is sized elsewhere.
//
// Efficiency of computation is fitted on published runs (runs.csv), which Validate
// replays, each predicted from the others. Units: bytes, seconds, tokens, USD.
//
//	result, err := train.Plan(train.Request{Model: arch, Method: train.Full, Tokens: 10e9, Instances: facts.Instances(), Prices: price.Embedded()})
package train
