package cli

import (
	"errors"
	"strings"
	"testing"
)

// What a server says in an error cannot drive the terminal.
func TestErrorsDoNotSteerTheTerminal(t *testing.T) {
	const evil = "evil\x1b[2J\x1b]0;title\a\u009b31m\u202e\r\x9bname\nnext"
	var b strings.Builder
	env := &Env{Stderr: &b}
	if code := env.report(&exitError{code: exitImpossible, err: errors.New(evil), hint: evil}); code != exitImpossible {
		t.Errorf("exit code %d", code)
	}
	env.remark(evil)
	if got := b.String(); strings.Count(got, "evil [2J") != 3 || strings.Count(got, "\n") != 6 || strings.ContainsAny(got, "\x1b\a\u009b\u202e\r") || strings.Contains(got, "\x9b") {
		t.Errorf("%q", got)
	}
}
