package lab

import (
	"math"
	"math/rand/v2"
	"time"

	"assay/internal/engine"
)

// rig is a service, the way to it and its client.
type rig struct {
	engine engine.Config
	work   workload
	path   path
	client client
	cold   cold
	fault  fault
}

// workload is what is asked for. Lengths are lognormal with that coefficient of
// variation, 0: all the same.
type workload struct {
	prompt, output     int // tokens, mean
	promptCV, outputCV float64
	shared             int // first tokens of each prompt that all have in common
}

// path is what lies between client and server.
type path struct {
	delay     time.Duration // one way
	bandwidth float64       // bytes per second to the client, of all streams together; 0: no limit
	slots     int           // requests that a proxy lets through at once; 0: no limit
}

// chunkBytes is one token's chunk of a stream with its framing, as vLLM sends it.
const chunkBytes = 240

// client is what the client's own machine costs: nothing that shows, or a core
// that all chunks pass one after the other.
type client struct {
	chunk time.Duration
}

// cold is a server that was started moments ago: compilation and caches add to the
// host's time in each step, less and less.
type cold struct {
	extra time.Duration // at the first step
	fades time.Duration // to 1/e
	// restarts: the server is restarted within each level, and what is in flight fails.
	restarts bool
}

// fault is what a broken GPU does.
type fault struct {
	links float64 // share of the speed of the links that is left; 0: all
	crash float64 // share of requests that its errors end
}

func (f fault) on() bool { return f.links > 0 || f.crash > 0 }

// lengths of the i-th request; equal seeds give equal requests.
func (w workload) lengths(seed uint64, i int) (prompt, output int) {
	if w.promptCV == 0 && w.outputCV == 0 {
		return w.prompt, w.output
	}
	rng := rand.New(rand.NewPCG(seed, uint64(i)))
	return lognormal(rng, w.prompt, w.promptCV), lognormal(rng, w.output, w.outputCV)
}

// lognormal has the mean and the coefficient of variation given, cut at five times
// the mean.
func lognormal(rng *rand.Rand, mean int, cv float64) int {
	if cv == 0 {
		return mean
	}
	v := math.Log1p(cv * cv)
	x := float64(mean) * math.Exp(math.Sqrt(v)*rng.NormFloat64()-v/2)
	return int(max(1, min(x, 5*float64(mean))))
}

// request is the i-th request of a level; a share of its output is asked for.
func (r rig) request(seed uint64, i int, share float64, limit int) engine.Request {
	prompt, output := r.work.lengths(seed, i)
	output = max(1, int(math.Round(share*float64(output))))
	prompt = max(1, min(prompt, limit-output-1))
	q := engine.Request{PromptLen: prompt, MaxTokens: output, IgnoreEOS: true, Seed: seed + uint64(i)}
	if shared := min(r.work.shared, prompt-1); shared > 0 && !r.engine.NoPrefixCache {
		ids := make([]uint32, prompt)
		for k := range ids {
			if k < shared {
				ids[k] = uint32(k)
			} else {
				ids[k] = uint32(1<<20 + i<<10 + k)
			}
		}
		q.Prompt = ids
	}
	return q
}
