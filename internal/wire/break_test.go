package wire

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// breaks are the ways in which a connection can end an answer.
var breaks = []struct {
	name, kind, inHead string // kinds of failure
	end                func(c net.Conn, held <-chan struct{})
	stall, timeout     time.Duration
}{
	{"a close", KindTruncated, KindReset, func(net.Conn, <-chan struct{}) {}, 5 * time.Second, 10 * time.Second},
	{"a reset", KindReset, KindReset, func(c net.Conn, _ <-chan struct{}) { c.(*net.TCPConn).SetLinger(0) }, 5 * time.Second, 10 * time.Second},
	{"silence", KindStall, KindStall, func(_ net.Conn, held <-chan struct{}) { <-held }, 60 * time.Millisecond, 10 * time.Second},
	{"a timeout", KindTimeout, KindTimeout, func(_ net.Conn, held <-chan struct{}) { <-held }, 5 * time.Second, 60 * time.Millisecond},
}

// Wherever an answer breaks, it is the break that is named and not what was cut.
func TestWhereAnAnswerBreaks(t *testing.T) {
	token := streamHead + chunk(role) + chunk(content("a"))
	open := func(s string) string { return token + "1000\r\n" + s }
	for name, begin := range map[string]string{
		"in an event":             open(`data: {"choices":[{"index":0,"delta":{"content":"b`),
		"behind a brace":          open(`data: {"choices":[{"index":0,"delta":{"content":"}`),
		"in a field's name":       open("dat"),
		"behind a field's name":   open("data"),
		"in another field":        open("event: mess"),
		"in a line of no event":   open("Internal Serv"),
		"in an error":             open(`{"error":{"mess`),
		"in data over some lines": open("data: {\"choices\":\ndata: ["),
		"between events":          token,
		"in the size of a chunk":  token + "1",
	} {
		for _, b := range breaks {
			t.Run(name+" by "+b.name, func(t *testing.T) {
				o := broken(t, begin, b.end, b.stall, b.timeout)
				failed(t, o, b.kind, "")
				if len(o.Chunks) != 1 {
					t.Errorf("%d chunks, want 1", len(o.Chunks))
				}
			})
		}
	}
	for name, begin := range map[string]string{
		"in the status":          "HTTP/1.1 2",
		"in its first byte":      "H",
		"in a header":            "HTTP/1.1 200 OK\r\nContent-",
		"in a header's value":    "HTTP/1.1 200 OK\r\nContent-Type: te",
		"behind a header":        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n",
		"between heads":          "HTTP/1.1 100 Continue\r\n\r\n",
		"before a head's end":    "HTTP/1.1 200 OK\r\nA: b\r\n\r",
		"in a head behind a 103": "HTTP/1.1 103 Early Hints\r\n\r\nHTTP",
	} {
		for _, b := range breaks {
			t.Run(name+" by "+b.name, func(t *testing.T) { failed(t, broken(t, begin, b.end, b.stall, b.timeout), b.inHead, "") })
		}
	}
	for _, b := range breaks {
		t.Run("in the usage behind a finish by "+b.name, func(t *testing.T) {
			failed(t, broken(t, token+chunk(last)+"1000\r\n"+`data: {"choices":[],"usa`, b.end, b.stall, b.timeout), "", "")
		})
	}
}

// broken is what comes of an answer that begins so and ends by a break.
func broken(t *testing.T, begin string, end func(net.Conn, <-chan struct{}), stall, timeout time.Duration) Outcome {
	held := make(chan struct{})
	defer close(held)
	h := listen(t, func(c net.Conn, _ int) {
		if _, _, err := heard(bufio.NewReader(c)); err != nil {
			return
		}
		io.WriteString(c, begin)
		end(c, held)
	})
	return ask(client(t, h.url, limits(stall, timeout)))
}

// What stands behind a 200 is the same however the network cuts it.
func TestWhatA200IsForEverySplit(t *testing.T) {
	for _, tt := range []struct{ name, body, kind, words string }{
		{"an error behind line ends", "\n\n\r\n" + `{"error":{"message":"boom"}}`, KindStreamError, "boom"},
		{"a page behind white space", "  \n<!doctype html><p>hi", KindNotAStream, "an HTML page"},
		{"a page behind a byte order mark", "\ufeff\n<html>", KindNotAStream, "an HTML page"},
		{"an error behind a byte order mark", "\ufeff" + `{"error":"boom"}`, KindStreamError, "boom"},
		{"an error in a list", `[{"error":{"message":"boom"}}]`, KindStreamError, "boom"},
		{"a stream behind line ends", "\n\n\ufeff" + content("a") + last + done, "", ""},
		{"a stream behind a ping", ": ping\n\n" + content("a") + last + done, "", ""},
		{"a word", "OK", KindNotAStream, "OK"},
		{"a word and its line end", "OK\n", KindNotAStream, "OK"},
		{"a sentence", "Service is starting…", KindNotAStream, "Service is starting…"},
		{"a sentence with a colon", "Please wait: starting", KindNotAStream, "Please wait"},
		{"what might be a field", "Error: model is loading\n", KindNotAStream, "model is loading"},
		{"gzip", "\x1f\x8b\x08\x00\x00\x00", KindNotAStream, "6 bytes of gzip"},
		{"no text", "\x00\x01\x02", KindNotAStream, "3 bytes that are no text"},
		{"white space alone", " \n\n ", KindTruncated, ""},
		{"nothing", "", KindTruncated, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, size := range []int{1, 2, 5, 1 << 10} {
				h := listen(t, func(c net.Conn, _ int) {
					heard(bufio.NewReader(c))
					c.(*net.TCPConn).SetNoDelay(true)
					io.WriteString(c, streamHead)
					for rest := tt.body; rest != ""; {
						n := min(size, len(rest))
						io.WriteString(c, chunk(rest[:n]))
						rest = rest[n:]
					}
					io.WriteString(c, lastChunk)
				})
				o := ask(client(t, h.url))
				failed(t, o, tt.kind, tt.words)
			}
		})
	}
}

func FuzzIsStream(f *testing.F) {
	for _, s := range []string{"", "\ufeff\n", "data: x\n", ": p\n", "OK", "<html>", "{", "x: y", "dat", strings.Repeat("0", 81) + ":"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		whole := isStream(b, true)
		if whole == undecidedYet {
			t.Fatalf("%q: undecided at its end", b)
		}
		// What has been decided early must hold.
		for i := range b {
			if early := isStream(b[:i], false); early != undecidedYet && early != whole {
				t.Fatalf("%q: %d after %d bytes, %d at its end", b, early, i, whole)
			}
		}
	})
}

func TestAPortThatSpeaksTLS(t *testing.T) {
	alert := "\x15\x03\x01\x00\x02\x02\x16"
	c := client(t, listen(t, once(alert)).url)
	failed(t, ask(c), KindTLS, "use https://")
	_, err := c.Models(t.Context())
	if err == nil || !strings.Contains(err.Error(), "use https://") {
		t.Errorf("asked for its models: %v", err)
	}
	reset := client(t, listen(t, func(c net.Conn, _ int) { c.(*net.TCPConn).SetLinger(0); c.Read(make([]byte, 1)) }).url)
	_, err = reset.Inspect(t.Context(), Prompt{Text: "hi"})
	if target, ok := err.(*TargetError); !ok || !strings.Contains(target.Hint(), "https://") {
		t.Errorf("reset at once: %v", err)
	}
}

func TestAnEndlessSizeOfAChunkIsExplained(t *testing.T) {
	o := ask(client(t, listen(t, once(streamHead+strings.Repeat("1", 2*readBuffer))).url))
	failed(t, o, KindMalformed, fmt.Sprintf("longer than %d bytes", readBuffer))
}
