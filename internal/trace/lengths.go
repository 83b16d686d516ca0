package trace

import "math"

// lengths count whole numbers exactly up to fine, and to 1,024 above, so that
// any file takes little memory.
type lengths struct {
	n, max int
	sum    float64
	exact  []int       // by length
	coarse map[int]int // by length/1024, of those above fine
}

const fine = 1 << 21

func (l *lengths) add(v int) {
	l.n++
	l.sum += float64(v)
	l.max = max(l.max, v)
	if v >= fine {
		if l.coarse == nil {
			l.coarse = map[int]int{}
		}
		l.coarse[v>>10]++
		return
	}
	for v >= len(l.exact) {
		l.exact = append(l.exact, make([]int, max(64, len(l.exact)))...)
	}
	l.exact[v]++
}

// addPtr adds what is known.
func (l *lengths) addPtr(v *int) {
	if v != nil {
		l.add(*v)
	}
}

// figures are those of what was added.
func (l *lengths) figures() Lengths {
	if l.n == 0 {
		return Lengths{}
	}
	mean := l.sum / float64(l.n)
	return Lengths{N: l.n, Mean: &mean, P50: new(l.rank(50)), P95: new(l.rank(95)), Max: new(l.max)}
}

// known are the figures, nil where nothing was added.
func (l *lengths) known() *Lengths {
	if l.n == 0 {
		return nil
	}
	return new(l.figures())
}

// rank is the percentile by nearest rank.
func (l *lengths) rank(p float64) int {
	want := max(1, int(math.Ceil(p*float64(l.n)/100-1e-9)))
	for v, n := range l.exact {
		if want -= n; want <= 0 {
			return v
		}
	}
	for v := fine >> 10; v < l.max>>10; v++ {
		if want -= l.coarse[v]; want <= 0 {
			return v << 10
		}
	}
	return l.max
}
