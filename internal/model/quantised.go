package model

import (
	"math"
	"strings"
)

// scheme is how one set of a checkpoint's modules is stored.
type scheme struct {
	name    string
	compute Math
	width   float64 // bytes of a parameter, scales and zero points with them
}

var unquantised = scheme{name: "bf16", width: 2}

// format is how the file says that the weights are stored. Without a word about
// it they are in 16 bits: engines load float32 so too.
func (b *build) format(top fields) Format {
	q := b.quantisation(top)
	if len(q.object) == 0 {
		return Format{Name: "bf16"}
	}
	method := strings.ToLower(q.text(q.first("quant_method", "quant_algo")))
	read, ok := methods[method]
	if !ok {
		b.fail(&UnknownError{What: "quantisation", Name: method})
		return Format{}
	}
	z := read(q)
	if *b.failed != nil {
		return Format{}
	}
	f := b.mixed(z)
	if b.text("expert_dtype") == "fp4" { // DeepSeek-V4's own: products with FP8
		f = f.With(mxfp4.width, Expert)
	}
	if strings.Contains(strings.ToLower(q.text("kv_cache_quant_algo")), "fp8") || len(q.sub("kv_cache_scheme").object) > 0 {
		f.KV = "fp8"
	}
	return f
}

// quantisation is the object that describes it, wherever the file has it:
// hf_quant_config.json's "quantization" may have been put beside the fields.
func (b *build) quantisation(top fields) fields {
	for _, in := range []fields{top, b.fields} {
		for _, name := range []string{"quantization_config", "compression_config", "quantization"} {
			if q := in.sub(name); len(q.object) > 0 {
				return q
			}
		}
	}
	return fields{}
}

// quantised is what a quantisation does to which modules.
type quantised struct {
	groups []group  // the first that a module is a target of holds
	except patterns // modules left in BF16
	only   []Part   // empty: all linear layers
}

type group struct {
	targets patterns // none: all
	scheme  scheme
}

func every(z scheme) []group { return []group{{scheme: z}} }

// mixed is the format of a model of which some modules are quantised: the width
// of a part is the mean over its modules.
func (b *build) mixed(q quantised) Format {
	var bytes, weights [parts]float64
	by := map[Math]float64{}
	names := map[string]float64{}
	if !b.affordable(q) {
		return Format{}
	}
	for i, l := range b.arch.Layers {
		for _, m := range l.modules(b.hidden) {
			z := unquantised
			if q.covers(m.part) {
				z = q.of(i, m.names)
			}
			if *b.failed != nil {
				return Format{}
			}
			bytes[m.part] += m.weight * z.width
			weights[m.part] += m.weight
			if z.width < 2 {
				by[z.compute] += m.weight
				names[z.name] += m.weight
			}
		}
	}
	f := Format{Name: heaviest(names), Compute: heaviest(by)}
	for p := range parts {
		if weights[p] > 0 && bytes[p] != 2*weights[p] {
			f.widths[p] = bytes[p] / weights[p]
		}
	}
	if f.Name == "" {
		f.Name = "bf16"
	}
	if f.Name == "fp8" && len(q.only) == 0 {
		f.widths[Index], f.widths[Draft] = f.widths[Projection], f.widths[Projection]
	}
	return f
}

func (q quantised) covers(p Part) bool {
	for _, only := range q.only {
		if only == p {
			return true
		}
	}
	return len(q.only) == 0
}

// of is the scheme of a module of that layer, by any of its names.
func (q quantised) of(layer int, names []string) scheme {
	if q.except.match(layer, names) {
		return unquantised
	}
	for _, g := range q.groups {
		if g.targets.empty() || g.targets.match(layer, names) {
			return g.scheme
		}
	}
	return unquantised
}

// affordable bounds the comparisons of modules with patterns.
func (b *build) affordable(q quantised) bool {
	n := len(q.except.any)
	for _, g := range q.groups {
		n += len(g.targets.any)
	}
	if n*len(b.arch.Layers) > maxMatches {
		b.fail(&UnknownError{What: "quantisation", Name: "one whose list of modules is too long for its layers"})
		return false
	}
	return true
}

func heaviest[K comparable](by map[K]float64) K {
	var most K
	weight := math.Inf(-1)
	for k, w := range by {
		if w > weight {
			most, weight = k, w
		}
	}
	return most
}
