package load

import (
	"bufio"
	"context"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/internal/record"
	"assay/internal/wire"
)

// TestMain serves pings when it is started as the server of a benchmark, which
// must be a process of its own to be a fair neighbour on shared cores.
func TestMain(m *testing.M) {
	if os.Getenv("ASSAY_LOAD_PINGS") != "" {
		servePings()
		return
	}
	os.Exit(m.Run())
}

// servePings answers each line with a line until its input ends.
func servePings() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	os.Stdout.WriteString(l.Addr().String() + "\n")
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				r := bufio.NewReader(c)
				for {
					if _, err := r.ReadSlice('\n'); err != nil {
						return
					}
					if _, err := c.Write([]byte("pong\n")); err != nil {
						return
					}
				}
			}()
		}
	}()
	io.Copy(io.Discard, os.Stdin)
}

// pinger sends lines over kept connections.
type pinger struct {
	addr  string
	epoch time.Time
	mu    sync.Mutex
	idle  []net.Conn
}

func (p *pinger) Now() time.Duration { return time.Since(p.epoch) }

func (p *pinger) Do(_ context.Context, _ string, body []byte) wire.Outcome {
	o := wire.Outcome{AnswerAt: 0}
	fail := func(err error) wire.Outcome {
		o.Err, o.NotSent = &wire.Error{Kind: wire.KindConnect, Detail: err.Error()}, o.Sent == 0
		return o
	}
	c, err := p.conn()
	if err != nil {
		return fail(err)
	}
	if _, err := c.Write(body); err != nil {
		return fail(err)
	}
	o.Sent = p.Now()
	var answer [16]byte
	if _, err := c.Read(answer[:]); err != nil {
		return fail(err)
	}
	o.End = p.Now()
	o.Chunks = []wire.Chunk{{At: o.End}}
	p.mu.Lock()
	p.idle = append(p.idle, c)
	p.mu.Unlock()
	return o
}

func (p *pinger) conn() (net.Conn, error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	p.mu.Unlock()
	return net.Dial("tcp", p.addr)
}

type constantSource struct{}

func (constantSource) Next(*rand.Rand) (Prompt, error) { return Prompt{Text: "x", MaxTokens: 1}, nil }

// startPings starts a server in its own process and gives its address.
func startPings(tb testing.TB) string {
	tb.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "ASSAY_LOAD_PINGS=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { in.Close(); cmd.Wait() })
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		tb.Fatal(err)
	}
	return strings.TrimSpace(addr)
}

// BenchmarkOpenLoopLateness sends 5,000 requests a second at even intervals and
// tells how late their bytes left.
func BenchmarkOpenLoopLateness(b *testing.B) {
	addr := startPings(b)
	for name, newWaiter := range map[string]func(context.Context, func() time.Duration) waiter{
		"timer": newTimerWaiter, "precise": newPreciseWaiter,
	} {
		for _, arrival := range []string{Constant, Poisson} {
			b.Run(name+"/"+arrival, func(b *testing.B) {
				for b.Loop() {
					p := &pinger{addr: addr, epoch: time.Now()}
					r := &Runner{
						Client: p, Source: constantSource{}, RunID: "b", newWaiter: newWaiter,
						Encode: func(Prompt) ([]byte, error) { return []byte("ping\n"), nil },
					}
					var lags []time.Duration
					r.OnRequest = func(q record.Request) {
						if q.Phase == record.Measured {
							lags = append(lags, time.Duration(q.LagMS()*float64(time.Millisecond)))
						}
					}
					result, err := r.Run(b.Context(), Level{ID: "r", Rate: 5000, Arrival: arrival, Requests: 15000, Warmup: 2000})
					if err != nil || result.Requests.Failed > 0 {
						b.Fatal(err, result.Errors)
					}
					slices.Sort(lags)
					b.ReportMetric(float64(quantile(lags, 0.5))/1e3, "p50_us")
					b.ReportMetric(float64(quantile(lags, 0.99))/1e3, "p99_us")
					b.ReportMetric(float64(quantile(lags, 1))/1e3, "max_us")
				}
			})
		}
	}
}
