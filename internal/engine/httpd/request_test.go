package httpd

import (
	"strings"
	"testing"
)

func FuzzParse(f *testing.F) {
	for _, body := range []string{
		`{` + hello + `,"stream":true,"max_tokens":4,"stop":["a","b"],"stream_options":{"include_usage":true}}`,
		`{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url"}]}],"n":2,"logit_bias":{"1":100}}`,
		`{"prompt":["a","b"],"min_tokens":2,"seed":-1,"stop":"x"}`,
		`{"prompt":[1,2,3]}`, `{"prompt":[[1],[2,3]]}`, `{"prompt":{}}`, `{"prompt":[1e9]}`,
		`{"messages":[null]}`, `{"messages":[{"content":5}]}`, `{"n":1e99}`, `[]`, `null`, `{`, ``,
	} {
		f.Add([]byte(body), true)
		f.Add([]byte(body), false)
	}
	tok := newTokenizer(128256)
	const limit = 64
	f.Fuzz(func(t *testing.T, body []byte, chat bool) {
		c, bad := parse(body, chat)
		if bad == nil {
			bad = c.check(limit)
		}
		var prompts [][]uint32
		var text bool
		if bad == nil {
			prompts, text, bad = c.prompts(tok)
		}
		for _, p := range prompts {
			if bad == nil {
				bad = fits(p, text, limit)
			}
		}
		if bad != nil {
			if bad.status < 400 || bad.status > 499 || bad.Message == "" || bad.Code != bad.status {
				t.Fatalf("refusal %+v", bad)
			}
			return
		}
		for _, p := range prompts {
			if len(p) < 1 || len(p) >= limit {
				t.Fatalf("a prompt of %d tokens passes a limit of %d", len(p), limit)
			}
			for _, id := range p {
				if id >= tok.vocab {
					t.Fatalf("token %d is out of vocabulary", id)
				}
			}
		}
		if l := c.limit(); l != nil && (*l < 1 || *l > limit) {
			t.Fatalf("max_tokens %d passes", *l)
		}
	})
}

func FuzzPieces(f *testing.F) {
	for _, text := range []string{"Hello, world", "  a\n\n b 12345 extraordinary", "naïve 日本\xff", " ", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var all strings.Builder
		for p := range pieces(text) {
			if p == "" {
				t.Fatal("an empty piece")
			}
			all.WriteString(p)
		}
		if all.String() != text {
			t.Fatalf("pieces of %q make %q", text, all.String())
		}
	})
}

func TestPieces(t *testing.T) {
	for text, want := range map[string]string{
		"Hello world":             "Hello| world",
		"a castle":                "a| castle",
		"extraordinary words":     "extrao|rdin|ary| words",
		" extraordinary":          " extrao|rdin|ary",
		"12345":                   "123|45",
		"one, two":                "one|,| two",
		"a  b":                    "a|  |b",
		"line\n\n next":           "line|\n\n |next",
		"é":                       "é",
		"the engine's vocabulary": "the| engine|'|s| vocabu|lary",
	} {
		var got []string
		for p := range pieces(text) {
			got = append(got, p)
		}
		if g := strings.Join(got, "|"); g != want {
			t.Errorf("%q is cut %q, want %q", text, g, want)
		}
	}
}

func TestWordsAreOneTokenEach(t *testing.T) {
	tok := newTokenizer(128256)
	for i, w := range words {
		ids := tok.encode(nil, w)
		if len(ids) != 1 || ids[0] != wordIDs[w] || wordOf(ids[0]) != w {
			t.Errorf("word %d, %q, is read as %v", i, w, ids)
		}
	}
	if got := tok.encode(nil, strings.Join(words, "")); len(got) != len(words) {
		t.Errorf("%d words in a row are %d tokens", len(words), len(got))
	}
}
