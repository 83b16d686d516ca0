package predict

import (
	"hash/fnv"
	"math"
	"strconv"
)

// Protocol is a way of leaving measurements out: those that share a label are left
// out together.
type Protocol struct {
	Name  string
	What  string
	label func(*point) string
	folds int // labels are dealt over so many folds; 0: each label is one
}

// Protocols are how the fit is held against measurements that it has not seen.
// Rows with the same two latencies always stay together.
var Protocols = []Protocol{
	{"points", "a fifth of the points at a time, at random", func(p *point) string { return twinOf(p) }, 5},
	{"systems", "whole systems, a fifth at a time: all loads of one engine version, model, chip, format and layout", func(p *point) string { return systemOf(p) }, 5},
	{"models", "one architecture at a time, under all its names", func(p *point) string { return p.key.Shape }, 0},
	{"chips", "one chip at a time", func(p *point) string { return p.key.Chip }, 0},
}

func twinOf(p *point) string {
	return strconv.FormatFloat(p.itl, 'g', -1, 64) + "|" + strconv.FormatFloat(p.ttft, 'g', -1, 64)
}

func systemOf(p *point) string {
	return p.key.group() + "|" + strconv.Itoa(p.site.TP) + "|" + strconv.Itoa(p.site.DP) + "|" + strconv.Itoa(p.site.EP)
}

// tails are those of the ranges that a protocol stands for.
func (p Protocol) tails() tails {
	if p.Name == "models" {
		return unseenTails
	}
	return seenTails
}

// Trial is one measurement predicted from others.
type Trial struct {
	Row       int // among the rows given
	Label     string
	ITL, TTFT float64 // logarithm of predicted over measured
	ITLSD     float64
	TTFTSD    float64
	point     *point
}

// fold deals a label over folds, the same on each machine.
func fold(label string, folds int) int {
	h := fnv.New32a()
	h.Write([]byte(label))
	x := h.Sum32()
	x ^= x >> 15
	x *= 0x2c1b3c6d
	x ^= x >> 12
	return int(x % uint32(folds))
}

// crossValidate predicts each point from a model fitted without those that are
// left out with it.
func crossValidate(points []point, p Protocol, kernels [2]Kernel) []Trial {
	parts := map[string][]int{}
	var order []string
	for i := range points {
		l := p.label(&points[i])
		if p.folds > 0 {
			l = strconv.Itoa(fold(l, p.folds))
		}
		if parts[l] == nil {
			order = append(order, l)
		}
		parts[l] = append(parts[l], i)
	}
	out := make([]Trial, len(points))
	for _, l := range order {
		left := map[string]bool{}
		for _, i := range parts[l] {
			left[twinOf(&points[i])] = true
		}
		held := make([]bool, len(points))
		for _, i := range parts[l] {
			held[i] = true
		}
		var kept []point
		for i := range points {
			if !held[i] && !left[twinOf(&points[i])] {
				kept = append(kept, points[i])
			}
		}
		m := fit(kept, kernels)
		for _, i := range parts[l] {
			out[i] = m.trial(&points[i])
			out[i].Label = p.label(&points[i])
		}
	}
	return out
}

// fit is coefficients and correction of points.
func fit(points []point, kernels [2]Kernel) *Model {
	m := modelOf(fitCoefficients(points))
	itl, ttft := make([]float64, len(points)), make([]float64, len(points))
	for i := range points {
		q := &points[i]
		s := m.seconds(&q.flow, q.site.Engine, q.site.Chip)
		itl[i], ttft[i] = q.itl-math.Log(s.itl), q.ttft-math.Log(s.ttft)
	}
	m.Correction = newCorrection(points, itl, ttft, kernels)
	return m
}

func (m *Model) trial(p *point) Trial {
	s := m.seconds(&p.flow, p.site.Engine, p.site.Chip)
	itl, ttft := m.Correction.at(p.key)
	return Trial{
		Row: p.row, ITL: math.Log(s.itl) + itl.mean - p.itl, TTFT: math.Log(s.ttft) + ttft.mean - p.ttft,
		ITLSD: itl.sd, TTFTSD: ttft.sd, point: p,
	}
}

// crowded is the share of requests beyond the room for them from which a load waits.
const crowded = 0.02
