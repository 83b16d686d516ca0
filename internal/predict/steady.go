package predict

import (
	"math"

	"assay/internal/engine"
	"assay/internal/model"
)

// Serving is how an engine's TTFT follows from its steps in a closed loop, fitted.
type Serving struct {
	Request float64 `json:"request"` // seconds before the scheduler sees a request
	Steps   float64 `json:"steps"`   // decode steps that a new request waits for
	Prompts float64 `json:"prompts"` // times its own prompt's pass
	Others  float64 `json:"others"`  // passes of other prompts, a share of all that are open
	Waiting float64 `json:"waiting"` // share of the wait for the KV cache that a run of ten waves shows
}

// flow is a site in passes of the step model: all that does not depend on the
// coefficients.
type flow struct {
	steps   engine.StepModel
	open    float64 // requests over all ranks, that wait with them
	running float64 // of those, that the KV cache and max_num_seqs let in
	over    float64 // how many more are open than let in, a share
	ranks   float64
	pp      float64
	osl     float64
	decode  engine.Pass
	mixed   engine.Pass // with one prompt
	prompt  engine.Pass // one prompt alone
}

// flowOf lays a load on a site.
func flowOf(s site) flow {
	width := s.kvWidth()
	dp, pp := max(s.DP, 1), max(s.PP, 1)
	f := flow{ranks: float64(dp), pp: float64(pp), open: float64(s.Concurrency), osl: float64(s.OSL)}
	f.steps = engine.NewStepModel(engine.Shape{Model: s.Model, Format: s.Format, KVWidth: width, Chip: s.Chip, TP: s.TP, DP: dp, EP: s.EP}, engine.Coefficients{})
	room := s.room(width) * float64(dp)
	if f.over = softplus(f.open/room-1, 0.05); !s.fits() {
		room, f.over = f.open, 0
	}
	f.running = max(min(f.open, room), 1)
	batch := max(f.running/float64(dp)/float64(pp), 1)
	context := s.ISL + s.OSL/2
	n := int(math.Round(batch))
	f.decode = engine.Pass{Sequences: n, Decode: n, Sampled: n, KVBytes: batch * f.steps.KVBytes(context)}
	attention := f.steps.AttentionFLOPs(0, s.ISL)
	tokens := (s.ISL + dp - 1) / dp
	f.prompt = engine.Pass{Sequences: 1, Prompt: tokens, Sampled: 1, AttentionFLOPs: attention}
	f.mixed = f.decode
	if s.wide { // prompts are computed elsewhere
		return f
	}
	f.mixed.Prompt, f.mixed.AttentionFLOPs = tokens, attention
	f.mixed.Sequences++
	f.mixed.Sampled++
	return f
}

// softplus is max(x, 0) with a corner rounded over a width.
func softplus(x, width float64) float64 {
	if x > 20*width {
		return x
	}
	return width * math.Log1p(math.Exp(x/width))
}

// seconds of one request in a steady closed loop.
type seconds struct {
	ttft, itl, step float64
	waited          float64 // share of ttft that is the wait for room
}

// steady is the fixed point of the step loop: each decode step is held up by the
// prompts of the requests that take the places of those that end, one for each
// output length.
func (f *flow) steady(k engine.Coefficients, v Serving) seconds {
	m := f.steps.With(k)
	decode, mixed, prompt := m.Of(f.decode).Seconds(), m.Of(f.mixed).Seconds(), m.Of(f.prompt).Seconds()
	step := decode // stages work on batches of their own, one after another
	held := max(f.running-1, 0) / f.osl * max(mixed-decode, 0)
	itl := step + held
	wait := f.over * itl * f.osl
	ttft := v.Request + v.Steps*step + v.Prompts*prompt + v.Others*f.running*prompt + v.Waiting*wait
	return seconds{ttft: ttft, itl: itl, step: step, waited: v.Waiting * wait / ttft}
}

// least is the shortest step that the data sheet allows, seconds: dense weights, the
// experts of one token, keys and values, each read once at the full bandwidth.
func (f *flow) least() float64 {
	m := f.steps.With(engine.Coefficients{Read: 1, ExpertRead: 1, KVRead: 1, Decode: 1, ExpertDecode: 1, Prefill: 1, ExpertPrefill: 1, Link: 1})
	c := m.Of(engine.Pass{Sequences: 1, Decode: 1, KVBytes: f.decode.KVBytes})
	return c.Weights + c.KV
}

// kvWidth is the bytes of a KV element: published runs of weights in 8 or 4 bits
// keep keys and values in FP8.
func (s *site) kvWidth() float64 {
	if s.KVWidth > 0 {
		return s.KVWidth
	}
	if s.Format.Compute == model.FP8 || s.Format.Compute == model.FP4 {
		return 1
	}
	return 2
}

// reserve is what an engine needs of a GPU beside weights and KV cache, bytes: an
// estimate for engines whose account is not known better; less on a small GPU, where
// engines batch less.
func (s *site) reserve() float64 { return min(3e9, 0.07*float64(s.Chip.Usable)) }

// room is how many requests one rank of attention can hold at once.
func (s *site) room(width float64) float64 {
	held := float64(s.ISL) + float64(s.OSL)/2
	if s.Engine == "trtllm" { // it reserves a request's whole length
		held = float64(s.ISL + s.OSL)
	}
	held *= 0.95 // the lengths of published runs are cut at random by up to a fifth
	tokens := float64(s.KVTokens)
	if tokens == 0 {
		tokens = s.kvTokens(width)
	}
	room := tokens / held
	if s.MaxNumSeqs > 0 {
		room = min(room, float64(s.MaxNumSeqs))
	}
	return max(room, 1)
}

// kvTokens is what memory leaves, by the same rule for all engines.
func (s *site) kvTokens(width float64) float64 {
	ranks := float64(min(s.TP, max(s.Model.KVHeads(), 1)))
	if ranks < 1 || latent(s.Model) {
		ranks = 1
	}
	token := float64(s.Model.KVBytesPerToken(width)) / ranks
	// State is of a request, not of a token: spread over a request's tokens.
	token += s.Model.StateBytes(2) / float64(max(s.TP, 1)) / float64(s.ISL+s.OSL/2)
	return max(s.free(), leastFree*float64(s.Chip.Usable)) / max(token, 1)
}

// free is what a GPU's memory has for the KV cache, bytes.
func (s *site) free() float64 { return float64(s.Chip.Usable)*0.9 - s.weightsOfOne() - s.reserve() }

// leastFree is the share of memory that is always taken to be left for the KV cache:
// a system that was measured had some.
const leastFree = 0.02

// fits says whether the weights go into a GPU's memory at all, where no account says
// what they leave. Of a system where they don't, steps can be predicted, waiting can't.
func (s *site) fits() bool {
	return s.KVTokens > 0 || s.weightsOfOne()+s.reserve() < float64(s.Chip.Usable)
}

// weightsOfOne are the bytes of weights on one GPU.
func (s *site) weightsOfOne() float64 {
	c := s.Model.Counts()
	tp, dp := float64(max(s.TP, 1)), float64(max(s.DP, 1))
	total := 0.0
	for p, n := range c {
		bytes := float64(n) * s.Format.Width(model.Part(p))
		switch model.Part(p) {
		case model.Draft:
		case model.Expert, model.SharedExpert, model.Dense:
			total += bytes / tp / dp
		default:
			total += bytes / tp
		}
	}
	return total / float64(max(s.PP, 1))
}

func latent(a model.Arch) bool {
	for _, l := range a.Layers {
		if l.Attention.Kind == model.Latent {
			return true
		}
	}
	return false
}
