package wire

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// Wherever the cut falls, no beginning of the key that tells anything is shown.
func TestNoCutShowsTheBeginningOfTheKey(t *testing.T) {
	const secret = `sk-very/secret"and\more`
	v := newVeil(secret)
	asJSON, _ := json.Marshal(secret)
	for name, form := range map[string]string{
		"plain": secret, "JSON": strings.Trim(string(asJSON), `"`), "quoted": strconv.Quote(secret),
		"in a query": url.QueryEscape(secret), "in a path": url.PathEscape(secret),
	} {
		for _, limit := range []int{maxDetail, maxForeign} {
			for before := limit - 2*len(form); before <= limit; before++ {
				got := v.shown(strings.Repeat("x", before)+form+strings.Repeat("y", limit), maxDetail)
				if strings.Contains(got, "sk-v") {
					t.Fatalf("%s behind %d bytes: shown in %q", name, before, got)
				}
			}
		}
		if got := v.shown(strings.Repeat(form, 2000), maxDetail); strings.Contains(got, "sk-v") {
			t.Errorf("%s again and again: %q", name, got)
		}
	}
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		" a \r\n\tb\x1b[31m ":   "a b [31m",
		"left\u202eright\u200b": "left right",
		"\x1b\x00\n":            "",
		strings.Repeat("é", 99): strings.Repeat("é", 19) + cutMark,
	} {
		if got := oneLine(in, 40); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		got := oneLine(s, 40)
		if len(got) > 40+len(cutMark) || !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Fatalf("%q is shown as %q", s, got)
		}
	})
}

// A long key must not make hiding slow: it is done for each error.
func TestHidingIsQuick(t *testing.T) {
	v := newVeil(strings.Repeat("a", maxKey))
	text := strings.Repeat(strings.Repeat("a", maxKey-1)+"b", 100)
	begin := time.Now()
	for range 10 {
		v.shown(text, maxDetail)
	}
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("ten texts took %s", took)
	}
}

func TestALongKeyIsRefused(t *testing.T) {
	for n, want := range map[int]string{maxKey: "", maxKey + 1: "no more than 8192"} {
		_, err := New(Endpoint{URL: "http://host", Key: NewKey(strings.Repeat("k", n))}, Options{})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("a key of %d bytes: %v", n, err)
		}
	}
}
