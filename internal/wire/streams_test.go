package wire

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// asks are the requests behind the streams of each API, where the answer is
// judged by what was asked.
var asks = map[string]string{
	Embeddings: `{"model":"m","input":"hello"}`,
	Rerank:     `{"model":"m","query":"q","documents":["a","b"]}`,
}

// streamsOf gives the API of each file of testdata/streams.
func streamsOf(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/streams/*/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no streams: %v", err)
	}
	of := map[string]string{}
	for _, f := range files {
		of[f] = filepath.Base(filepath.Dir(f))
	}
	return of
}

// decodeAs runs an answer of an API through its decoder in the given pieces,
// which arrive a millisecond apart, and then ends it.
func decodeAs(t rapid.TB, api string, pieces ...string) (Outcome, Facts) {
	t.Helper()
	p, err := protocolOf(api)
	if err != nil {
		t.Fatal(err)
	}
	out, facts := Outcome{AnswerAt: -1}, Facts{}
	d := newDecoder(p, []byte(asks[api]), &out, &facts, true)
	for i, piece := range pieces {
		if err := d.Feed([]byte(piece), time.Duration(i+1)*time.Millisecond); err != nil {
			break
		}
	}
	d.Finish()
	return out, facts
}

// summary is all of an outcome but the moments, on one line.
func summary(o Outcome, f Facts) string {
	tokens := make([]int, len(o.Chunks))
	for i, c := range o.Chunks {
		tokens[i] = c.Tokens
	}
	s := fmt.Sprintf("%v %q", tokens, o.Text)
	if len(tokens) > 0 {
		s += fmt.Sprintf(" answer@%d", o.AnswerAt)
	}
	if o.Usage != nil {
		s += fmt.Sprintf(" usage %d+%d %s", o.Usage.Prompt, o.Usage.Completion, f.UsageChunk)
		if o.Usage.Cached != nil {
			s += fmt.Sprintf(" cached %d", *o.Usage.Cached)
		}
		if o.Usage.Reasoning != nil {
			s += fmt.Sprintf(" reasoning %d", *o.Usage.Reasoning)
		}
	}
	if o.UsageContinuous {
		s += " each"
	}
	if f.RoleFirst {
		s += " role-first"
	}
	if f.ReasoningField != "" {
		s += " by " + f.ReasoningField
	}
	if f.Comments > 0 {
		s += fmt.Sprintf(" pings %d", f.Comments)
	}
	s += " finish " + cmp.Or(o.Finish, "-")
	if o.Err != nil {
		s += " FAILED " + o.Err.Error()
	}
	return s
}

// What each engine's stream comes to.
func TestStreams(t *testing.T) {
	want := map[string]string{
		"chat/sglang":                `[0 0 0] "HmYes." answer@1 usage 21+4 own cached 16 reasoning 1 role-first by reasoning_content finish stop`,
		"chat/sglang-aborted":        `[] "" role-first finish - FAILED error-in-stream: The request queue is full.`,
		"chat/tgi":                   `[0 0] "Yes." answer@0 usage 40+3 own pings 1 finish stop`,
		"chat/tgi-error":             `[0] "Yes" answer@0 finish - FAILED error-in-stream: Request failed during generation: Server error: CUDA out of memory`,
		"chat/trtllm":                `[0 0] "Yes, indeed" answer@0 usage 9+3 own cached 0 role-first finish length`,
		"chat/llamacpp":              `[0 0] "HmYes" answer@1 usage 12+3 own cached 8 role-first by reasoning_content pings 1 finish stop`,
		"chat/llamacpp-error":        `[0] "Yes" answer@0 role-first finish - FAILED error-in-stream: context shift is disabled`,
		"chat/ollama":                `[0 0] "HmYes" answer@1 usage 31+3 own by reasoning finish stop`,
		"chat/lmdeploy":              `[0 0] "Yes." answer@0 usage 8+2 own finish length`,
		"chat/lmdeploy-error":        `[] "" finish error FAILED error-in-stream: finish_reason "error"`,
		"chat/tools":                 `[0 0 0 0] "Hm" answer@1 usage 50+9 own reasoning 1 role-first by reasoning finish tool_calls`,
		"responses/vllm":             `[0 0] "74each 42 gufireve cona cofimuwi" answer@0 usage 13+6 own cached 0 reasoning 0 finish max_output_tokens`,
		"responses/vllm-cached":      `[0 0 0] "System dexoxovesaquimu" answer@0 usage 612+3 own cached 512 reasoning 0 finish max_output_tokens`,
		"responses/openai-tools":     `[0 0 0] "Look" answer@1 usage 60+20 own cached 0 reasoning 12 by reasoning_summary_text finish completed`,
		"responses/incomplete":       `[0] "Yes" answer@0 usage 7+16 own finish max_output_tokens`,
		"responses/failed":           `[0] "Yes" answer@0 finish failed FAILED error-in-stream: The model failed to generate a response.`,
		"responses/error":            `[] "" finish - FAILED error-in-stream: Slow down.`,
		"responses/cut":              `[0] "Yes" answer@0 finish - FAILED truncated: the stream ended without response.completed`,
		"messages/vllm":              `[0 0 0 0 0] " bafimu keliwi\x01 bazenzennaliwiha" answer@0 usage 13+6 own role-first finish max_tokens`,
		"messages/vllm-cached":       `[0 0 0] " coyatoulCo" answer@0 usage 612+3 own cached 512 role-first finish max_tokens`,
		"messages/anthropic-tools":   `[0 0 0 0] "LookI look." answer@1 usage 420+44 own cached 300 role-first by thinking pings 1 finish tool_use`,
		"messages/overloaded":        `[] "" role-first finish - FAILED error-in-stream: Overloaded`,
		"messages/cut":               `[0] "Yes" answer@0 role-first finish - FAILED truncated: the stream ended without message_stop`,
		"ollama-chat/thinking-tools": `[0 0 0] "LookI look." answer@1 usage 26+12 own by message.thinking finish stop`,
		"ollama-chat/cached-prompt":  `[0] "Yes" answer@0 usage 0+2 own finish length`,
		"ollama-chat/error":          `[0] "Yes" answer@0 finish - FAILED error-in-stream: an error was encountered while running the model: unexpected EOF`,
		"ollama-generate/generate":   `[0 0] "Yes." answer@0 usage 26+3 own finish stop`,
		"ollama-generate/cut":        `[0] "Yes" answer@0 finish - FAILED truncated: the stream ended without a line with "done":true`,
		"tgi/generate":               `[1 1 1] " Yes." answer@0 usage 11+3 last-content each pings 1 finish eos_token`,
		"tgi/old":                    `[1 1] " Yes." answer@0 usage 0+2 last-content each finish length`,
		"tgi/overloaded":             `[] "" finish - FAILED rate-limited: Model is overloaded`,
		"tgi/validation":             "[] \"\" finish - FAILED bad-request: Input validation error: `inputs` must have less than 1000 tokens. Given: 2001",
		"tgi/generation":             `[1] " Yes" answer@0 each finish - FAILED error-in-stream: Request failed during generation: Server error: out of memory`,
		"embeddings/vllm-form":       `[] "" usage 5+0 own finish whole`,
		"embeddings/base64":          `[] "" usage 5+0 own finish whole`,
		"embeddings/empty":           `[] "" finish whole FAILED incomplete: 0 vectors came, 1 were asked for`,
		"embeddings/too-many":        `[] "" finish whole FAILED incomplete: 2 vectors came, 1 were asked for`,
		"embeddings/no-numbers":      `[] "" finish whole FAILED incomplete: the vector 1 of 1 is empty or holds no numbers`,
		"embeddings/error":           `[] "" finish whole FAILED error-in-stream: input is too long`,
		"embeddings/cut":             `[] "" finish - FAILED truncated: the answer ended before its JSON was whole`,
		"rerank/vllm-form":           `[] "" usage 90+0 own finish whole`,
		"rerank/sglang":              `[] "" finish whole`,
		"rerank/cohere":              `[] "" usage 80+0 own finish whole`,
		"rerank/too-few":             `[] "" finish whole FAILED incomplete: 1 scores came, 2 were asked for`,
		"rerank/error":               `[] "" finish whole FAILED error-in-stream: boom`,
	}
	for file, api := range streamsOf(t) {
		name := strings.TrimSuffix(strings.TrimPrefix(file, "testdata/streams/"), ".txt")
		t.Run(name, func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got := summary(decodeAs(t, api, string(b))); got != want[name] {
				t.Errorf("got  %s\nwant %s", got, want[name])
			}
		})
	}
	if len(want) != len(streamsOf(t)) {
		t.Errorf("%d streams are expected, %d are there", len(want), len(streamsOf(t)))
	}
}

// Whatever way the network cuts them.
func TestStreamsAreTheSameForEverySplit(t *testing.T) {
	for file, api := range streamsOf(t) {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(file, func(t *testing.T) {
			for cut := 1; cut < len(b); cut++ {
				sameInPieces(t, api, string(b), string(b[:cut]), string(b[cut:]))
			}
			rapid.Check(t, func(t *rapid.T) {
				sameInPieces(t, api, string(b), pieces(t, string(b))...)
			})
		})
	}
}

// pieces cuts a stream at random.
func pieces(t *rapid.T, stream string) []string {
	var cut []string
	for rest := stream; rest != ""; {
		n := rapid.IntRange(1, min(len(rest), 40)).Draw(t, "n")
		cut = append(cut, rest[:n])
		rest = rest[n:]
	}
	return cut
}

// sameInPieces compares a stream fed whole with the same in pieces. Only the
// arrivals may differ.
func sameInPieces(t rapid.TB, api, stream string, pieces ...string) {
	t.Helper()
	whole, wholeFacts := decodeAs(t, api, stream)
	cut, cutFacts := decodeAs(t, api, pieces...)
	for _, o := range []*Outcome{&whole, &cut} {
		for i := range o.Chunks {
			o.Chunks[i].At = 0
		}
	}
	wholeFacts.Reads, cutFacts.Reads = 0, 0
	if d := gocmp.Diff(whole, cut); d != "" {
		t.Fatalf("outcome (-whole +cut):\n%s", d)
	}
	if d := gocmp.Diff(wholeFacts, cutFacts); d != "" {
		t.Fatalf("facts (-whole +cut):\n%s", d)
	}
}

// fuzzAPI feeds an API's decoder with any bytes, whole and in pieces.
func fuzzAPI(f *testing.F, api string) {
	for file, of := range streamsOf(f) {
		if b, err := os.ReadFile(file); err == nil && of == api {
			f.Add(b, uint8(7))
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte, step uint8) {
		var pieces []string
		for piece := range slices.Chunk(stream, int(step)%64+1) {
			pieces = append(pieces, string(piece))
		}
		sameInPieces(t, api, string(stream), pieces...)
		o, _ := decodeAs(t, api, string(stream))
		if o.Err == nil && len(o.Chunks) == 0 && Streams(api) {
			t.Error("a success without a token")
		}
		if u := o.Usage; u != nil && (u.Prompt < 0 || u.Completion < 0 || u.Cached != nil && *u.Cached > u.Prompt) {
			t.Errorf("usage that cannot be: %+v", *u)
		}
	})
}

func FuzzResponses(f *testing.F)      { fuzzAPI(f, Responses) }
func FuzzMessages(f *testing.F)       { fuzzAPI(f, Messages) }
func FuzzOllamaChat(f *testing.F)     { fuzzAPI(f, OllamaChat) }
func FuzzOllamaGenerate(f *testing.F) { fuzzAPI(f, OllamaGenerate) }
func FuzzTGI(f *testing.F)            { fuzzAPI(f, TGI) }
func FuzzEmbeddings(f *testing.F)     { fuzzAPI(f, Embeddings) }
func FuzzRerank(f *testing.F)         { fuzzAPI(f, Rerank) }
