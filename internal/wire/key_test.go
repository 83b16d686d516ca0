package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestNoPrintingShowsTheKey(t *testing.T) {
	const secret = "sk-very-secret"
	e := Endpoint{URL: "http://host", Key: NewKey(secret)}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T"} {
		for _, value := range []any{e.Key, &e.Key, e, &e, []Key{e.Key}, map[string]Key{"k": e.Key}} {
			got := fmt.Sprintf(verb, value)
			if strings.Contains(got, secret) || strings.Contains(strings.ToLower(got), fmt.Sprintf("%x", secret)) {
				t.Errorf("%s of %T shows the key: %s", verb, value, got)
			}
		}
	}
	if err := fmt.Errorf("key %w and %v", errors.New("x"), e.Key); strings.Contains(err.Error(), secret) {
		t.Errorf("an error shows the key: %v", err)
	}
	text, err := json.Marshal(e)
	if err != nil || bytes.Contains(text, []byte(secret)) {
		t.Errorf("got %s, %v; want JSON without the key", text, err)
	}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("m", "endpoint", e, "key", e.Key)
	if strings.Contains(log.String(), secret) {
		t.Errorf("a log shows the key: %s", log.String())
	}
}
