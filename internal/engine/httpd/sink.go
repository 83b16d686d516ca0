package httpd

import (
	"net"
	"net/http"
	"time"
)

// sink is where a stream's bytes go.
type sink struct {
	w       http.ResponseWriter
	control *http.ResponseController
	buffer  bool // as a proxy that passes all on at the end
	held    []byte
}

// flush sends bytes on; false when the client has left.
func (o *sink) flush(b []byte) bool {
	if o.buffer {
		o.held = append(o.held, b...)
		return true
	}
	if len(b) > 0 {
		if _, err := o.w.Write(b); err != nil {
			return false
		}
	}
	return o.control.Flush() == nil
}

// last sends the final bytes: the end of the handler flushes them.
func (o *sink) last(b []byte) {
	if o.buffer {
		b = append(o.held, b...)
	}
	_, _ = o.w.Write(b) // the client may have left
}

// reset breaks the connection with a TCP reset.
func (o *sink) reset() {
	conn, _, err := o.control.Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // the next hardest way to end an answer
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// pause waits, with 0 until the client leaves; false when it has left.
func pause(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		<-r.Context().Done()
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}
