package load

import (
	"bytes"
	"encoding/base64"
	"image"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/internal/spec"
)

func TestMixDrawsModelsByWeight(t *testing.T) {
	const n = 10_000
	m := NewMix(&fixed{maxTokens: 1}, []spec.ModelShare{{Model: "base", Weight: 0.5}, {Model: "lora-a", Weight: 0.3}, {Model: "lora-b", Weight: 0.2}})
	got := map[string]float64{}
	rng := rand.New(rand.NewPCG(7, 7))
	for range n {
		p, err := m.Next(rng)
		if err != nil {
			t.Fatal(err)
		}
		got[p.Model]++
	}
	for _, s := range m.models {
		// Five standard deviations of a binomial share.
		if share, most := got[s.Model]/n, 5*math.Sqrt(s.Weight*(1-s.Weight)/n); math.Abs(share-s.Weight) > most {
			t.Errorf("%s was drawn in %.3f, want %.3f within %.3f", s.Model, share, s.Weight, most)
		}
	}
}

func TestSessionKeepsItsModel(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		tr := newTalkTrial(takes(ms), NewMix(&talks{turns: 3}, []spec.ModelShare{{Model: "a", Weight: 1}, {Model: "b", Weight: 1}})).
			run(t.Context(), Level{ID: "c", Concurrency: 2, Requests: 90, Warmup: NoWarmup})
		models, seen := map[string]string{}, map[string]bool{}
		for _, q := range tr.records {
			if was := models[q.Session]; was != "" && was != q.Model {
				t.Errorf("session %s asked %s and then %s", q.Session, was, q.Model)
			}
			models[q.Session], seen[q.Model] = q.Model, true
		}
		if len(seen) != 2 {
			t.Errorf("asked for %v, want a and b", seen)
		}
	})
}

func TestImagesAreWhatWasAskedAndUnlike(t *testing.T) {
	none := 0
	for _, c := range []struct {
		name    string
		options ImageOptions
		count   *int
		want    int
	}{
		{"png", ImageOptions{Count: 2, Width: 100, Height: 60, Format: PNG}, nil, 2},
		{"jpeg", ImageOptions{Count: 1, Width: 33, Height: 7, Format: JPEG}, nil, 1},
		{"as the trace says", ImageOptions{Count: 2, Width: 8, Height: 8, Format: PNG}, &none, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen := map[string]bool{}
			source := NewIllustrated(counted{c.count}, c.options, "run", "a")
			for range 3 {
				p, err := source.Next(nil)
				if err != nil {
					t.Fatal(err)
				}
				if len(p.Images) != c.want {
					t.Fatalf("%d images, want %d", len(p.Images), c.want)
				}
				for _, url := range p.Images {
					if seen[url] {
						t.Error("two images are alike: an encoder's cache may serve the second")
					}
					seen[url] = true
					checkImage(t, url, c.options)
				}
			}
		})
	}
}

type counted struct{ images *int }

func (c counted) Next(*rand.Rand) (Prompt, error) { return Prompt{ImageCount: c.images}, nil }

func checkImage(t *testing.T, url string, o ImageOptions) {
	t.Helper()
	data, ok := strings.CutPrefix(url, "data:image/"+o.Format+";base64,")
	if !ok {
		t.Fatalf("the URL begins %.30q", url)
	}
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		t.Fatal(err)
	}
	config, format, err := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil || format != o.Format || config.Width != o.Width || config.Height != o.Height {
		t.Errorf("%s of %dx%d (%v), want %s of %dx%d", format, config.Width, config.Height, err, o.Format, o.Width, o.Height)
	}
}

func TestPrefixGroupsAreDrawnBySkew(t *testing.T) {
	const n = 6000
	for _, c := range []struct {
		skew float64
		want []float64
	}{
		{0, []float64{1. / 3, 1. / 3, 1. / 3}},
		{1, []float64{6. / 11, 3. / 11, 2. / 11}},
	} {
		s := NewSynthetic(Estimate(), spec.Fixed(80), spec.Fixed(8), Prefixes{Tokens: 64, Groups: 3, Skew: c.skew}, "run", "a")
		rng := rand.New(rand.NewPCG(3, 3))
		got := map[string]float64{}
		rest := map[string]bool{}
		for range n {
			p, err := s.Next(rng)
			if err != nil {
				t.Fatal(err)
			}
			words := strings.Fields(p.Text)
			if len(words) != 80 {
				t.Fatalf("%d words, want 80", len(words))
			}
			got[strings.Join(words[:64], " ")]++
			rest[strings.Join(words[64:], " ")] = true
		}
		if len(got) != 3 || len(rest) != n {
			t.Errorf("skew %g: %d prefixes and %d remainders, want 3 and %d", c.skew, len(got), len(rest), n)
		}
		for g, prefix := range s.prefixes {
			if share := got[prefix] / n; math.Abs(share-c.want[g]) > 0.04 {
				t.Errorf("skew %g: group %d was drawn in %.3f, want %.3f", c.skew, g, share, c.want[g])
			}
		}
	}
}

func TestImagesAreNotAddedToABody(t *testing.T) {
	d := openTrace(t, `{"messages":[{"role":"user","content":"q"}]}`, DatasetOptions{API: "chat"})
	if _, err := NewIllustrated(d, ImageOptions{Count: 1, Width: 8, Height: 8}, "run", "a").Next(rand.New(rand.NewPCG(1, 1))); err == nil {
		t.Error("images were dropped without a word")
	}
}
