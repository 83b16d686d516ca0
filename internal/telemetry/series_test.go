package telemetry

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestKeyGoesRound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := series{name: rapid.StringMatching(`[a-z:_]+`).Draw(t, "name"), value: 1}
		for i := range rapid.IntRange(0, 3).Draw(t, "labels") {
			want.labels = append(want.labels, label{string(rune('a' + i)), rapid.String().Draw(t, "value")})
		}
		got, err := parseKey(want.key(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got, cmp.AllowUnexported(series{}, label{})); d != "" {
			t.Fatalf("parseKey(key()): -want +got\n%s", d)
		}
	})
}

func TestMalformedKeys(t *testing.T) {
	for _, key := range []string{`a{`, `a{b`, `a{b=`, `a{b=c}`, `a{b="c`, `a{b="c",`} {
		if _, err := FromValues(time.Time{}, map[string]float64{key: 1}); err == nil {
			t.Errorf("FromValues takes %q", key)
		}
	}
}

// What a recorded file holds is foreign: any key is read or refused, and what was
// read is written so that it reads the same.
func FuzzParseKey(f *testing.F) {
	f.Add(`vllm:num_requests_running{engine="0",model_name="a \"b\""}`)
	f.Add(`a{b="c",`)
	f.Add("a{b=`c`}")
	f.Fuzz(func(t *testing.T, key string) {
		one, err := parseKey(key, 1)
		if err != nil {
			return
		}
		again, err := parseKey(one.key(), 1)
		if err != nil {
			t.Fatalf("parseKey(%q) gives %+v, whose key %q is refused: %v", key, one, one.key(), err)
		}
		if d := cmp.Diff(one, again, cmp.AllowUnexported(series{}, label{})); d != "" {
			t.Fatalf("parseKey(key()): -want +got\n%s", d)
		}
	})
}
