// Package saturate turns measured levels into a knee, an operating point and
// the next level worth measuring.
//
// It is pure: the same levels and options give the same answer, in whatever
// order the levels come. It measures nothing and knows nothing of requests but
// when they ended and what they gave. Loads are requests in flight or requests
// per second, as Options.Unit says; times are seconds.
//
//	s := saturate.Analyse(levels, saturate.Options{Unit: record.ByConcurrency, Seed: 1})
//	load, why, ok := saturate.Next(levels, opt) // ok: measure load too
package saturate
