package predict

import (
	"cmp"
	"fmt"
	"strings"

	"assay/internal/facts"
	"assay/internal/model"
)

// site is a system and a load as the step model and the corrections see them.
type site struct {
	System
	Load          // Concurrency over all ranks
	model  string // the name it is known by among what was measured
	wide   bool   // ranks beyond one domain of a host: prefill and decode likely apart
	remark []string
}

// Resolver turns rows into systems. Architectures are those of names that the
// presets don't know, or know differently.
type Resolver struct {
	Architectures map[string]model.Arch // by name as the rows write it
}

// resolve reads a row. The error says what of it can't be predicted.
func (v Resolver) resolve(r Row) (site, error) {
	var s site
	var err error
	if r.ISL < 1 || r.OSL < 1 || r.Concurrency < 1 {
		return s, fmt.Errorf("isl %d, osl %d and concurrency %d must be at least 1", r.ISL, r.OSL, r.Concurrency)
	}
	if s.Chip, err = chipOf(r.System); err != nil {
		return s, err
	}
	if err := s.arch(v, r); err != nil {
		return s, err
	}
	if err := s.format(r); err != nil {
		return s, err
	}
	s.Engine, s.Version = engineOf(r.Backend), r.Version
	l := layoutOf(r)
	if ranks := float64(l.TP) * float64(l.DP) * float64(l.PP); ranks > mostRanks {
		return s, fmt.Errorf("tp %d, attention_dp %d and pp %d are %g GPUs: more than %d can't be predicted", l.TP, l.DP, l.PP, ranks, mostRanks)
	}
	s.TP, s.DP, s.EP, s.PP = l.TP, l.DP, l.EP, l.PP
	s.Load = Load{Concurrency: l.PerRank * l.DP, ISL: r.ISL, OSL: r.OSL}
	s.spread()
	if !s.fits() {
		s.remark = append(s.remark, fmt.Sprintf("weights take %.0f GB of each GPU, which has %.0f: predicted as if they fitted", s.weightsOfOne()/1e9, float64(s.Chip.Usable)/1e9))
	}
	return s, s.Load.check()
}

// mostRanks is far above any system that was measured as one.
const mostRanks = 1 << 14

// host is the most GPUs that one attention is divided over in practice.
const host = 16

// spread reads more ranks of tensor parallelism than a host has as what deployments
// of that size are: attention's data parallel over experts spread on all.
func (s *site) spread() {
	if s.TP <= host {
		return
	}
	s.wide = true
	s.DP, s.EP, s.TP = s.TP*s.DP, s.TP*s.DP, 1
	s.remark = append(s.remark, "more ranks than one host: read as attention in data parallel and experts spread")
}

// chipOf finds a system by the name of its GPU or of an EC2 type.
func chipOf(name string) (facts.Chip, error) {
	if name == "" {
		return facts.Chip{}, fmt.Errorf("no system: name a GPU such as h100_sxm, or an EC2 type")
	}
	c, err := facts.ChipNamed(name)
	if err == nil {
		return c, nil
	}
	if i, e := facts.InstanceNamed(name); e == nil {
		if c, ok := i.Chip(); ok {
			return c, nil
		}
		return facts.Chip{}, fmt.Errorf("the accelerator of %s is not known", clip(name))
	}
	for _, suffix := range []string{"_sxm", "-sxm", "_pcie", "-pcie", "_nvl", "_nvl72", "-nvl72"} {
		if base, ok := strings.CutSuffix(strings.ToLower(name), suffix); ok {
			if c, e := facts.ChipNamed(base); e == nil {
				return c, nil
			}
		}
	}
	return facts.Chip{}, err
}

// engines are other names of the engines that were measured.
var engines = map[string]string{"": "vllm", "vllm": "vllm", "sglang": "sglang", "trtllm": "trtllm", "trt-llm": "trtllm",
	"tensorrt-llm": "trtllm", "tensorrt_llm": "trtllm", "trt": "trtllm", "trt_llm": "trtllm"}

func engineOf(name string) string {
	name = strings.ToLower(name)
	if e, ok := engines[name]; ok {
		return e
	}
	return name
}

// precisions are the names of formats in tables.
var precisions = map[string]string{"": "bf16", "bf16": "bf16", "fp16": "bf16", "float16": "bf16", "bfloat16": "bf16", "half": "bf16",
	"fp8": "fp8", "fp8_block": "fp8", "fp8_static": "fp8", "fp8_dynamic": "fp8", "w8a8_fp8": "fp8", "fp8_ootb": "fp8",
	"fp8_per_channel": "fp8", "fp8_per_tensor": "fp8", "fp8_per_token": "fp8", "fp8-dynamic": "fp8", "mxfp8": "fp8", "e4m3": "fp8", "float8": "fp8",
	"fp4": "nvfp4", "nvfp4": "nvfp4", "mxfp4": "mxfp4", "w4a16_mxfp4": "mxfp4", "w4a8_mxfp4_mxfp8": "mxfp4",
	"int8": "int8", "sq": "int8", "w8a8": "int8", "int8_wo": "int8",
	"w4a4": "nvfp4", "nvfp4_dynamic": "nvfp4", "w4a8": "int4", "marlin": "int4", "gptq_marlin": "gptq", "awq_marlin": "awq",
	"int4": "int4", "int4_wo": "int4", "w4a16": "int4", "awq": "awq", "gptq": "gptq", "w4afp8": "int4"}

// format takes the row's precision; where it says none that is known, how matrices
// are quantised, then what the model's name says.
func (s *site) format(r Row) error {
	s.Format = s.Model.Format
	strange := ""
	for _, name := range []string{r.Precision, r.MoE, r.GEMM} {
		if name == "" {
			continue
		}
		known, ok := precisions[strings.ToLower(name)]
		if !ok {
			strange = cmp.Or(strange, name)
			continue
		}
		if known == "nvfp4" && strings.Contains(strings.ToLower(s.Model.Name), "gpt-oss") {
			known = "mxfp4" // it is published in no other format of four bits
		}
		var err error
		if s.Format, err = s.Model.Quantised(known); err != nil {
			return err
		}
		break
	}
	if strange != "" {
		s.remark = append(s.remark, fmt.Sprintf("precision %q is not known: taken for %s", clip(strange), cmp.Or(s.Format.Name, "bf16")))
	}
	if how, why := s.Chip.Runs(cmp.Or(s.Format.Name, "bf16")); how == facts.Refused && s.Chip.Half() == 0 {
		return fmt.Errorf("%s", why)
	}
	return nil
}
