package predict

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"assay/internal/engine"
)

// key is what the correction compares of two sites.
type key struct {
	Engine, Version string
	Chip, Arch      string
	Format          string
	Shape           string // of the model: the same for all that are built alike
	Name            string // of the model
	MoE, Wide       bool

	GPUs, DP, EP float64 // logarithms
	Load         float64 // of concurrency
	ISL, OSL     float64
}

func keyOf(s site) key {
	a := s.Model
	experts := 0
	for _, l := range a.Layers {
		experts = max(experts, l.MLP.Experts)
	}
	k := key{
		Engine: s.Engine, Version: s.Version, Chip: s.Chip.Name, Arch: engine.MeasuredArchitecture(s.Chip),
		Format: cmp.Or(s.Format.Name, "bf16"), Name: s.model, MoE: experts > 0, Wide: s.wide,
		Shape: fmt.Sprintf("%d.%d.%d.%d", len(a.Layers), a.Hidden, experts, a.Parameters()/1e9),
		GPUs:  math.Log(float64(s.GPUs())), DP: math.Log(float64(max(s.DP, 1))), EP: math.Log(float64(max(s.EP, 1))),
		Load: math.Log(float64(s.Concurrency)), ISL: math.Log(float64(s.ISL)), OSL: math.Log(float64(s.OSL)),
	}
	if s.wide {
		k.EP, k.DP = 0, 0
	}
	return k
}

// group is a system that was measured: what of it is fitted together.
func (k key) group() string {
	return strings.Join([]string{k.Engine, k.Version, k.Shape, k.Chip, k.Format}, "|")
}

// Kernel says how much the residuals of two sites have in common: variances of
// logarithms, by what they share.
type Kernel struct {
	Engine  float64 `json:"engine"`  // the same engine
	Version float64 `json:"version"` // version, and both or neither with experts
	Chip    float64 `json:"chip"`    // engine, chip, format
	Model   float64 `json:"model"`   // engine and model
	Near    float64 `json:"near"`    // engine and model, fading with layout and load
	Layout  float64 `json:"layout"`  // engine and model, fading with layout, little with load
	Noise   float64 `json:"noise"`   // of one measurement
}

// How residuals fade: logarithms over which a similarity falls to 0.6, and factors
// for what differs.
const (
	fadeGPUs, fadeDP, fadeEP    = 0.8, 0.8, 1.5
	fadeLoad, fadeISL, fadeOSL  = 1.2, 1.5, 1.5
	otherVersion, otherName     = 0.6, 0.7
	otherChip, otherArch        = 0.7, 0.5
	otherFormat, otherModelsVer = 0.6, 0.7
	otherWidth                  = 0.3
)

// alike is what two sites share, for any kernel.
type alike struct {
	engine, version, chip, model float64
	near, layout                 float64
}

func compare(a, b *key) alike {
	var s alike
	if a.Engine != b.Engine {
		return s
	}
	all := 1.0
	if a.Wide != b.Wide {
		all = otherWidth
	}
	version, chip, format := a.Version == b.Version, a.Chip == b.Chip, a.Format == b.Format
	s.engine = all
	if a.MoE == b.MoE {
		if version {
			s.version = all
		}
		if chip && format {
			s.chip = all
		}
	}
	if a.Shape != b.Shape {
		return s
	}
	s.model = all * pick(version, otherModelsVer)
	scale := all * pick(version, otherVersion) * pick(format, otherFormat) * pick(a.Name == b.Name, otherName)
	if !chip {
		scale *= pick(a.Arch == b.Arch, otherArch/otherChip) * otherChip
	}
	place := fade(a.GPUs-b.GPUs, fadeGPUs) + fade(a.DP-b.DP, fadeDP) + fade(a.EP-b.EP, fadeEP)
	load := fade(a.Load-b.Load, fadeLoad) + fade(a.ISL-b.ISL, fadeISL) + fade(a.OSL-b.OSL, fadeOSL)
	s.near = scale * math.Exp(-0.5*(place+load))
	s.layout = scale * math.Exp(-0.5*(place+load/9))
	return s
}

func pick(same bool, other float64) float64 {
	if same {
		return 1
	}
	return other
}

func fade(distance, over float64) float64 { return distance * distance / (over * over) }

// of is the covariance for what two sites share.
func (k *Kernel) of(s alike) float64 {
	return k.Engine*s.engine + k.Version*s.version + k.Chip*s.chip + k.Model*s.model + k.Near*s.near + k.Layout*s.layout
}

// total is a site's covariance with itself.
func (k *Kernel) total() float64 {
	return k.Engine + k.Version + k.Chip + k.Model + k.Near + k.Layout
}
