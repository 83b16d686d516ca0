package model

import (
	"fmt"
	"strings"
)

// Part is a kind of weights: formats treat each in its own way.
type Part int

// Parts of a model's weights.
const (
	Embedding    Part = iota
	Head              // the output projection, where it is not the embedding
	Projection        // attention's
	Index             // the indexer's of sparse attention
	Recurrence        // of linear attention and Mamba
	Dense             // MLPs that every token passes
	SharedExpert      // shared experts
	Expert            // routed experts
	Router
	Norm
	Vision
	Draft
	parts
)

// Format is how weights are stored: bytes for each parameter of a part, scales
// and zero points with them, and the arithmetic of their products. The zero
// Format is BF16.
type Format struct {
	Name    string // bf16, fp8, int8, int4, awq, gptq, mxfp4, nvfp4; empty: bf16
	Compute Math
	KV      string         // fp8 where the checkpoint brings scales for keys and values; empty: none
	widths  [parts]float64 // bytes; 0: 2
}

// Math is the arithmetic of the matrix products: which of a chip's rates holds.
type Math int

// Arithmetic of products.
const (
	BF16 Math = iota // also of weights that are unpacked first: int4, AWQ, GPTQ
	FP8
	FP4
	INT8
)

// Width is the bytes of one parameter of that part.
func (f Format) Width(p Part) float64 {
	if w := f.widths[p]; w > 0 {
		return w
	}
	return 2
}

// With is the format with another width for some parts.
func (f Format) With(width float64, of ...Part) Format {
	for _, p := range of {
		f.widths[p] = width
	}
	return f
}

// Uniform is a format in which every parameter has that many bytes.
func Uniform(width float64) Format {
	f := Format{Name: fmt.Sprintf("%g-byte", width)}
	switch {
	case width == 2:
		f.Name = "bf16"
	case width <= 1:
		f.Name, f.Compute = "fp8", FP8
	}
	for p := range f.widths {
		f.widths[p] = width
	}
	return f
}

// Linear layers are what formats quantise, unless a checkpoint says otherwise:
// embeddings, the output projection, routers and norms stay in BF16.
var linear = []Part{Projection, Recurrence, Dense, SharedExpert, Expert}

// formats by name: bytes of a parameter with its scales.
var formats = []Format{
	{Name: "bf16"},
	Format{Name: "fp8", Compute: FP8}.With(1, linear...),
	Format{Name: "int8", Compute: INT8}.With(1, linear...),
	Format{Name: "int4"}.With(0.5+2.0/128, linear...),            // a BF16 scale for each 128
	Format{Name: "awq"}.With(0.5+2.5/128, linear...),             // and a 4-bit zero point
	Format{Name: "gptq"}.With(0.5+2.5/128, linear...),            //
	Format{Name: "mxfp4", Compute: FP4}.With(0.5+1.0/32, Expert), // E8M0 scale for each 32
	Format{Name: "nvfp4", Compute: FP4}.With(0.5+1.0/16, linear...),
}

// FormatNamed finds a format by name, whatever the case. The error lists the known ones.
func FormatNamed(name string) (Format, error) {
	names := make([]string, len(formats))
	for i, f := range formats {
		if strings.EqualFold(f.Name, name) {
			return f, nil
		}
		names[i] = f.Name
	}
	return Format{}, fmt.Errorf("unknown precision %q: known are %s", name, strings.Join(names, ", "))
}

// Quantised is the format of that name as checkpoints of this model use it: a
// format for experts alone takes the dense layers of a model that has none;
// attention over a latent stays in BF16 where weights have four bits, and all but
// the experts of DeepSeek-V4 in FP8.
func (a Arch) Quantised(name string) (Format, error) {
	f, err := FormatNamed(name)
	if err != nil {
		return Format{}, err
	}
	if f.Name == "mxfp4" && !a.MoE() {
		return f.With(f.Width(Expert), Projection, Dense), nil
	}
	if f.Width(Expert) < 1 && a.has(Compressed) {
		return f.With(1, linear...).With(f.Width(Expert), Expert), nil
	}
	if f.Width(Projection) < 1 && a.has(Latent) {
		return f.With(2, Projection), nil
	}
	return f, nil
}

func (a Arch) has(kind AttentionKind) bool {
	for _, l := range a.Layers {
		if l.Attention.Kind == kind {
			return true
		}
	}
	return false
}
