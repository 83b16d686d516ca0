package plan

import (
	"math"
	"slices"
	"strings"

	"assay/internal/facts"
	"assay/internal/figure"
)

// onNeuron says whether a chip is one of AWS's own, which take Neuron's software.
func onNeuron(c facts.Chip) bool { return strings.HasPrefix(c.Architecture, "neuron") }

// neuronNote says how an option on AWS's chips differs from one on GPUs.
// awsdocs-neuron.readthedocs-hosted.com, vLLM user guide for NxD Inference 2.29
// (plugin 0.5.0 with vLLM 0.16.0; its list of models), read 2026-11-30.
const neuronNote = "vLLM runs there by AWS's Neuron plugin: with a vLLM of its own (0.16 in Neuron 2.29), the models of its list (Llama, Qwen 2.5 and 3, Pixtral), compiled ahead for fixed shapes; " +
	"its KV cache holds whole contexts unless it is kept in blocks. Memory is divided here as on a GPU"

// neuronFamilies are the model types of that list. Of a bare count nothing is known.
var neuronFamilies = []string{"llama", "llama4", "llama4_text", "qwen2", "qwen3", "qwen3_moe", "qwen2_vl", "qwen3_vl", "pixtral"}

// neuronCores are the ranks of one chip: its NeuronCores, on Trainium2 the logical
// ones of the default configuration, each of two. Neuron's documentation, "Logical
// NeuronCore configuration" and "PyTorch NeuronX programming guide", read 2026-11-30.
func neuronCores(c facts.Chip) int {
	if c.Architecture == "neuron-v2" {
		return 2
	}
	return 4
}

// flagsNeuron are those of vLLM with Neuron's plugin: a rank is a NeuronCore, and
// the largest batch is compiled, so that it is the load's own.
func (p *planner) flagsNeuron(s sized) []string {
	var f flagList
	open := int(math.Ceil(max(s.predicted.Concurrency, float64(s.load.Concurrency), 1)))
	f.add("tensor-parallel-size", s.layout.tp*neuronCores(s.chip))
	f.above("pipeline-parallel-size", s.layout.pp, 1)
	f.above("data-parallel-size", s.layout.dp, 1)
	if s.layout.ep > 1 {
		f = append(f, "--enable-expert-parallel")
	}
	f.add("max-model-len", p.asked.Context)
	f.add("max-num-seqs", min(open, s.account.Config.MaxNumSeqs))
	return f
}

// neuronNames are what stands on a Neuron chip for what the account has of CUDA.
var neuronNames = strings.NewReplacer(
	"CUDA graphs", "compiled graphs (taken as CUDA's)",
	"CUDA libraries and NCCL", "Neuron runtime (taken as CUDA's libraries)",
)

// neuronFigures are the account's figures without CUDA's words.
func neuronFigures(figures []figure.Figure) []figure.Figure {
	out := slices.Clone(figures)
	for i := range out {
		f := &out[i]
		f.Name, f.Formula, f.Inputs = neuronNames.Replace(f.Name), neuronNames.Replace(f.Formula), slices.Clone(f.Inputs)
		for k := range f.Inputs {
			f.Inputs[k].Name = neuronNames.Replace(f.Inputs[k].Name)
		}
	}
	return out
}

// neuronVendor is whose chips they are.
const neuronVendor = "AWS"
