package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// talker streams tokens up to the bound that stands in the field that it knows,
// and to its own end where there is none.
func talker(t *testing.T, field string, end int) string {
	t.Helper()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var asked map[string]any
		_ = json.Unmarshal(body, &asked)
		n := end
		if bound, ok := asked[field].(float64); ok {
			n = int(bound)
		}
		for range n {
			if _, err := io.WriteString(w, content("x")); err != nil {
				return
			}
		}
		io.WriteString(w, last+done)
	}))
	t.Cleanup(h.Close)
	return h.URL
}

const endless = 1_000_000

func TestARunawayAnswerIsCutOff(t *testing.T) {
	c := client(t, talker(t, "nothing", endless))
	for _, tt := range []struct{ asked, kept int }{{8, 4*8 + 64 + 1}, {100, 4*100 + 64 + 1}} {
		body, err := c.Encode(Prompt{Text: "hi", MaxTokens: tt.asked}, Dialect{})
		if err != nil {
			t.Fatal(err)
		}
		o := c.Do(t.Context(), "1", body)
		if o.Err == nil || o.Err.Kind != KindOverrun || len(o.Chunks) != tt.kept || !strings.Contains(o.Err.Detail, fmt.Sprintf("asked for %d", tt.asked)) {
			t.Errorf("asked for %d: %v after %d chunks, want %d", tt.asked, o.Err, len(o.Chunks), tt.kept)
		}
	}
}

// A long answer is none, nor is one whose length nobody asked for.
func TestALongAnswerIsNotCutOff(t *testing.T) {
	c := client(t, talker(t, "nothing", 400))
	for _, asked := range []int{0, 100, 400} {
		body, err := c.Encode(Prompt{Text: "hi", MaxTokens: asked}, Dialect{})
		if err != nil {
			t.Fatal(err)
		}
		if o := c.Do(t.Context(), "1", body); o.Err != nil || len(o.Chunks) != 401 {
			t.Errorf("asked for %d: %v, %d chunks", asked, o.Err, len(o.Chunks))
		}
	}
}

// Memory is bounded where nobody asked for a length, too.
func TestAnAnswerWithoutEndIsCutOff(t *testing.T) {
	for name, event := range map[string]string{
		"of chunks": content("x"),
		"of text":   content(strings.Repeat("x", 1<<20)),
	} {
		var out Outcome
		d := newDecoder(chatProtocol, []byte(`{}`), &out, &Facts{}, false)
		for range 2 * mostChunks {
			if d.Feed([]byte(event), 1) != nil {
				break
			}
		}
		d.Finish()
		if out.Err == nil || out.Err.Kind != KindOverrun || len(out.Chunks) > mostChunks+1 || d.size > mostText+1<<20 {
			t.Errorf("%s: %v after %d chunks, %d bytes", name, out.Err, len(out.Chunks), d.size)
		}
	}
}

// Before there is any load, the field that is heeded is found, or the run ends.
func TestInspectFindsARunaway(t *testing.T) {
	in, err := client(t, talker(t, maxCompletionTokens, endless)).Inspect(t.Context(), Prompt{Text: "hi"})
	if err != nil || in.Dialect.MaxTokensField != maxCompletionTokens || !strings.Contains(strings.Join(in.Remarks, ";"), "ignores max_tokens") {
		t.Errorf("%v, %+v", err, in)
	}
	_, err = client(t, talker(t, "nothing", endless)).Inspect(t.Context(), Prompt{Text: "hi"})
	var refused *TargetError
	if !errors.As(err, &refused) || refused.Cause.Kind != KindOverrun || !strings.Contains(refused.Hint(), OllamaChat) {
		t.Errorf("%v", err)
	}
}

func TestAskedIn(t *testing.T) {
	for _, tt := range []struct {
		api, body string
		want      int
	}{
		{Chat, `{"max_tokens":5}`, 5},
		{Chat, `{"max_completion_tokens":5,"n":3}`, 15},
		{Chat, `{"messages":[{"content":"\"max_tokens\":9"}]}`, 0},
		{Responses, `{"max_output_tokens":7}`, 7},
		{OllamaChat, `{"options":{"num_predict":6}}`, 6},
		{OllamaChat, `{"options":{"num_predict":-1}}`, 0},
		{TGI, `{"parameters":{"max_new_tokens":4}}`, 4},
		{BedrockConverse, `{"inferenceConfig":{"maxTokens":4}}`, 4},
		{Chat, `[`, 0},
	} {
		p, err := protocolOf(tt.api)
		if err != nil {
			t.Fatal(err)
		}
		if got := askedIn([]byte(tt.body), p.lengths); got != tt.want {
			t.Errorf("%s %s: %d, want %d", tt.api, tt.body, got, tt.want)
		}
	}
}
