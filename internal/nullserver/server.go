package nullserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Options say how the server answers. Moments are absolute: token i of a request
// is due TTFT + i*ITL after the request was received, whatever came before it.
type Options struct {
	Listen string // address; empty: a free port of 127.0.0.1
	TTFT   time.Duration
	ITL    time.Duration
	Tokens int    // of an answer whose request gives no length; 0: 64
	Model  string // empty: null
	Text   string // of each token; empty: " null". A client that counts tokens itself wants one of its tokenizer

	// FailEvery ends each answer of that rank half-way, as a server does whose
	// engine died behind it: an error in the stream that began with 200, then
	// [DONE]. 3: a third of all answers. 0: none.
	FailEvery int
}

func (o *Options) fill() {
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	if o.Tokens <= 0 {
		o.Tokens = 64
	}
	if o.Model == "" {
		o.Model = "null"
	}
	if o.Text == "" {
		o.Text = " null"
	}
}

// Server answers the API until Close.
type Server struct {
	options     Options
	url         string
	chat        script
	completions script
	start       time.Time
	book        book
	answers     atomic.Int64 // begun so far, for FailEvery

	mu     sync.Mutex
	closed bool
	ends   chan struct{} // closed by Close
	open   map[io.Closer]struct{}
	tasks  sync.WaitGroup
}

// Start listens and serves.
func Start(o Options) (*Server, error) {
	s := newServer(o)
	ln, err := net.Listen("tcp", s.options.Listen)
	if err != nil {
		return nil, fmt.Errorf("null server: %w", err)
	}
	s.url = "http://" + ln.Addr().String()
	s.add(ln)
	go func() {
		defer s.remove(ln)
		s.accept(ln)
	}()
	return s, nil
}

func newServer(o Options) *Server {
	o.fill()
	return &Server{
		options: o, chat: chatScript(o.Model, o.Text), completions: completionsScript(o.Model, o.Text), start: time.Now(),
		ends: make(chan struct{}), open: map[io.Closer]struct{}{},
	}
}

// URL is the base URL, without /v1.
func (s *Server) URL() string { return s.url }

// Model is the name under which the server answers.
func (s *Server) Model() string { return s.options.Model }

// Now is the time since the server's start, on the clock of the ledger.
func (s *Server) Now() time.Duration { return time.Since(s.start) }

// Ledger is the account until now.
func (s *Server) Ledger() Ledger { return s.book.ledger() }

// Reset forgets the ledger.
func (s *Server) Reset() { s.book.reset() }

// acceptPause is the wait after an accept that failed, as one does for want of
// file descriptors.
const acceptPause = 10 * time.Millisecond

func (s *Server) accept(ln net.Listener) {
	for {
		conn, err := ln.Accept()
		if err != nil {
			select {
			case <-s.ends:
				return
			case <-time.After(acceptPause):
				continue
			}
		}
		if !s.add(conn) {
			return
		}
		go func() {
			defer s.remove(conn)
			s.converse(conn)
		}()
	}
}

// Close ends the listener, connections and answers, and waits for them.
func (s *Server) Close() error {
	s.mu.Lock()
	var errs []error
	if !s.closed {
		s.closed = true
		close(s.ends)
		for c := range s.open {
			errs = append(errs, c.Close())
		}
	}
	s.mu.Unlock()
	s.tasks.Wait()
	return errors.Join(errs...)
}

// add keeps what Close has to end. It closes c and says no when the server is.
func (s *Server) add(c io.Closer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = c.Close()
		return false
	}
	s.open[c] = struct{}{}
	s.tasks.Add(1)
	return true
}

func (s *Server) remove(c io.Closer) {
	s.mu.Lock()
	if !s.closed {
		_ = c.Close()
	}
	delete(s.open, c)
	s.mu.Unlock()
	s.tasks.Done()
}

// answer is what stands behind a path that does not stream.
func (s *Server) answer(method, path string, full bool) (status int, body any) {
	switch {
	case path == "/health":
		return http.StatusOK, struct{}{}
	case path == "/v1/models":
		return http.StatusOK, map[string]any{"object": "list", "data": []any{
			map[string]any{"id": s.options.Model, "object": "model", "owned_by": "assay-null"},
		}}
	case path == "/ledger" && method == http.MethodDelete:
		s.Reset()
		return http.StatusOK, struct{}{}
	case path == "/ledger":
		l := s.Ledger()
		l.Now = s.Now()
		if !full {
			l.Entries = nil
		}
		return http.StatusOK, l
	}
	return http.StatusNotFound, failure(fmt.Errorf("no route %s %s", method, path))
}

func failure(err error) any {
	return map[string]any{"error": map[string]any{"message": err.Error(), "type": "invalid_request_error"}}
}

// plain is a whole answer that is no stream.
func plain(status int, body any) ([]byte, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	head := fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		status, http.StatusText(status), len(text))
	return append([]byte(head), text...), nil
}
