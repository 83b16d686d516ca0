package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"assay/internal/engine"
	"assay/internal/engine/httpd"
)

// checkStatus runs a command and demands its exit code: status 2 assay bench nope.
// stdout and stderr then look at its output. status 0,4 takes either: whether a
// level is valid depends on what else the machine does.
func checkStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status CODE COMMAND [ARG…]")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Check(err)
		}
		got = exit.ExitCode()
	}
	if !slices.Contains(strings.Split(args[0], ","), strconv.Itoa(got)) {
		ts.Fatalf("exit code %d, want %s\n%s", got, args[0], ts.ReadFile("stderr"))
	}
}

// waitFor waits until a file holds a text: waitfor FILE TEXT.
func waitFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: waitfor FILE TEXT")
	}
	deadline := time.Now().Add(30 * time.Second)
	for {
		b, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && strings.Contains(string(b), args[1]) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s does not hold %q", args[0], args[1])
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// serve starts a server for the script and puts its URL into a variable:
// serve sim URL, serve html URL, serve silent URL, serve two-models URL.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: serve KIND VARIABLE")
	}
	switch args[0] {
	case "gate", "secure-gate", "mutual-gate":
		serveGate(ts, args[0], args[1])
		return
	case "proxy":
		serveProxy(ts, args[1])
		return
	case "sagemaker":
		serveSageMaker(ts, args[1])
		return
	case "bedrock":
		serveBedrock(ts, args[1])
		return
	case "sim", "adapters":
		opt := httpd.Options{PromptTokensDetails: true}
		if args[0] == "adapters" {
			opt.ServedModel, opt.Adapters = "base", []string{"a", "b"}
		}
		s, err := httpd.Start(engine.Demo(), opt)
		ts.Check(err)
		ts.Defer(func() { s.Terminate(0) })
		ts.Setenv(args[1], s.URL())
		return
	}
	if start, ok := services[args[0]]; ok {
		start(ts, args[1])
		return
	}
	handler, ok := handlers[args[0]]
	if !ok {
		handler, ok = apiHandlers[args[0]]
	}
	if !ok {
		ts.Fatalf("no server %q", args[0])
	}
	s := httptest.NewServer(handler)
	ts.Defer(func() { s.CloseClientConnections(); s.Close() })
	ts.Setenv(args[1], s.URL)
}

var handlers = map[string]http.HandlerFunc{
	"html": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!DOCTYPE html><html><body>Welcome to nginx!</body></html>")
	},
	"silent": func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(10 * time.Second):
		}
	},
	"two-models": func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"data":[{"id":"alpha"},{"id":"beta"}]}`)
	},
	"locked": func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":{"message":"Incorrect key: %s"}}`, r.Header.Get("Authorization"))
	},
}

// unseen demands that no file of a folder holds any of the texts: unseen DIR TEXT….
func unseen(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: unseen DIR TEXT…")
	}
	files := 0
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		for _, text := range args[1:] {
			if strings.Contains(string(b), text) {
				return fmt.Errorf("%s holds %q", path, text)
			}
		}
		return nil
	}))
	if files == 0 {
		ts.Fatalf("%s is empty", args[0])
	}
}
