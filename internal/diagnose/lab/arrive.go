package lab

import (
	"math"
	"math/rand/v2"
	"time"
)

// send puts the next request on its way; it leaves the client at a time.
func (h *holder) send(at time.Duration, share float64) {
	c := &call{index: len(h.calls), share: share, sent: at, arrive: at + h.path.delay}
	h.calls = append(h.calls, c)
	h.upcoming = append(h.upcoming, c)
	for i := len(h.upcoming) - 1; i > 0 && h.upcoming[i-1].arrive > c.arrive; i-- {
		h.upcoming[i-1], h.upcoming[i] = c, h.upcoming[i-1]
	}
}

// offer is an open loop's arrivals: gamma gaps.
func (h *holder) offer(n int) {
	at := 0.0
	shape := 1 / (h.cv * h.cv)
	for range n {
		at += gamma(h.rng, shape) / shape / h.rate
		h.send(time.Duration(at*float64(time.Second)), 1)
	}
}

// gamma draws with scale 1 (Marsaglia and Tsang 2000).
func gamma(rng *rand.Rand, shape float64) float64 {
	if shape < 1 {
		return gamma(rng, shape+1) * math.Pow(rng.Float64(), 1/shape)
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := rng.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(1-rng.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

// submit hands in what has arrived, as far as the proxy lets it through.
func (h *holder) submit() {
	i := 0
	for ; i < len(h.upcoming) && h.upcoming[i].arrive <= h.now; i++ {
		c := h.upcoming[i]
		if h.path.slots > 0 && h.through >= h.path.slots {
			h.proxied = append(h.proxied, c)
			continue
		}
		h.enter(c, c.arrive)
	}
	h.upcoming = h.upcoming[i:]
}

func (h *holder) enter(c *call, at time.Duration) {
	h.through++
	q := h.request(h.seed, c.index, c.share, h.e.Config().MaxModelLen)
	q.Owner = c
	s, err := h.e.Submit(at, q)
	if err != nil {
		panic(err) // lengths are cut to the model's, and there is no queue limit
	}
	c.prompt = s[0].PromptTokens()
}
