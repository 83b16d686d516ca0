package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"
)

// Names of foreign files stand in answers: on a terminal they must not steer it, and
// for a script they stay what they were.
func TestJSONDoesNotSteerTerminals(t *testing.T) {
	const name = "a\x1b[31m\u009b31m\u202eb\U000e0001é😀"
	var b bytes.Buffer
	if err := writeJSON(&b, map[string]string{"name": name}); err != nil {
		t.Fatal(err)
	}
	want := "{\n  \"name\": \"a\\u001b[31m\\u009b31m\\u202eb\\udb40\\udc01é😀\"\n}\n"
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
	var back map[string]string
	if err := json.Unmarshal(b.Bytes(), &back); err != nil || back["name"] != name {
		t.Errorf("read back as %q, %v", back["name"], err)
	}
}

// Whatever text an answer quotes is the same in YAML.
func TestYAMLKeepsAnyText(t *testing.T) {
	want := map[string]string{}
	for r := rune(0); r < 0x300; r++ {
		want[fmt.Sprint(r)] = "a" + string(r) + "b"
	}
	for _, r := range []rune{0x2028, 0x2029, 0xd7ff, 0xe000, 0xfeff, 0xfffd, 0xfffe, 0xffff, 0x10000, 0xe0001, 0x10ffff} {
		want[fmt.Sprint(r)] = string(r)
	}
	for _, s := range []string{"", " ", "true", "null", "~", "0x1f", "1e3", "- a", "a: b", "# c", "a\n\n b\n", "\ttab", "%x", "@x", "'", `"`, "\\u0041"} {
		want[s] = s
	}
	var b bytes.Buffer
	if err := writeYAML(&b, want); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	if err := yaml.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
