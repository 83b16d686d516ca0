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
			var words []string
			for _, w := range c.words {
				words = append(words, w.text)
			}
			got = append(got, strings.TrimSpace(strings.Join(words, "|")+" "+c.then))
		}
		if d := cmp.Diff(want, strings.Join(got, " ")); d != "" {
			t.Errorf("%q (-want +got):\n%s", script, d)
		}
	}
}

func TestCommandsWordsBegin(t *testing.T) {
	const script = "# größer\nvllm serve 'a b' \\\n  --x=\"1 2\" \\y"
	var got []string
	for _, c := range commands(script) {
		for _, w := range c.words {
			got = append(got, script[w.at:w.at+2])
		}
	}
	if d := cmp.Diff([]string{"vl", "se", "'a", "--", `\y`}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
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
