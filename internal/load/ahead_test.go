package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// epics is a Source of sessions whose later turn is a text of 10 MB.
type epics struct{ text string }

func (e epics) Next(*rand.Rand) (Prompt, error) {
	return NewChat("s", []Turn{{Prompt: Prompt{Text: "q"}}, {Prompt: Prompt{Text: e.text}, Continues: true}}, Answered), nil
}

// What sessions hold counts among what is ready ahead, not only their first turn.
func TestSessionsAheadAreBoundedByTheirBytes(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		f := newFeed(&Runner{Source: epics{strings.Repeat("x", 10<<20)}, Encode: said}, Level{ID: "c", Concurrency: 100, Requests: 1})
		f.fill(ctx, &wg)
		synctest.Wait()
		if n := len(f.items); n < 2 || n > maxAheadBytes/(10<<20)+1 {
			t.Errorf("%d sessions of 10 MiB are ready", n)
		}
		cancel()
		wg.Wait()
	})
}

// An agent's conversation of many long prompts is written turn by turn, with the
// lengths and blocks that it has.
func TestLongSessionsAreWrittenTurnByTurn(t *testing.T) {
	var requests, ids []string
	const turns, step = 30, 1024
	for i := range turns {
		for range step / 64 {
			ids = append(ids, fmt.Sprint(len(ids)+1))
		}
		requests = append(requests, fmt.Sprintf(`{"t":%d,"type":"n","in":%d,"out":2,"hash_ids":[%s]}`, i, (i+1)*step+10, strings.Join(ids, ",")))
	}
	content := `{"id":"c","block_size":64,"requests":[` + strings.Join(requests, ",") + "]}"
	got, err := read(openTrace(t, content, DatasetOptions{Sessions: true}), 1)
	if err != nil {
		t.Fatal(err)
	}
	if n := got[0].Session.Bytes(); n > turns*(500+8*len(ids)) {
		t.Errorf("%d bytes are held for turns to come", n)
	}
	all, _ := talk(got[0])
	if len(all) != turns {
		t.Fatalf("%d turns, want %d", len(all), turns)
	}
	for i := range all {
		words := strings.Fields(all[i])
		if len(words) != (i+1)*step+10 {
			t.Errorf("turn %d: %d words, want %d", i+1, len(words), (i+1)*step+10)
		}
		if i == 0 {
			continue
		}
		before, same := strings.Fields(all[i-1]), 0
		for same < len(before) && before[same] == words[same] {
			same++
		}
		if same < i*step || same > i*step+2 {
			t.Errorf("turn %d shares %d words with the one before, want its blocks of %d", i+1, same, i*step)
		}
	}
}

// slow is a Source that needs a second for each of its first prompts, as one that
// reads far ahead in a file does.
type slow struct{ fixed }

func (s *slow) Next(rng *rand.Rand) (Prompt, error) {
	if s.n < 10 {
		time.Sleep(time.Second)
	}
	return s.fixed.Next(rng)
}

// The schedule begins when prompts are ready: what it takes to make the first
// ones is no lateness of theirs.
func TestOpenLoopBeginsWithPromptsAtHand(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		tr := newTrial(takes(ms))
		tr.runner.Source = &slow{}
		tr.run(t.Context(), Level{ID: "r", Rate: 100, Arrival: Constant, Requests: 40, Warmup: NoWarmup})
		if tr.err != nil || len(tr.records) != 40 {
			t.Fatalf("%d requests, error %v", len(tr.records), tr.err)
		}
		for _, q := range tr.records {
			if q.SentUS != q.IntendedUS {
				t.Errorf("request %d left %d us late", q.Seq, q.SentUS-q.IntendedUS)
			}
		}
	})
}

// A source that ends, or an interrupt, ends the wait too.
func TestOpenLoopDoesNotWaitForPromptsInVain(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		tr := newTrial(takes(ms))
		tr.runner.Source = &fixed{failAt: 3}
		tr.run(t.Context(), Level{ID: "r", Rate: 100, Arrival: Constant, Requests: 40, Warmup: NoWarmup})
		if tr.err == nil || tr.result.Requests.Completed != 2 {
			t.Errorf("%+v, error %v; want two requests and the source's error", tr.result.Requests, tr.err)
		}
		stop := make(chan struct{})
		time.AfterFunc(1500*ms, func() { close(stop) })
		tr = newTrial(takes(ms))
		tr.runner.Source, tr.runner.Stop = &slow{}, stop
		tr.run(t.Context(), Level{ID: "r", Rate: 100, Arrival: Constant, Requests: 40, Warmup: NoWarmup})
		if tr.result.CutBy != CutInterrupt || len(tr.records) != 0 {
			t.Errorf("interrupted while prompts are made: %+v", tr.result)
		}
	})
}
