package engine

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawConfig is any engine of the small model that may start.
func drawConfig(t *rapid.T) Config {
	return small(func(c *Config) {
		c.BlockSize = rapid.SampledFrom([]int{1, 4, 16}).Draw(t, "block size")
		c.MaxModelLen = rapid.IntRange(8, 100).Draw(t, "max model len")
		c.KVBlocks = 1 + (c.MaxModelLen+c.BlockSize-1)/c.BlockSize + rapid.IntRange(0, 12).Draw(t, "spare blocks")
		c.MaxNumSeqs = rapid.IntRange(1, 6).Draw(t, "max num seqs")
		c.MaxBatchedTokens = rapid.IntRange(1, 64).Draw(t, "budget")
		c.LongPrefillThreshold = rapid.SampledFrom([]int{0, 0, 3, 20}).Draw(t, "threshold")
		c.NoPrefixCache = rapid.Bool().Draw(t, "no prefix cache")
		c.Policy = rapid.SampledFrom([]Policy{FCFS, Priority}).Draw(t, "policy")
		c.EOSProbability = rapid.SampledFrom([]float64{0, 0.05}).Draw(t, "eos")
		c.Jitter = rapid.SampledFrom([]float64{0, 0.2}).Draw(t, "jitter")
		c.Seed = rapid.Uint64().Draw(t, "seed")
		c.Overheads.Request = rapid.SampledFrom([]time.Duration{0, 3 * time.Millisecond}).Draw(t, "request overhead")
	})
}

func drawRequest(t *rapid.T, cfg Config) Request {
	n := rapid.IntRange(1, cfg.MaxModelLen-1).Draw(t, "prompt")
	r := Request{
		PromptLen: n,
		MaxTokens: rapid.IntRange(0, cfg.MaxModelLen).Draw(t, "max tokens"),
		Priority:  rapid.IntRange(0, 2).Draw(t, "priority"),
		Seed:      rapid.Uint64().Draw(t, "output seed"),
	}
	if rapid.Bool().Draw(t, "shares a prefix") {
		r.Prompt = ids(0, n)
	}
	return r
}

// check holds the engine against what must be true between steps.
func check(t *rapid.T, e *Engine, live map[*Sequence]bool) {
	held := map[int32]int32{}
	open, pending := 0, 0
	for s := range live {
		if s.state == finished {
			if len(s.blocks) > 0 {
				t.Fatalf("a sequence that has ended holds %d blocks", len(s.blocks))
			}
			continue
		}
		open++
		if s.outputs == 0 {
			pending += s.prompt
		}
		if s.state != running && len(s.blocks) > 0 {
			t.Fatalf("a sequence that waits holds %d blocks", len(s.blocks))
		}
		if len(s.blocks) < e.cfg.cache.Main(s.computed) {
			t.Fatalf("%d blocks for %d computed tokens", len(s.blocks), s.computed)
		}
		for _, b := range s.blocks {
			held[b]++
		}
	}
	if e.Open() != open || e.pending != pending {
		t.Fatalf("open %d, pending %d; want %d, %d", e.Open(), e.pending, open, pending)
	}
	if e.Running() > e.cfg.MaxNumSeqs {
		t.Fatalf("%d running, limit %d", e.Running(), e.cfg.MaxNumSeqs)
	}
	if held[0] != 0 {
		t.Fatal("the null block was given out")
	}
	if got, want := e.pool.free, len(e.pool.blocks)-1-len(held); got != want {
		t.Fatalf("%d blocks free, want %d: leaked or given twice", got, want)
	}
	for i := range e.pool.blocks {
		if got, want := e.pool.blocks[i].refs, held[int32(i)]; got != want {
			t.Fatalf("block %d has %d holders, want %d", i, got, want)
		}
	}
	hashed := 0
	for h, i := range e.pool.byHash {
		for ; i != none; i = e.pool.blocks[i].twinAfter {
			b := e.pool.blocks[i]
			if !b.hashed || b.hash != h {
				t.Fatalf("block %d is listed under a hash that it does not have", i)
			}
			if b.twinAfter != none && e.pool.blocks[b.twinAfter].twinBefore != i {
				t.Fatalf("block %d and its twin %d are not linked both ways", i, b.twinAfter)
			}
			hashed++
		}
	}
	for i := range e.pool.blocks {
		if e.pool.blocks[i].hashed {
			hashed--
		}
	}
	if hashed != 0 {
		t.Fatalf("the index and the blocks differ by %d hashes", hashed)
	}
}

func TestEngineKeepsItsInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		e, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		live := map[*Sequence]bool{}
		got := map[*Sequence]int{}
		aborted := map[*Sequence]bool{}
		var now time.Duration
		quiet := 0
		left := rapid.IntRange(1, 12).Draw(t, "requests")
		for left > 0 || e.Open() > 0 {
			if left > 0 && (e.Open() == 0 || rapid.IntRange(0, 3).Draw(t, "submit?") == 0) {
				left--
				s, err := e.Submit(now, drawRequest(t, cfg))
				if err != nil {
					t.Fatal(err)
				}
				live[s[0]] = true
			}
			if rapid.IntRange(0, 20).Draw(t, "abort?") == 0 {
				whom := int64(rapid.IntRange(0, int(e.numbers)-1).Draw(t, "whom"))
				for s := range live {
					if s.number == whom {
						aborted[s] = aborted[s] || s.state != finished
						e.Abort(s)
					}
				}
			}
			step := e.Step(now)
			if step.Idle {
				if e.Open() > 0 && step.Next <= now {
					t.Fatalf("%d requests are open and nothing is scheduled", e.Open())
				}
				now = max(now, step.Next)
				continue
			}
			if step.Tokens < 1 || step.Tokens > cfg.MaxBatchedTokens {
				t.Fatalf("a step of %d tokens, budget %d", step.Tokens, cfg.MaxBatchedTokens)
			}
			now += step.Duration
			if quiet++; len(step.Outputs) > 0 {
				quiet = 0
			}
			if quiet > 100_000 {
				t.Fatal("livelock: no token in 100,000 steps")
			}
			for _, o := range step.Outputs {
				if o.Index != got[o.Sequence] {
					t.Fatalf("token %d after %d", o.Index, got[o.Sequence])
				}
				got[o.Sequence]++
			}
			check(t, e, live)
		}
		for s := range live {
			if aborted[s] {
				continue
			}
			if want := s.limit; got[s] != want && got[s] != s.eosAt || got[s] > want {
				t.Fatalf("%d tokens, limit %d, EOS at %d", got[s], want, s.eosAt)
			}
		}
		if e.KVUsage() != 0 {
			t.Fatalf("usage %g at the end", e.KVUsage())
		}
	})
}

func TestSameSeedSameTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		var arrivals []Arrival
		for range rapid.IntRange(1, 10).Draw(t, "requests") {
			at := time.Duration(rapid.IntRange(0, 50).Draw(t, "at ms")) * time.Millisecond
			arrivals = append(arrivals, Arrival{at, drawRequest(t, cfg)})
		}
		one, err := Simulate(cfg, arrivals)
		if err != nil {
			t.Fatal(err)
		}
		two, err := Simulate(cfg, arrivals)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(one, two); diff != "" {
			t.Fatalf("two runs differ:\n%s", diff)
		}
		for i, r := range one {
			last := arrivals[i].At + cfg.Overheads.Request
			for k, at := range r.Tokens {
				if at <= last {
					t.Fatalf("arrival %d: token %d at %v, not after %v", i, k, at, last)
				}
				last = at
			}
		}
	})
}

func TestDequeIsAQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d deque
		var want []*Sequence
		for range rapid.IntRange(1, 200).Draw(t, "operations") {
			switch s := new(Sequence); rapid.IntRange(0, 3).Draw(t, "operation") {
			case 0:
				d.push(s)
				want = append(want, s)
			case 1:
				d.unpop(s)
				want = append([]*Sequence{s}, want...)
			case 2:
				if len(want) > 0 {
					if got := d.pop(); got != want[0] {
						t.Fatal("popped another than the first")
					}
					want = want[1:]
				}
			case 3:
				if len(want) > 0 {
					i := rapid.IntRange(0, len(want)-1).Draw(t, "which")
					d.remove(want[i])
					want = append(want[:i:i], want[i+1:]...)
				}
			}
			if d.size() != len(want) || len(want) > 0 && d.peek() != want[0] {
				t.Fatalf("size %d, want %d", d.size(), len(want))
			}
		}
	})
}
