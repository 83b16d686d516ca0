// Command lint measures assay lint over many objects, and beside other linters over the
// same files: wall time, CPU time and peak memory of each as a process of its own.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"assay/bench/result"
)

func main() {
	objects := flag.Int("objects", 10_000, "objects that assay lint alone is measured over")
	common := flag.Int("common", 1_000, "files of built-in kinds that all linters are measured over")
	runs := flag.Int("runs", 5, "runs of each, of which the median is told")
	peers := flag.String("peers", filepath.Join(".cache", "lintpeers"), "folder into which install.sh put the other linters")
	keep := flag.String("keep", "", "write the objects into this folder and leave them there")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measure(ctx, *objects, *common, *runs, *peers, *keep); err != nil {
		fmt.Fprintln(os.Stderr, "bench/lint:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, objects, common, runs int, peers, keep string) error {
	dir := keep
	if dir == "" {
		made, err := os.MkdirTemp("", "assay-bench-lint-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(made)
		dir = made
	}
	many, stream, same := filepath.Join(dir, "many"), filepath.Join(dir, "stream"), filepath.Join(dir, "same")
	if err := write(many, stream, same, objects, common); err != nil {
		return err
	}
	assay := filepath.Join(dir, "assay")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", assay, "./cmd/assay").CombinedOutput(); err != nil {
		return fmt.Errorf("build assay: %w\n%s", err, out)
	}
	fmt.Printf("%s, %d processors, %s; each on two of them, medians of %d runs\n", runtime.GOOS+"/"+runtime.GOARCH, runtime.NumCPU(), time.Now().UTC().Format(time.DateOnly), runs)

	head(fmt.Sprintf("%d objects", objects))
	for _, t := range []tool{
		{name: "assay lint, a file each", argv: []string{assay, "lint", many, "-o", "json"}},
		{name: "assay lint, one stream", argv: []string{assay, "lint", stream, "-o", "json"}},
	} {
		if err := t.measure(ctx, runs); err != nil {
			return err
		}
	}
	head(fmt.Sprintf("%d files of built-in kinds", common))
	all, err := peersIn(peers, dir, same)
	if err != nil {
		return err
	}
	for _, t := range append([]tool{{name: "assay lint", argv: []string{assay, "lint", same, "-o", "json"}}}, all...) {
		if err := t.measure(ctx, runs); err != nil {
			return err
		}
	}
	return nil
}

func head(what string) {
	fmt.Printf("\n| %s | wall s | CPU s | peak MiB | exit | others used |\n|---|---|---|---|---|---|\n", what)
}

// tool is a linter as it is run.
type tool struct {
	name string
	argv []string
	env  []string
}

// run is what one run of a tool cost.
type run struct{ wall, cpu, peak, others float64 }

// measure prints the medians of several runs as a row of a table.
func (t tool) measure(ctx context.Context, runs int) error {
	var all []run
	code := 0
	for range runs {
		r, exit, err := t.once(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		all, code = append(all, r), exit
	}
	median := func(of func(run) float64) float64 {
		slices.SortFunc(all, func(a, b run) int { return cmp.Compare(of(a), of(b)) })
		return of(all[len(all)/2])
	}
	fmt.Printf("| %s | %.2f | %.2f | %.0f | %d | %.1f cores |\n", t.name,
		median(func(r run) float64 { return r.wall }), median(func(r run) float64 { return r.cpu }), median(func(r run) float64 { return r.peak }),
		code, median(func(r run) float64 { return r.others }))
	return nil
}

// once runs a tool. That it finds something is no error.
func (t tool) once(ctx context.Context) (r run, code int, err error) {
	cmd := exec.CommandContext(ctx, t.argv[0], t.argv[1:]...)
	cmd.Env = append(append(os.Environ(), "GOMAXPROCS=2"), t.env...)
	var said strings.Builder
	cmd.Stderr = &said
	machine, ours := result.Work()
	begin := time.Now()
	err = cmd.Run()
	r.wall = time.Since(begin).Seconds()
	machineAfter, oursAfter := result.Work()
	r.others = max(0, (machineAfter-machine-(oursAfter-ours)).Seconds()/r.wall)
	if cmd.ProcessState == nil {
		return r, 0, err
	}
	code = cmd.ProcessState.ExitCode()
	if code != 0 && code != 1 {
		return r, code, fmt.Errorf("exit %d: %s", code, said.String())
	}
	r.cpu = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	r.peak = result.Peak(cmd.ProcessState)
	return r, code, nil
}
