package cli

import (
	"bytes"
	"encoding/json"
	"testing"
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
