package httpd

import (
	"context"
	"time"
)

// Terminate begins what vLLM 0.32 does at SIGTERM and returns at once; Done
// tells the end. A second call changes nothing.
//
// With a timeout of 0 the listener closes and streams end in finish_reason
// abort, usage and [DONE]. With a longer one the server goes on answering
// /health with 200 and refuses new requests with 500 while those in flight
// finish; when they do not fit into the timeout the engine dies, their streams
// hang without an end, and the server stays until its clients have left.
func (s *Server) Terminate(timeout time.Duration) {
	s.mu.Lock()
	if s.draining {
		s.mu.Unlock()
		return
	}
	s.draining = true
	s.idle = make(chan struct{})
	if len(s.open) == 0 {
		close(s.idle)
	}
	s.mu.Unlock()
	go s.drain(timeout)
}

func (s *Server) drain(timeout time.Duration) {
	if timeout <= 0 {
		_ = s.listener.Close()
		s.abortAll()
		select {
		case <-s.idle:
		case <-s.done:
		}
		s.finish()
		return
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-s.idle:
	case <-s.done:
	case <-timer.C:
		close(s.dead)
		_ = s.listener.Close()
		select {
		case <-s.idle:
		case <-s.done:
		}
	}
	s.finish()
}

// lastBytes bounds how long answers that are complete may take to leave.
const lastBytes = 2 * time.Second

// finish lets the last answers out and ends.
func (s *Server) finish() {
	ctx, cancel := context.WithTimeout(context.Background(), lastBytes)
	defer cancel()
	_ = s.http.Shutdown(ctx) // what is left then is closed by end
	s.end()
}

// abortAll ends every open call with finish_reason abort.
func (s *Server) abortAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for a := range s.open {
		a.abort()
	}
}

// end closes every connection and stops the engine.
func (s *Server) end() {
	s.ending.Do(func() {
		_ = s.http.Close()
		s.loop.stop()
		close(s.done)
		s.watch.Wait()
	})
}

// enter registers a call; it refuses one that comes after SIGTERM.
func (s *Server) enter(a *answer) *apiError {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining {
		return errShutDown
	}
	s.open[a] = struct{}{}
	return nil
}

// leave frees what the engine still holds of a call.
func (s *Server) leave(a *answer) {
	s.loop.abort(a.sequences)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, a)
	if s.draining && len(s.open) == 0 {
		close(s.idle)
	}
}
