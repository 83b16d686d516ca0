package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Usage is what a client and all processes that came of it used.
type Usage struct {
	Start   time.Time `json:"start"` // just before the client was started
	WallS   float64   `json:"wall_s"`
	CPUS    float64   `json:"cpu_s"`    // user and system
	PeakMiB *float64  `json:"peak_mib"` // proportional set size of the tree, or the largest process's resident peak where that is more; null where it was not sampled
	Exit    int       `json:"exit"`     // of the client; -1: ended by a signal
}

// client is a command to be run and watched.
type client struct {
	args   []string
	env    []string // beside this process's own
	unset  []string // taken from it
	dir    string
	memory bool // sample it, which disturbs the client a little
}

// runLimit is the longest that one client may take.
const runLimit = 5 * time.Minute

// run runs c as the child of a process that does nothing but watch it, so that
// the usage of nothing else is counted. What it prints lands in its folder.
func run(ctx context.Context, c client) (Usage, error) {
	self, err := os.Executable()
	if err != nil {
		return Usage{}, err
	}
	stdout, err := os.Create(filepath.Join(c.dir, "stdout"))
	if err != nil {
		return Usage{}, err
	}
	defer stdout.Close()
	stderr, err := os.Create(filepath.Join(c.dir, "stderr"))
	if err != nil {
		return Usage{}, err
	}
	defer stderr.Close()
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	account := filepath.Join(c.dir, "usage.json")
	cmd := exec.CommandContext(ctx, self, append([]string{"watch", account, strconv.FormatBool(c.memory)}, c.args...)...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.Dir, cmd.Env = c.dir, environment(c)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // the watcher ends the tree
	cmd.WaitDelay = 15 * time.Second
	if err := cmd.Run(); err != nil {
		return Usage{}, errors.Join(context.Cause(ctx), fmt.Errorf("%s: %w: see %s", c.args[0], err, c.dir))
	}
	b, err := os.ReadFile(account)
	if err != nil {
		return Usage{}, err
	}
	var u Usage
	return u, json.Unmarshal(b, &u)
}

// environment is this process's, less what c does without, and c's own.
func environment(c client) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(c.unset, name)
	})
	return append(env, c.env...)
}
