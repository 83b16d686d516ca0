package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExtraBody(t *testing.T) {
	file := filepath.Join(t.TempDir(), "extra.json")
	if err := os.WriteFile(file, []byte(`{"top_k": 40, "options": {"a": 1}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		typed []string
		want  map[string]any
		why   string // of an error
	}{
		{nil, nil, ""},
		{[]string{"@" + file, "temperature:0.70", "guided:yes", "flag:true", "url:http://x", `o:{"a":1}`}, map[string]any{
			"top_k": json.Number("40"), "options": map[string]any{"a": json.Number("1")}, "temperature": json.Number("0.70"),
			"guided": "yes", "flag": true, "url": "http://x", "o": map[string]any{"a": json.Number("1")},
		}, ""},
		{[]string{`{"a":1} {"b":2}`}, nil, "behind the first"},
		{[]string{`{"a":1`}, nil, "not a JSON object"},
		{[]string{"nonsense"}, nil, "NAME:VALUE"},
		{[]string{":1"}, nil, "NAME:VALUE"},
		{[]string{"@none.json"}, nil, "no such file"},
		{[]string{"a:1", `{"a":2}`}, nil, "given twice"},
	} {
		got, err := readExtraBody(tt.typed)
		if tt.why != "" {
			if err == nil || !strings.Contains(err.Error(), tt.why) {
				t.Errorf("%q: got error %v, want one about %q", tt.typed, err, tt.why)
			}
			continue
		}
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
			t.Errorf("%q: %v %s", tt.typed, err, diff)
		}
	}
}
