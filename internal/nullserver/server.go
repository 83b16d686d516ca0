package nullserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// Config is how the server answers. Moments are absolute: token i of a request
// is due TTFT + i*ITL after the request was received, whatever came before it.
type Config struct {
	TTFT   time.Duration
	ITL    time.Duration
	Tokens int    // of an answer whose request gives no length; 0: 64
	Model  string // empty: null
}

const (
	defaultTokens = 64
	defaultModel  = "null"
)

// Server answers the API on any number of listeners until Close.
type Server struct {
	config      Config
	chat        script
	completions script
	start       time.Time
	book        book

	mu     sync.Mutex
	closed bool
	ends   chan struct{} // closed by Close
	open   map[io.Closer]struct{}
	tasks  sync.WaitGroup
}

// New makes a server. It does nothing before Serve.
func New(c Config) *Server {
	if c.Tokens <= 0 {
		c.Tokens = defaultTokens
	}
	if c.Model == "" {
		c.Model = defaultModel
	}
	return &Server{
		config: c, chat: chatScript(c.Model), completions: completionsScript(c.Model), start: time.Now(),
		ends: make(chan struct{}), open: map[io.Closer]struct{}{},
	}
}

// Now is the time since the server's start, on the clock of the ledger.
func (s *Server) Now() time.Duration { return time.Since(s.start) }

// Ledger is the account until now.
func (s *Server) Ledger() Ledger { return s.book.ledger() }

// Reset forgets the ledger.
func (s *Server) Reset() { s.book.reset() }

// Serve accepts connections until Close, and then returns nil.
func (s *Server) Serve(ln net.Listener) error {
	if !s.add(ln) {
		return nil
	}
	defer s.remove(ln)
	for {
		conn, err := ln.Accept()
		if err != nil {
			if s.isClosed() {
				return nil
			}
			return fmt.Errorf("accept: %w", err)
		}
		if !s.add(conn) {
			return nil
		}
		go func() {
			defer s.remove(conn)
			s.converse(conn)
		}()
	}
}

// Close ends listeners, connections and answers, and waits for them.
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

func (s *Server) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// answer is what stands behind a path that does not stream.
func (s *Server) answer(method, path string, full bool) (status int, body any) {
	switch {
	case path == "/health":
		return http.StatusOK, struct{}{}
	case path == "/v1/models":
		return http.StatusOK, map[string]any{"object": "list", "data": []any{
			map[string]any{"id": s.config.Model, "object": "model", "owned_by": "assay-null"},
		}}
	case path == "/ledger" && method == http.MethodDelete:
		s.Reset()
		return http.StatusOK, struct{}{}
	case path == "/ledger":
		l := s.Ledger()
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
