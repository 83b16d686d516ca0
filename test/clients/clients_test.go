package clients

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/engine"
	"assay/internal/engine/httpd"
	"assay/test/require"
)

// seen is what a client script prints.
type seen struct {
	Text         string `json:"text"`
	Chunks       int    `json:"chunks"`
	FinishReason string `json:"finish_reason"`
	Usage        *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
	} `json:"usage"`

	Status  int    `json:"status"`
	Type    string `json:"type"`
	Message string `json:"message"`
}

// installed is the folder of install.sh.
func installed(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../.cache/clients")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "installed")); err != nil {
		require.Missing(t, require.Clients, "install them with test/clients/install.sh")
	}
	return dir
}

const key = "a-key-of-this-test"

func TestClients(t *testing.T) {
	dir := installed(t)
	server, err := httpd.Start(engine.Demo(), httpd.Options{ServedModel: "demo", APIKey: key})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Terminate(0) })

	for name, command := range map[string][]string{
		"python": {filepath.Join(dir, "py", "bin", "python"), filepath.Join(dir, "client.py")},
		"node":   {"node", filepath.Join(dir, "client.mjs")},
	} {
		run := func(t *testing.T, scenario string) seen {
			t.Helper()
			cmd := exec.CommandContext(t.Context(), command[0], append(command[1:], server.URL()+"/v1", "demo", scenario)...)
			cmd.Env = append(os.Environ(), "OPENAI_API_KEY="+key)
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			var s seen
			if err := json.Unmarshal(out, &s); err != nil {
				t.Fatalf("%v: %q", err, out)
			}
			return s
		}
		t.Run(name, func(t *testing.T) {
			for _, scenario := range []string{"stream", "whole", "completion"} {
				t.Run(scenario, func(t *testing.T) { checkAnswer(t, run(t, scenario), scenario == "stream") })
			}
			t.Run("error", func(t *testing.T) {
				want := seen{Status: 404, Type: "NotFoundError", Message: "The model `no-such-model` does not exist. Valid aliases: demo."}
				if diff := cmp.Diff(want, run(t, "error")); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// checkAnswer expects the 12 tokens that the scripts ask for.
func checkAnswer(t *testing.T, got seen, streamed bool) {
	t.Helper()
	if strings.TrimSpace(got.Text) == "" || got.FinishReason != "length" {
		t.Errorf("text %q, finish_reason %q", got.Text, got.FinishReason)
	}
	if got.Usage == nil || got.Usage.Completion != 12 || got.Usage.Prompt == 0 {
		t.Errorf("usage %+v, want 12 tokens", got.Usage)
	}
	// A role chunk, at least one with content, and the usage.
	if streamed && (got.Chunks < 3 || got.Chunks > 14) {
		t.Errorf("%d chunks for 12 tokens", got.Chunks)
	}
}
