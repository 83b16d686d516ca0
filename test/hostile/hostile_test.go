package hostile

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"assay/internal/wire"
)

// all is the suite.
var all = slices.Concat(slow, cut, lying, malformed, forEver(endless), otherAPIs, framesOfAWS, overHTTP2, proxies)

func forEver(list []behaviour) []behaviour {
	for i := range list {
		list[i].ever = list[i].want != ""
	}
	return list
}

// atLeast is how many behaviours the suite promises.
const atLeast = 230

// allowance is how far beyond the client's own limit a request may end: on a
// machine that does other work, too.
const allowance = 10 * time.Second

// mostHeap bounds the memory of any moment, bytes: an event may have 8 MiB, and
// the race detector and the server's side live in the same process.
const mostHeap = 256 << 20

func TestTheSuiteIsLargeAndEachNameIsItsOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, b := range all {
		if name := b.api + b.http + " " + b.name; seen[name] {
			t.Errorf("%q is there twice", name)
		} else {
			seen[name] = true
		}
	}
	if len(all) < atLeast {
		t.Errorf("the suite has %d behaviours, fewer than %d", len(all), atLeast)
	}
}

func TestHostileServers(t *testing.T) {
	before := runtime.NumGoroutine()
	stop := watchHeap(t)
	each(all, func(b behaviour) {
		t.Run(strings.TrimSpace(b.api+b.http+" "+b.name), func(t *testing.T) { meet(t, b) })
	})
	stop()
	noneLeft(t, before)
}

// atOnce is how many servers are met at a time: most of them make one wait.
const atOnce = 32

func each(list []behaviour, do func(behaviour)) {
	todo := make(chan behaviour)
	var tasks sync.WaitGroup
	for range atOnce {
		tasks.Go(func() {
			for b := range todo {
				do(b)
			}
		})
	}
	for _, b := range list {
		todo <- b
	}
	close(todo)
	tasks.Wait()
}

// meet sends two requests one after the other, so that a connection that was
// kept though it should not have been shows, and judges both.
func meet(t *testing.T, b behaviour) {
	url, idle, stop := host(t, b.serve)
	defer stop()
	c := client(t, url, b)
	defer c.Close()
	prompt := wire.Prompt{Text: "hello", MaxTokens: 8}
	body, err := c.Encode(prompt, wire.Dialect{IncludeUsage: true})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		begun := time.Now()
		out := c.Do(context.Background(), "hostile", body)
		if took := time.Since(begun); took > timeout+allowance {
			t.Errorf("request %d took %s", n, took)
		}
		judge(t, b, out)
		idle()
	}
}

func judge(t *testing.T, b behaviour, out wire.Outcome) {
	t.Helper()
	kind, detail := "", ""
	if out.Err != nil {
		kind, detail = out.Err.Kind, out.Err.Detail
	}
	limited := b.ever && (kind == wire.KindTimeout || kind == wire.KindStall)
	if kind != b.want && (kind == "" || kind != b.also) && !limited {
		t.Fatalf("got %q (%.300s), want %q", kind, detail, b.want)
	}
	if !strings.Contains(detail, b.says) {
		t.Errorf("%q is not in the words %q", b.says, detail)
	}
	for _, shown := range []string{detail, out.Finish} {
		if strings.Contains(shown, secret) {
			t.Errorf("the key is shown: %q", shown)
		}
		if strings.ContainsFunc(shown, unicode.IsControl) {
			t.Errorf("control characters are shown: %q", shown)
		}
		if len(shown) > 2048 {
			t.Errorf("%d bytes are shown", len(shown))
		}
	}
	if b.want == "" {
		counted := unknown
		if out.Usage != nil {
			counted = out.Usage.Completion
		}
		if counted != b.tokens {
			t.Errorf("counted %d tokens, want %d", counted, b.tokens)
		}
	}
}

// watchHeap samples the heap until it is stopped and then judges the most.
func watchHeap(t *testing.T) (stop func()) {
	var most atomic.Uint64
	ended, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most.Store(max(most.Load(), m.HeapInuse))
			}
		}
	}()
	return func() {
		close(ended)
		<-done
		if n := most.Load(); n > mostHeap {
			t.Errorf("the heap grew to %d MiB, above %d", n>>20, mostHeap>>20)
		}
	}
}

// noneLeft waits for the goroutines of the suite to end.
func noneLeft(t *testing.T, before int) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Second)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			stacks := make([]byte, 64<<10)
			t.Fatalf("%d goroutines are left, there were %d:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
		runtime.Gosched()
	}
}
