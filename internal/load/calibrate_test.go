package load

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/internal/spec"
)

// tokenizers are fakes that count as kinds of real ones do.
var tokenizers = map[string]func(text string) int{
	"a token a word": func(text string) int { return len(strings.Fields(text)) },
	"template and BOS": func(text string) int {
		return 30 + 1 + len(strings.Fields(text))
	},
	"some words split": func(text string) int {
		return 9 + sum(text, func(w string) int { return 1 + hash(w)%7/6 })
	},
	"most words split": func(text string) int {
		return 9 + sum(text, func(w string) int { return 1 + min(1, hash(w)%10) })
	},
	"all words split": func(text string) int {
		return 4 + sum(text, func(w string) int { return 2 + hash(w)%3 })
	},
	"a token a byte": func(text string) int { return 12 + len(text) },
	"the first word costs more": func(text string) int {
		return 10 + len(strings.Fields(text)) + 3
	},
	"repeats merge": func(text string) int {
		n, last := 5, ""
		for _, w := range strings.Fields(text) {
			if w != last {
				n++
			}
			last = w
		}
		return n
	},
	"some pairs merge": func(text string) int {
		n, last := 5, ""
		for _, w := range strings.Fields(text) {
			if hash(last+w)%25 == 0 {
				last = ""
				continue
			}
			n++
			last = w
		}
		return n
	},
}

func sum(text string, cost func(string) int) (n int) {
	for _, w := range strings.Fields(text) {
		n += cost(w)
	}
	return n
}

func hash(s string) int {
	h := fnv.New32a()
	h.Write([]byte(s))
	return int(h.Sum32() >> 8)
}

func counter(count func(string) int) Counter {
	return func(_ context.Context, text string) (int, error) { return count(text), nil }
}

func TestPromptsHaveTheAskedLength(t *testing.T) {
	for name, count := range tokenizers {
		t.Run(name, func(t *testing.T) {
			for _, asked := range []int{16, 40, 128, 1000, 8192, 131072} {
				c, err := Calibrate(t.Context(), counter(count), asked, asked)
				if err != nil {
					t.Fatal(err)
				}
				if c.Counts > maxCounts+4 {
					t.Errorf("%d counts", c.Counts)
				}
				asked = max(asked, c.Overhead+5) // shorter there is none
				rng := rand.New(rand.NewPCG(7, 7))
				total := 0
				const prompts = 20
				for range prompts {
					got := count(c.Text(rng, asked))
					total += got
					// Merges differ from text to text; their mean must be right.
					// Few words' bytes do not make up each number.
					exact := name != "some pairs merge" && (name != "a token a byte" || asked > 40)
					if off := (LengthCheck{asked, got}).Off(); off > Tolerance && exact {
						t.Errorf("%d tokens asked, got %d", asked, got)
					}
				}
				if off := (LengthCheck{asked * prompts, total}).Off(); off > Tolerance && asked > 40 {
					t.Errorf("%d tokens asked, got %d in the mean", asked, total/prompts)
				}
			}
		})
	}
}

func TestCalibrationServesARangeOfLengths(t *testing.T) {
	for name, count := range tokenizers {
		c, err := Calibrate(t.Context(), counter(count), 64, 32768)
		if err != nil {
			t.Fatal(err)
		}
		for _, check := range c.Checks {
			if check.Off() > Tolerance {
				t.Errorf("%s: %d asked, %d counted", name, check.Asked, check.Got)
			}
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for _, asked := range []int{512, 4096} {
			if got := count(c.Text(rng, asked)); (LengthCheck{asked, got}).Off() > Tolerance {
				t.Errorf("%s: %d asked, got %d", name, asked, got)
			}
		}
	}
}

func TestCalibrationAsksLittle(t *testing.T) {
	for name, want := range map[string]int{
		"template and BOS": 4, // the anchor, the vocabulary, the shortest, the longest
		"some words split": 50,
	} {
		c, err := Calibrate(t.Context(), counter(tokenizers[name]), 16, 8192)
		if err != nil {
			t.Fatal(err)
		}
		if c.Counts > want {
			t.Errorf("%s: %d counts, want at most %d", name, c.Counts, want)
		}
	}
}

func TestCalibrationErrors(t *testing.T) {
	refused := errors.New("this model's maximum context length is 8192 tokens")
	_, err := Calibrate(t.Context(), func(_ context.Context, text string) (int, error) {
		n := len(strings.Fields(text))
		if n > 8192 {
			return 0, refused
		}
		return n, nil
	}, 16, 10_000)
	if !errors.Is(err, refused) {
		t.Errorf("got %v, want the server's refusal", err)
	}
	for name, count := range map[string]func(string) int{
		"always 0": func(string) int { return 0 },
		"always 7": func(string) int { return 7 },
	} {
		if _, err := Calibrate(t.Context(), counter(count), 16, 100); err == nil {
			t.Errorf("a count that is %s was believed", name)
		}
	}
}

func TestEstimateSaysSo(t *testing.T) {
	c := Estimate()
	if !c.Estimated {
		t.Error("not marked")
	}
	if got := len(strings.Fields(c.Text(rand.New(rand.NewPCG(1, 1)), 100))); got != 100 {
		t.Errorf("%d words for 100 tokens", got)
	}
}

func TestVocabulary(t *testing.T) {
	if len(vocabulary) < 4*enoughWords {
		t.Errorf("%d words: too few", len(vocabulary))
	}
	for _, w := range vocabulary {
		if strings.ToLower(w) != w || len(w) > 13 {
			t.Errorf("%q is not a common lower-case word", w)
		}
	}
}

func draw(s Source, seed uint64, n int) (prompts []Prompt) {
	rng := rand.New(rand.NewPCG(seed, promptStream))
	for range n {
		p, err := s.Next(rng)
		if err != nil {
			panic(err)
		}
		prompts = append(prompts, p)
	}
	return prompts
}

func TestSyntheticIsUniqueButItsLengthsRepeat(t *testing.T) {
	lengths := spec.Lengths{Mean: 60, Stddev: 20, Min: 20, Max: 100}
	source := func(nonce, level string) Source {
		return NewSynthetic(Estimate(), lengths, lengths, Prefixes{}, nonce, level)
	}
	sets := [][]Prompt{
		draw(source("run 1", "a"), 42, 300),
		draw(source("run 2", "a"), 42, 300),
		draw(source("run 1", "b"), 42, 300),
	}
	seen := map[string]string{}
	for i, set := range sets {
		for j, p := range set {
			if p.Tokens != sets[0][j].Tokens || p.MaxTokens != sets[0][j].MaxTokens {
				t.Fatalf("lengths of prompt %d differ between runs of one seed", j)
			}
			if got := len(strings.Fields(p.Text)); got != p.Tokens {
				t.Fatalf("prompt of %d words, want %d", got, p.Tokens)
			}
			block := strings.Join(strings.Fields(p.Text)[:8], " ")
			here := fmt.Sprintf("prompt %d of set %d", j, i)
			if other, ok := seen[block]; ok {
				t.Errorf("%s begins as %s", here, other)
			}
			seen[block] = here
		}
	}
	if again := draw(source("run 1", "a"), 42, 1); again[0].Text != sets[0][0].Text {
		t.Error("the same nonce, level and seed give another text")
	}
}

func TestSharedPrefix(t *testing.T) {
	count := tokenizers["template and BOS"]
	c, err := Calibrate(t.Context(), counter(count), 16, 1000)
	if err != nil {
		t.Fatal(err)
	}
	const shared = 200
	s := NewSynthetic(c, spec.Fixed(300), spec.Fixed(8), Prefixes{Tokens: shared}, "run", "a")
	prompts := draw(s, 1, 20)
	prefix := prompts[0].Text
	for _, p := range prompts {
		if got := count(p.Text); got != 300 {
			t.Errorf("prompt of %d tokens, want 300", got)
		}
		for !strings.HasPrefix(p.Text, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	if got := count(prefix); got < shared || got > shared+2 {
		t.Errorf("%d tokens are shared, want %d", got, shared)
	}
	short := NewSynthetic(c, spec.Fixed(100), spec.Fixed(8), Prefixes{Tokens: shared}, "run", "b")
	if p := draw(short, 1, 1)[0]; count(p.Text) != 100 || strings.HasPrefix(prefix, p.Text) {
		t.Error("a prompt shorter than the shared prefix must have its own length and words")
	}
}

func BenchmarkSyntheticPrompt(b *testing.B) {
	s := NewSynthetic(Estimate(), spec.Fixed(256), spec.Fixed(8), Prefixes{}, "run", "a")
	rng := rand.New(rand.NewPCG(1, 1))
	b.ReportAllocs()
	for b.Loop() {
		s.Next(rng)
	}
}
