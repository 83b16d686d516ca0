package wire

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Ours over the endpoint's extra fields, and those over a dataset's body, object
// by object; numbers stay as they are written.
func TestOverlay(t *testing.T) {
	c, err := New(Endpoint{URL: "http://h", Model: "m", Extra: map[string]any{
		"seed": json.Number("12345678901234567890"), "options": map[string]any{"a": json.Number("1")},
	}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	body := `{"model":"other","max_completion_tokens":9,"options":{"a":0,"b":2},"stream":false,"top_p":0.10}`
	for range 2 { // the second must not see what the first has put together
		got, err := c.Encode(Prompt{Body: json.RawMessage(body), MaxTokens: 4}, Dialect{})
		if err != nil {
			t.Fatal(err)
		}
		want := `{"max_tokens":4,"model":"m","options":{"a":1,"b":2},"seed":12345678901234567890,"stream":true,"top_p":0.10}`
		if d := cmp.Diff(want, string(got)); d != "" {
			t.Errorf("body (-want +got):\n%s", d)
		}
	}
	for _, bad := range []string{"null", "[1]"} {
		if got, err := c.Encode(Prompt{Body: json.RawMessage(bad)}, Dialect{}); err == nil || !strings.Contains(err.Error(), "dataset") {
			t.Errorf("body %s: %s, %v", bad, got, err)
		}
	}
}
