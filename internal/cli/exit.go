package cli

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// Exit codes. Scripts rely on them.
const (
	exitOK          = 0
	exitNo          = 1   // the tool worked and the answer is no
	exitUsage       = 2   // wrong usage or configuration
	exitImpossible  = 3   // unreachable, or nothing succeeded
	exitNotValid    = 4   // measured, but a level that the verdict rests on is not valid
	exitInterrupted = 130 // interrupted; what was measured is saved
)

// exitError carries an exit code and, in hint, what to do next.
type exitError struct {
	code int
	err  error
	hint string
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func usage(err error) error { return &exitError{code: exitUsage, err: err} }

func usagef(format string, args ...any) error { return usage(fmt.Errorf(format, args...)) }

func impossible(err error) error { return &exitError{code: exitImpossible, err: err} }

// silent is an exit code whose reason has been printed already.
func silent(code int) error { return &exitError{code: code} }

// report prints an error as a user meets it and gives the exit code.
func (e *Env) report(err error) int {
	if err == nil {
		return exitOK
	}
	var exit *exitError
	if !errors.As(err, &exit) {
		exit = &exitError{code: exitUsage, err: err}
	}
	if exit.err != nil {
		fmt.Fprintf(e.Stderr, "assay: %s\n", steerless(exit.err.Error()))
	}
	if hint := hintOf(exit); hint != "" {
		fmt.Fprintf(e.Stderr, "       %s\n", steerless(hint))
	}
	return exit.code
}

// remark prints what the user should know besides.
func (e *Env) remark(s string) {
	fmt.Fprintf(e.Stderr, "assay: %s\n", steerless(s))
}

// steerless leaves out of a text what steers a terminal or the direction of
// writing: errors and remarks hold words of servers, clusters and run folders.
func steerless(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.In(r, unicode.C, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, s)
}

// hintOf is the way out that an error carries, its own or that of an error it wraps.
func hintOf(e *exitError) string {
	if e.hint != "" || e.err == nil {
		return e.hint
	}
	var h interface{ Hint() string }
	if errors.As(e.err, &h) {
		return h.Hint()
	}
	return ""
}
