package trace

import (
	"math"
	"slices"
	"time"
)

// arrivals fold times that come in order into gaps, ticks, bursts and a curve.
type arrivals struct {
	n           int
	first, last time.Duration
	m2          float64 // sum of squared deviations of the gaps, by Welford
	mean, most  float64 // of the gaps, s

	distinct, here int // stamps; rows at the last one
	shared, atOnce int
	spacings       map[int]int // between distinct stamps, by three digits
	nSpacings      int

	windows [3]windows
	bins    bins
}

// windowLengths are those of Bursts.
var windowLengths = [3]time.Duration{time.Second, 10 * time.Second, time.Minute}

func newArrivals() *arrivals {
	a := &arrivals{spacings: map[int]int{}}
	for i := range a.windows {
		a.windows[i].length = windowLengths[i]
	}
	a.bins.width = time.Millisecond
	return a
}

// add takes the next arrival.
func (a *arrivals) add(at time.Duration) {
	if a.n == 0 {
		a.first, a.last = at, at
	}
	gap := at - a.last
	if a.n > 0 {
		a.gap(gap.Seconds())
	}
	if a.n == 0 || gap > 0 {
		a.endStamp()
		a.distinct++
		a.here = 0
	}
	if gap > 0 {
		a.spacings[threeDigits(gap)]++
		a.nSpacings++
	}
	a.here++
	a.n++
	a.last = at
	for i := range a.windows {
		a.windows[i].add(at - a.first)
	}
	a.bins.add(at - a.first)
}

func (a *arrivals) gap(s float64) {
	d := s - a.mean
	a.mean += d / float64(a.n)
	a.m2 += d * (s - a.mean)
	a.most = max(a.most, s)
}

// endStamp counts the rows of the stamp that ends.
func (a *arrivals) endStamp() {
	if a.here > 1 {
		a.shared += a.here
	}
	a.atOnce = max(a.atOnce, a.here)
}

// gaps are the figures of the gaps.
func (a *arrivals) gaps() Gaps {
	if a.n < 2 {
		return Gaps{}
	}
	g := Gaps{Mean: new(a.mean), Max: new(a.most)}
	if a.n > 2 && a.mean > 0 {
		g.CV = new(math.Sqrt(a.m2/float64(a.n-2)) / a.mean)
	}
	return g
}

// Bounds of what is called a tick: stamps that stand at most evenly apart, in
// steps that come up again and again.
const (
	leastStep = 0.05 // share of the spacings that the step itself has
	onTick    = 0.9  // share that are multiples of it
	nearTick  = 0.02 // how far off a multiple may be, in ticks
	fewSteps  = 10   // spacings, below which no tick shows
)

// tick is the step in which time was recorded, in seconds; nil where none shows.
// It is the smallest spacing that is common, where nearly all are its multiples:
// stamps may be off by a little, as Mooncake's 5,999 ms among multiples of 3 s.
func (a *arrivals) tick() *float64 {
	if a.nSpacings < fewSteps {
		return nil
	}
	var keys []int
	for k := range a.spacings {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(x, y int) int { return int(spacing(x) - spacing(y)) })
	for _, k := range keys {
		if float64(a.spacings[k]) < leastStep*float64(a.nSpacings) {
			continue
		}
		step, on := spacing(k), 0
		for other, n := range a.spacings {
			if off := math.Abs(math.Remainder(float64(spacing(other)), float64(step))); off <= nearTick*float64(step) {
				on += n
			}
		}
		if float64(on) >= onTick*float64(a.nSpacings) {
			return new(step.Seconds())
		}
		return nil
	}
	return nil
}

// threeDigits is a duration to three digits, as a key: its power of ten and its
// digits.
func threeDigits(d time.Duration) int {
	power, n := 0, int64(d)
	for n >= 1000 {
		n = (n + 5) / 10
		power++
	}
	return power*1000 + int(n)
}

// spacing is the duration of a key of threeDigits.
func spacing(key int) time.Duration {
	d := time.Duration(key % 1000)
	for range key / 1000 {
		d *= 10
	}
	return d
}

// windows count arrivals in windows that follow each other.
type windows struct {
	length  time.Duration
	index   int64 // of the window that is open
	here    float64
	sum, sq float64 // of the closed ones
}

func (w *windows) add(at time.Duration) {
	if i := int64(at / w.length); i != w.index {
		w.sum += w.here
		w.sq += w.here * w.here
		w.index, w.here = i, 0
	}
	w.here++
}

// fewWindows is the least number of windows of which a variance means something.
const fewWindows = 10

// dispersion is variance over mean, of all windows that are whole; the empty
// ones count.
func (w *windows) dispersion() *float64 {
	n := float64(w.index)
	if n < fewWindows || w.sum == 0 {
		return nil
	}
	mean := w.sum / n
	variance := (w.sq - n*mean*mean) / (n - 1)
	return new(max(0, variance) / mean)
}

// bins count arrivals over a span that is not known before: when it grows out of
// them, two become one.
type bins struct {
	width  time.Duration
	counts []int
}

const mostBins = 120

func (b *bins) add(at time.Duration) {
	for at/b.width >= mostBins {
		for i := range (len(b.counts) + 1) / 2 {
			b.counts[i] = b.counts[2*i]
			if 2*i+1 < len(b.counts) {
				b.counts[i] += b.counts[2*i+1]
			}
		}
		b.counts = b.counts[:(len(b.counts)+1)/2]
		b.width *= 2
	}
	i := int(at / b.width)
	for i >= len(b.counts) {
		b.counts = append(b.counts, 0)
	}
	b.counts[i]++
}
