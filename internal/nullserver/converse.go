package nullserver

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"time"
)

const (
	readBuffer = 2 << 10  // of one connection, bytes: 16,000 of them take 32 MB
	maxBody    = 16 << 20 // of one request, bytes
)

// converse answers the requests of one connection, one after the other.
func (s *Server) converse(conn net.Conn) {
	r := bufio.NewReaderSize(conn, readBuffer)
	for {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(nil, req.Body, maxBody))
		received := s.Now()
		if err != nil {
			return
		}
		if !s.respond(conn, req, body, received) || req.Close {
			return
		}
	}
}

// respond reports whether the connection can go on.
func (s *Server) respond(conn net.Conn, req *http.Request, body []byte, received time.Duration) bool {
	var script *script
	switch req.URL.Path {
	case "/v1/chat/completions":
		script = &s.chat
	case "/v1/completions":
		script = &s.completions
	default:
		status, answer := s.answer(req.Method, req.URL.Path, req.URL.Query().Has("entries"))
		return s.write(conn, status, answer)
	}
	if req.Method != http.MethodPost {
		return s.write(conn, http.StatusMethodNotAllowed, failure(http.ErrNotSupported))
	}
	asked, err := readRequest(body)
	if err != nil {
		return s.write(conn, http.StatusBadRequest, failure(err))
	}
	return s.stream(conn, script, &asked, Entry{ID: req.Header.Get("X-Request-Id"), Received: received})
}

func (s *Server) write(conn net.Conn, status int, body any) bool {
	b, err := plain(status, body)
	if err != nil {
		return false
	}
	_, err = conn.Write(b)
	return err == nil
}

// stream writes the tokens of one answer, each at its moment and in one write,
// and enters them in the book. That is done before the last write, so that a
// client that has read the end finds it in the ledger.
func (s *Server) stream(conn net.Conn, script *script, asked *request, e Entry) (whole bool) {
	s.book.begin()
	n := asked.tokens(s.options.Tokens)
	fails := s.fails()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for i := range n {
		if !s.sleep(timer, e.Received+s.options.TTFT+time.Duration(i)*s.options.ITL) {
			return s.broken(e)
		}
		if fails && i == n/2 {
			return s.die(conn, script, e)
		}
		b := script.token
		if i == 0 || i == n-1 {
			b = s.edge(script, asked, i, n)
		}
		e.Last = s.Now()
		if i == 0 {
			e.First = e.Last
		}
		if i == n-1 {
			e.Tokens++
			s.book.end(e)
		}
		_, err := conn.Write(b)
		switch {
		case i == n-1:
			return err == nil
		case err != nil:
			return s.broken(e)
		}
		e.Tokens++
	}
	return false // not reached: n is at least 1
}

// fails reports whether the answer that now begins is one to end half-way.
func (s *Server) fails() bool {
	every := int64(s.options.FailEvery)
	return every > 0 && s.answers.Add(1)%every == 0
}

// die ends an answer half-way. The connection can go on.
func (s *Server) die(conn net.Conn, script *script, e Entry) bool {
	e.Failed = true
	s.book.end(e)
	var b []byte
	if e.Tokens == 0 {
		b = append(b, script.open...)
	}
	_, err := conn.Write(append(b, died...))
	return err == nil
}

// broken enters an answer that the client or Close cut off.
func (s *Server) broken(e Entry) bool {
	e.Broken = true
	s.book.end(e)
	return false
}

// edge is the write of the first token, of the last, or of the only one.
func (s *Server) edge(script *script, asked *request, i, n int) []byte {
	var b []byte
	if i == 0 {
		b = append(b, script.open...)
	}
	if i < n-1 {
		return append(b, script.token...)
	}
	b = append(b, script.last...)
	if asked.StreamOptions.IncludeUsage {
		b = append(b, usage(s.options.Model, asked.promptTokens(), n)...)
	}
	return append(b, streamTail...)
}

// sleep waits until the moment at, and reports false when the server closes.
func (s *Server) sleep(timer *time.Timer, at time.Duration) bool {
	d := at - s.Now()
	if d <= 0 {
		return true
	}
	timer.Reset(d)
	select {
	case <-timer.C:
		return true
	case <-s.ends:
		return false
	}
}
