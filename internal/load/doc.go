// Package load drives one level of load: when to send (closed loop, or
// constant, Poisson or gamma arrivals), what to send (synthetic prompts of a
// length in the server's tokens, or prompts from a file), and the watch on the
// client's own health while it does.
//
// It knows one level at a time. Which levels to run, and what they mean, is
// package bench's.
package load
