// Command fit fits the coefficients of steps and the correction of predictions to
// the measurements that ship with the tool, cross-validates both, and writes what it
// found: internal/engine/coefficients.json and internal/predict/correction.json. It
// is run from the root of the repository, takes a few minutes, and gives the same
// figures each time:
//
//	go run ./internal/predict/fit
package main
