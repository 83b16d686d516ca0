package cli

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"assay/internal/engine"
	"assay/internal/engine/httpd"
	"assay/internal/facts"
	"assay/internal/model"
)

// simFlags are the flags of `assay sim`, with vLLM's names where it has them.
type simFlags struct {
	listen, gpu, model, served, keyVariable, faults, policy   string
	maxNumSeqs, maxBatchedTokens, maxModelLen, kvBlocks       int
	maxQueuedRequests, maxQueuedTokens, longPrefill           int
	utilization, bandwidth, compute, jitter, speed, weightLen float64
	throttle, links                                           float64
	apiServers                                                int
	noPrefixCache, noChunkedPrefill, promptDetails, mfu       bool
	shutdown, stepHost, countWindow                           time.Duration
	seed                                                      uint64
	lora                                                      []string
}

func newSim(env *Env) *cobra.Command {
	f := &simFlags{}
	cmd := &cobra.Command{
		Use:   "sim",
		Short: "Serve the simulated engine: OpenAI's API, vLLM's metrics",
		Long: `Serve the simulated engine over HTTP: a vLLM-like scheduler with chunked prefill,
a paged KV cache with prefix caching and preemption, and a time for each step
from the accelerator's memory bandwidth and compute. Its numbers are simulated.

Beside the engine's /metrics stand /dcgm/metrics, what dcgm-exporter would show of
its GPUs, and /node/metrics, what the node's exporters would.

Faults are a JSON object, with --faults or by POST /admin/faults (Content-Type:
application/json): ` + strings.Join(httpd.FaultNames(), ", ") + `.

GPUs: ` + strings.Join(chipNames(), ", ") + ` (4xH100 for tensor parallel)
models: ` + strings.Join(model.PresetNames(), ", "),
		Example: `  assay sim --listen 127.0.0.1:8000 --gpu h100 --model llama-3.1-8b
  assay sim --gpu a10g --model llama-3.2-1b --max-num-seqs 16 --num-gpu-blocks-override 2000
  assay sim --gpu 4xl40s --api-server-count 1 --throttle 0.6
  curl -H 'Content-Type: application/json' -d '{"xid":79}' http://127.0.0.1:8000/admin/faults
  assay sim --faults '{"error_rate":0.05,"error_status":503,"retry_after_s":1}'`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return runSim(env, f) },
	}
	f.add(cmd)
	return cmd
}

func (f *simFlags) add(cmd *cobra.Command) {
	p := cmd.Flags()
	p.SortFlags = false
	demo := engine.Demo()
	p.StringVar(&f.listen, "listen", "127.0.0.1:8000", "address to listen on")
	p.StringVar(&f.gpu, "gpu", strings.ToLower(demo.Chip.Name), "accelerator")
	p.StringVar(&f.model, "model", demo.Model.Name, "model")
	p.StringVar(&f.served, "served-model-name", "", "name that the API serves it under (default: the model's)")
	p.StringSliceVar(&f.lora, "lora", nil, "names of LoRA adapters to serve beside it, such as a,b")
	p.IntVar(&f.maxNumSeqs, "max-num-seqs", 0, "most requests in a batch (default: vLLM's)")
	p.IntVar(&f.maxBatchedTokens, "max-num-batched-tokens", 0, "token budget of a step (default: vLLM's)")
	p.IntVar(&f.maxModelLen, "max-model-len", 0, "context length (default: the model's, cut to what the KV cache holds)")
	p.IntVar(&f.kvBlocks, "num-gpu-blocks-override", 0, "KV cache blocks of 16 tokens (default: what memory leaves)")
	p.Float64Var(&f.utilization, "gpu-memory-utilization", 0, "share of memory to use (default: vLLM's)")
	p.IntVar(&f.longPrefill, "long-prefill-token-threshold", 0, "most tokens of one prefill in a step (default: no limit)")
	p.BoolVar(&f.noChunkedPrefill, "no-enable-chunked-prefill", false, "do not split prefills")
	p.BoolVar(&f.noPrefixCache, "no-enable-prefix-caching", false, "do not cache prefixes")
	p.StringVar(&f.policy, "scheduling-policy", "fcfs", "fcfs or priority")
	p.IntVar(&f.maxQueuedRequests, "max-num-queued-reqs", 0, "answer 503 above so many requests (default: no limit)")
	p.IntVar(&f.maxQueuedTokens, "max-num-queued-tokens", 0, "answer 503 above so many prompt tokens not yet computed (default: no limit)")
	p.BoolVar(&f.promptDetails, "enable-prompt-tokens-details", false, "cached tokens in usage")
	p.DurationVar(&f.shutdown, "shutdown-timeout", 0, "what SIGTERM lets finish; 0 aborts what is in flight, as vLLM does")
	p.StringVar(&f.keyVariable, "api-key-env", "", "environment variable that holds the key which /v1 asks for (default: no key)")
	p.Float64Var(&f.bandwidth, "bandwidth-scale", 1, "memory bandwidth against the data sheet's use")
	p.Float64Var(&f.compute, "compute-scale", 1, "compute against the data sheet's use, such as 0.5 for a throttled clock")
	p.Float64Var(&f.weightLen, "weight-bytes", 0, "bytes of a weight: 2 for BF16 (default), 1 for FP8, 0.5 for 4 bits")
	p.Float64Var(&f.links, "link-scale", 1, "speed of collectives between GPUs against the data sheet's")
	p.Float64Var(&f.throttle, "throttle", 1, "share of the SM clock that heat leaves, such as 0.6")
	p.DurationVar(&f.stepHost, "step-overhead", engine.StepOverhead(), "the host's time in each step, in which GPUs idle")
	p.IntVar(&f.apiServers, "api-server-count", 0, "API server processes that share the work on requests and tokens (default: as many as it takes)")
	p.BoolVar(&f.mfu, "enable-mfu-metrics", false, "count estimated FLOPs and bytes of memory")
	p.DurationVar(&f.countWindow, "count-window", 5*time.Minute, "window of the DCGM exporter's counts of XIDs and clock events")
	p.Float64Var(&f.jitter, "jitter", 0, "sigma of a step's lognormal noise")
	p.Float64Var(&f.speed, "speed", 1, "engine seconds in one real second")
	p.Uint64Var(&f.seed, "seed", 0, "seed of texts, lengths and noise")
	p.StringVar(&f.faults, "faults", "", "faults to show, as JSON (also by POST /admin/faults)")
}

func (f *simFlags) config() (engine.Config, error) {
	cfg, err := engine.Preset(f.gpu, f.model)
	if err != nil {
		return cfg, err
	}
	cfg.MaxNumSeqs, cfg.MaxBatchedTokens, cfg.MaxModelLen = f.maxNumSeqs, f.maxBatchedTokens, f.maxModelLen
	cfg.KVBlocks, cfg.MemoryUtilization, cfg.LongPrefillThreshold = f.kvBlocks, f.utilization, f.longPrefill
	cfg.NoChunkedPrefill, cfg.NoPrefixCache = f.noChunkedPrefill, f.noPrefixCache
	cfg.MaxQueuedRequests, cfg.MaxQueuedTokens = f.maxQueuedRequests, f.maxQueuedTokens
	cfg.BandwidthScale, cfg.ComputeScale = f.bandwidth, f.compute
	if f.weightLen != 0 {
		cfg.Format = model.Uniform(f.weightLen)
	}
	cfg.Jitter, cfg.Seed = f.jitter, f.seed
	cfg.LinkScale, cfg.Throttle.Clock = f.links, f.throttle
	cfg.Overheads.Step, cfg.Frontend.Workers = f.stepHost, f.apiServers
	switch f.policy {
	case "fcfs":
	case "priority":
		cfg.Policy = engine.Priority
	default:
		return cfg, fmt.Errorf("--scheduling-policy %s: it is fcfs or priority", f.policy)
	}
	return cfg, nil
}

func runSim(env *Env, f *simFlags) error {
	cfg, err := f.config()
	if err != nil {
		return usage(err)
	}
	opt := httpd.Options{
		Listen: f.listen, ServedModel: f.served, Adapters: f.lora, ShutdownTimeout: f.shutdown,
		Speed: f.speed, PromptTokensDetails: f.promptDetails, MFUMetrics: f.mfu, CountWindow: f.countWindow,
	}
	if f.keyVariable != "" {
		if opt.APIKey = env.Getenv(f.keyVariable); opt.APIKey == "" {
			return usagef("--api-key-env %s: the variable is empty", f.keyVariable)
		}
	}
	if f.faults != "" {
		var err error
		if opt.Faults, err = httpd.ParseFaults(strings.NewReader(f.faults)); err != nil {
			return usagef("--faults: %v", err)
		}
	}
	s, err := httpd.Start(cfg, opt)
	if err != nil {
		if errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, syscall.EACCES) {
			return &exitError{code: exitImpossible, err: err, hint: "another server has the port; --listen 127.0.0.1:0 takes a free one"}
		}
		return usage(err)
	}
	fmt.Fprintf(env.Stdout, "%s\n", s.URL())
	fmt.Fprintf(env.Stderr, "%s, model name %s\nstop with Ctrl-C; once more to stop at once\n", s.Describe(), s.Model())
	return waitForSim(env, s)
}

// waitForSim serves until the server has ended. The first interrupt is SIGTERM
// to it, the second ends it at once.
func waitForSim(env *Env, s *httpd.Server) error {
	select {
	case <-s.Done():
		return nil
	case <-env.Interrupts:
	}
	ctx, cancel := untilInterrupt(env)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil && ctx.Err() == nil {
		return impossible(err)
	}
	return nil
}

// chipNames are the GPUs that the simulator knows wholly, with clocks and power.
func chipNames() []string {
	var out []string
	for _, c := range facts.Chips() {
		if c.SMClock > 0 {
			out = append(out, c.Name)
		}
	}
	return out
}
