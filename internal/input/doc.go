// Package input reads what a user names on the command line: a file, a pipe or
// standard input, bounded, and without waiting for a pipe that nobody writes to. It
// knows no format.
//
//	data, name, err := input.ReadAll("prices.yaml", 2<<20)
package input
