// Command peers measures Assay beside four other benchmarks of inference
// endpoints and beside a plain client, each from its released package, in turn,
// against a server that keeps a ledger of what it wrote and against a real vLLM.
// bench/peers/run.sh installs, builds and calls it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	var err error
	if len(os.Args) > 4 && os.Args[1] == "watch" { // run's other end
		err = watch(os.Args[2], os.Args[3] == "true", os.Args[4:])
	} else {
		err = peers()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func peers() error {
	cache := flag.String("cache", ".cache/peers", "folder of the peers' environments and the built programs")
	vllmEnv := flag.String("vllm-env", ".cache/vllm/venv", "vLLM's environment")
	vllm := flag.String("vllm", os.Getenv("ASSAY_VLLM_URL"), "base URL of a real vLLM that test/vllm started; none: do without (default: start one)")
	out := flag.String("out", "", "folder to write (default: CACHE/out)")
	repeat := flag.Int("repeat", 3, "runs of each experiment; the peers do some of them only once or twice")
	quick := flag.Bool("quick", false, "few requests, once")
	only := flag.String("only", "", "experiments, comma-separated: 1, 64, 256, 1024, failing, vllm (default: all)")
	some := flag.String("tools", "", "tools by the first word of their names, comma-separated (default: all)")
	table := flag.String("table", "", "make the page again from this result.json and measure nothing")
	doc := flag.Bool("doc", false, "write docs/peers.md and bench/peers/result.json as well")
	flag.Parse()
	if *quick {
		*repeat = 1
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	if *out == "" {
		*out = filepath.Join(*cache, "out")
	}
	var r Result
	if *table != "" {
		if err := readJSON(*table, &r); err != nil {
			return err
		}
	} else {
		b := bench{repeat: *repeat, quick: *quick, only: list(*only)}
		if b.tools, err = choose(list(*some)); err != nil {
			return err
		}
		if r, err = measure(ctx, b, root, *cache, *vllmEnv, *vllm, *out); err != nil {
			return err
		}
	}
	return publish(&r, root, *out, *doc)
}

func measure(ctx context.Context, b bench, root, cache, vllmEnv, vllm, out string) (Result, error) {
	var r Result
	for path, into := range map[string]*string{cache: &b.paths.cache, vllmEnv: &b.paths.vllmEnv, out: &b.out} {
		absolute, err := filepath.Abs(path)
		if err != nil {
			return r, err
		}
		*into = absolute
	}
	b.vllm = vllm
	b.paths.root, b.paths.vllmBench = root, filepath.Join(root, "bench", "peers", "vllm_bench.py")
	if err := os.MkdirAll(b.out, 0o755); err != nil {
		return r, err
	}
	r = Result{Date: time.Now().UTC(), Quick: b.quick, Repeat: b.repeat, Machine: thisMachine(), Versions: versions(ctx, b.paths)}
	b.done = func(run Run) {
		r.Runs = append(r.Runs, run)
		fmt.Fprintln(os.Stderr, line(run))
		if err := r.write(filepath.Join(b.out, "result.json")); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	return r, b.measure(ctx)
}

// line is one run as the progress shows it.
func line(r Run) string {
	head := fmt.Sprintf("%-8s %-20s #%d  %5.1f s", r.Experiment, r.Tool, r.Repeat, r.Usage.WallS)
	if r.Error != "" {
		return head + "  no result: " + r.Error
	}
	return fmt.Sprintf("%s  TTFT %s, truth %s  %d ok, %d failed, truth %d and %d  CPU %.2f s  others %.1f cores", head,
		figure(r.Reported.TTFTMean), figure(r.Truth.TTFTMean), r.Reported.Completed, r.Reported.Failed, r.Truth.Completed, r.Truth.Failed, r.Usage.CPUS, r.OtherCores)
}

func figure(v *float64) string {
	if v == nil {
		return "?"
	}
	return fmt.Sprintf("%.1f", *v)
}

func list(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

// choose gives the tools whose names begin with one of the words.
func choose(words []string) ([]tool, error) {
	if len(words) == 0 {
		return tools, nil
	}
	var chosen []tool
	for _, w := range words {
		i := slices.IndexFunc(tools, func(t tool) bool { return strings.HasPrefix(slug(t.name), strings.ToLower(w)) })
		if i < 0 {
			return nil, fmt.Errorf("no tool begins with %q", w)
		}
		chosen = append(chosen, tools[i])
	}
	return chosen, nil
}

// publish writes result.json and the page, into the repository too where asked.
func publish(r *Result, root, out string, doc bool) error {
	page, err := page(r)
	if err != nil {
		return err
	}
	folders := map[string]string{filepath.Join(out, "result.json"): filepath.Join(out, "peers.md")}
	if doc {
		if r.Quick {
			return errors.New("--quick shows that it works, not how well: it makes no docs/peers.md")
		}
		folders[filepath.Join(root, "bench", "peers", "result.json")] = filepath.Join(root, "docs", "peers.md")
	}
	for data, text := range folders {
		if err := errors.Join(r.write(data), os.WriteFile(text, page, 0o644)); err != nil {
			return err
		}
		fmt.Println(text)
	}
	return nil
}
