package httpd

import (
	"net/http"
	"strconv"
	"time"
)

// draw is the faults of one call. Which calls are hit follows from their number.
func (s *Server) draw(number uint64) Faults {
	f := s.currentFaults()
	if f.Share > 0 && chance(s.cfg.Seed, number, 1) >= f.Share {
		return Faults{}
	}
	return f
}

func (s *Server) currentFaults() Faults {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.faults
}

// chance is a number in [0, 1) for the given draw of a call.
func chance(seed, number, draw uint64) float64 {
	h := spread(spread(seed+number*0x9e3779b97f4a7c15) + draw*0xbf58476d1ce4e5b9)
	return float64(spread(h)>>11) / (1 << 53)
}

const proxyPage = "<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body><h1>Sign in to continue</h1></body></html>\n"

// refuses answers in the engine's place, as proxies, gateways and broken
// servers do. It reports whether it has.
func (s *Server) refuses(w http.ResponseWriter, r *http.Request, f Faults, number uint64) bool {
	if f.FirstByteMS > 0 && !pause(r, time.Duration(f.FirstByteMS)*time.Millisecond) {
		return true
	}
	if f.HTML {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(proxyPage)) // the client may have left
		return true
	}
	if f.Shed > 0 && chance(s.cfg.Seed, number, 3) < f.Shed {
		s.metrics.reject(rejections[0])
		writeError(w, errBusy)
		return true
	}
	if f.ErrorRate == 0 || chance(s.cfg.Seed, number, 2) >= f.ErrorRate {
		return false
	}
	status := f.ErrorStatus
	if status == 0 {
		status = http.StatusInternalServerError
	}
	if f.RetryAfterS > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(f.RetryAfterS))
	}
	writeError(w, injected(status))
	return true
}

func injected(status int) *apiError {
	switch status {
	case http.StatusServiceUnavailable:
		return errBusy
	case http.StatusInternalServerError:
		return errEngineDead
	case http.StatusTooManyRequests:
		return refuse(status, "RateLimitError", "", "Rate limit reached for requests. Please try again later.")
	}
	return refuse(status, http.StatusText(status), "", "injected: %s", http.StatusText(status))
}

func (s *Server) showFaults(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, s.currentFaults())
}

// maxFaultsBody bounds the body of POST /admin/faults, far over all its fields.
const maxFaultsBody = 64 << 10

// crossSite keeps web pages from changing the faults of a server on the machine
// of who visits them. A page of another site can send only simple content types
// without asking first, and OPTIONS is not answered.
var crossSite = http.NewCrossOriginProtection()

func (s *Server) changeFaults(w http.ResponseWriter, r *http.Request) {
	if err := crossSite.Check(r); err != nil {
		writeError(w, refuse(http.StatusForbidden, http.StatusText(http.StatusForbidden), "", "%v", err))
		return
	}
	if !isJSON(r) {
		writeError(w, refuse(http.StatusUnsupportedMediaType, http.StatusText(http.StatusUnsupportedMediaType), "",
			"Content-Type is %q: send application/json", r.Header.Get("Content-Type")))
		return
	}
	f, err := ParseFaults(http.MaxBytesReader(w, r.Body, maxFaultsBody))
	if err == nil {
		err = s.SetFaults(f)
	}
	if err != nil {
		writeError(w, badRequest("", "%v", err))
		return
	}
	writeJSON(w, http.StatusOK, f)
}
