package wire

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// stutter gives its pieces one read at a time and then its error. It stands for
// a network that cuts where it likes.
type stutter struct {
	pieces [][]byte
	err    error
}

func (s *stutter) Read(p []byte) (int, error) {
	if len(s.pieces) == 0 {
		return 0, s.err
	}
	n := copy(p, s.pieces[0])
	if s.pieces[0] = s.pieces[0][n:]; len(s.pieces[0]) == 0 {
		s.pieces = s.pieces[1:]
	}
	return n, nil
}

func chunkedBody(pieces ...string) *body {
	s := &stutter{err: io.EOF}
	for _, p := range pieces {
		s.pieces = append(s.pieces, []byte(p))
	}
	return &body{br: bufio.NewReaderSize(s, 64), chunked: true}
}

// Bytes that have come are given before those behind them are waited for: each
// piece below is one arrival.
func TestBodyHoldsNothingBack(t *testing.T) {
	b := chunkedBody("8\r\nfirs", "t so\r\n3\r\nsec", "\r\n4;x=y\r\nlast\r\n", "0\r\nTrailer: t\r\n\r\n")
	var got []string
	for {
		p, err := b.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(p))
	}
	want := []string{"firs", "t so", "sec", "last"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !b.ended {
		t.Error("the end was not seen")
	}
}

func TestBodyFraming(t *testing.T) {
	for _, tt := range []struct {
		name, raw string
		want      string
		err       string // empty: io.EOF
	}{
		{"sizes in either case", "A\r\n0123456789\r\n0a\r\n0123456789\r\n0\r\n\r\n", "01234567890123456789", ""},
		{"bare line feeds", "3\nabc\n0\n\n", "abc", ""},
		{"cut in a chunk", "5\r\nab", "ab", "unexpected EOF"},
		{"cut after a chunk", "2\r\nab", "ab", "unexpected EOF"},
		{"cut before the last chunk", "2\r\nab\r\n", "ab", "unexpected EOF"},
		{"cut in the trailer", "2\r\nab\r\n0\r\n", "ab", "unexpected EOF"},
		{"no size", "\r\nab", "", "size of a chunk"},
		{"a size that is none", "zz\r\nab", "", "size of a chunk"},
		{"a negative size", "-1\r\nab", "", "size of a chunk"},
		{"a size beyond counting", "ffffffffffffffff\r\nab", "", "size of a chunk"},
		{"a chunk longer than its size", "2\r\nabc\r\n0\r\n\r\n", "ab", "no line end"},
		{"an endless size", "1;" + strings.Repeat("x", 200), "", "longer than 64 bytes"},
		{"endless trailers", "0\r\n" + strings.Repeat("a: b\r\n", 100), "", "too many trailers"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := chunkedBody(tt.raw)
			var got []byte
			var err error
			for err == nil {
				var p []byte
				p, err = b.next()
				got = append(got, p...)
			}
			if string(got) != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if tt.err == "" && err != io.EOF || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got error %v, want %q", err, tt.err)
			}
		})
	}
}

// What httputil writes in chunks comes out as it went in, however it is cut, and
// what stands behind it is left.
func TestChunkedBodyIsWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var wire, want bytes.Buffer
		w := httputil.NewChunkedWriter(&wire)
		for _, p := range rapid.SliceOf(rapid.SliceOfN(rapid.Byte(), 1, 200)).Draw(t, "writes") {
			want.Write(p)
			w.Write(p)
		}
		w.Close()
		wire.WriteString("\r\nnext answer")
		var in io.Reader = &wire
		if rapid.Bool().Draw(t, "byte by byte") {
			in = iotest.OneByteReader(in)
		}
		b := &body{br: bufio.NewReaderSize(in, 64), chunked: true}
		got, err := b.readAll(1 << 20)
		if err != nil || !bytes.Equal(got, want.Bytes()) || !b.ended {
			t.Fatalf("got %q, %v, ended %v; want %q", got, err, b.ended, want.Bytes())
		}
		if rest, _ := io.ReadAll(b.br); string(rest) != "next answer" {
			t.Fatalf("left %q behind", rest)
		}
	})
}

func TestBodyByLengthAndByClose(t *testing.T) {
	for _, tt := range []struct {
		head, sent, want string
		err              error
	}{
		{"Content-Length: 5\r\n", "hello more", "hello", nil},
		{"Content-Length: 5\r\n", "hel", "hel", io.ErrUnexpectedEOF},
		{"Content-Length: 0\r\n", "more", "", nil},
		{"Connection: close\r\n", "hello", "hello", nil},
	} {
		br := bufio.NewReader(strings.NewReader("HTTP/1.1 200 OK\r\n" + tt.head + "\r\n" + tt.sent))
		resp, err := http.ReadResponse(br, &http.Request{Method: http.MethodPost})
		if err != nil {
			t.Fatal(err)
		}
		b := newBody(br, resp)
		got, err := b.readAll(100)
		if string(got) != tt.want || err != tt.err || b.ended != (tt.err == nil) {
			t.Errorf("%q: got %q, %v, ended %v; want %q, %v", tt.head+tt.sent, got, err, b.ended, tt.want, tt.err)
		}
	}
}

func TestReadAllIsBounded(t *testing.T) {
	b := chunkedBody(fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", 1000, strings.Repeat("x", 1000)))
	if got, err := b.readAll(100); len(got) != 100 || err != nil || b.ended {
		t.Errorf("got %d bytes, %v, ended %v; want 100 bytes and no end", len(got), err, b.ended)
	}
}

func FuzzBody(f *testing.F) {
	f.Add([]byte("5\r\nhello\r\n0\r\n\r\n"))
	f.Add([]byte("5;a=b\r\nhello\r\n0\r\nT: t\r\n\r\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		b := &body{br: bufio.NewReaderSize(bytes.NewReader(raw), 64), chunked: true}
		got, err := b.readAll(1 << 20)
		if len(got) > len(raw) {
			t.Errorf("%d bytes out of %d", len(got), len(raw))
		}
		theirs, theirErr := io.ReadAll(httputil.NewChunkedReader(bytes.NewReader(raw)))
		if err == nil && theirErr == nil && !bytes.Equal(got, theirs) {
			t.Errorf("got %q, net/http reads %q", got, theirs)
		}
	})
}
