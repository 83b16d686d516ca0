// Soak holds thousands of slow streams for a long time against the simulated
// engine in a process of its own, and plots the memory of both: it must not
// grow with time.
//
//	go run ./bench/soak --for 1h --out docs
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// sampleEvery is how often memory is read.
const sampleEvery = 5 * time.Second

type options struct {
	streams     int
	outputs     int // tokens of an answer
	slow        float64
	length      time.Duration
	out, runDir string
}

// result is what was seen; soak.json.
type result struct {
	Date     string   `json:"date"`
	Machine  string   `json:"machine"`
	Go       string   `json:"go"`
	Streams  int      `json:"streams"`
	Seconds  float64  `json:"seconds"`
	Requests int      `json:"requests"`
	Failed   int      `json:"failed"`
	Tokens   float64  `json:"output_tokens_per_s"`
	ITLMean  *float64 `json:"itl_mean_ms"`
	Verdict  string   `json:"validity"`
	Reasons  []string `json:"reasons"`
	ExitCode int      `json:"exit_code"`
	Settled  int      `json:"settled_after_s"` // growth is read from here on
	Growth   trend    `json:"growth"`
	Sim      trend    `json:"growth_sim"`
	Samples  []sample `json:"samples"`
}

// sample is the resident memory of both processes, MiB.
type sample struct {
	AtS   float64 `json:"at_s"`
	Bench float64 `json:"bench_mib"`
	Sim   float64 `json:"sim_mib"`
}

func main() {
	o := options{}
	flag.IntVar(&o.streams, "streams", 4000, "open streams")
	flag.IntVar(&o.outputs, "osl", 100, "tokens of an answer")
	flag.Float64Var(&o.slow, "bandwidth-scale", 0.0272, "of the simulated accelerator: 4,000 streams then get 5 tokens a second each")
	flag.DurationVar(&o.length, "for", time.Hour, "how long")
	flag.StringVar(&o.out, "out", ".", "folder for soak.json and soak.svg")
	flag.StringVar(&o.runDir, "run", filepath.Join(os.TempDir(), "assay-soak"), "run folder; some 200 MB for each ten minutes")
	again := flag.String("again", "", "judge and plot a soak.json once more, and run nothing")
	flag.Parse()
	if *again != "" {
		if err := replot(*again, o.out); err != nil {
			fmt.Fprintln(os.Stderr, "soak:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := soak(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// replot makes the files of an earlier run again.
func replot(path, out string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var r result
	if err := json.Unmarshal(b, &r); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	r.judge()
	return r.write(out)
}

func soak(ctx context.Context, o options) error {
	work, err := os.MkdirTemp("", "assay-soak-bin")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	assay := filepath.Join(work, "assay")
	if out, err := exec.Command("go", "build", "-o", assay, "./cmd/assay").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	sim, url, err := startSim(ctx, assay, o)
	if err != nil {
		return err
	}
	defer func() {
		_ = sim.Process.Signal(syscall.SIGTERM)
		_ = sim.Wait()
	}()
	r := result{
		Date: time.Now().UTC().Format(time.DateOnly), Machine: machine(), Go: runtime.Version(), Streams: o.streams,
	}
	bench := exec.CommandContext(ctx, assay, "bench", "--target", url, "--concurrency", strconv.Itoa(o.streams),
		"--duration", o.length.String(), "--num-requests", "1", "--isl", "32", "--osl", strconv.Itoa(o.outputs), "--out", o.runDir)
	bench.Stdout, bench.Stderr = os.Stdout, os.Stderr
	if err := bench.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- bench.Wait() }()
	r.Samples = watch(ended, bench.Process.Pid, sim.Process.Pid)
	r.ExitCode = bench.ProcessState.ExitCode()
	if err := r.read(filepath.Join(o.runDir, "run.json")); err != nil {
		return err
	}
	r.judge()
	return r.write(o.out)
}

// startSim starts the simulated engine on a free port and waits for its address.
func startSim(ctx context.Context, assay string, o options) (*exec.Cmd, string, error) {
	sim := exec.CommandContext(ctx, assay, "sim", "--listen", "127.0.0.1:0", "--max-num-seqs", strconv.Itoa(o.streams+96),
		"--num-gpu-blocks-override", "400000", "--bandwidth-scale", strconv.FormatFloat(o.slow, 'g', -1, 64))
	sim.Cancel = func() error { return sim.Process.Signal(syscall.SIGTERM) }
	errs, err := sim.StderrPipe()
	if err != nil {
		return nil, "", err
	}
	outs, err := sim.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	if err := sim.Start(); err != nil {
		return nil, "", err
	}
	found := make(chan string, 2)
	for _, r := range []io.Reader{errs, outs} {
		go func() {
			for lines := bufio.NewScanner(r); lines.Scan(); {
				if _, rest, ok := strings.Cut(lines.Text(), "http://"); ok {
					select {
					case found <- "http://" + strings.TrimRight(strings.Fields(rest)[0], "/.,"):
					default:
					}
				}
			}
		}()
	}
	select {
	case url := <-found:
		return sim, url, nil
	case <-time.After(20 * time.Second):
		return nil, "", fmt.Errorf("assay sim said no address")
	}
}

// watch reads the memory of both until the run has ended.
func watch(ended <-chan error, bench, sim int) []sample {
	var out []sample
	begun := time.Now()
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return out
		case <-tick.C:
			if b := resident(bench); b > 0 {
				out = append(out, sample{AtS: time.Since(begun).Seconds(), Bench: b, Sim: resident(sim)})
			}
		}
	}
}

// resident is a process's resident memory, MiB; 0: not to be had.
func resident(pid int) float64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, _ := strconv.ParseFloat(strings.Fields(value)[0], 64)
			return kib / 1024
		}
	}
	return 0
}

func machine() string {
	name := "unknown CPU"
	if b, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(b)) {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				name = strings.TrimSpace(value)
				break
			}
		}
	}
	return fmt.Sprintf("%d cores of %s, shared by both processes", runtime.NumCPU(), name)
}

// read takes the run's own figures.
func (r *result) read(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var run struct {
		Levels []struct {
			DurationS float64 `json:"duration_s"`
			Requests  struct{ Completed, Failed int }
			Validity  struct {
				Verdict string
				Reasons []string
			}
			ITL        struct{ Mean *float64 } `json:"itl_ms"`
			Throughput struct {
				Output float64 `json:"output_tokens_per_s"`
			}
		}
	}
	if err := json.Unmarshal(b, &run); err != nil {
		return err
	}
	if len(run.Levels) != 1 {
		return fmt.Errorf("%s has %d levels, want 1", path, len(run.Levels))
	}
	l := run.Levels[0]
	r.Seconds, r.Requests, r.Failed = l.DurationS, l.Requests.Completed, l.Requests.Failed
	r.Tokens, r.ITLMean, r.Verdict, r.Reasons = l.Throughput.Output, l.ITL.Mean, l.Validity.Verdict, l.Validity.Reasons
	return nil
}

func (r *result) write(dir string) error {
	b, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "soak.json"), append(b, '\n'), 0o644); err != nil {
		return err
	}
	fmt.Printf("memory from %d s on: %s; the simulator's: %s\n", r.Settled, r.Growth, r.Sim)
	return os.WriteFile(filepath.Join(dir, "soak.svg"), []byte(r.plot()), 0o644)
}
