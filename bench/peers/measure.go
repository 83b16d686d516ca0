package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Run is one experiment as one tool did it.
type Run struct {
	Tool       string  `json:"tool"`
	Experiment string  `json:"experiment"`
	Repeat     int     `json:"repeat"`
	Streams    int     `json:"streams"`
	Asked      int     `json:"requests_asked"`
	Reported   Account `json:"reported"`
	Truth      Truth   `json:"truth"`
	Usage      Usage   `json:"usage"`
	// Seconds from the start of the process to the first request's arrival, and
	// to that of the first one that counts, where ids tell.
	FirstRequestS  *float64 `json:"first_request_s"`
	FirstMeasuredS *float64 `json:"first_measured_s"`
	// OtherCores is what the rest of the machine used meanwhile.
	OtherCores float64 `json:"other_cores"`
	Error      string  `json:"error,omitempty"` // it gave no result
}

// bench does the experiments one after the other.
type bench struct {
	paths  paths
	out    string
	repeat int
	quick  bool
	tools  []tool
	only   []string // experiments; empty: all
	vllm   string   // base URL of a real one; empty: one is started; none: do without
	done   func(Run)
}

// measure does every experiment with every tool, in turn, so that what the
// machine does meanwhile falls on all.
func (b bench) measure(ctx context.Context) error {
	for _, x := range experiments(b.quick) {
		if len(b.only) > 0 && !slices.Contains(b.only, x.name) || x.vllm && b.vllm == "none" {
			continue
		}
		if err := b.experiment(ctx, x); err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
	}
	return nil
}

// experiment does x with every tool. A tool that gives no result stops none.
func (b bench) experiment(ctx context.Context, x experiment) (err error) {
	var e *engine
	if x.vllm {
		if e, err = b.realEngine(ctx); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, e.stop()) }()
	}
	for repeat := range b.repeat {
		for _, t := range b.tools {
			if x.peerRuns > 0 && repeat >= x.peerRuns && !t.ours {
				continue
			}
			r := Run{Tool: t.name, Experiment: x.name, Repeat: repeat, Streams: x.Streams, Asked: x.Requests}
			if err := b.one(ctx, t, x, e, &r); err != nil {
				r.Error = strings.ReplaceAll(err.Error(), b.out+string(filepath.Separator), "")
			}
			b.done(r)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
	}
	return nil
}

// one fills r with one run.
func (b bench) one(ctx context.Context, t tool, x experiment, e *engine, r *Run) error {
	dir := filepath.Join(b.out, "runs", fmt.Sprintf("%s-%s-%d", filepath.Base(x.name), slug(t.name), r.Repeat))
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return err
	}
	s := setting{experiment: x, dir: dir, paths: b.paths, model: modelName}
	if e != nil {
		return b.beside(ctx, t, s, e, r)
	}
	server, err := serve(ctx, b.paths, x)
	if err != nil {
		return err
	}
	defer server.stop()
	s.url = server.url
	if err := b.client(ctx, t, s, r, server.process.Process.Pid); err != nil {
		return err
	}
	ledger, err := server.ledger(ctx)
	if err != nil {
		return err
	}
	r.Truth = truth(ledger, r.Reported)
	for _, e := range ledger.Entries {
		at := server.zero.Add(e.Received).Sub(r.Usage.Start).Seconds()
		r.FirstRequestS = earlier(r.FirstRequestS, at)
		if _, measured := r.Reported.byID[e.ID]; measured {
			r.FirstMeasuredS = earlier(r.FirstMeasuredS, at)
		}
	}
	return nil
}

// beside runs the client against the real vLLM, whose counters are the truth.
func (b bench) beside(ctx context.Context, t tool, s setting, e *engine, r *Run) error {
	s.url, s.model = e.url, e.model
	before, err := e.read(ctx)
	if err != nil {
		return err
	}
	if err := b.client(ctx, t, s, r, 0); err != nil {
		return err
	}
	after, err := e.read(ctx)
	r.Truth = after.since(before)
	return err
}

// client runs the tool and reads its account. server is the process whose work
// is not the rest of the machine's; 0: not known.
func (b bench) client(ctx context.Context, t tool, s setting, r *Run, server int) error {
	c, err := t.command(s)
	if err != nil {
		return err
	}
	c.dir, c.memory = s.dir, s.memory
	machine, serverBefore := machineWork(), processWork(server)
	r.Usage, err = run(ctx, c)
	if err != nil {
		return err
	}
	if server > 0 {
		others := (machineWork() - machine - (processWork(server) - serverBefore)).Seconds() - r.Usage.CPUS
		r.OtherCores = max(0, others/time.Since(r.Usage.Start).Seconds())
	}
	r.Reported, err = t.read(s)
	if err != nil {
		return fmt.Errorf("%w (its exit status was %d, what it printed is in %s)", err, r.Usage.Exit, s.dir)
	}
	return nil
}

func earlier(at *float64, s float64) *float64 {
	if at != nil && *at <= s {
		return at
	}
	return &s
}
