// Package practice is the arithmetic that what we write and what we check have in
// common: how a pod drains, when nodes may be disrupted, how many EFA interfaces an
// instance has, what storage takes, which flags a version of vLLM knows. manifest
// writes by it, lint checks by it; neither knows more.
//
// Durations are time.Duration, sizes bytes. What is not known is an ok of false.
package practice
