package load

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/wire"
)

// target is a fake endpoint that counts words.
type target struct {
	template int
	tokenize func(words int) (int, error) // nil: it has no /tokenize
	usage    bool
	fails    *wire.Error
	failsFor int // only so many of the first requests; 0: all
	limit    int // words; 0: none
	asked    int // requests for tokens
}

func (t *target) Now() time.Duration { return 0 }

func (t *target) Encode(p wire.Prompt, _ wire.Dialect) ([]byte, error) { return json.Marshal(p) }

func (t *target) Tokenize(_ context.Context, p wire.Prompt) (int, error) {
	if t.tokenize == nil {
		return 0, errors.New("HTTP 404")
	}
	return t.tokenize(len(strings.Fields(p.Text)))
}

func (t *target) Do(_ context.Context, _ string, body []byte) wire.Outcome {
	t.asked++
	var p wire.Prompt
	if err := json.Unmarshal(body, &p); err != nil {
		panic(err)
	}
	words := len(strings.Fields(p.Text))
	switch {
	case t.fails != nil && (t.failsFor == 0 || t.asked <= t.failsFor):
		return wire.Outcome{Err: t.fails}
	case t.limit > 0 && words > t.limit:
		return wire.Outcome{Err: &wire.Error{Kind: wire.KindBadRequest, Detail: "maximum context length"}}
	case t.usage:
		return wire.Outcome{Usage: &wire.Usage{Prompt: t.template + words}}
	}
	return wire.Outcome{}
}

func TestFindCounter(t *testing.T) {
	whole := func(words int) (int, error) { return words + 9, nil }
	bare := func(words int) (int, error) { return words, nil }
	for _, c := range []struct {
		name   string
		target target
		how    string
		count  int // of a text of two words
	}{
		{"both agree", target{template: 9, tokenize: whole, usage: true}, CountsByTokenize, 11},
		{"/tokenize leaves out the template", target{template: 9, tokenize: bare, usage: true}, CountsByUsage, 11},
		{"no /tokenize", target{template: 9, usage: true}, CountsByUsage, 11},
		{"no usage", target{tokenize: whole}, CountsByTokenize, 11},
		{"neither", target{}, CountsNothing, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			count, how, err := FindCounter(t.Context(), &c.target, wire.Dialect{})
			if err != nil {
				t.Fatal(err)
			}
			if how != c.how {
				t.Errorf("counts by %q, want %q", how, c.how)
			}
			if how == CountsNothing {
				if count != nil {
					t.Error("a counter that counts nothing")
				}
				return
			}
			if got, err := count(t.Context(), "two words"); err != nil || got != c.count {
				t.Errorf("%d tokens, error %v; want %d", got, err, c.count)
			}
		})
	}
	refused := &wire.Error{Kind: wire.KindUnauthorized, Detail: "who are you"}
	if _, _, err := FindCounter(t.Context(), &target{fails: refused}, wire.Dialect{}); !errors.Is(err, refused) {
		t.Errorf("got %v, want the target's refusal", err)
	}
}

// A run needs several requests before it starts: one that fails in passing must
// not end it, and one that will fail again is not repeated.
func TestACountThatFailsInPassingIsRepeated(t *testing.T) {
	for _, c := range []struct {
		kind     string
		failsFor int
		asked    int
		ok       bool
	}{
		{wire.KindStreamError, askTries - 1, askTries, true},
		{wire.KindStreamError, askTries, askTries, false},
		{wire.KindUnauthorized, 1, 1, false},
	} {
		s := &target{template: 9, usage: true, fails: &wire.Error{Kind: c.kind}, failsFor: c.failsFor}
		n, _, err := usageCounter{target: s}.ask(t.Context(), "two words")
		if (err == nil) != c.ok || c.ok && n != 11 || s.asked != c.asked {
			t.Errorf("%s for %d requests: got %d tokens, error %v after %d requests; want success %v after %d", c.kind, c.failsFor, n, err, s.asked, c.ok, c.asked)
		}
	}
}

// The vocabulary in one prompt is more than a model of a short context takes.
func TestCalibrationWithinAShortContext(t *testing.T) {
	s := &target{template: 9, usage: true, limit: 100}
	count, _, err := FindCounter(t.Context(), s, wire.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := Calibrate(t.Context(), count, 20, 80)
	if err != nil {
		t.Fatal(err)
	}
	want := []LengthCheck{{20, 20}, {80, 80}}
	if d := cmp.Diff(want, c.Checks); d != "" {
		t.Errorf("checks (-want +got):\n%s", d)
	}
}

func TestEncoderHandsOnAllOfAPrompt(t *testing.T) {
	p := Prompt{Text: "t", Body: json.RawMessage(`{}`), MaxTokens: 5, MinTokens: 4}
	body, err := Encoder(&target{}, wire.Dialect{})(p)
	if err != nil {
		t.Fatal(err)
	}
	var got wire.Prompt
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	want := wire.Prompt{Text: "t", Body: json.RawMessage(`{}`), MaxTokens: 5, MinTokens: 4}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("prompt (-want +got):\n%s", d)
	}
}
