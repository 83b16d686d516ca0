package lab

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"assay/internal/engine"
	"assay/internal/model"
	"assay/internal/record"
)

// builder draws one system.
type builder struct {
	*rand.Rand
	rig  rig
	view view
	name string
	top  int // the highest concurrency
}

func (b *builder) chance(p float64) bool { return b.Float64() < p }

// between draws evenly on a logarithmic scale.
func (b *builder) between(low, high float64) float64 {
	return low * math.Pow(high/low, b.Float64())
}

func (b *builder) count(low, high int) int {
	return int(math.Round(b.between(float64(low), float64(high))))
}

func (b *builder) span(low, high time.Duration) time.Duration {
	return time.Duration(b.between(float64(low), float64(high)))
}

// hardware sets GPUs and a model that fits them, one of those given as "gpu model"
// with bytes of a weight behind it where they are not two: "L4 llama-3.1-8b 1".
func (b *builder) hardware(pairs ...string) {
	var gpu, name string
	width := 2.0
	pair := pairs[b.IntN(len(pairs))]
	if n, _ := fmt.Sscanf(pair, "%s %s %g", &gpu, &name, &width); n < 2 {
		panic("no hardware: " + pair)
	}
	cfg, err := engine.Preset(gpu, name)
	if err != nil {
		panic(err) // the names are in the tables
	}
	cfg.Format, cfg.EOSProbability, cfg.Jitter = model.Uniform(width), 0, 0.01
	cfg.NoPrefixCache = true
	b.rig.engine = cfg
	b.name = name + " on " + gpu
}

// class is a bound and how a system is built that it should bind.
type class struct {
	bound string
	build func(*builder)
}

// newSystem builds the system of a seed; ok is false when its engine cannot start.
func newSystem(c class, seed uint64, varied bool) (s System, ok bool) {
	b := &builder{Rand: rand.New(rand.NewPCG(seed, 3))}
	b.view = draw(b.Rand)
	c.build(b)
	if varied {
		b.vary(c.bound)
	}
	b.rig.engine.Seed = seed
	resolved, err := b.rig.engine.Resolved()
	if err != nil {
		return System{}, false
	}
	resolved.KVBlocks = min(resolved.KVBlocks, b.plenty(resolved))
	b.rig.engine = resolved
	if resolved.MaxModelLen < 2*(b.rig.work.prompt+b.rig.work.output) {
		return System{}, false // lengths would be cut
	}
	s = System{Name: b.name, Seed: seed, Meant: c.bound, Varied: varied, rig: b.rig, limits: resolved, concurrency: b.top, view: b.view}
	s.loads = s.grid(b, varied)
	return s, true
}

// plenty is more KV blocks than any load here fills: a pool of a whole GPU would
// only take time to make.
func (b *builder) plenty(cfg engine.Config) int {
	each := 3 * (b.rig.work.prompt + b.rig.work.output) / cfg.BlockSize
	return max(8*b.top*(each+1), cfg.MaxModelLen/cfg.BlockSize+2)
}

// grid is the loads of a run: concurrencies up to the highest, or for some varied
// systems rates about what the highest gives.
func (s System) grid(b *builder, varied bool) []load {
	var loads []load
	if varied && s.Meant != record.BoundClient && s.Meant != record.BoundCold && s.Meant != record.BoundNotSaturated && !s.rig.fault.on() && b.chance(0.2) {
		o, err := s.rig.hold(load{concurrency: s.concurrency}, s.Seed, 0, relaxedWaves, 0)
		if err != nil {
			panic(err)
		}
		most := float64(len(o.measured())) / o.seconds()
		cv := b.between(0.7, 2.5)
		for _, share := range []float64{0.15, 0.35, 0.6, 0.85, 1.1, 1.4} {
			loads = append(loads, load{rate: share * most, cv: cv})
		}
		return loads
	}
	steps := 5
	if s.concurrency < 8 {
		steps = 3
	}
	last := 0
	for i := range steps {
		n := int(math.Round(math.Pow(float64(s.concurrency), float64(i)/float64(steps-1))))
		if n > last {
			loads = append(loads, load{concurrency: n})
			last = n
		}
	}
	return loads
}
