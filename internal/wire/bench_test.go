package wire

import (
	"os"
	"strings"
	"testing"
	"time"
)

// BenchmarkDecode reads a stream as vLLM writes it. An operation is one token.
func BenchmarkDecode(b *testing.B) {
	for _, name := range []string{"chat-stream-usage", "chat-stream-cont-usage", "compl-stream-usage"} {
		b.Run(name, func(b *testing.B) {
			raw, err := os.ReadFile("testdata/vllm-" + name + ".sse")
			if err != nil {
				b.Fatal(err)
			}
			// One event in the middle of the stream, again and again.
			event := []byte(strings.Split(string(raw), "\n\n")[3] + "\n\n")
			out, facts := Outcome{AnswerAt: -1, Chunks: make([]Chunk, 0, b.N)}, Facts{}
			d := newDecoder(chatProtocol, nil, &out, &facts, false)
			b.SetBytes(int64(len(event)))
			b.ReportAllocs()
			for b.Loop() {
				if len(out.Chunks) == cap(out.Chunks) {
					out.Chunks = out.Chunks[:0]
				}
				if err := d.Feed(event, time.Millisecond); err != nil {
					b.Fatal(err)
				}
			}
			if len(out.Chunks) == 0 {
				b.Fatal("no token was seen")
			}
		})
	}
}
