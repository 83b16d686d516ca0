package model

import "strings"

// methods read quant_method's own fields.
var methods = map[string]func(fields) quantised{
	"fp8":                blockFP8,
	"fbgemm_fp8":         blockFP8,
	"mxfp8":              func(q fields) quantised { return quantised{groups: every(mxfp8), except: ignored(q)} },
	"mxfp4":              func(q fields) quantised { return quantised{groups: every(mxfp4), only: []Part{Expert}} },
	"compressed-tensors": compressedTensors,
	"gptq":               packedInt("gptq"),
	"gptq_marlin":        packedInt("gptq"),
	"awq":                packedInt("awq"),
	"awq_marlin":         packedInt("awq"),
	"auto-round":         packedInt("int4"),
	"intel/auto-round":   packedInt("int4"),
	"bitsandbytes":       bitsAndBytes,
	"modelopt":           modelopt,
	"modelopt_fp4":       modelopt,
	"modelopt_mixed":     modelopt,
	"nvfp4":              modelopt, // quant_algo alone, of hf_quant_config.json
	"fp8_pb_wo":          modelopt,
	"quark":              quark,
}

var (
	mxfp4 = scheme{name: "mxfp4", compute: FP4, width: 0.5 + 1.0/32} // one E8M0 scale for 32
	nvfp4 = scheme{name: "nvfp4", compute: FP4, width: 0.5 + 1.0/16} // one E4M3 scale for 16
	mxfp8 = scheme{name: "fp8", compute: FP8, width: 1 + 1.0/32}
	fp8   = scheme{name: "fp8", compute: FP8, width: 1}
	// DeepSeek's: one float32 scale for a block of 128 by 128.
	fp8Block = scheme{name: "fp8", compute: FP8, width: 1 + 4.0/(128*128)}
)

func ignored(q fields) patterns {
	var p patterns
	for _, name := range []string{"ignore", "modules_to_not_convert", "ignored_layers", "exclude_modules", "exclude", "llm_int8_skip_modules"} {
		p.add(q, name)
	}
	return p
}

func blockFP8(q fields) quantised {
	z := fp8
	if block := q.numbers("weight_block_size", maxSize); len(block) == 2 && block[0] > 0 && block[1] > 0 {
		z.width += 4 / (float64(block[0]) * float64(block[1]))
	}
	return quantised{groups: every(z), except: ignored(q)}
}

// packedInt is GPTQ's, AWQ's and AutoRound's: groups of group_size weights share a
// 16-bit scale and a zero point of as many bits.
func packedInt(name string) func(fields) quantised {
	return func(q fields) quantised {
		bits := q.optional(q.first("bits", "w_bit"), 4, 8)
		group, field := 0, q.first("group_size", "q_group_size")
		if shown(q.object[field]) != "-1" { // that is one for each column
			group = q.optional(field, 128, maxSize)
		}
		z := scheme{name: name, width: float64(bits) / 8}
		if bits == 0 || bits == 1 {
			q.fail(&UnknownError{What: "quantisation", Name: name + " of " + shown(q.object[q.first("bits", "w_bit")]) + " bits"})
		}
		if group > 0 {
			z.width += (2 + float64(bits)/8) / float64(group)
		}
		if bits == 8 {
			z.name = "int8"
		}
		return quantised{groups: every(z), except: ignored(q)}
	}
}

// bitsAndBytes keeps one absolute maximum for 64 weights, itself in 8 bits when
// it is quantised twice.
func bitsAndBytes(q fields) quantised {
	z := scheme{name: "int4", width: 0.5 + 4.0/64}
	if q.flag("bnb_4bit_use_double_quant", false) {
		z.width = 0.5 + 1.0/64
	}
	if q.flag("load_in_8bit", false) {
		z = scheme{name: "int8", compute: INT8, width: 1}
	}
	return quantised{groups: every(z), except: ignored(q)}
}

// modelopt is NVIDIA's Model Optimizer.
func modelopt(q fields) quantised {
	algorithm := q.text(q.first("quant_algo", "quant_method"))
	known := map[string]scheme{
		"FP8": fp8, "FP8_PER_CHANNEL_PER_TOKEN": fp8, "FP8_PB_WO": fp8Block, "MXFP8": mxfp8,
		"NVFP4": nvfp4, "NVFP4_AWQ": nvfp4, "W4A16_NVFP4": {name: "nvfp4", width: nvfp4.width},
		"W4A16_AWQ": {name: "awq", width: 0.5 + 2.0/128}, "W4A8_AWQ": {name: "awq", compute: FP8, width: 0.5 + 2.0/128},
	}
	if strings.EqualFold(algorithm, "MIXED_PRECISION") {
		return moduleByModule(q, known)
	}
	z, ok := known[strings.ToUpper(algorithm)]
	if !ok {
		if groups := compressedTensors(q); len(groups.groups) > 0 {
			return groups
		}
		q.fail(&UnknownError{What: "quantisation", Name: "modelopt " + algorithm})
	}
	return quantised{groups: every(z), except: ignored(q)}
}

// moduleByModule is mixed precision: each module under quantized_layers has its
// own algorithm, and the rest stay in BF16.
func moduleByModule(q fields, known map[string]scheme) quantised {
	var out quantised
	layers := q.sub("quantized_layers")
	if len(layers.object) > maxListed {
		q.fail(&UnknownError{What: "quantisation", Name: "quantized_layers of too many modules"})
		return out
	}
	by := map[string]patterns{}
	for name := range layers.object {
		algorithm := strings.ToUpper(layers.sub(name).text("quant_algo"))
		if _, ok := known[algorithm]; !ok {
			q.fail(&UnknownError{What: "quantisation", Name: "modelopt " + algorithm})
			return out
		}
		targets := by[algorithm]
		targets.put(pattern{text: name})
		by[algorithm] = targets
	}
	for algorithm, targets := range by { // a module has one: their order is free
		out.groups = append(out.groups, group{targets: targets, scheme: known[algorithm]})
	}
	return out
}

// compressedTensors is llm-compressor's: groups of modules with a scheme each.
func compressedTensors(q fields) quantised {
	out := quantised{except: ignored(q)}
	groups := q.sub("config_groups")
	for i := range 64 {
		g := groups.sub("group_" + itoa(i))
		if len(g.object) == 0 {
			break
		}
		var targets patterns
		if l := g.texts("targets"); len(l) != 1 || l[0] != "Linear" && l[0] != "FusedMoE" {
			targets.add(g, "targets")
		}
		out.groups = append(out.groups, group{targets: targets, scheme: tensors(g)})
	}
	if len(out.groups) == 0 && len(groups.object) > 0 {
		q.fail(&UnknownError{What: "quantisation", Name: "compressed-tensors with groups of other names"})
	}
	return out
}

// tensors is the scheme of one group of compressed tensors.
func tensors(g fields) scheme {
	w := g.sub("weights")
	bits, kind := w.optional("num_bits", 16, 32), w.text("type")
	size := w.optional("group_size", 0, maxSize)
	z := scheme{width: float64(bits) / 8}
	dynamic := len(g.sub("input_activations").object) > 0
	switch {
	case kind == "float" && bits == 8:
		z.name, z.compute = "fp8", FP8
	case kind == "float" && bits == 4 && size == 32:
		z = mxfp4
	case kind == "float" && bits == 4:
		z = nvfp4
	case kind == "int" && bits == 8:
		z.name, z.compute = "int8", INT8
	case kind == "int" && bits > 1 && bits < 8:
		z.name = "int4"
	case bits == 16:
		return unquantised
	default:
		g.fail(&UnknownError{What: "quantisation", Name: "compressed-tensors " + kind + itoa(bits)})
	}
	if !dynamic {
		z.compute = BF16 // unpacked before the product
	}
	if kind == "int" && size > 0 {
		z.width += 2 / float64(size)
		if !w.flag("symmetric", true) {
			z.width += float64(bits) / 8 / float64(size)
		}
	}
	if block := w.numbers("block_structure", maxSize); len(block) == 2 && block[0] > 0 && block[1] > 0 {
		z.width += 4 / (float64(block[0]) * float64(block[1]))
	}
	return z
}

// quark is AMD's.
func quark(q fields) quantised {
	w := q.sub("global_quant_config").sub("weight")
	known := map[string]scheme{"fp8_e4m3": fp8, "fp4": mxfp4, "int8": {name: "int8", compute: INT8, width: 1}, "int4": {name: "int4", width: 0.5 + 2.0/128}}
	z, ok := known[w.text("dtype")]
	if !ok {
		q.fail(&UnknownError{What: "quantisation", Name: "quark " + w.text("dtype")})
	}
	return quantised{groups: every(z), except: ignored(q)}
}
