// Command measure repeats the measurements of bench/README.md: it builds the
// null server and the two clients, runs each as a process of its own, and
// prints what the clients reported beside what the server really did.
//
//	go run ./bench/measure                 all of it, about three minutes
//	go run ./bench/measure -only rate,hold some of it
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"assay/bench/result"
)

// experiments in the order of the README.
var experiments = []struct {
	name string
	run  func(context.Context, bench) error
}{
	{"ttft", ttft},
	{"cpu", cpu},
	{"rate", rate},
	{"hold", hold},
}

func main() {
	only := flag.String("only", "ttft,cpu,rate,hold", "experiments, comma-separated")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measure(ctx, strings.Split(*only, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, only []string) error {
	dir, err := os.MkdirTemp("", "assay-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	build := exec.CommandContext(ctx, "go", "build", "-o", dir+string(filepath.Separator),
		"assay/bench/nullserver", "assay/bench/plainclient", "assay/bench/wireclient")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	for _, name := range only {
		if err := one(ctx, bench{dir}, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func one(ctx context.Context, b bench, name string) error {
	for _, e := range experiments {
		if e.name != name {
			continue
		}
		start := time.Now()
		machine, ours := result.Work()
		if err := e.run(ctx, b); err != nil {
			return err
		}
		machineAfter, oursAfter := result.Work()
		others := (machineAfter - machine - (oursAfter - ours)).Seconds() / time.Since(start).Seconds()
		fmt.Printf("\n%s: the rest of the machine used %.1f of %d cores meanwhile.\n", name, max(0, others), runtime.NumCPU())
		return nil
	}
	return fmt.Errorf("no such experiment: there are ttft, cpu, rate and hold")
}
