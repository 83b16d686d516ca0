package require

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestAsked(t *testing.T) {
	for _, c := range []struct {
		env  string
		want bool
	}{
		{"", false},
		{"vllm", true},
		{"chromium, vllm", true},
		{"chromium,clients", false},
		{"vllmx", false},
	} {
		t.Setenv(Env, c.env)
		if got := Asked(VLLM); got != c.want {
			t.Errorf("%s=%q: vllm asked for: %v, want %v", Env, c.env, got, c.want)
		}
	}
}

// A misspelt component would be skipped in silence.
func TestTheEnvironmentNamesKnownComponents(t *testing.T) {
	for name := range strings.SplitSeq(os.Getenv(Env), ",") {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(components, name) {
			t.Errorf("%s names %q; the components are %s", Env, name, strings.Join(components, ", "))
		}
	}
}
