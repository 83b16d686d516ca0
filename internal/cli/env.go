package cli

import (
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

// Env is the whole world of a command, so that commands run in-process in tests.
type Env struct {
	Args           []string // without the program's name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Interrupts     <-chan os.Signal // Ctrl-C and SIGTERM
	StdoutWidth    int              // columns of the terminal; 0: not a terminal
	StderrWidth    int
	StderrHeight   int // rows of the terminal
}

// System is the real world.
func System() *Env {
	interrupts := make(chan os.Signal, 2)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	return &Env{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Interrupts: interrupts,
		StdoutWidth: terminalWidth(os.Stdout), StderrWidth: terminalWidth(os.Stderr), StderrHeight: terminalHeight(os.Stderr),
	}
}

func terminalHeight(f *os.File) int {
	if _, h, err := term.GetSize(int(f.Fd())); err == nil && h > 0 {
		return h
	}
	return 24
}

func terminalWidth(f *os.File) int {
	if !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
		return w
	}
	return 80
}

// color reports whether a stream of that width may carry colour.
func (e *Env) color(width int) bool {
	return width > 0 && e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb"
}
