package karpenter

import (
	"math"
	"strconv"
	"strings"

	"assay/internal/facts"
)

// Limit is the most of a resource that all nodes of a pool may have together.
type Limit struct {
	Resource string
	Text     string  // as written
	Most     float64 // cores, bytes, or a count
	Place    Place
}

// Room is how many instances of a type fit under the pool's limits while it has no
// other node, and which limit says so; false where none applies. Limits that do not
// tell of the type (a resource that it does not have) do not apply.
func (p NodePool) Room(i facts.Instance) (most int, by Limit, ok bool) {
	best := math.Inf(1)
	for _, l := range p.Limits {
		if each := uses(i, l.Resource); each > 0 && l.Most/each < best {
			best, by, ok = l.Most/each, l, true
		}
	}
	if !ok {
		return 0, Limit{}, false
	}
	// A pool takes nodes while what it has is within its limits.
	return int(min(best, math.MaxInt32)), by, true
}

// uses is how much of a resource one instance counts for.
func uses(i facts.Instance, resource string) float64 {
	switch resource {
	case "cpu":
		return float64(i.VCPU)
	case "memory":
		return float64(i.Memory)
	case "nodes":
		return 1
	case "pods":
		return float64(i.Pods)
	case "vpc.amazonaws.com/efa":
		return float64(i.EFA)
	}
	if name, count := Resource(i); name == resource {
		return float64(count)
	}
	return 0
}

// suffixes of Kubernetes quantities.
var suffixes = map[string]float64{
	"": 1, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18,
	"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40, "Pi": 1 << 50, "Ei": 1 << 60,
}

// Quantity reads a number as Kubernetes writes it: 1000, 500m, 4Ti, 1e3.
func Quantity(s string) (float64, bool) {
	if v, err := strconv.ParseFloat(s, 64); err == nil {
		return v, v >= 0 && !math.IsInf(v, 0)
	}
	number := strings.TrimRight(s, "mkMGTPEi")
	scale, known := suffixes[s[len(number):]]
	v, err := strconv.ParseFloat(number, 64)
	return v * scale, known && err == nil && v >= 0 && !math.IsInf(v, 0)
}
