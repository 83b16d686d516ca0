package engine

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/facts"
	"assay/internal/model"

	"github.com/google/go-cmp/cmp"
)

// small is an engine of 9 usable blocks of 16 whose steps take a round time: a
// model so light that only Overheads.Step counts.
func small(change func(*Config)) Config {
	cfg := Config{
		Model: model.Arch{Name: "mote", Hidden: 1, Vocab: 10, Context: 1024, Layers: []model.Layer{{
			Attention: model.Attention{Kind: model.Full, Heads: 8, KVHeads: 8, HeadDim: 1, Parameters: 32},
			MLP:       model.MLP{Matrices: 3, Intermediate: 1},
		}}},
		Chip:             facts.Chip{Name: "X", BF16: 1e18, Bandwidth: 1e18, Usable: 1e9, Link: 1e18, NVLink: true},
		MaxNumSeqs:       8,
		MaxBatchedTokens: 64,
		MaxModelLen:      128,
		KVBlocks:         10,
		Overheads:        Overheads{Step: time.Millisecond},
	}
	if change != nil {
		change(&cfg)
	}
	return cfg
}

func start(t *testing.T, cfg Config) *Engine {
	t.Helper()
	e, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// submit hands in requests by name; Owner carries it.
func submit(t *testing.T, e *Engine, name string, r Request) *Sequence {
	t.Helper()
	r.Owner = name
	r.IgnoreEOS = true
	s, err := e.Submit(0, r)
	if err != nil {
		t.Fatal(err)
	}
	return s[0]
}

// plan runs a step and says how many tokens each sequence computed, by what it
// had computed before and after.
func plan(e *Engine, sequences ...*Sequence) string {
	before := make([]int, len(sequences))
	for i, s := range sequences {
		before[i] = s.computed
	}
	step := e.Step(0)
	var parts []string
	for i, s := range sequences {
		switch n := s.computed - before[i]; {
		case n > 0:
			parts = append(parts, fmt.Sprintf("%v:%d", s.Owner, n))
		case n < 0:
			parts = append(parts, fmt.Sprintf("%v:preempted", s.Owner))
		}
	}
	var out []string
	for _, o := range step.Outputs {
		out = append(out, fmt.Sprint(o.Owner))
	}
	return strings.Join(parts, " ") + " > " + strings.Join(out, " ")
}

func expect(t *testing.T, step string, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %q, want %q", step, got, want)
	}
}

func TestBudgetGoesToRunningFirstAndSplitsPrefills(t *testing.T) {
	e := start(t, small(nil))
	a := submit(t, e, "a", Request{PromptLen: 40, MaxTokens: 9})
	b := submit(t, e, "b", Request{PromptLen: 40, MaxTokens: 9})
	c := submit(t, e, "c", Request{PromptLen: 30, MaxTokens: 9})
	expect(t, "step 1", plan(e, a, b, c), "a:40 b:24 > a")
	expect(t, "step 2", plan(e, a, b, c), "a:1 b:16 c:30 > a b c")
	expect(t, "step 3", plan(e, a, b, c), "a:1 b:1 c:1 > a b c")
}

func TestLongPrefillThreshold(t *testing.T) {
	e := start(t, small(func(c *Config) { c.LongPrefillThreshold = 10 }))
	a := submit(t, e, "a", Request{PromptLen: 25, MaxTokens: 9})
	b := submit(t, e, "b", Request{PromptLen: 4, MaxTokens: 2})
	for i, want := range []string{"a:10 b:4 > b", "a:10 b:1 > b", "a:5 > a"} {
		expect(t, fmt.Sprint("step ", i+1), plan(e, a, b), want)
	}
	e.Abort(a)
	alone := submit(t, e, "alone", Request{PromptLen: 25, MaxTokens: 9})
	expect(t, "nobody to starve", plan(e, alone), "alone:25 > alone")
}

func TestWithoutChunkedPrefillAPromptWaitsForTheWholeBudget(t *testing.T) {
	e := start(t, small(func(c *Config) { c.NoChunkedPrefill, c.MaxBatchedTokens = true, 128 }))
	a := submit(t, e, "a", Request{PromptLen: 60, MaxTokens: 2})
	b := submit(t, e, "b", Request{PromptLen: 70, MaxTokens: 2})
	expect(t, "step 1", plan(e, a, b), "a:60 > a")
	expect(t, "step 2", plan(e, a, b), "a:1 b:70 > a b")
}

func TestMaxNumSeqs(t *testing.T) {
	e := start(t, small(func(c *Config) { c.MaxNumSeqs = 1 }))
	a := submit(t, e, "a", Request{PromptLen: 4, MaxTokens: 1})
	b := submit(t, e, "b", Request{PromptLen: 4, MaxTokens: 1})
	expect(t, "step 1", plan(e, a, b), "a:4 > a")
	if e.Running() != 0 || e.Waiting() != 1 {
		t.Errorf("running %d, waiting %d; want 0, 1", e.Running(), e.Waiting())
	}
	expect(t, "step 2", plan(e, a, b), "b:4 > b")
}

func TestHeadOfLineBlocks(t *testing.T) {
	e := start(t, small(func(c *Config) { c.MaxBatchedTokens = 256 }))
	a := submit(t, e, "a", Request{PromptLen: 96, MaxTokens: 3}) // 6 of 9 blocks, 7 when it grows
	b := submit(t, e, "b", Request{PromptLen: 60, MaxTokens: 3}) // 4 blocks: do not fit
	c := submit(t, e, "c", Request{PromptLen: 4, MaxTokens: 3})  // would fit, stands behind b
	for i, want := range []string{"a:96 > a", "a:1 > a", "a:1 > a"} {
		expect(t, fmt.Sprint("step ", i+1), plan(e, a, b, c), want)
	}
	expect(t, "a has ended", plan(e, b, c), "b:60 c:4 > b c")
}

func TestAdmissionNeedsRoomForTheWholePrompt(t *testing.T) {
	e := start(t, small(func(c *Config) { c.MaxBatchedTokens = 70 }))
	a := submit(t, e, "a", Request{PromptLen: 60, MaxTokens: 3}) // 4 of 9 blocks
	b := submit(t, e, "b", Request{PromptLen: 96, MaxTokens: 3}) // 6 blocks; the budget left would need one
	for i, want := range []string{"a:60 > a", "a:1 > a", "a:1 > a"} {
		expect(t, fmt.Sprint("step ", i+1), plan(e, a, b), want)
	}
	expect(t, "a has ended", plan(e, b), "b:70 > ")
}

// ids is a prompt of n tokens that starts at a number.
func ids(from, n int) []uint32 {
	p := make([]uint32, n)
	for i := range p {
		p[i] = uint32(from + i)
	}
	return p
}

func TestPrefixHits(t *testing.T) {
	for name, tc := range map[string]struct {
		first, second []uint32
		off           bool
		want          int
	}{
		"full blocks only":               {ids(0, 40), ids(0, 40), false, 32},
		"the last token is recomputed":   {ids(0, 32), ids(0, 32), false, 16},
		"a longer prompt hits all of it": {ids(0, 32), ids(0, 33), false, 32},
		"another start hits nothing":     {ids(0, 48), append([]uint32{99}, ids(1, 47)...), false, 0},
		"a block differs in the middle":  {ids(0, 48), append(ids(0, 20), ids(77, 28)...), false, 16},
		"shorter than a block":           {ids(0, 15), ids(0, 15), false, 0},
		"switched off":                   {ids(0, 40), ids(0, 40), true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			e := start(t, small(func(c *Config) { c.NoPrefixCache = tc.off }))
			submit(t, e, "first", Request{Prompt: tc.first, MaxTokens: 1})
			e.Step(0)
			s := submit(t, e, "second", Request{Prompt: tc.second, MaxTokens: 2})
			e.Step(0)
			if s.CachedTokens() != tc.want {
				t.Errorf("cached %d tokens, want %d", s.CachedTokens(), tc.want)
			}
			want := Counters{PrefixQueries: int64(len(tc.first) + len(tc.second)), PrefixHits: int64(tc.want)}
			if tc.off {
				want.PrefixQueries = 0
			}
			got := e.Counters()
			got.Steps, got.Tokens, got.Held, got.Work = 0, 0, Held{}, Work{}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("counters (-want +got):\n%s", diff)
			}
		})
	}
}

func TestResetForgetsPrefixesWhenNothingRuns(t *testing.T) {
	e := start(t, small(nil))
	submit(t, e, "runs", Request{Prompt: ids(0, 40), MaxTokens: 2})
	e.Step(0)
	if e.ResetPrefixCache() {
		t.Error("reset while a request holds blocks")
	}
	e.Step(0)
	hit := submit(t, e, "hits", Request{Prompt: ids(0, 40), MaxTokens: 1})
	e.Step(0)
	if hit.CachedTokens() != 32 {
		t.Fatalf("%d tokens cached before the reset, want 32", hit.CachedTokens())
	}
	if !e.ResetPrefixCache() {
		t.Fatal("not reset, though nothing runs")
	}
	again := submit(t, e, "misses", Request{Prompt: ids(0, 40), MaxTokens: 1})
	e.Step(0)
	if again.CachedTokens() != 0 {
		t.Errorf("%d tokens cached after the reset", again.CachedTokens())
	}
}

func TestOutputsAreCachedForTheNextTurn(t *testing.T) {
	e := start(t, small(nil))
	submit(t, e, "turn 1", Request{Prompt: ids(0, 20), MaxTokens: 20, Seed: 7})
	for e.Open() > 0 {
		e.Step(0)
	}
	history := ids(0, 20)
	for i := range 20 {
		history = append(history, OutputToken(7, i))
	}
	s := submit(t, e, "turn 2", Request{Prompt: append(history, ids(500, 5)...), MaxTokens: 1})
	e.Step(0)
	// The last output was never fed back, so 39 tokens have KV: two full blocks.
	if s.CachedTokens() != 32 {
		t.Errorf("cached %d tokens, want 32", s.CachedTokens())
	}
}

func TestTailOfAPrefixIsEvictedFirst(t *testing.T) {
	e := start(t, small(func(c *Config) { c.MaxBatchedTokens = 128 }))
	submit(t, e, "old", Request{Prompt: ids(0, 64), MaxTokens: 1}) // 4 blocks, cached when freed
	e.Step(0)
	submit(t, e, "other", Request{Prompt: ids(1000, 112), MaxTokens: 1}) // 7 of 9: the 5 never used, then 2 of old
	e.Step(0)
	s := submit(t, e, "again", Request{Prompt: ids(0, 64), MaxTokens: 1})
	e.Step(0)
	if s.CachedTokens() != 32 {
		t.Errorf("cached %d tokens, want the first 32", s.CachedTokens())
	}
}

func TestBlocksThatNobodyCanHitAreTakenFirst(t *testing.T) {
	e := start(t, small(func(c *Config) { c.MaxBatchedTokens = 128 }))
	submit(t, e, "old", Request{Prompt: ids(0, 110), MaxTokens: 1}) // 6 full blocks, and one that stays partial
	e.Step(0)
	submit(t, e, "other", Request{Prompt: ids(1000, 48), MaxTokens: 1}) // 3: the partial one and the 2 never used
	e.Step(0)
	s := submit(t, e, "again", Request{Prompt: ids(0, 110), MaxTokens: 1})
	e.Step(0)
	if s.CachedTokens() != 96 {
		t.Errorf("cached %d tokens, want all 96", s.CachedTokens())
	}
}

func TestUsageCountsHeldBlocksOfAllButTheNullBlock(t *testing.T) {
	e := start(t, small(nil))
	submit(t, e, "a", Request{PromptLen: 40, MaxTokens: 2})
	e.Step(0)
	if got, want := e.KVUsage(), 3.0/9; got != want {
		t.Errorf("usage %g, want %g", got, want)
	}
	e.Step(0)
	if got := e.KVUsage(); got != 0 {
		t.Errorf("usage %g when idle: cached blocks count as free", got)
	}
}

func TestSharedBlocksAreHeldOnce(t *testing.T) {
	e := start(t, small(func(c *Config) { c.MaxBatchedTokens = 128 }))
	submit(t, e, "a", Request{Prompt: ids(0, 40), MaxTokens: 9})
	submit(t, e, "b", Request{Prompt: ids(0, 40), MaxTokens: 9})
	e.Step(0)
	if got, want := e.KVUsage(), 4.0/9; got != want { // 2 shared, 1 each
		t.Errorf("usage %g, want %g", got, want)
	}
}

func TestPreemptsTheLastAdmitted(t *testing.T) {
	e := start(t, small(func(c *Config) { c.MaxBatchedTokens = 256 }))
	a := submit(t, e, "a", Request{PromptLen: 48, MaxTokens: 40}) // 3 blocks, a fourth with the next token
	b := submit(t, e, "b", Request{PromptLen: 48, MaxTokens: 40})
	c := submit(t, e, "c", Request{PromptLen: 48, MaxTokens: 40})
	d := submit(t, e, "d", Request{PromptLen: 4, MaxTokens: 1})
	expect(t, "step 1", plan(e, a, b, c, d), "a:48 b:48 c:48 > a b c")
	// a takes c's blocks, then b grows into the rest; d would fit but must wait,
	// since something was preempted.
	expect(t, "step 2", plan(e, a, b, c, d), "a:1 b:1 c:preempted > a b")
	if e.Counters().Preemptions != 1 || c.Preemptions() != 1 {
		t.Errorf("preemptions: engine %d, c %d; want 1, 1", e.Counters().Preemptions, c.Preemptions())
	}
	if e.waiting.peek() != c {
		t.Error("c does not stand at the head of the queue")
	}
	if c.Generated() != 1 {
		t.Errorf("c keeps %d outputs, want 1", c.Generated())
	}
	e.Abort(b)
	// Prompt and output are computed anew: its blocks have no ids that the cache
	// could still know, since the two others needed them.
	expect(t, "resumed", plan(e, a, c, d), "a:1 c:49 d:4 > a c d")
	var second Output
	for _, o := range e.outputs {
		if o.Sequence == c {
			second = o
		}
	}
	if second.Index != 1 || second.Preemptions != 1 {
		t.Errorf("after resumption: index %d, preemptions %d; want 1, 1: the first token is not sent again", second.Index, second.Preemptions)
	}
}

func TestPriorityPolicy(t *testing.T) {
	cfg := small(func(c *Config) { c.Policy, c.MaxBatchedTokens = Priority, 256 })
	e := start(t, cfg)
	low := submit(t, e, "low", Request{PromptLen: 48, MaxTokens: 40, Priority: 5})
	mid := submit(t, e, "mid", Request{PromptLen: 48, MaxTokens: 40, Priority: 1})
	high := submit(t, e, "high", Request{PromptLen: 48, MaxTokens: 40})
	e.Step(0)
	if diff := cmp.Diff([]any{"high", "mid", "low"}, []any{e.running[0].Owner, e.running[1].Owner, e.running[2].Owner}); diff != "" {
		t.Errorf("admitted (-want +got):\n%s", diff)
	}
	e.Step(0)
	if low.Preemptions() != 1 || mid.Preemptions()+high.Preemptions() != 0 {
		t.Errorf("preempted: low %d, mid %d, high %d", low.Preemptions(), mid.Preemptions(), high.Preemptions())
	}
	urgent := submit(t, e, "urgent", Request{PromptLen: 4, MaxTokens: 1, Priority: -1})
	e.letIn(0)
	if e.waiting.peek() != urgent {
		t.Error("an urgent request does not pass the preempted one")
	}
}

func TestEnds(t *testing.T) {
	for name, tc := range map[string]struct {
		request Request
		eos     float64
		tokens  int
		want    Finish
		last    uint32 // 0: any word
	}{
		"max_tokens":                {Request{PromptLen: 4, MaxTokens: 3, IgnoreEOS: true}, 1, 3, Length, 0},
		"max_model_len":             {Request{PromptLen: 126, MaxTokens: 5, IgnoreEOS: true}, 0, 2, Length, 0},
		"one short of the limit":    {Request{PromptLen: 127, IgnoreEOS: true}, 0, 1, Length, 0},
		"EOS at once":               {Request{PromptLen: 4, MaxTokens: 9}, 1, 1, Stop, EOSToken},
		"EOS after min_tokens":      {Request{PromptLen: 4, MaxTokens: 9, MinTokens: 4}, 1, 5, Stop, EOSToken},
		"EOS on the last token":     {Request{PromptLen: 4, MaxTokens: 5, MinTokens: 4}, 1, 5, Stop, EOSToken},
		"forced EOS":                {Request{PromptLen: 4, MaxTokens: 9, ForceEOS: true}, 0, 1, Stop, EOSToken},
		"a stop beyond the limit":   {Request{PromptLen: 4, MaxTokens: 3, StopAt: 5, IgnoreEOS: true}, 0, 3, Length, 0},
		"a stop before the limit":   {Request{PromptLen: 4, MaxTokens: 9, StopAt: 5, IgnoreEOS: true}, 0, 5, Stop, 0},
		"never without probability": {Request{PromptLen: 4, MaxTokens: 50}, 0, 50, Length, 0},
	} {
		t.Run(name, func(t *testing.T) {
			e := start(t, small(func(c *Config) { c.EOSProbability = tc.eos }))
			if _, err := e.Submit(0, tc.request); err != nil {
				t.Fatal(err)
			}
			var outputs []Output
			for e.Open() > 0 {
				outputs = append(outputs, e.Step(0).Outputs...)
			}
			last := outputs[len(outputs)-1]
			if len(outputs) != tc.tokens || last.Finish != tc.want {
				t.Errorf("%d tokens, %v; want %d, %v", len(outputs), last.Finish, tc.tokens, tc.want)
			}
			if isEOS := last.Token == EOSToken; isEOS != (tc.last == EOSToken) {
				t.Errorf("last token %d", last.Token)
			}
		})
	}
}

func TestEOSIsGeometric(t *testing.T) {
	const n, p = 20000, 1.0 / 50
	sum := 0
	for seed := range uint64(n) {
		sum += drawEOS(mix(seed), p, 0)
	}
	if mean := float64(sum) / n; mean < 48 || mean > 52 { // standard error 0.35
		t.Errorf("mean length %.1f, want 50", mean)
	}
}

func TestQueueLimits(t *testing.T) {
	e := start(t, small(func(c *Config) { c.MaxQueuedRequests, c.MaxQueuedTokens = 3, 90 }))
	one := Request{PromptLen: 30, MaxTokens: 2, IgnoreEOS: true}
	if _, err := e.Submit(0, one, one, one, one); !errors.Is(err, ErrQueueFull) {
		t.Errorf("4 choices at once: %v, want %v", err, ErrQueueFull)
	}
	whole, err := e.Submit(0, Request{PromptLen: 101})
	if err != nil {
		t.Errorf("101 prompt tokens while none wait: %v; a limit that one prompt exceeds would shut it out for ever", err)
	}
	if _, err := e.Submit(0, one); !errors.Is(err, ErrQueueTokens) {
		t.Errorf("while 101 prompt tokens wait: %v, want %v", err, ErrQueueTokens)
	}
	e.Abort(whole[0])
	if _, err := e.Submit(0, one, one, one); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Submit(0, one); !errors.Is(err, ErrQueueFull) {
		t.Errorf("a fourth: %v, want %v", err, ErrQueueFull)
	}
	for e.Open() > 0 {
		e.Step(0)
	}
	if _, err := e.Submit(0, one, one, one); err != nil {
		t.Errorf("after all have ended: %v", err)
	}
	if _, err := e.Submit(0, Request{PromptLen: 128}); !errors.Is(err, ErrTooLong) {
		t.Errorf("a prompt of max_model_len: %v, want %v", err, ErrTooLong)
	}
}

func TestAbort(t *testing.T) {
	e := start(t, small(func(c *Config) { c.MaxNumSeqs, c.MaxQueuedTokens = 1, 1000 }))
	run := submit(t, e, "running", Request{PromptLen: 40, MaxTokens: 9})
	wait := submit(t, e, "waiting", Request{PromptLen: 40, MaxTokens: 9})
	e.Step(0)
	late := submit(t, e, "incoming", Request{PromptLen: 40, MaxTokens: 9})
	for _, s := range []*Sequence{late, wait, run, run} {
		e.Abort(s)
	}
	if e.Open() != 0 || e.Running() != 0 || e.Waiting() != 0 || e.KVUsage() != 0 || e.pending != 0 {
		t.Errorf("left: open %d, running %d, waiting %d, usage %g, pending %d", e.Open(), e.Running(), e.Waiting(), e.KVUsage(), e.pending)
	}
	if step := e.Step(0); !step.Idle || step.Next >= 0 {
		t.Errorf("step after all were aborted: %+v", step)
	}
}

func TestStartupRefusals(t *testing.T) {
	for name, tc := range map[string]struct {
		cfg  Config
		want string
	}{
		"KV cache below one request": {small(func(c *Config) { c.KVBlocks = 8 }), "lower max_model_len to 112"},
		"weights do not fit":         {preset(t, "H100", "llama-3.3-70b"), "131.4"},
		"odd tensor parallel":        {small(func(c *Config) { c.TP = 3 }), "does not divide"},
		"no chunks, small budget":    {small(func(c *Config) { c.NoChunkedPrefill = true }), "without chunked prefill"},
		"beyond the model's context": {small(func(c *Config) { c.MaxModelLen, c.KVBlocks = 2000, 1000 }), "more than the 1024 tokens"},
		"negative bandwidth":         {small(func(c *Config) { c.BandwidthScale = -1 }), "bandwidth scale -1"},
		"utilization in percent":     {small(func(c *Config) { c.MemoryUtilization = 92 }), "gpu_memory_utilization 92"},
		"efficiency is no number":    {small(func(c *Config) { c.Coefficients.Decode = math.NaN() }), "share of bandwidth for weights 0"},
		"negative overhead":          {small(func(c *Config) { c.Overheads.Step = -1 }), "overheads"},
		"negative queue limit":       {small(func(c *Config) { c.MaxQueuedRequests = -1 }), "max_num_queued_reqs -1"},
		"no model":                   {Config{}, "no model"},
	} {
		if _, err := New(tc.cfg); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v does not say %q", name, err, tc.want)
		}
	}
	if _, err := New(small(nil)); err != nil {
		t.Errorf("exactly one request of max_model_len: %v", err)
	}
}

// The defaults of vLLM 0.32, by its get_batch_defaults.
func TestBatchDefaults(t *testing.T) {
	for name, tc := range map[string]struct {
		gpu          string
		change       func(*Config)
		seqs, budget int
	}{
		"large":                       {"H100", nil, 1024, 8192},
		"largest":                     {"B200", nil, 1024, 16384},
		"small":                       {"A10G", nil, 256, 2048},
		"A100 counts as small":        {"A100", nil, 256, 2048},
		"no chunks: the whole prompt": {"H100", func(c *Config) { c.NoChunkedPrefill, c.MaxModelLen = true, 20000 }, 1024, 20000},
		"few and short":               {"H100", func(c *Config) { c.MaxNumSeqs, c.MaxModelLen = 2, 1000 }, 2, 2000},
		"a small budget":              {"H100", func(c *Config) { c.MaxBatchedTokens = 512 }, 512, 512},
		"as asked":                    {"H100", func(c *Config) { c.MaxBatchedTokens, c.MaxNumSeqs = 64, 100 }, 100, 64},
	} {
		cfg := preset(t, tc.gpu, "llama-3.2-1b")
		if tc.change != nil {
			tc.change(&cfg)
		}
		if r := cfg.resolved(); r.MaxNumSeqs != tc.seqs || r.MaxBatchedTokens != tc.budget {
			t.Errorf("%s: max_num_seqs %d, max_num_batched_tokens %d; want %d, %d", name, r.MaxNumSeqs, r.MaxBatchedTokens, tc.seqs, tc.budget)
		}
	}
	if r := preset(t, "4xH100", "llama-3.3-70b").resolved(); r.MaxModelLen != 131072 {
		t.Errorf("max_model_len %d, want all of the model's", r.MaxModelLen)
	}
}

func TestPresetNames(t *testing.T) {
	cfg, err := Preset("4xH100", "Llama-3.3-70B-Instruct")
	if err != nil || cfg.TP != 4 || cfg.Chip.Name != "H100" || cfg.Check() != nil {
		t.Errorf("4xH100: %d x %s, %v, %v", cfg.TP, cfg.Chip.Name, err, cfg.Check())
	}
	for _, gpu := range []string{"0xH100", "-2xH100"} {
		if _, err := Preset(gpu, "llama-3.1-8b"); err == nil || !strings.Contains(err.Error(), gpu) {
			t.Errorf("%s: %v", gpu, err)
		}
	}
	for _, names := range [][3]string{{"Q100", "llama-3.1-8b", "known are"}, {"2xT4", "llama-3.1-8b", "T4 has no bf16"}, {"H100", "gpt-9", "gpt-oss-20b"}} {
		if _, err := Preset(names[0], names[1]); err == nil || !strings.Contains(err.Error(), names[2]) {
			t.Errorf("%v: %v", names, err)
		}
	}
}

// Windows hold few blocks however long a request grows, and give all back.
func TestWindowsGiveTheirBlocksBack(t *testing.T) {
	cfg := small(func(c *Config) {
		window := c.Model.Layers[0]
		window.Attention.Kind, window.Attention.Window = model.Sliding, 32
		c.Model.Layers = append(slices.Clone(c.Model.Layers), slices.Repeat([]model.Layer{window}, 3*len(c.Model.Layers))...)
		c.KVBlocks, c.MaxBatchedTokens, c.NoPrefixCache = 60, 16, true
	})
	e, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.Submit(0, Request{PromptLen: 60, MaxTokens: 60, IgnoreEOS: true})
	if err != nil {
		t.Fatal(err)
	}
	most := 0
	for now := time.Duration(0); e.Open() > 0; {
		step := e.Step(now)
		now += max(step.Duration, step.Next-now)
		if e.Open() > 0 {
			most = max(most, len(s[0].rest))
		}
	}
	if each := (32+16)/16 + 2; most == 0 || most > 3*each {
		t.Errorf("three groups of windows hold up to %d blocks; want at most %d each", most, each)
	}
	if e.pool.free != cfg.KVBlocks-1 {
		t.Errorf("%d blocks are free at the end of %d", e.pool.free, cfg.KVBlocks-1)
	}
}
