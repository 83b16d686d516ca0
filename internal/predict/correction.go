package predict

import (
	"math"
	"slices"
)

// Correction is what measurements say beyond the fitted form: a Gaussian process
// over its residuals (kriging), of which what is far from all measurements takes
// nothing.
type Correction struct {
	ITL  Surface `json:"itl"`
	TTFT Surface `json:"ttft"`

	keys []key
}

// Surface is the correction of one quantity.
type Surface struct {
	Kernel Kernel    `json:"kernel"`
	Weight []float64 `json:"weight"` // of each measurement: what it adds where it is alike
	Noise  []float64 `json:"noise"`  // variance of each measurement about the surface
}

// neighbours is how many of the measurements that are most alike say how far a
// correction is known.
const neighbours = 24

// outlier is the ν of Student's t that residuals about the surface are taken to
// follow, so that one odd run does not bend its neighbourhood.
const outlier = 4

// newCorrection fits the surfaces to residuals: measured less predicted, logarithms.
func newCorrection(points []point, itl, ttft []float64, kernels [2]Kernel) *Correction {
	c := &Correction{keys: make([]key, len(points))}
	twins := make([]float64, len(points))
	for i := range points {
		c.keys[i], twins[i] = points[i].key, points[i].twins
	}
	shared := make([][]alike, len(points))
	for i := range shared {
		shared[i] = make([]alike, i+1)
		for j := range i + 1 {
			shared[i][j] = compare(&c.keys[i], &c.keys[j])
		}
	}
	done := make(chan struct{})
	go func() {
		c.ITL = newSurface(shared, itl, twins, kernels[0])
		close(done)
	}()
	c.TTFT = newSurface(shared, ttft, twins, kernels[1])
	<-done
	return c
}

func newSurface(shared [][]alike, residuals, twins []float64, k Kernel) Surface {
	n := len(residuals)
	s := Surface{Kernel: k, Noise: make([]float64, n)}
	for i := range s.Noise {
		s.Noise[i] = k.Noise * twins[i]
	}
	for range 3 {
		a := newSquare(n)
		for i := range a {
			for j := range a[i] {
				a[i][j] = k.of(shared[i][j])
			}
			a[i][i] += s.Noise[i]
		}
		if !cholesky(a) {
			break // the noise keeps it positive definite
		}
		s.Weight = slices.Clone(residuals)
		solve(a, s.Weight)
		for i := range s.Noise {
			base := k.Noise * twins[i]
			off := s.Weight[i] * s.Noise[i] // the residual about the surface
			s.Noise[i] = base * (outlier + off*off/base) / (outlier + 1)
		}
	}
	return s
}

// said is what the correction adds, and how far it is known: logarithms.
type said struct {
	mean, sd float64
	nearest  float64 // 0..1: how alike the measurement that is most alike is
}

// at is what the measurements say of a site.
func (c *Correction) at(k key) (itl, ttft said) {
	shared := make([]alike, len(c.keys))
	for i := range c.keys {
		shared[i] = compare(&k, &c.keys[i])
	}
	return c.ITL.at(c.keys, shared), c.TTFT.at(c.keys, shared)
}

func (s *Surface) at(keys []key, shared []alike) said {
	var out said
	type near struct {
		i int
		k float64
	}
	var best []near
	for i, a := range shared {
		if a.engine == 0 {
			continue
		}
		k := s.Kernel.of(a)
		out.mean += k * s.Weight[i]
		out.nearest = max(out.nearest, a.near)
		if len(best) < neighbours || k > best[len(best)-1].k {
			at, _ := slices.BinarySearchFunc(best, k, func(n near, k float64) int { // falling
				if n.k > k {
					return -1
				}
				return 1
			})
			best = slices.Insert(best, at, near{i, k})
			best = best[:min(len(best), neighbours)]
		}
	}
	a, b := newSquare(len(best)), make([]float64, len(best))
	for i, n := range best {
		b[i] = n.k
		for j := range i {
			a[i][j] = s.Kernel.of(compare(&keys[n.i], &keys[best[j].i]))
		}
		a[i][i] = s.Kernel.total() + s.Noise[n.i]
	}
	known := 0.0
	if cholesky(a) {
		forward(a, b)
		known = dot(b, b)
	}
	out.sd = math.Sqrt(max(s.Kernel.total()-known, 0) + s.Kernel.Noise)
	return out
}
