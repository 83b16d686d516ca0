package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"assay/bench/result"
	"assay/internal/nullserver"
)

// bench is the folder of the built programs.
type bench struct{ dir string }

func (b bench) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, filepath.Join(b.dir, name), args...)
	c.Stderr = os.Stderr
	return c
}

// server is a null server in a process of its own.
type server struct {
	url     string
	process *exec.Cmd
}

func (b bench) serve(ctx context.Context, ttft, itl time.Duration) (*server, error) {
	c := b.command(ctx, "nullserver", "-listen", "127.0.0.1:0", "-ttft", ttft.String(), "-itl", itl.String())
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("the null server did not start: %w", c.Wait())
	}
	return &server{url: strings.TrimSpace(line), process: c}, nil
}

func (s *server) stop() {
	_ = s.process.Process.Signal(os.Interrupt)
	_ = s.process.Wait() // how a server ends that has been read is of no interest
}

// client runs a client against s and gives its account and the server's.
func (b bench) client(ctx context.Context, s *server, name string, args ...string) (result.Result, nullserver.Ledger, error) {
	var r result.Result
	var l nullserver.Ledger
	if err := s.ask(ctx, http.MethodDelete, nil); err != nil {
		return r, l, err
	}
	out, err := b.command(ctx, name, append([]string{"-url", s.url}, args...)...).Output()
	if err != nil {
		return r, l, fmt.Errorf("%s: %w", name, err)
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return r, l, fmt.Errorf("%s printed %q: %w", name, out, err)
	}
	if r.Failed > 0 {
		return r, l, fmt.Errorf("%s: %d requests failed: %s", name, r.Failed, strings.Join(r.Errors, "; "))
	}
	return r, l, s.ask(ctx, http.MethodGet, &l)
}

// ask reads the ledger, or with DELETE clears it.
func (s *server) ask(ctx context.Context, method string, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, s.url+"/ledger", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if into == nil {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(into)
}
