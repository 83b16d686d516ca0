package httpd

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/internal/engine"
)

// BenchmarkStreamedToken is the CPU time of one streamed token, server, kernel
// and a client that throws the bytes away together: 32 streams at the demo's
// own pace, or many at once.
func BenchmarkStreamedToken(b *testing.B) {
	for _, streams := range []int{32, 512} {
		b.Run(fmt.Sprint(streams, "-streams"), func(b *testing.B) {
			cfg := engine.Demo()
			cfg.MaxNumSeqs = streams
			cfg.Overheads.Request = 0
			s := serve(b, cfg, Options{})
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: streams}}
			const tokens = 200
			body := fmt.Sprintf(`{%s,"stream":true,"ignore_eos":true,"max_tokens":%d}`, hello, tokens)
			total := 0
			before := cpuTime(b)
			for b.Loop() {
				var wg sync.WaitGroup
				for range streams {
					wg.Go(func() {
						answer, err := client.Post(s.URL()+chatPath, "application/json", strings.NewReader(body))
						if err != nil {
							b.Error(err)
							return
						}
						_, _ = io.Copy(io.Discard, answer.Body)
						answer.Body.Close()
					})
				}
				wg.Wait()
				total += streams * tokens
			}
			b.ReportMetric(float64((cpuTime(b)-before)/time.Nanosecond)/float64(total)/1e3, "cpu-µs/token")
			b.ReportMetric(float64(total)/b.Elapsed().Seconds(), "tokens/s")
			b.ReportMetric(s.Late().Seconds()*1e3, "late-ms")
		})
	}
}

func TestHoldsThousandsOfOpenStreams(t *testing.T) {
	if testing.Short() {
		t.Skip("opens thousands of sockets")
	}
	const streams = 4200
	cfg := slow(time.Second) // streams that are open, not tokens, are the matter
	cfg.MaxNumSeqs = streams
	s := serve(t, cfg, Options{})
	body := `{` + hello + `,"stream":true,"ignore_eos":true,"max_tokens":8000}`
	request := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", chatPath, len(body), body)
	for range streams {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL(), "http://"))
		if err != nil {
			t.Skipf("this machine does not open %d sockets: %v", streams, err)
		}
		defer conn.Close()
		go func() { _, _ = io.Copy(io.Discard, conn) }()
		if _, err := io.WriteString(conn, request); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "all streams to run", func() bool { return value(scrape(t, s), "vllm:num_requests_running") == streams })
}
