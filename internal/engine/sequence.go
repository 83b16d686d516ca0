package engine

import (
	"math"
	"time"
)

// Output tokens have ids from FirstOutputToken on, OutputTokens of them;
// EOSToken ends a text and is itself empty.
const (
	EOSToken         uint32 = 1
	FirstOutputToken uint32 = 1000
	OutputTokens            = 256
)

// Request is one sequence to generate: one prompt, one choice.
type Request struct {
	Prompt    []uint32 // token ids; nil: PromptLen tokens that no other request shares
	PromptLen int      // used when Prompt is nil
	// Adapter names a LoRA adapter. What one has cached does not serve another:
	// keys and values differ.
	Adapter string

	MaxTokens int // output tokens; 0: up to MaxModelLen
	MinTokens int // no EOS before as many
	IgnoreEOS bool
	ForceEOS  bool // EOS as soon as MinTokens allows
	StopAt    int  // the output ends with reason stop after as many tokens; 0: not given

	Priority int    // with the Priority policy: smaller first
	Seed     uint64 // of the output's tokens and length; equal seeds give equal outputs

	Owner any // opaque: comes back with each output
}

// Finish is why a sequence ended.
type Finish uint8

// Reasons, as vLLM's finished_reason says them.
const (
	Running Finish = iota // it has not ended
	Stop
	Length
	Abort
)

func (f Finish) String() string { return [...]string{"", "stop", "length", "abort"}[f] }

type state uint8

const (
	incoming state = iota // the API server still has it
	waiting
	running
	preempted // waiting again
	finished
)

// Sequence is a request inside the engine. Its methods may be called between
// steps, by who steps the engine.
type Sequence struct {
	Request

	prompt  int // tokens
	outputs int // tokens generated
	eosAt   int // the output is EOS at this count; 0: never
	limit   int // most output tokens

	computed int      // tokens whose KV is in the cache
	cached   int      // prompt tokens that the first admission found cached
	created  int      // prompt tokens that were in the cache besides when the first token came
	blocks   []int32  // of the layers that keep every token
	rest     []int32  // of windows, chunks, states
	hashes   []uint64 // of the full blocks of tokens known so far
	kept     int      // blocks that the pool remembers
	planned  int      // tokens to compute in the step at hand

	state       state
	number      int64 // order of arrival
	preemptions int
	unreported  int // preemptions since the last output

	// Times since the engine's zero.
	Arrived   time.Duration
	Queued    time.Duration // the scheduler saw it
	Scheduled time.Duration // first admitted
	FirstAt   time.Duration // first token out
	LastAt    time.Duration // latest token out
}

// PromptTokens is the length of the prompt.
func (s *Sequence) PromptTokens() int { return s.prompt }

// Generated is the number of output tokens so far, EOS included.
func (s *Sequence) Generated() int { return s.outputs }

// CachedTokens is how much of the prompt the prefix cache held at admission.
func (s *Sequence) CachedTokens() int { return s.cached }

// CreatedCacheTokens is how much of the prompt the sequence had put into the
// prefix cache when its first token came.
func (s *Sequence) CreatedCacheTokens() int { return s.created }

// Preemptions is how often the sequence lost its KV cache.
func (s *Sequence) Preemptions() int { return s.preemptions }

// Limit is the largest number of output tokens: the request's, cut to the
// model's length.
func (s *Sequence) Limit() int { return s.limit }

func (s *Sequence) tokens() int { return s.prompt + s.outputs }

// OutputToken is the i-th output token (from 0) of a request with that seed,
// EOS aside.
func OutputToken(seed uint64, i int) uint32 {
	return FirstOutputToken + uint32(mix(seed+uint64(i)*golden)%OutputTokens)
}

// token is the id at a position of prompt and outputs.
func (s *Sequence) token(at int) uint64 {
	switch {
	case at >= s.prompt:
		return uint64(OutputToken(s.Seed, at-s.prompt))
	case s.Prompt != nil:
		return uint64(s.Prompt[at])
	default: // shared with no other request, nor with a real id
		return mix(uint64(s.number)<<32+uint64(at)) | 1<<63
	}
}

// root is what the chain of block hashes begins with.
func (s *Sequence) root() uint64 {
	h := noneHash
	for i := range len(s.Adapter) {
		h = mix(h ^ uint64(s.Adapter[i])*golden)
	}
	return h
}

// extendHashes hashes the blocks that the known tokens fill.
func (s *Sequence) extendHashes(blockSize int) {
	for full := s.tokens() / blockSize; len(s.hashes) < full; {
		i := len(s.hashes)
		h := s.root()
		if i > 0 {
			h = s.hashes[i-1]
		}
		for at := i * blockSize; at < (i+1)*blockSize; at++ {
			h = mix(h ^ s.token(at)*golden)
		}
		s.hashes = append(s.hashes, h)
	}
}

// ends says whether the outputs so far end the sequence, and why; vLLM checks
// EOS and stop tokens before the length.
func (s *Sequence) ends() Finish {
	switch {
	case s.outputs == s.eosAt || s.outputs == s.StopAt:
		return Stop
	case s.outputs >= s.limit:
		return Length
	}
	return Running
}

const (
	golden   uint64 = 0x9e3779b97f4a7c15
	noneHash uint64 = 0x6a09e667f3bcc908
)

// mix is SplitMix64's finalizer (Steele, Lea, Flood 2014).
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// drawEOS is the count of output tokens at which EOS comes: geometric with
// probability p, after at least least tokens.
func drawEOS(seed uint64, p float64, least int) int {
	if p <= 0 {
		return 0
	}
	n := 1.0
	if p < 1 {
		u := (float64(mix(seed^0xe05)>>11) + 0.5) / (1 << 53)
		n = 1 + math.Floor(math.Log(u)/math.Log1p(-p))
	}
	return max(least, 0) + int(min(n, 1<<40))
}
