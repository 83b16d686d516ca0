package main

import (
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// clusterToken is what the fake cluster knows its user by.
const clusterToken = "cluster-token-31"

// clusterOf starts a Kubernetes API of the files in a folder of the script and puts the
// path of a kubeconfig for it into a variable: cluster DIR VAR. A path of the API is a
// file, with _ for each /, such as apis_apps_v1_deployments.json; what has none is not
// there, and what is empty is forbidden. What was asked is kept in DIR/asked.
func clusterOf(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cluster DIR VAR")
	}
	dir := ts.MkAbs(args[0])
	asked, err := os.Create(filepath.Join(dir, "asked"))
	ts.Check(err)
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(asked, r.Method, r.URL.Path)
		body, err := os.ReadFile(filepath.Join(dir, strings.ReplaceAll(strings.Trim(r.URL.Path, "/"), "/", "_")+".json"))
		w.Header().Set("Content-Type", "application/json")
		code, reason := http.StatusOK, ""
		switch {
		case r.Header.Get("Authorization") != "Bearer "+clusterToken:
			code, reason = http.StatusUnauthorized, "Unauthorized"
		case err != nil:
			code, reason = http.StatusNotFound, "not found"
		case len(body) == 0:
			code, reason = http.StatusForbidden, "the account cannot list it"
		}
		w.WriteHeader(code)
		if reason != "" {
			body = fmt.Appendf(nil, `{"kind":"Status","status":"Failure","message":%q,"code":%d}`, reason, code)
		}
		_, _ = w.Write(body)
	}))
	ts.Defer(func() { s.Close(); _ = asked.Close() })
	ca := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	path := filepath.Join(dir, "kubeconfig")
	ts.Check(os.WriteFile(path, fmt.Appendf(nil, `apiVersion: v1
kind: Config
current-context: test
clusters: [{name: test, cluster: {server: %q, certificate-authority-data: %s}}]
users: [{name: someone, user: {token: %s}}, {name: nobody, user: {token: other}}]
contexts: [{name: test, context: {cluster: test, user: someone}}, {name: stranger, context: {cluster: test, user: nobody}}]
`, s.URL, ca, clusterToken), 0o600))
	ts.Setenv(args[1], path)
}
