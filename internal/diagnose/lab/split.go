package lab

import (
	"slices"
	"sync"
)

// Systems are n systems of a seed, the classes in turn, every second round of them
// varied. Seeds that lie close together give systems as different as any others.
func Systems(seed uint64, n int) []System {
	var out []System
	for i := 0; len(out) < n; i++ {
		c := classes[len(out)%len(classes)]
		varied := len(out)/len(classes)%2 == 1
		if s, ok := newSystem(c, scramble(scramble(seed)+uint64(i)), varied); ok {
			out = append(out, s)
		}
	}
	return out
}

const (
	developmentSeed = 20261130
	heldSeed        = 3141592653
	developed       = 10 * 13 // rounds of each class
	held            = 16 * 13
)

var (
	development = sync.OnceValue(func() []System { return Systems(developmentSeed, developed) })
	heldOut     = sync.OnceValue(func() []System { return Systems(heldSeed, held) })
)

// Development are systems on which thresholds may be chosen; those of any other seed
// but Held's will do as well.
func Development() []System { return slices.Clone(development()) }

// Held are the systems that grade them, and on which none may be.
func Held() []System { return slices.Clone(heldOut()) }

// scramble is SplitMix64's finalizer (Steele, Lea, Flood 2014).
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
