package cluster

import (
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// clock is the moment at which the answers in testdata were so.
var clock = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

const secret = "s3cr3t-t0ken"

// fakeAPI answers by path and keeps what it was asked.
type fakeAPI struct {
	*httptest.Server
	mu      sync.Mutex
	asked   []string
	answers map[string]http.HandlerFunc
}

func newFakeAPI(t *testing.T) *fakeAPI {
	t.Helper()
	f := &fakeAPI{answers: map[string]http.HandlerFunc{}}
	f.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		f.asked = append(f.asked, r.Method+" "+r.URL.RequestURI())
		answer := f.answers[r.URL.Path]
		if at, ok := f.answers[r.URL.Path+"?"+r.URL.Query().Get("fieldSelector")]; ok {
			answer = at
		}
		f.mu.Unlock()
		switch {
		case r.Header.Get("Authorization") != "Bearer "+secret:
			status(w, http.StatusUnauthorized, "Unauthorized")
		case answer == nil:
			status(w, http.StatusNotFound, r.URL.Path+" not found")
		default:
			answer(w, r)
		}
	}))
	t.Cleanup(f.Close)
	return f
}

// recorded is the namespace of testdata.
func recorded(t *testing.T) *fakeAPI {
	f := newFakeAPI(t)
	f.answers["/api/v1/namespaces/inference/pods"] = file("pods.json")
	f.answers["/api/v1/namespaces/inference/events"] = file("events.json")
	f.answers["/api/v1/nodes/gpu-a"] = file("gpu-a.json")
	f.answers["/api/v1/nodes/gpu-b"] = file("gpu-b.json")
	f.answers["/api/v1/namespaces/default/events"] = text(`{"items":[]}`)
	f.answers["/api/v1/namespaces/default/events?involvedObject.kind=Node,involvedObject.name=gpu-a"] = file("events-gpu-a.json")
	return f
}

func status(w http.ResponseWriter, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":%q,"code":%d}`, message, code)
}

func file(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, filepath.Join("testdata", name)) }
}

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, s) }
}

func refuse(code int, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { status(w, code, message) }
}

// kubeconfig is a file for the fake API, whose user is as given.
func (f *fakeAPI) kubeconfig(t *testing.T, user string) string {
	t.Helper()
	ca := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: f.Certificate().Raw}))
	path := filepath.Join(t.TempDir(), "kubeconfig")
	err := os.WriteFile(path, fmt.Appendf(nil, `apiVersion: v1
kind: Config
current-context: test
clusters:
  - {name: test, cluster: {server: %q, certificate-authority-data: %s}}
users:
  - {name: someone, user: %s}
contexts:
  - {name: test, context: {cluster: test, user: someone, namespace: inference}}
`, f.URL, ca, user), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// look asks the fake API, and gives incidents and remarks.
func (f *fakeAPI) options(t *testing.T, remarks *[]string) Options {
	return Options{
		Kubeconfig: f.kubeconfig(t, "{token: "+secret+"}"),
		Remark:     func(s string) { *remarks = append(*remarks, s) },
		now:        func() time.Time { return clock },
	}
}
