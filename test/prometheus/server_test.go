package prometheus

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// target is what a Prometheus scrapes each second.
type target struct {
	job, url string            // url with its path
	labels   map[string]string // that the scrape adds, as service discovery does
	honor    bool              // honor_labels: the target's own labels win
}

// server is a real Prometheus of this test.
type server struct{ url string }

// start runs a Prometheus over the targets, and rules if there are any, until the
// test ends.
func start(t *testing.T, targets []target, rules ...string) server {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(config, []byte(configuration(t, targets, rules)), 0o644); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(dir, "prometheus.log"))
	if err != nil {
		t.Fatal(err)
	}
	address := free(t)
	cmd := exec.CommandContext(t.Context(), tool(t, "prometheus"), "--config.file="+config,
		"--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+address)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed, so an error
		_ = log.Close()
		if t.Failed() {
			text, _ := os.ReadFile(log.Name())
			t.Logf("Prometheus says:\n%.4000s", text)
		}
	})
	s := server{url: "http://" + address}
	within(t, "a Prometheus that is ready", func() bool {
		answer, err := http.Get(s.url + "/-/ready")
		if err != nil {
			return false
		}
		_ = answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	})
	return s
}

func configuration(t *testing.T, targets []target, rules []string) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}\n")
	if len(rules) > 0 {
		fmt.Fprintf(&b, "rule_files: [%s]\n", strings.Join(rules, ", "))
	}
	fmt.Fprintf(&b, "scrape_configs:\n")
	for _, g := range targets {
		u, err := url.Parse(g.url)
		if err != nil {
			t.Fatal(err)
		}
		labels, err := json.Marshal(g.labels) // JSON is YAML
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "- {job_name: %s, metrics_path: %s, honor_labels: %v, static_configs: [{targets: [%q], labels: %s}]}\n",
			g.job, u.Path, g.honor, u.Host, labels)
	}
	return b.String()
}

// free is an address that nobody listens on.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// within waits for what is to come; a machine may be slow.
func within(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(4 * time.Minute); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatal("never seen: " + what)
}

// sample is one series of an answer.
type sample struct {
	labels map[string]string
	value  float64
}

// query asks for an expression's value now.
func (s server) query(t testing.TB, expr string) []sample {
	t.Helper()
	answer, err := http.Get(s.url + "/api/v1/query?query=" + url.QueryEscape(expr))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var got struct {
		Error string
		Data  struct {
			Result []struct {
				Metric map[string]string
				Value  [2]any
			}
		}
	}
	if err := json.NewDecoder(answer.Body).Decode(&got); err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	if got.Error != "" {
		t.Fatalf("%s: %s", expr, got.Error)
	}
	var all []sample
	for _, r := range got.Data.Result {
		text, _ := r.Value[1].(string)
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatalf("%s: %v", expr, err)
		}
		all = append(all, sample{r.Metric, v})
	}
	return all
}
