package calibrate

import (
	"regexp"

	"assay/internal/facts"
)

// Lines that say what runs. Versions up to 0.10 log "vLLM API server version",
// later ones a banner with "version" alone.
var (
	colours      = regexp.MustCompile("\x1b\\[[0-9;]*m")
	banner       = regexp.MustCompile(`(?:vLLM (?:API )?server version|[█▀▄]\s+version) v?(\d[\w.+]*)`)
	initializing = regexp.MustCompile(`Initializing an? (?:V[01] )?LLM engine \(v?([\w.+]+)\) with config: (.*)`)
	nonDefault   = regexp.MustCompile(`non-default args: \{(.*)\}`)
	detected     = regexp.MustCompile(`Automatically detected platform (\w+)`)
	// name='x', name=1.5 and 'name': 'x'; values that are objects themselves are passed over.
	argument = regexp.MustCompile(`(?:\b([a-z_]{2,40})=('[^']*'|"[^"]*"|[\w.\-+]+)|'([a-z_]{2,40})': ('[^']*'|"[^"]*"|[\w.\-+]+))`)
)

// unit is in what a phrase gives its number.
type unit int

const (
	plain  unit = iota
	gib         // "GB" in old versions is 2³⁰ too
	second      //
	token       //
	block
)

func (u unit) name() string { return [...]string{"", "bytes", "s", "tokens", "blocks"}[u] }

// what is one number of a phrase.
type what struct {
	of    Quantity
	unit  unit
	least bool // of several ranks the smallest binds; else the largest
	sum   bool // several lines add up
}

func (w what) scale() float64 {
	if w.unit == gib {
		return facts.GiB
	}
	return 1
}

// phrase is a line of the log: a text that it holds, and its form.
type phrase struct {
	holds string
	form  *regexp.Regexp
	what  []what
}

const number = `(-?[\d][\d,]*\.?\d*)`

func line(holds, form string, w ...what) phrase {
	return phrase{holds, regexp.MustCompile(form), w}
}

// phrases are the format strings of vLLM's sources.
// https://github.com/vllm-project/vllm: worker/worker.py, worker/model_runner.py and
// executor/executor_base.py of 0.6 to 0.10 (V0); v1/worker/gpu_worker.py,
// gpu_model_runner.py, cpu_worker.py, v1/core/kv_cache_utils.py, v1/engine/core.py,
// compilation/backends.py and monitor.py up to 0.32. Read 2026-11-30.
var phrases = []phrase{
	// 0.6, 0.7
	line("model weights took", `Loading model weights took `+number+` GB`, what{of: Weights, unit: gib}),
	// 0.8: "GiB and", 0.11: "GiB memory and"
	line("Model loading took", `Model loading took `+number+` GiB(?: memory)? and `+number+` seconds`, what{of: Weights, unit: gib}, what{of: LoadModel, unit: second}),
	line("Loading weights took", `Loading weights took `+number+` seconds`, what{of: LoadWeights, unit: second}),

	// V0's account, in one or two lines
	line("can use total_gpu_memory", `total_gpu_memory \(`+number+`GiB\) x gpu_memory_utilization \(`+number+`\) = `+number+`GiB`,
		what{of: TotalMemory, unit: gib, least: true}, what{of: Utilization}, what{of: Requested, unit: gib, least: true}),
	line("model weights take", `model weights take `+number+`GiB;(?: non_torch_memory takes `+number+`GiB;)? PyTorch activation peak memory takes `+number+`GiB; the rest of the memory reserved for KV Cache is `+number+`GiB`,
		what{of: Weights, unit: gib}, what{of: NonTorch, unit: gib}, what{of: Activation, unit: gib}, what{of: KVMemory, unit: gib, least: true}),
	line("Memory profiling takes", `Memory profiling takes `+number+` seconds`, what{of: Profile, unit: second}),

	// V1's account
	line("Available KV cache memory", `Available KV cache memory: `+number+` GiB`, what{of: KVMemory, unit: gib, least: true}),
	line("for KV Cache as specified", `reserved `+number+` GiB memory for KV Cache as specified`, what{of: KVMemory, unit: gib, least: true}),
	line("Free memory on device", `Free memory on device \S*\s*\(`+number+`/`+number+` GiB\) on startup\. Desired GPU memory utilization is \(`+number+`, `+number+` GiB\)`,
		what{of: "free memory", unit: gib, least: true}, what{of: TotalMemory, unit: gib, least: true}, what{of: Utilization}, what{of: Requested, unit: gib, least: true}),
	line("for consumed memory", `Actual usage is `+number+` GiB for consumed memory \(weights \+ non-torch\), `+number+` GiB for peak activation, and `+number+` GiB for CUDAGraph memory`,
		what{of: Consumed, unit: gib}, what{of: Activation, unit: gib}, what{of: GraphMemory, unit: gib}),
	line("GiB for weight", `Actual usage is `+number+` GiB for weight, `+number+` GiB for peak activation, `+number+` GiB for non-torch memory, and `+number+` GiB for CUDAGraph memory`,
		what{of: Weights, unit: gib}, what{of: Activation, unit: gib}, what{of: NonTorch, unit: gib}, what{of: GraphMemory, unit: gib}),

	// The CPU backend's, where the flag is given and where it is not
	line("Explicitly set", `Explicitly set \(`+number+`/`+number+`\) GiB for KV cache`, what{of: KVMemory, unit: gib, least: true}, what{of: TotalMemory, unit: gib, least: true}),
	line("Auto set", `Auto set \(`+number+`/`+number+`\) GiB for KV cache`, what{of: KVMemory, unit: gib, least: true}, what{of: TotalMemory, unit: gib, least: true}),

	// The KV cache as the scheduler sees it; up to 0.31 in two lines
	line("KV cache size", `KV cache size: `+number+` tokens`, what{of: KVTokens, unit: token, least: true}),
	line("Maximum concurrency for", `Maximum concurrency for `+number+` tokens per request: `+number+`x`, what{of: ModelLen, unit: token}, what{of: Concurrency, least: true}),
	line("locks: ", `# (?:GPU|CUDA|cuda|rocm|ROCM) blocks: `+number, what{of: Blocks, unit: block, least: true}),

	line("Graph capturing finished", `Graph capturing finished in `+number+` secs(?:, took `+number+` GiB)?`, what{of: GraphTime, unit: second}, what{of: GraphMemory, unit: gib}),
	line("Dynamo bytecode", `Dynamo bytecode transform time: `+number+` s`, what{of: Dynamo, unit: second}),
	line("Compiling a graph", `Compiling a graph for .* takes `+number+` s`, what{of: Compile, unit: second}),
	line("from the cache, took", `Directly load .* from the cache, took `+number+` s`, what{of: FromCache, unit: second}),
	line("torch.compile", `torch\.compile(?: and initial profiling(?:/warmup)? run(?: together)?)? (?:takes|took) `+number+` s in total`, what{of: CompileTotal, unit: second}),
	line("init engine", `init engine \(profile, create[ _]kv[ _]cache, warmup model\) took `+number+` s`, what{of: InitEngine, unit: second}),
	line("Chunked prefill is enabled", `Chunked prefill is enabled with max_num_batched_tokens=(\d+)`, what{of: MostBatched, unit: token}),
}
