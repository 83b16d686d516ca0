package hostile

import (
	"bytes"
	"io"
	"strings"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"assay/internal/wire"
)

// frames is the server's side of a connection of HTTP/2.
type frames struct {
	*http2.Framer
	*peer
}

// speaking begins a connection with those settings and answers each of its
// requests. Reading ends with the connection.
func speaking(answer func(f frames, stream uint32), settings ...http2.Setting) func(*peer) {
	return func(p *peer) {
		if _, err := io.ReadFull(p.read, make([]byte, len(http2.ClientPreface))); err != nil {
			return
		}
		f := frames{http2.NewFramer(p.Conn, p.read), p}
		_ = f.WriteSettings(settings...)
		for {
			frame, err := f.ReadFrame()
			if err != nil {
				return
			}
			switch frame := frame.(type) {
			case *http2.SettingsFrame:
				if !frame.IsAck() {
					_ = f.WriteSettingsAck()
				}
			case *http2.PingFrame:
				if !frame.IsAck() {
					_ = f.WritePing(true, frame.Data)
				}
			case *http2.DataFrame:
				if frame.StreamEnded() {
					answer(f, frame.StreamID)
				}
			}
		}
	}
}

// begin writes the head of an answer, with fields as name, value, ….
func (f frames) begin(stream uint32, fields ...string) {
	_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block(fields...), EndHeaders: true})
}

func block(fields ...string) []byte {
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	for i := 0; i+1 < len(fields); i += 2 {
		_ = e.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	return b.Bytes()
}

func (f frames) data(stream uint32, data string, end bool) {
	_ = f.WriteData(stream, end, []byte(data))
}

// repeat does the same again and again until the client has gone.
func (f frames) repeat(write func() error) {
	for write() == nil && !ended(f.peer) {
	}
}

// good is the answer that the others spoil.
func good(f frames, stream uint32) {
	f.begin(stream, ":status", "200")
	f.data(stream, bare, true)
}

// overHTTP2 are the behaviours of servers of HTTP/2.
var overHTTP2 = func() []behaviour {
	const ok = ":status"
	list := []behaviour{
		{name: "a good stream", serve: speaking(good), tokens: 2},
		{name: "a good stream, a byte a frame", serve: speaking(func(f frames, s uint32) {
			f.begin(s, ok, "200")
			for i := range bare {
				f.data(s, bare[i:i+1], i == len(bare)-1)
			}
		}), tokens: 2},
		{name: "HTTP/1.1 in its place", serve: answering(whole), want: wire.KindMalformed},
		{name: "says nothing", serve: (*peer).hang, want: wire.KindConnect},
		{name: "closes at once", serve: func(*peer) {}, want: wire.KindMalformed, also: wire.KindReset},
		{name: "no request allowed", serve: speaking(good, http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 0}), want: wire.KindOverloaded},
		{name: "hears the request and says nothing", serve: speaking(func(frames, uint32) {}), want: wire.KindStall},
		{name: "stalls behind the headers", serve: speaking(func(f frames, s uint32) { f.begin(s, ok, "200") }), want: wire.KindStall},
		{name: "stalls behind a token", serve: speaking(func(f frames, s uint32) {
			f.begin(s, ok, "200")
			f.data(s, bare[:behindToken], false)
		}), want: wire.KindStall},
		{name: "ends behind a token", serve: speaking(func(f frames, s uint32) {
			f.begin(s, ok, "200")
			f.data(s, bare[:behindToken], true)
		}), want: wire.KindTruncated},
		{name: "resets behind a token", serve: speaking(func(f frames, s uint32) {
			f.begin(s, ok, "200")
			f.data(s, bare[:behindToken], false)
			_ = f.WriteRSTStream(s, http2.ErrCodeInternal)
		}), want: wire.KindReset},
		{name: "closes the connection behind a token", serve: speaking(func(f frames, s uint32) {
			f.begin(s, ok, "200")
			f.data(s, bare[:behindToken], false)
			f.Close()
		}), want: wire.KindTruncated, also: wire.KindReset},
		{name: "goes away in mid-stream", serve: speaking(func(f frames, s uint32) {
			f.begin(s, ok, "200")
			f.data(s, bare[:behindToken], false)
			_ = f.WriteGoAway(s, http2.ErrCodeEnhanceYourCalm, []byte(secret))
			f.Close()
		}), want: wire.KindReset, also: wire.KindTruncated},
		{name: "no status", serve: speaking(func(f frames, s uint32) { f.begin(s, "server", "x") }), want: wire.KindMalformed},
		{name: "a status that is a word", serve: speaking(func(f frames, s uint32) { f.begin(s, ok, "good") }), want: wire.KindMalformed},
		{name: "data before the headers", serve: speaking(func(f frames, s uint32) { f.data(s, bare, true) }), want: wire.KindMalformed, also: wire.KindReset},
		{name: "an answer to a request that nobody sent", serve: speaking(func(f frames, s uint32) { f.begin(s+100, ok, "200") }), want: wire.KindStall, also: wire.KindMalformed},
		{name: "a frame larger than allowed", serve: speaking(func(f frames, s uint32) {
			_ = f.WriteRawFrame(http2.FrameData, 0, s, make([]byte, 1<<20))
		}), want: wire.KindMalformed, also: wire.KindReset},
		{name: "headers of a megabyte", serve: speaking(func(f frames, s uint32) {
			_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: s, BlockFragment: block(ok, "200")})
			f.repeat(func() error { return f.WriteContinuation(s, false, block("x-more", strings.Repeat("k", 8<<10))) })
		}), want: wire.KindMalformed, also: wire.KindReset, ever: true},
		{name: "a status that only informs, for ever", serve: speaking(func(f frames, s uint32) {
			f.repeat(func() error {
				return f.WriteHeaders(http2.HeadersFrameParam{StreamID: s, BlockFragment: block(ok, "103"), EndHeaders: true})
			})
		}), want: wire.KindMalformed, also: wire.KindReset, ever: true},
		{name: "pings for ever", serve: speaking(func(f frames, s uint32) {
			f.repeat(func() error { f.wait(time.Millisecond); return f.WritePing(false, [8]byte{}) })
		}), want: wire.KindStall, ever: true},
		{name: "settings for ever", serve: speaking(func(f frames, s uint32) {
			f.repeat(func() error { f.wait(time.Millisecond); return f.WriteSettings() })
		}), want: wire.KindStall, ever: true},
		{name: "empty frames for ever", serve: speaking(func(f frames, s uint32) {
			f.begin(s, ok, "200")
			f.repeat(func() error { f.wait(time.Millisecond); return f.WriteData(s, false, nil) })
		}), want: wire.KindStall, also: wire.KindTimeout, ever: true},
		{name: "pushes what nobody asked for", serve: speaking(func(f frames, s uint32) {
			_ = f.WritePushPromise(http2.PushPromiseParam{StreamID: s, PromiseID: 2, BlockFragment: block(":path", "/"), EndHeaders: true})
		}), want: wire.KindMalformed, also: wire.KindReset},
		{name: "an error behind 200", serve: speaking(func(f frames, s uint32) {
			f.begin(s, ok, "200")
			f.data(s, bare[:behindToken]+"data: {\"error\":{\"message\":\"engine died\"}}\n\n", true)
		}), want: wire.KindStreamError, says: "engine died"},
		{name: "repeats the key", serve: speaking(func(f frames, s uint32) {
			f.begin(s, ok, "401")
			f.data(s, "bad key "+secret, true)
		}), want: wire.KindUnauthorized},
		{name: "compressed though not asked to", serve: speaking(func(f frames, s uint32) {
			f.begin(s, ok, "200", "content-encoding", "gzip")
			f.data(s, "\x1f\x8b\x08", true)
		}), want: wire.KindMalformed},
		{name: "a length too long for the stream", serve: speaking(func(f frames, s uint32) {
			f.begin(s, ok, "200", "content-length", "9000")
			f.data(s, bare[:behindToken], true)
		}), want: wire.KindTruncated, also: wire.KindMalformed},
	}
	for i := range list {
		list[i].http = wire.HTTP2
	}
	return list
}()
