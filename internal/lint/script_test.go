package lint

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommands(t *testing.T) {
	for script, want := range map[string]string{
		"vllm serve m": "vllm|serve|m",
		"exec vllm serve 'a b' \\\n  --port=80 \n":            "exec|vllm|serve|a b|--port=80 ;",
		"a; b && c || d | e & f":                              "a ; b && c || d | e & f",
		"set -e\n# a note; more\nvllm serve m 2>&1 | tee log": "set|-e ; vllm|serve|m|2>&1 | tee|log",
		`echo "x ; y" a\ b`:                                   "echo|x ; y|a b",
		"  \n ":                                               "",
		"'":                                                   "",
		"\\":                                                  "",
	} {
		var got []string
		for _, c := range commands(script) {
			got = append(got, strings.TrimSpace(strings.Join(c.words, "|")+" "+c.then))
		}
		if d := cmp.Diff(want, strings.Join(got, " ")); d != "" {
			t.Errorf("%q (-want +got):\n%s", script, d)
		}
	}
}

func FuzzCommands(f *testing.F) {
	f.Add("exec vllm serve \"a b\" \\\n && c # d\n | e '")
	f.Fuzz(func(t *testing.T, script string) {
		for _, c := range commands(script) {
			if len(c.words) == 0 {
				t.Error("a command without words")
			}
		}
	})
}
