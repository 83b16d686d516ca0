package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of foreign words, bytes.
const (
	maxDetail = 300 // of an error
	maxName   = 200 // of a model, a version, an address
	maxKind   = 100 // of a content type or encoding
	// maxForeign is how much of a text is looked at. It is less than what is
	// read of an answer, so that any text that was cut is cut here again.
	maxForeign = 32 << 10
)

// cutMark stands where words were cut off.
const cutMark = "…"

// veil makes foreign words fit to leave the package: some servers echo the
// secrets that they refuse, as they are or escaped.
type veil struct {
	forms   []string // of the secrets, the longest first
	longest int
}

func newVeil(secrets ...string) veil {
	var v veil
	for _, s := range secrets {
		v.forms = append(v.forms, formsOf(s)...)
	}
	v.order()
	return v
}

// over hides what either hides.
func (v veil) over(o veil) veil {
	both := veil{forms: slices.Concat(v.forms, o.forms)}
	both.order()
	return both
}

func (v *veil) order() {
	slices.SortFunc(v.forms, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	v.forms = slices.Compact(v.forms)
	if len(v.forms) > 0 {
		v.longest = len(v.forms[0])
	}
}

// formsOf is a secret as it is and as texts, URLs and Go write it; "" is none.
func formsOf(secret string) []string {
	if secret == "" {
		return nil
	}
	asJSON, _ := json.Marshal(secret) // a string always encodes
	plain := string(asJSON[1 : len(asJSON)-1])
	quoted := strconv.Quote(secret)
	return []string{
		secret, plain, strings.ReplaceAll(plain, "/", `\/`), quoted[1 : len(quoted)-1],
		(&url.URL{Path: secret}).EscapedPath(), url.PathEscape(secret), url.QueryEscape(secret),
	}
}

// shown is s as one printable line of at most limit bytes and a mark where it
// was cut, without the secrets. They are looked for before anything is cut.
func (v veil) shown(s string, limit int) string {
	cut := len(s) > maxForeign
	if cut {
		s = s[:maxForeign]
	}
	for _, f := range v.forms {
		s = strings.ReplaceAll(s, f, hidden)
	}
	if cut { // its end may be the beginning of a key
		s = s[:max(0, len(s)-v.longest)] + cutMark
	}
	return oneLine(s, limit)
}

// oneLine makes foreign text one printable line of bounded length.
func oneLine(s string, limit int) string {
	var b strings.Builder
	space := false
	for _, r := range s {
		if r == ' ' || !unicode.IsPrint(r) {
			space = b.Len() > 0
			continue
		}
		if b.Len()+utf8.RuneLen(r)+1 > limit {
			return b.String() + cutMark
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// clip bounds what is copied of foreign bytes. It cuts no sooner than a veil does.
func clip(b []byte) string { return string(b[:min(len(b), maxForeign+1)]) }

// textOf is a body as words: what is no text is named instead.
func textOf(body []byte) string {
	switch {
	case isHTML(body):
		return "an HTML page"
	case bytes.HasPrefix(body, []byte("\x1f\x8b")):
		return fmt.Sprintf("%d bytes of gzip", len(body))
	case isBinary(body):
		return fmt.Sprintf("%d bytes that are no text", len(body))
	}
	return clip(body)
}

// isBinary reports bytes that are no text: with a zero, or with more than a
// tenth of them in no character.
func isBinary(body []byte) bool {
	body = body[:min(len(body), 4<<10)]
	strange := 0
	for i := 0; i < len(body); {
		r, n := utf8.DecodeRune(body[i:])
		if r == 0 {
			return true
		}
		if r == utf8.RuneError && n == 1 {
			strange++
		}
		i += n
	}
	return strange*10 > len(body)
}

func isHTML(body []byte) bool {
	head := bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(body), byteOrderMark))
	begin := strings.ToLower(string(head[:min(len(head), 16)]))
	return strings.HasPrefix(begin, "<!doctype html") || strings.HasPrefix(begin, "<html")
}
