package load

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"assay/internal/record"
	"assay/internal/spec"
)

// row is a line in Mooncake's form.
func mooncakeRow(ms, in, out int, ids ...int) string {
	hash := strings.ReplaceAll(fmt.Sprint(ids), " ", ",")
	return fmt.Sprintf(`{"timestamp":%d,"input_length":%d,"output_length":%d,"hash_ids":%s}`+"\n", ms, in, out, hash)
}

func openTrace(t testing.TB, content string, o DatasetOptions) *Dataset {
	t.Helper()
	d, err := OpenDataset(write(t, "trace.jsonl", content), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	d.WriteWith(Estimate(), "run", "level")
	return d
}

func TestReplaySendsWhenTheTraceSays(t *testing.T) {
	// Out of order, as files are that were written when requests ended; the
	// first is not at 0.
	content := mooncakeRow(4000, 10, 1, 1) + mooncakeRow(1000, 20, 2, 2) + mooncakeRow(4000, 30, 3, 3) + mooncakeRow(10_000, 40, 4, 4)
	for _, c := range []struct {
		name  string
		level Level
		want  []time.Duration
	}{
		{"as recorded", Level{}, []time.Duration{0, 3000 * ms, 3000 * ms, 9000 * ms}},
		{"twice as fast", Level{Speed: 2}, []time.Duration{0, 1500 * ms, 1500 * ms, 4500 * ms}},
		{"by number", Level{Requests: 2}, []time.Duration{0, 3000 * ms}},
		{"by time", Level{Duration: 5 * time.Second}, []time.Duration{0, 3000 * ms, 3000 * ms}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := openTrace(t, content, DatasetOptions{Replay: true})
			inBubble(t, func(t *testing.T) {
				s := takes(20 * time.Second) // an open loop waits for nothing
				tr := newTrial(s)
				tr.runner.Source = d
				c.level.ID, c.level.Replay, c.level.Once, c.level.Warmup = "r", true, true, NoWarmup
				tr.run(t.Context(), c.level)
				if tr.err != nil {
					t.Fatal(tr.err)
				}
				if diff := cmp.Diff(c.want, s.openings); diff != "" {
					t.Errorf("sent at (-want +got):\n%s", diff)
				}
				whole := c.level.Requests == 0 && c.level.Duration == 0
				if tr.result.Requests.Completed != len(c.want) || tr.result.SourceEnded != whole || tr.result.CutBy != "" {
					t.Errorf("result %+v", tr.result)
				}
				asked := []int{20, 10, 30, 40}
				slices.SortFunc(tr.records, func(a, b record.Request) int { return a.Seq - b.Seq })
				for i, q := range tr.records {
					if q.AskedPrompt != asked[i] {
						t.Errorf("request %d asked for %d tokens, want %d: rows out of order", i, q.AskedPrompt, asked[i])
					}
				}
			})
		})
	}
}

func TestReplayDropsWhatItMayNotSend(t *testing.T) {
	content := ""
	for i := range 10 {
		content += mooncakeRow(i*100, 10, 1, i)
	}
	d := openTrace(t, content, DatasetOptions{Replay: true})
	inBubble(t, func(t *testing.T) {
		s := takes(250 * ms)
		tr := newTrial(s)
		tr.runner.Source = d
		tr.run(t.Context(), Level{ID: "r", Replay: true, Once: true, Warmup: NoWarmup, MaxInFlight: 1})
		if got := tr.result.Requests.Completed; got != 4 || tr.result.Dropped != 6 {
			t.Errorf("%d sent and %d dropped of 10, want 4 and 6: each row is sent at its own time or not at all", got, tr.result.Dropped)
		}
	})
}

func TestRowsThatCannotBeReplayed(t *testing.T) {
	for name, c := range map[string]struct{ content, want string }{
		"without a time": {`{"prompt":"a"}`, "--replay lengths"},
		"own clock": {`{"id":"c","block_size":64,"requests":[{"t":0,"type":"n","in":10,"out":2,"hash_ids":[]},{"t":5,"type":"n","in":20,"out":2,"hash_ids":[]}]}`,
			"--sessions"},
	} {
		_, err := openTrace(t, c.content, DatasetOptions{Replay: true, Output: spec.Fixed(1)}).Next(rand.New(rand.NewPCG(1, 1)))
		if err == nil || errors.Is(err, io.EOF) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "trace.jsonl") {
			t.Errorf("%s: error %v, want one with its place and %q", name, err, c.want)
		}
	}
}

// A trace whose clock ticks every three seconds sends in bursts that nobody
// recorded; spread, each request stays within its tick.
func TestSpreadStaysWithinTheTick(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ticks := rapid.SliceOfN(rapid.IntRange(0, 3), 1, 200).Draw(rt, "ticks")
		content, at := "", 0
		var want []int
		for i, step := range ticks {
			if i > 0 {
				at += step
			}
			want = append(want, at)
			content += mooncakeRow(at*3000, 10, 1, i)
		}
		tick := time.Duration(0)
		for _, step := range ticks[1:] {
			if gap := time.Duration(step) * 3 * time.Second; gap > 0 && (tick == 0 || gap < tick) {
				tick = gap
			}
		}
		d := openTrace(t, content, DatasetOptions{Replay: true, Spread: true})
		rng := rand.New(rand.NewPCG(5, 5))
		last := time.Duration(0)
		for i := range want {
			p, err := d.Next(rng)
			if err != nil {
				t.Fatal(err)
			}
			from := time.Duration(want[i]) * 3 * time.Second
			// Before the smallest gap is known, a tick may be taken for longer.
			if p.At < from || p.At < last || p.At > from+9*time.Second || tick == 0 && p.At != from {
				t.Fatalf("row %d of tick %v is due at %v after %v", i, from, p.At, last)
			}
			last = p.At
		}
		if _, err := d.Next(rng); !errors.Is(err, io.EOF) {
			t.Errorf("after the last row: %v, want io.EOF", err)
		}
	})
}

// A tick of more rows than are read ahead is spread forward, not twice.
func TestSpreadOfAFullTickGoesForward(t *testing.T) {
	content := mooncakeRow(0, 10, 1, 0) + mooncakeRow(3000, 10, 1, 1)
	for i := range lookAheadRows + 1000 {
		content += mooncakeRow(6000, 10, 1, i)
	}
	d := openTrace(t, content+mooncakeRow(9000, 10, 1, 2), DatasetOptions{Replay: true, Spread: true})
	rng := rand.New(rand.NewPCG(5, 5))
	last := time.Duration(0)
	for i := range lookAheadRows + 1002 {
		p, err := d.Next(rng)
		if err != nil {
			t.Fatal(err)
		}
		if p.At < last || p.At >= 9*time.Second {
			t.Fatalf("row %d is due at %v after %v", i, p.At, last)
		}
		last = p.At
	}
}

// Equal ids are equal words from the start on; what has no id is unlike.
func TestBlocksBecomeEqualPrefixes(t *testing.T) {
	words := func(p Prompt) []string { return strings.Fields(p.Text) }
	shared := func(a, b []string) int {
		n := 0
		for n < min(len(a), len(b)) && a[n] == b[n] {
			n++
		}
		return n
	}
	t.Run("the last block is partial", func(t *testing.T) {
		d := openTrace(t, mooncakeRow(0, 1100, 5, 7, 8, 9)+mooncakeRow(1, 1300, 5, 7, 8, 10)+mooncakeRow(2, 1100, 5, 7, 8, 9)+mooncakeRow(3, 600, 5, 11, 12), DatasetOptions{})
		got, err := read(d, 4)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []int{1100, 1300, 1100, 600} {
			if n := len(words(got[i])); n != want || got[i].Tokens != want || got[i].MaxTokens != 5 || got[i].MinTokens != 5 {
				t.Errorf("row %d: %d words for %d tokens asked and answers of %d-%d, want %d", i, n, got[i].Tokens, got[i].MinTokens, got[i].MaxTokens, want)
			}
		}
		if n := shared(words(got[0]), words(got[1])); n < 1024 || n > 1024+templateEnd {
			t.Errorf("two common blocks are %d common tokens, want 1024 or just above", n)
		}
		if got[0].Text != got[2].Text {
			t.Error("rows with the same ids and length differ")
		}
		if n := shared(words(got[0]), words(got[3])); n > 2 {
			t.Errorf("%d common tokens without a common block", n)
		}
	})
	t.Run("the rest has no id", func(t *testing.T) {
		row := `{"id":%q,"block_size":64,"requests":[{"t":0,"type":"n","in":100,"out":2,"hash_ids":[1]},{"t":5,"type":"n","in":228,"out":2,"hash_ids":[1,2,3]}]}` + "\n"
		d := openTrace(t, fmt.Sprintf(row, "a")+fmt.Sprintf(row, "b"), DatasetOptions{})
		got, err := read(d, 4)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(words(got[0])); n != 100 {
			t.Errorf("%d words, want 100", n)
		}
		if n := shared(words(got[0]), words(got[1])); n < 64 || n > 64+templateEnd {
			t.Errorf("one common block of 64 and private rests are %d common tokens", n)
		}
		if n := shared(words(got[0]), words(got[2])); n > 2 {
			t.Errorf("conversations with ids of their own share %d tokens", n)
		}
	})
	t.Run("a template with an end", func(t *testing.T) {
		d := openTrace(t, mooncakeRow(0, 1100, 5, 7, 8)+mooncakeRow(1, 1100, 5, 7, 9), DatasetOptions{})
		chat := Estimate()
		chat.Overhead = 20 // 15 before the prompt, with its first word, and 5 after it
		d.WriteWith(chat, "run", "level")
		got, err := read(d, 2)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(words(got[0])) - 1 + chat.Overhead; n != 1100 {
			t.Errorf("%d tokens with the template, want 1100", n)
		}
		if n := 15 + shared(words(got[0]), words(got[1])) - 1; n/16 != 512/16 {
			t.Errorf("a common block of 512 is %d common tokens: %d whole blocks of 16, want 32", n, n/16)
		}
	})
	t.Run("another level", func(t *testing.T) {
		content := mooncakeRow(0, 600, 5, 7, 8)
		a, b := openTrace(t, content, DatasetOptions{}), openTrace(t, content, DatasetOptions{})
		b.WriteWith(Estimate(), "run", "another")
		one, _ := read(a, 1)
		two, _ := read(b, 1)
		if n := shared(words(one[0]), words(two[0])); n > 2 {
			t.Errorf("two levels share %d tokens: the first has filled the cache of the second", n)
		}
	})
}

func TestRowsLeftOutAreCounted(t *testing.T) {
	t.Run("too long", func(t *testing.T) {
		d := openTrace(t, mooncakeRow(0, 900, 100, 1, 2)+mooncakeRow(1, 901, 100, 3, 4)+mooncakeRow(2, 10, 1, 5), DatasetOptions{Context: 1000})
		got, err := read(d, 2)
		if err != nil || got[0].Tokens != 900 || got[1].Tokens != 10 {
			t.Errorf("got %v, error %v", got, err)
		}
		if d.LeftOut() != (LeftOut{TooLong: 1}) {
			t.Errorf("left out %+v", d.LeftOut())
		}
	})
	t.Run("all too long", func(t *testing.T) {
		_, err := read(openTrace(t, mooncakeRow(0, 900, 100, 1, 2), DatasetOptions{Context: 10}), 1)
		if err == nil || !strings.Contains(err.Error(), "1 longer than the model's context") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("failed when recorded", func(t *testing.T) {
		content := "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,10,20,30,API log\n6,ChatGPT,10,0,10,API log\n8,ChatGPT,11,21,32,API log\n"
		d := openTrace(t, content, DatasetOptions{Replay: true})
		got, err := read(d, 3)
		if !errors.Is(err, io.EOF) || len(got) != 2 || got[1].At != 3*time.Second || got[1].MaxTokens != 21 {
			t.Errorf("got %v, error %v", got, err)
		}
		if d.LeftOut() != (LeftOut{Failed: 1}) {
			t.Errorf("left out %+v", d.LeftOut())
		}
	})
	t.Run("turns without a time and a first", func(t *testing.T) {
		content := `{"timestamp":0,"session_id":"a","input_length":900,"output_length":5}` + "\n" +
			`{"delay":10,"session_id":"a","input_length":10,"output_length":5}` + "\n" +
			`{"timestamp":7,"session_id":"b","input_length":11,"output_length":5}` + "\n"
		d := openTrace(t, content, DatasetOptions{Replay: true, Sessions: true, Context: 100})
		got, err := read(d, 2)
		if !errors.Is(err, io.EOF) || len(got) != 1 || got[0].MaxTokens != 5 {
			t.Errorf("got %v, error %v, want session b alone", got, err)
		}
		if d.LeftOut() != (LeftOut{TooLong: 1, Orphaned: 1}) {
			t.Errorf("left out %+v", d.LeftOut())
		}
	})
	t.Run("later turns without sessions", func(t *testing.T) {
		d := openTrace(t, `{"conversations":[{"from":"human","value":"a"},{"from":"gpt","value":"x"},{"from":"human","value":"b"}]}`, DatasetOptions{})
		if _, err := read(d, 2); err != nil {
			t.Fatal(err)
		}
		if d.LeftOut() != (LeftOut{Continued: 1}) {
			t.Errorf("left out %+v", d.LeftOut())
		}
	})
}

// talk plays a session without a server, each turn answered with a letter.
func talk(p Prompt) (turns []string, thoughts []time.Duration) {
	for n := 0; ; n++ {
		var words []string
		for _, m := range p.Messages {
			words = append(words, m.Content)
		}
		turns, thoughts = append(turns, strings.Join(words, " ")), append(thoughts, p.Think)
		var ok bool
		if p, ok = next(p, turns, string(rune('A'+n))); !ok {
			return turns, thoughts
		}
	}
}

var sessionOf = map[string]Session{}

func next(p Prompt, _ []string, answer string) (Prompt, bool) {
	if p.Session != nil {
		sessionOf[p.SessionID] = p.Session
	}
	return sessionOf[p.SessionID].Next(Answer{Text: answer})
}

func TestConversationsOfAFile(t *testing.T) {
	shareGPT := `[{"conversations":[{"from":"human","value":"q1"},{"from":"gpt","value":"r1"},{"from":"human","value":"q2"},{"from":"gpt","value":"r2"}]},
		{"conversations":[{"from":"human","value":"only"}]}]`
	multi := `{"session_id":"a","turns":[{"text":"q1"},{"text":"q2","delay":1500}]}` + "\n"
	for _, c := range []struct {
		name, content string
		options       DatasetOptions
		want          []string
		thoughts      []time.Duration
	}{
		{"answers of the server", shareGPT, DatasetOptions{}, []string{"q1", "q1 A q2"}, []time.Duration{0, 0}},
		{"answers of the file", shareGPT, DatasetOptions{History: FromRecord}, []string{"q1", "q1 r1 q2"}, []time.Duration{0, 0}},
		{"think time of the user", shareGPT, DatasetOptions{Think: ThinkTime{Mean: time.Second, Fixed: true}}, []string{"q1", "q1 A q2"}, []time.Duration{0, time.Second}},
		{"think time of the file", multi, DatasetOptions{Think: ThinkTime{Mean: time.Second, Fixed: true}}, []string{"q1", "q1 A q2"}, []time.Duration{0, 1500 * ms}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.options.Sessions = true
			got, err := read(openTrace(t, c.content, c.options), 1)
			if err != nil {
				t.Fatal(err)
			}
			turns, thoughts := talk(got[0])
			if diff := cmp.Diff(c.want, turns); diff != "" {
				t.Errorf("turns (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.thoughts, thoughts); diff != "" {
				t.Errorf("think times (-want +got):\n%s", diff)
			}
		})
	}
}

// A trace of lengths says how long the whole prompt was at each turn: what is
// beyond the turns before it is new.
func TestConversationsOfLengthsGrow(t *testing.T) {
	content := "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n" +
		"1,7,2,GPT-4,100,20,120,Conversation log\n2,8,1,GPT-4,50,5,55,Conversation log\n9,7,2,GPT-4,150,30,180,Conversation log\n"
	d := openTrace(t, content, DatasetOptions{Sessions: true, History: FromRecord})
	got, err := read(d, 2)
	if err != nil {
		t.Fatal(err)
	}
	turns, thoughts := talk(got[0])
	if len(turns) != 2 || !strings.HasPrefix(turns[1], turns[0]+" ") {
		t.Fatalf("session 7 has %d turns of which the second does not begin with the first", len(turns))
	}
	if a, b := len(strings.Fields(turns[0])), len(strings.Fields(turns[1])); a != 100 || b != 150 {
		t.Errorf("prompts of %d and %d tokens, want 100 and 150", a, b)
	}
	if thoughts[1] != 6*time.Second {
		t.Errorf("%v of thought; the second turn came at 9 s, and the first's answer had ended at 3 s", thoughts[1])
	}
	if turns, _ := talk(got[1]); len(turns) != 1 {
		t.Errorf("session 8 has %d turns, want 1", len(turns))
	}
}

func FuzzReplay(f *testing.F) {
	f.Add(mooncakeRow(0, 1100, 5, 7, 8, 9)+mooncakeRow(3000, 10, 1, 7), true, false)
	f.Add(`{"session_id":"a","turns":[{"text":"q1"},{"text":"q2","delay":1500}]}`, false, true)
	f.Add("Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n1,7,2,GPT-4,100,20,120,Conversation log\n", true, true)
	f.Fuzz(func(t *testing.T, content string, replay, sessions bool) {
		d, err := OpenDataset(write(t, "data", content), DatasetOptions{Replay: replay, Spread: replay, Sessions: sessions, Output: spec.Fixed(4), Context: 2000})
		if err != nil {
			return
		}
		defer d.Close()
		d.WriteWith(Estimate(), "run", "fuzz")
		rng := rand.New(rand.NewPCG(1, 1))
		last := time.Duration(0)
		for range 20 {
			p, err := d.Next(rng)
			if err != nil {
				return
			}
			if replay && p.At < last {
				t.Fatalf("due at %v after %v", p.At, last)
			}
			last = p.At
			for turns := 1; p.Session != nil; turns++ {
				session := p.Session
				if p.Turns != session.Turns() || turns > p.Turns {
					t.Fatalf("turn %d of %d", turns, p.Turns)
				}
				var ok bool
				if p, ok = session.Next(Answer{}); !ok {
					break
				}
				p.Session = session
			}
		}
	})
}
