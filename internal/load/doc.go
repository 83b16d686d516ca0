// Package load drives one level of load: when to send (closed loop, constant,
// Poisson or gamma arrivals, or a trace's own times), what to send (synthetic
// prompts of a length in the server's tokens, the rows of a file, or sessions of
// several turns), and the watch on the client's own health while it does.
//
// It knows one level at a time. Which levels to run, and what they mean, is
// package bench's; how a request travels is package wire's.
//
//	calibration, err := load.Calibrate(ctx, count, 128, 128)
//	runner := load.Runner{
//		Client: client, Encode: encode, RunID: nonce,
//		Source: load.NewSynthetic(calibration, spec.Fixed(128), spec.Fixed(64), load.Prefixes{}, nonce, "c10"),
//	}
//	result, err := runner.Run(ctx, load.Level{ID: "c10", Concurrency: 10, Requests: 500})
//
// Offsets are time.Durations since the run's start on the client's clock.
package load
