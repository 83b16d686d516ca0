package nullserver

import (
	"sync"
	"time"

	"assay/internal/stats"
)

// maxEntries bounds the ledger. What comes after it is counted and not kept:
// a million entries take about 100 MB.
const maxEntries = 1_000_000

// Entry is what the server did for one request. A moment is taken before the
// write that it names, so that it is never later than the client's.
type Entry struct {
	ID       string        `json:"id"` // X-Request-Id
	Received time.Duration `json:"received_ns"`
	First    time.Duration `json:"first_ns"` // the first token
	Last     time.Duration `json:"last_ns"`  // the last token
	Tokens   int           `json:"tokens"`
	Broken   bool          `json:"broken,omitempty"` // the client went away before the end
	Failed   bool          `json:"failed,omitempty"` // ended half-way on purpose: Options.FailEvery
}

// Ledger is the account of all requests since the start or the last reset.
type Ledger struct {
	Now       time.Duration `json:"now_ns,omitempty"` // when it was asked for over HTTP
	Completed int           `json:"completed"`
	Broken    int           `json:"broken"`
	Failed    int           `json:"failed"`
	Dropped   int           `json:"dropped"` // entries beyond what is kept
	Tokens    int           `json:"tokens"`
	MostOpen  int           `json:"most_open"` // requests under way at once
	TTFT      stats.Dist    `json:"ttft_ms"`   // Received to First
	ITL       stats.Dist    `json:"itl_ms"`    // (Last - First) / (Tokens - 1)
	Entries   []Entry       `json:"entries,omitempty"`
}

// book is the ledger being written.
type book struct {
	mu       sync.Mutex
	entries  []Entry
	dropped  int
	open     int
	mostOpen int
}

func (b *book) begin() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open++
	b.mostOpen = max(b.mostOpen, b.open)
}

func (b *book) end(e Entry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open--
	if len(b.entries) >= maxEntries {
		b.dropped++
		return
	}
	b.entries = append(b.entries, e)
}

func (b *book) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.entries, b.dropped, b.mostOpen = nil, 0, b.open
}

// ledger sums the book up. Broken and failed answers are counted and in no
// distribution.
func (b *book) ledger() Ledger {
	b.mu.Lock()
	l := Ledger{Dropped: b.dropped, MostOpen: b.mostOpen, Entries: append([]Entry(nil), b.entries...)}
	b.mu.Unlock()
	var ttft, itl []float64
	for _, e := range l.Entries {
		l.Tokens += e.Tokens
		switch {
		case e.Broken:
			l.Broken++
			continue
		case e.Failed:
			l.Failed++
			continue
		}
		l.Completed++
		ttft = append(ttft, milliseconds(e.First-e.Received))
		if e.Tokens > 1 {
			itl = append(itl, milliseconds(e.Last-e.First)/float64(e.Tokens-1))
		}
	}
	l.TTFT, l.ITL = stats.Summarize(ttft), stats.Summarize(itl)
	return l
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
