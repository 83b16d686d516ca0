package httpd

import (
	"crypto/subtle"
	"net/http"
	"strings"
)

// guard marks every answer and, with a key, lets nobody without it into /v1 and
// into what vLLM does not have.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Server", serverName)
		guarded := strings.HasPrefix(r.URL.Path, "/v1") || strings.HasPrefix(r.URL.Path, "/admin")
		if s.opt.APIKey != "" && guarded && !s.authorized(r) {
			writeJSON(w, http.StatusUnauthorized, struct {
				Error string `json:"error"`
			}{"Unauthorized"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) authorized(r *http.Request) bool {
	scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "bearer") && subtle.ConstantTimeCompare([]byte(key), []byte(s.opt.APIKey)) == 1
}
