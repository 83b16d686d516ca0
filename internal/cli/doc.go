// Package cli is the command line: one file a command. Each parses its flags,
// calls one function of one package and prints what comes back.
package cli
