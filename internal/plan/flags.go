package plan

import (
	"fmt"
	"strconv"

	"assay/internal/facts"
)

// flags are what one replica of an option is started with, each flag with its value
// in one argument, as a container's args take it. They say the limits that the plan
// was made with, so that a default that changes between versions changes nothing.
func (p *planner) flags(s sized) []string {
	c := s.candidate
	if onNeuron(c.chip) {
		return p.flagsNeuron(s)
	}
	switch p.engine.Name {
	case "sglang":
		return p.flagsSGLang(c)
	case "trtllm":
		return p.flagsTRTLLM(c)
	}
	return p.flagsVLLM(c)
}

type flagList []string

func (f *flagList) add(name string, value any) { *f = append(*f, fmt.Sprintf("--%s=%v", name, value)) }

func (f *flagList) above(name string, value, least int) {
	if value > least {
		f.add(name, value)
	}
}

func (p *planner) flagsVLLM(c candidate) []string {
	var f flagList
	f.above("tensor-parallel-size", c.layout.tp, 1)
	f.above("pipeline-parallel-size", c.layout.pp, 1)
	f.above("data-parallel-size", c.layout.dp, 1)
	if c.layout.ep > 1 {
		f = append(f, "--enable-expert-parallel")
	}
	f.add("max-model-len", p.asked.Context)
	f.add("max-num-seqs", c.account.Config.MaxNumSeqs)
	f.add("max-num-batched-tokens", c.account.Config.MaxBatchedTokens)
	if p.asked.KVBytes > 0 {
		f.add("kv-cache-memory-bytes", p.asked.KVBytes)
	} else {
		f.add("gpu-memory-utilization", decimal(c.account.Config.Utilization))
	}
	if p.asked.BlockSize > 0 {
		f.add("block-size", p.asked.BlockSize)
	}
	switch p.kv.Name {
	case "", "auto":
	case "bf16":
		f.add("kv-cache-dtype", "bfloat16")
	default:
		f.add("kv-cache-dtype", p.kv.Name)
	}
	if p.quantize != "" {
		f.add("quantization", p.quantize)
	}
	if p.fp16 || onlyHalf(c.chip) {
		f.add("dtype", "half")
	}
	return f
}

func (p *planner) flagsSGLang(c candidate) []string {
	var f flagList
	f.above("tp-size", c.layout.tp*c.layout.dp, 1) // attention's ranks are taken from them
	f.above("pp-size", c.layout.pp, 1)
	if c.layout.dp > 1 {
		f.add("dp-size", c.layout.dp)
		f = append(f, "--enable-dp-attention")
	}
	f.above("ep-size", c.layout.ep, 1)
	f.add("context-length", p.asked.Context)
	f.add("max-running-requests", c.account.Config.MaxNumSeqs)
	f.add("chunked-prefill-size", c.account.Config.MaxBatchedTokens)
	f.add("mem-fraction-static", decimal(c.account.Config.Utilization))
	if p.asked.BlockSize > 0 {
		f.add("page-size", p.asked.BlockSize)
	}
	if p.kv.Name == "fp8" {
		f.add("kv-cache-dtype", "fp8_e4m3")
	}
	if p.quantize != "" {
		f.add("quantization", p.quantize)
	}
	return f
}

func (p *planner) flagsTRTLLM(c candidate) []string {
	var f flagList
	f.above("tp_size", c.layout.tp*c.layout.dp, 1)
	f.above("pp_size", c.layout.pp, 1)
	f.above("ep_size", c.layout.ep, 1)
	f.add("max_seq_len", p.asked.Context)
	f.add("max_batch_size", c.account.Config.MaxNumSeqs)
	f.add("max_num_tokens", c.account.Config.MaxBatchedTokens)
	f.add("kv_cache_free_gpu_memory_fraction", decimal(c.account.Config.Utilization))
	return f
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// onlyHalf says that a chip multiplies in fp16 and not in bf16.
func onlyHalf(c facts.Chip) bool { return c.BF16 == 0 && c.FP16 > 0 }
