package wire

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
)

func TestResetCacheTriesBothEngines(t *testing.T) {
	for _, tc := range []struct {
		name   string
		status map[string]int // by path; others are not found
		asked  []string
		kind   string // of the error; empty: none
	}{
		{"vLLM in development mode", map[string]int{"/reset_prefix_cache": 200}, []string{"/reset_prefix_cache"}, ""},
		{"SGLang", map[string]int{"/flush_cache": 200}, []string{"/reset_prefix_cache", "/flush_cache"}, ""},
		{"neither", nil, []string{"/reset_prefix_cache", "/flush_cache"}, KindNotFound},
		{"one that fails", map[string]int{"/reset_prefix_cache": 500}, []string{"/reset_prefix_cache"}, KindHTTP},
	} {
		var asked []string
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPost {
				t.Errorf("%s %s", r.Method, r.URL.Path)
			}
			asked = append(asked, r.URL.Path)
			status := tc.status[r.URL.Path]
			if status == 0 {
				status = http.StatusNotFound
			}
			w.WriteHeader(status)
			if r.URL.Path == "/flush_cache" && status == http.StatusOK {
				_, _ = w.Write([]byte("Cache flushed."))
			}
		}))
		c, err := New(Endpoint{URL: s.URL, Model: "m", API: Chat}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = c.ResetCache(t.Context())
		var target *TargetError
		got := ""
		if errors.As(err, &target) {
			got = target.Cause.Kind
		}
		if got != tc.kind || (err == nil) != (tc.kind == "") || !slices.Equal(asked, tc.asked) {
			t.Errorf("%s: error %v, asked %v; want kind %q, %v", tc.name, err, asked, tc.kind, tc.asked)
		}
		c.Close()
		s.Close()
	}
}
