package lab

import "sync"

// Systems are n systems of a seed, the classes in turn, every second round of them
// varied.
func Systems(seed uint64, n int) []System {
	var out []System
	for i := 0; len(out) < n; i++ {
		c := classes[len(out)%len(classes)]
		varied := len(out)/len(classes)%2 == 1
		if s, ok := newSystem(c, scramble(seed+uint64(i)), varied); ok {
			out = append(out, s)
		}
	}
	return out
}

const (
	theSeed = 20261130
	all     = 286 // 22 rounds of 13 classes
)

var everything = sync.OnceValue(func() []System { return Systems(theSeed, all) })

// Development are the systems on which thresholds may be chosen.
func Development() []System { return half(0) }

// Held are the systems that grade them, and on which none may be.
func Held() []System { return half(1) }

// salt of the split: the first with four plain and four varied systems of each
// class in either half.
const salt = 116

// half splits by a hash of a system's seed.
func half(which uint64) []System {
	var out []System
	for _, s := range everything() {
		if scramble(s.Seed^salt)>>17&1 == which {
			out = append(out, s)
		}
	}
	return out
}

// scramble is SplitMix64's finalizer (Steele, Lea, Flood 2014).
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
