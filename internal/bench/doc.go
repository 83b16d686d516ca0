// Package bench is the order of a run: it connects to the target (or starts
// the embedded engine), inspects it, calibrates prompts, holds the levels of
// each scenario one after the other, asks package saturate for the next level
// worth measuring, folds what was recorded into run.json and judges it.
//
// It decides what is run and when. How a level is held is package load's, how
// a request is sent package wire's, and what a curve means package saturate's
// and diagnose's.
package bench
