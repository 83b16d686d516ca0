package lab

import (
	"fmt"
	"time"

	"assay/internal/engine"
	"assay/internal/record"
)

// classes are the systems that are built, one way or another for each bound.
var classes = []class{
	{record.BoundCompute, longPrompts},
	{record.BoundMemory, longContexts},
	{record.BoundCollective, slowLinks},
	{record.BoundKVCache, smallCache},
	{record.BoundAdmission, fewSequences},
	{record.BoundTokenBudget, smallBudget},
	{record.BoundCPU, slowHost},
	{record.BoundNetwork, narrowPath},
	{record.BoundClient, slowClient},
	{record.BoundThrottled, heldBack},
	{record.BoundFault, broken},
	{record.BoundCold, justStarted},
	{record.BoundNotSaturated, tooLittleLoad},
}

// singles are GPUs that hold a model with room for a KV cache.
var singles = []string{
	"H100 llama-3.1-8b", "H100 llama-3.2-3b", "H200 qwen3-8b", "A100-80 mistral-7b", "A100-80 llama-3.1-8b", "L40S llama-3.1-8b", "L40S qwen2.5-7b 1",
	"A10G llama-3.2-3b", "L4 llama-3.2-1b", "L4 llama-3.2-3b 1", "A10G gemma-2b", "2xH100 llama-3.1-8b", "H100 llama-3.2-1b", "B200 qwen3-8b",
	"2xH100 qwen3-30b-a3b", "2xH200 mixtral-8x7b", "H200 qwen3-30b-a3b",
}

// quick are those whose steps are short, so that something else can bind.
var quick = []string{"H100 llama-3.2-1b", "H100 llama-3.2-3b", "H200 llama-3.2-1b", "B200 llama-3.2-3b", "A100-80 llama-3.2-1b", "L40S llama-3.2-1b"}

// longPrompts keep the tensor cores busy.
func longPrompts(b *builder) {
	b.hardware(singles...)
	b.rig.work = workload{prompt: b.count(900, 5000), output: b.count(3, 20)}
	b.top = b.count(12, 40)
}

// longContexts are read for each token: a long prefix that all prompts share and
// the cache holds, or weights in 4 bits beside a long output.
func longContexts(b *builder) {
	b.hardware("H100 llama-3.2-1b", "H100 llama-3.2-3b", "A100-80 llama-3.2-3b", "A100-80 mistral-7b 0.5", "H100 llama-3.1-8b 0.5", "L40S llama-3.2-1b", "L40S llama-3.1-8b 0.5", "H200 gemma-7b 0.5", "A10G llama-3.2-1b", "H100 gemma-7b 1")
	b.rig.engine.NoPrefixCache = false
	tail := b.count(20, 60)
	shared := b.count(3000, 9000)
	b.rig.work = workload{prompt: shared + tail, output: b.count(50, 110), shared: shared}
	b.rig.engine.MaxModelLen = 16384
	b.top = b.count(40, 90)
}

// slowLinks are GPUs that meet over PCIe after each half layer.
func slowLinks(b *builder) {
	b.hardware("4xL40S llama-3.1-8b", "4xA10G llama-3.1-8b", "4xL4 llama-3.1-8b", "8xL40S llama-3.1-8b", "4xL40S llama-3.2-3b", "8xL4 llama-3.1-8b", "4xL40S qwen3-32b", "2xL40S llama-3.1-8b")
	b.rig.engine.LinkScale = b.between(0.12, 0.4) // through the host, without peer access
	b.rig.work = workload{prompt: b.count(200, 1500), output: b.count(10, 50)}
	b.top = b.count(24, 64)
}

// smallCache holds few requests.
func smallCache(b *builder) {
	b.hardware(singles...)
	w := workload{prompt: b.count(150, 1200), output: b.count(40, 100)}
	b.rig.work = w
	few := b.between(2.5, 9)
	b.rig.engine.KVBlocks = 1 + int(few*float64(w.prompt+w.output)/16)
	b.top = b.count(32, 80)
}

// fewSequences is a low max_num_seqs.
func fewSequences(b *builder) {
	b.hardware(singles...)
	b.rig.work = workload{prompt: b.count(30, 300), output: b.count(30, 90)}
	b.rig.engine.MaxNumSeqs = b.count(2, 14)
	b.top = min(8*b.rig.engine.MaxNumSeqs, 96)
}

// smallBudget is a low max_num_batched_tokens: steps that read all weights for few
// tokens.
func smallBudget(b *builder) {
	b.hardware("H100 llama-3.1-8b", "H100 llama-3.2-3b", "A100-80 mistral-7b", "L40S llama-3.1-8b", "L40S llama-3.2-3b", "H200 qwen3-8b", "2xH100 qwen3-30b-a3b", "H200 qwen3-30b-a3b", "L4 llama-3.2-1b", "B200 qwen3-8b")
	low, high := 16, 80
	if b.rig.engine.Model.MoE() { // whose experts are all read from a few hundred tokens on
		low, high = 128, 512
	}
	b.rig.engine.MaxBatchedTokens = b.count(low, high)
	b.rig.engine.MaxNumSeqs = min(b.rig.engine.MaxBatchedTokens, 64)
	b.rig.work = workload{prompt: b.count(6, 14) * b.rig.engine.MaxBatchedTokens, output: b.count(2, 8)}
	b.top = b.count(16, 40)
}

// slowHost is an API server of few processes, or a host that prepares each
// sequence slowly.
func slowHost(b *builder) {
	b.hardware(quick...)
	b.rig.work = workload{prompt: b.count(50, 400), output: b.count(40, 90)}
	b.top = b.count(48, 110)
	f := &b.rig.engine.Frontend
	switch b.IntN(3) {
	case 0: // streams: one Python process for all chunks
		f.Workers, f.OutputToken = 1, b.span(150*time.Microsecond, 600*time.Microsecond)
		b.name += fmt.Sprintf(", 1 API server, %v a token", f.OutputToken.Round(time.Microsecond))
	case 1: // prompts: a slow tokenizer, templates
		f.Workers, f.Request, f.PromptToken = 1+b.IntN(2), b.span(10*time.Millisecond, 30*time.Millisecond), b.span(30*time.Microsecond, 90*time.Microsecond)
		b.rig.work.prompt, b.rig.work.output = b.count(600, 2000), b.count(4, 16)
		b.name += fmt.Sprintf(", %d API servers, %v a prompt token", f.Workers, f.PromptToken.Round(time.Microsecond))
	default: // sampling and scheduling in Python, a starved container
		o := &b.rig.engine.Overheads
		o.Sequence, o.Step = b.span(200*time.Microsecond, 800*time.Microsecond), b.span(3*time.Millisecond, 10*time.Millisecond)
		b.name += fmt.Sprintf(", %v of the host for each sequence", o.Sequence.Round(time.Microsecond))
		if b.chance(0.4) {
			b.view.cfs = b.between(0.2, 0.7)
		}
	}
}

// narrowPath is a link with little bandwidth for many streams, or a proxy that lets
// few requests through.
func narrowPath(b *builder) {
	b.hardware(quick...)
	b.rig.work = workload{prompt: b.count(30, 200), output: b.count(50, 100)}
	b.top = b.count(32, 96)
	if b.chance(0.2) {
		b.rig.path = path{delay: b.span(time.Millisecond, 15*time.Millisecond), slots: b.count(3, 10)}
		b.name += fmt.Sprintf(", %d requests through a proxy", b.rig.path.slots)
		return
	}
	b.rig.path = path{delay: b.span(time.Millisecond, 40*time.Millisecond), bandwidth: b.between(1.2e5, 5e5)}
	b.name += fmt.Sprintf(", %.0f kB/s", b.rig.path.bandwidth/1e3)
	if b.chance(0.6) {
		b.view.exceeded = b.between(20, 2000)
	}
}

// slowClient is a client with one core that is busy with what comes.
func slowClient(b *builder) {
	b.hardware(quick...)
	b.rig.work = workload{prompt: b.count(30, 200), output: b.count(50, 100)}
	b.top = b.count(32, 96)
	b.rig.client.chunk = b.span(150*time.Microsecond, 700*time.Microsecond)
	b.name += fmt.Sprintf(", a client of %v a chunk", b.rig.client.chunk.Round(time.Microsecond))
}

// heldBack is a clock that heat or the power brake takes down.
func heldBack(b *builder) {
	if b.chance(0.5) {
		longPrompts(b)
	} else {
		longContexts(b)
	}
	t := engine.Throttle{Clock: b.between(0.3, 0.6)}
	if b.chance(0.3) {
		t.Cause = engine.PowerBrake
	}
	b.rig.engine.Throttle = t
	b.view.dcgm, b.view.coarse = true, false
	b.name += fmt.Sprintf(", clock at %.2f", t.Clock)
}

// broken is a GPU with errors: links that retry, memory that ends what runs.
func broken(b *builder) {
	b.view.dcgm = true
	if b.chance(0.5) {
		b.hardware("8xH100 llama-3.3-70b", "4xH100 llama-3.1-8b", "8xA100-80 llama-3.1-8b", "4xH200 qwen3-32b", "4xA100-80 qwen3-32b", "8xH100 qwen3-32b")
		b.rig.work = workload{prompt: b.count(200, 1200), output: b.count(20, 60)}
		b.rig.fault.links = b.between(0.02, 0.08)
		b.view.nvlinkErrors = b.between(5, 500)
		b.view.xids = []record.XID{{GPU: fmt.Sprint(b.IntN(4)), Code: 74, Sticky: !b.view.asked}}
		b.top = b.count(24, 64)
		b.name += ", NVLink errors"
		return
	}
	b.hardware(singles...)
	b.rig.work = workload{prompt: b.count(100, 800), output: b.count(20, 60)}
	b.rig.engine.MaxNumSeqs = 256
	b.top = b.count(24, 64)
	b.rig.fault.crash = b.between(0.25, 0.6)
	code := []int{48, 95, 119, 62, 109}[b.IntN(5)]
	if code == 48 || code == 95 {
		b.view.doubleBit = float64(b.count(1, 6))
	}
	b.view.xids = []record.XID{{GPU: "0", Code: code, Sticky: !b.view.asked}}
	b.name += fmt.Sprintf(", XID %d", code)
}

// justStarted is a server that still compiles, or that was restarted within levels.
func justStarted(b *builder) {
	b.hardware(singles...)
	b.rig.work = workload{prompt: b.count(50, 400), output: b.count(10, 40)}
	b.top = b.count(8, 24)
	b.rig.cold = cold{extra: b.span(80*time.Millisecond, 600*time.Millisecond), fades: b.span(15*time.Second, 60*time.Second), restarts: b.chance(0.35)}
	b.name += ", just started"
}

// tooLittleLoad is a large server that few clients use.
func tooLittleLoad(b *builder) {
	b.hardware(singles...)
	b.rig.work = workload{prompt: b.count(20, 200), output: b.count(20, 90)}
	b.top = b.count(3, 10)
}
