package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"assay/internal/record"
	"assay/internal/spec"
	"assay/internal/wire"
)

// talks is a Source of conversations of that many turns.
type talks struct {
	turns   int
	think   time.Duration
	history History
	n       int
}

func (s *talks) Next(*rand.Rand) (Prompt, error) {
	s.n++
	var turns []Turn
	for i := range s.turns {
		t := Turn{
			Prompt: Prompt{Text: fmt.Sprintf("q%d", i+1), MaxTokens: 100}, Continues: i > 0, Recorded: fmt.Sprintf("r%d", i+1),
		}
		if i > 0 {
			t.Think = s.think
		}
		turns = append(turns, t)
	}
	return NewChat(fmt.Sprintf("s%d", s.n), turns, s.history), nil
}

// said is a conversation as one line, which servers of these tests read.
func said(p Prompt) ([]byte, error) {
	var words []string
	for _, m := range p.Messages {
		words = append(words, m.Content)
	}
	return []byte(p.SessionID + " " + strings.Join(words, " ")), nil
}

// echo answers each request with a number, and keeps what it was asked.
type echo struct {
	*server
	asked []string
}

func (e *echo) Do(ctx context.Context, id string, body []byte) wire.Outcome {
	e.mu.Lock()
	e.asked = append(e.asked, string(body))
	text := fmt.Sprintf("a%d", len(e.asked))
	e.mu.Unlock()
	o := e.server.Do(ctx, id, body)
	o.Answer = text
	return o
}

func newTalkTrial(s Sender, source Source) *trial {
	tr := newTrial(nil)
	tr.runner.Client, tr.runner.Source, tr.runner.Encode = s, source, said
	return tr
}

func TestTurnsCarryWhatWasSaid(t *testing.T) {
	for _, c := range []struct {
		name    string
		history History
		want    []string
	}{
		{"the server's answers", Answered, []string{"s1 q1", "s1 q1 a1 q2", "s1 q1 a1 q2 a2 q3", "s2 q1", "s2 q1 a4 q2"}},
		{"the recorded answers", FromRecord, []string{"s1 q1", "s1 q1 r1 q2", "s1 q1 r1 q2 r2 q3", "s2 q1", "s2 q1 r1 q2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				e := &echo{server: takes(100 * ms)}
				tr := newTalkTrial(e, &talks{turns: 3, history: c.history}).
					run(t.Context(), Level{ID: "c", Concurrency: 1, Requests: 5, Warmup: NoWarmup})
				if tr.err != nil {
					t.Fatal(tr.err)
				}
				if d := cmp.Diff(c.want, e.asked); d != "" {
					t.Errorf("asked (-want +got):\n%s", d)
				}
			})
		})
	}
}

func TestTurnsComeAfterThinking(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := takes(100 * ms)
		tr := newTalkTrial(s, &talks{turns: 3, think: 2 * time.Second}).
			run(t.Context(), Level{ID: "c", Concurrency: 1, Requests: 6, Warmup: NoWarmup})
		want := []time.Duration{0, 2100 * ms, 4200 * ms, 4300 * ms, 6400 * ms, 8500 * ms}
		if d := cmp.Diff(want, s.openings); d != "" {
			t.Errorf("sent at (-want +got):\n%s", d)
		}
		for i, q := range tr.records {
			if q.Turn != i%3+1 || q.Turns != 3 || q.Session != fmt.Sprintf("s%d", i/3+1) {
				t.Errorf("request %d is turn %d of %d of %q", i, q.Turn, q.Turns, q.Session)
			}
			if want := int64(2e6); q.Turn > 1 && q.ThinkUS != want {
				t.Errorf("request %d: %d us of thought, want %d", i, q.ThinkUS, want)
			}
			if lag := q.SentUS - q.IntendedUS; lag != 0 {
				t.Errorf("request %d left %d us late on a machine that takes no time", i, lag)
			}
		}
	})
}

// Each turn is a request: N are measured exactly, each is recorded, and no more
// sessions are in progress than slots.
func TestSessionsHoldTheirSlots(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		slots := rapid.IntRange(1, 20).Draw(rt, "slots")
		requests := rapid.IntRange(1, 120).Draw(rt, "requests")
		turns := rapid.IntRange(1, 12).Draw(rt, "turns")
		warmup := rapid.SampledFrom([]int{NoWarmup, 0, 5, 50}).Draw(rt, "warmup")
		think := rapid.SampledFrom([]time.Duration{0, 50 * ms}).Draw(rt, "think")
		inBubble(t, func(t *testing.T) {
			s := newServer(func(n int, _ []byte) (time.Duration, *wire.Error) { return time.Duration(50+n*7919%13) * ms, nil })
			tr := newTalkTrial(s, &talks{turns: turns, think: think}).
				run(t.Context(), Level{ID: "c", Concurrency: slots, Requests: requests, Warmup: warmup})
			if tr.err != nil {
				t.Fatal(tr.err)
			}
			if got := tr.result.Requests; got.Completed != requests || len(tr.records) != requests+got.Warmup {
				t.Errorf("%+v in %d records, want %d measured", got, len(tr.records), requests)
			}
			if s.highest > slots {
				t.Errorf("%d requests open at once in %d slots", s.highest, slots)
			}
			if want := max(0, warmup); warmup != 0 && tr.result.Requests.Warmup != want {
				t.Errorf("%d warm-up requests, want %d", tr.result.Requests.Warmup, want)
			}
			checkSessions(t, tr.records, slots)
		})
	})
}

// checkSessions asks that turns follow on each other, and that no more sessions
// overlap than there are slots.
func checkSessions(t *testing.T, records []record.Request, slots int) {
	t.Helper()
	ends := map[string]int64{}
	turns := map[string]int{}
	for _, q := range records {
		if q.Turn != turns[q.Session]+1 {
			t.Errorf("session %s: turn %d after %d", q.Session, q.Turn, turns[q.Session])
		}
		if q.Turn > 1 && q.IntendedUS != ends[q.Session]+q.ThinkUS {
			t.Errorf("session %s: turn %d due at %d, want %d after %d", q.Session, q.Turn, q.IntendedUS, q.ThinkUS, ends[q.Session])
		}
		turns[q.Session], ends[q.Session] = q.Turn, q.EndUS
	}
	for _, q := range records {
		open := map[string]bool{}
		for _, o := range records {
			if o.IntendedUS-o.ThinkUS <= q.IntendedUS && q.IntendedUS < o.EndUS {
				open[o.Session] = true
			}
		}
		if len(open) > slots {
			t.Fatalf("%d sessions in progress in %d slots", len(open), slots)
		}
	}
}

func TestFailedTurnEndsItsSession(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		e := &echo{server: newServer(func(n int, _ []byte) (time.Duration, *wire.Error) {
			if n == 1 {
				return ms, &wire.Error{Kind: wire.KindOverloaded}
			}
			return ms, nil
		})}
		newTalkTrial(e, &talks{turns: 3, history: FromRecord}).run(t.Context(), Level{ID: "c", Concurrency: 1, Requests: 5, Warmup: NoWarmup})
		want := []string{"s1 q1", "s1 q1 r1 q2", "s2 q1", "s2 q1 r1 q2", "s2 q1 r1 q2 r2 q3"}
		if d := cmp.Diff(want, e.asked); d != "" {
			t.Errorf("asked (-want +got):\n%s", d)
		}
	})
}

// At the start slots play their first session to different turns: otherwise all
// histories would grow and end in step.
func TestWarmupPutsSessionsOutOfPhase(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		tr := newTalkTrial(takes(100*ms), &talks{turns: 4}).run(t.Context(), Level{ID: "c", Concurrency: 4, Requests: 40, OpenRate: 1e9})
		played := map[string]int{}
		for _, q := range tr.records {
			if q.Phase == record.Warmup {
				played[q.Session]++
			}
		}
		if d := cmp.Diff(map[string]int{"s1": 1, "s2": 2, "s3": 3, "s4": 4}, played); d != "" {
			t.Errorf("turns of each warm-up session (-want +got):\n%s", d)
		}
	})
}

func TestOpenLoopBeginsSessionsByItsRate(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := takes(500 * ms)
		tr := newTalkTrial(s, &talks{turns: 3, think: time.Second}).
			run(t.Context(), Level{ID: "r", Rate: 1, Arrival: Constant, Requests: 30})
		if tr.err != nil {
			t.Fatal(tr.err)
		}
		for _, q := range tr.records {
			if at := time.Duration(q.IntendedUS) * time.Microsecond; q.Turn == 1 && at%time.Second != 0 {
				t.Errorf("session %s begins at %v, not on a second", q.Session, at)
			}
			// The first session ends after 3.5 s; those begun before are warm-up to
			// their last turn.
			begun := q.IntendedUS - int64(q.Turn-1)*1_500_000
			if warm := q.Phase == record.Warmup; warm != (begun < 3_500_000) {
				t.Errorf("turn %d of a session begun at %d us is %s", q.Turn, begun, q.Phase)
			}
		}
		if got := tr.result.Requests.Completed; got != 30 {
			t.Errorf("%d measured requests, want 30", got)
		}
	})
}

func TestInterruptEndsSessionsThatThink(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		stop := make(chan struct{})
		time.AfterFunc(10*time.Second, func() { close(stop) })
		tr := newTalkTrial(takes(ms), &talks{turns: 2, think: time.Hour})
		tr.runner.Stop = stop
		tr.run(t.Context(), Level{ID: "c", Concurrency: 3, Requests: 100, Warmup: NoWarmup})
		if tr.result.End > 11*time.Second || tr.result.Requests.Completed != 3 {
			t.Errorf("ended at %v with %+v: waited for users who think", tr.result.End, tr.result.Requests)
		}
	})
}

func TestDialogueHasItsLengths(t *testing.T) {
	d := NewDialogue(
		NewSynthetic(Estimate(), spec.Fixed(100), spec.Fixed(20), Prefixes{}, "run", "a"),
		DialogueOptions{Turns: spec.Fixed(4), Turn: spec.Fixed(30), Think: ThinkTime{Mean: time.Second, Fixed: true}, History: FromRecord})
	rng := rand.New(rand.NewPCG(1, 1))
	p, err := d.Next(rng)
	if err != nil {
		t.Fatal(err)
	}
	session := p.Session
	for turn, want := range []int{100, 100 + 20 + 30, 100 + 2*(20+30), 100 + 3*(20+30)} {
		words := 0
		for _, m := range p.Messages {
			words += len(strings.Fields(m.Content))
		}
		if words != want || p.MaxTokens != 20 {
			t.Errorf("turn %d: %d words for an answer of %d, want %d for 20", turn+1, words, p.MaxTokens, want)
		}
		if turn > 0 && p.Think != time.Second {
			t.Errorf("turn %d: %v of thought", turn+1, p.Think)
		}
		var more bool
		if p, more = session.Next(Answer{}); more != (turn < 3) {
			t.Fatalf("turn %d: more is %t", turn+1, more)
		}
	}
}

// A first session whose user thinks for an hour must not keep an open loop in
// its warm-up for an hour.
func TestOpenLoopSettlesWithoutTheFirstSession(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		tr := newTalkTrial(takes(100*ms), &talks{turns: 2, think: time.Hour}).
			run(t.Context(), Level{ID: "r", Rate: 1, Arrival: Constant, Requests: 30})
		if tr.err != nil {
			t.Fatal(tr.err)
		}
		if got := tr.result.Requests; got.Completed != 30 || got.Warmup != 60 {
			t.Errorf("%+v, want 30 after a minute of warm-up", got)
		}
	})
}

// The limit of open requests holds for later turns too; the session that it
// stops is over, and the arrival is counted.
func TestLaterTurnsAboveTheLimitAreDropped(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newServer(func(n int, _ []byte) (time.Duration, *wire.Error) {
			if n == 0 {
				return 100 * ms, nil
			}
			return 10 * time.Second, nil
		})
		tr := newTalkTrial(s, &talks{turns: 2, think: 500 * ms}).
			run(t.Context(), Level{ID: "r", Rate: 5, Arrival: Constant, Duration: 700 * ms, Warmup: NoWarmup, MaxInFlight: 2})
		// Turn 1 of the first session ends at 0.1 s and its next is due at 0.6 s,
		// when the arrivals at 0.2 and 0.4 s are open.
		if s.highest != 2 || tr.result.Requests.Completed != 3 || tr.result.Dropped != 2 {
			t.Errorf("%d open at once, %+v, %d dropped; want 2, 3 completed, a turn and an arrival dropped", s.highest, tr.result.Requests, tr.result.Dropped)
		}
	})
}

func TestTurnThatCannotBeMadeEndsTheLevel(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		tr := newTalkTrial(takes(ms), &talks{turns: 3})
		tr.runner.Encode = func(p Prompt) ([]byte, error) {
			if p.Turn == 3 {
				return nil, fmt.Errorf("too large")
			}
			return said(p)
		}
		tr.run(t.Context(), Level{ID: "c", Concurrency: 1, Requests: 50, Warmup: NoWarmup})
		if tr.err == nil || !strings.Contains(tr.err.Error(), "too large") || tr.result.Requests.Completed != 2 {
			t.Errorf("error %v after %+v, want one after two turns", tr.err, tr.result.Requests)
		}
	})
}
