package record

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func tokens(n int) *int { return &n }

// The documents' worked example: first token at 500 ms, last at 2,500 ms, 50 tokens.
func documentsExample() Request {
	r := Request{OutputTokens: tokens(50), SentUS: 1_000_000, EndUS: 3_600_000}
	for i := range 50 {
		r.ChunkUS = append(r.ChunkUS, 500_000+int64(i)*2_000_000/49)
	}
	return r
}

func TestDocumentsWorkedExample(t *testing.T) {
	r := documentsExample()
	if got, ok := r.TTFT(); !ok || got != 500 {
		t.Errorf("TTFT = %v, %v; want 500 ms", got, ok)
	}
	if got, ok := r.ITL(); !ok || math.Abs(got-40.8) > 0.05 {
		t.Errorf("ITL = %v, %v; want 40.8 ms", got, ok)
	}
	if got, ok := r.E2E(); !ok || got != 2600 {
		t.Errorf("E2E = %v, %v; want 2600 ms", got, ok)
	}
	if got, ok := r.TPS(); !ok || math.Abs(got-20) > 1e-9 {
		t.Errorf("TPS = %v, %v; want 20/s", got, ok)
	}
}

func TestITL(t *testing.T) {
	for _, tt := range []struct {
		name   string
		r      Request
		want   float64
		wantOK bool
	}{
		{"one token has none", Request{OutputTokens: tokens(1), ChunkUS: []int64{5000}}, 0, false},
		{"unknown count has none", Request{ChunkUS: []int64{5000, 6000}}, 0, false},
		{"all in one chunk has none", Request{OutputTokens: tokens(8), ChunkUS: []int64{5000}}, 0, false},
		{"the first chunk's tokens do not count", Request{OutputTokens: tokens(10), ChunkUS: []int64{1000, 13_000}, ChunkTokens: []int{4, 6}}, 2, true},
		{"tokens merged later do", Request{OutputTokens: tokens(9), ChunkUS: []int64{1000, 5000, 9000}}, 1, true},
	} {
		if got, ok := tt.r.ITL(); got != tt.want || ok != tt.wantOK {
			t.Errorf("%s: %v, %v; want %v, %v", tt.name, got, ok, tt.want, tt.wantOK)
		}
	}
}

func TestReasoningCountsForTTFTNotForTTFO(t *testing.T) {
	r := Request{ChunkUS: []int64{100, 200, 300}, AnswerAt: 2}
	ttft, _ := r.TTFT()
	ttfo, ok := r.TTFO()
	if ttft != 0.1 || ttfo != 0.3 || !ok {
		t.Errorf("TTFT %v, TTFO %v", ttft, ttfo)
	}
	r.AnswerAt = -1
	if _, ok := r.TTFO(); ok {
		t.Error("a request without an answer has a TTFO")
	}
}

func TestICLs(t *testing.T) {
	var got []float64
	r := Request{ChunkUS: []int64{1000, 3000, 3500}}
	r.ICLs(func(ms float64) { got = append(got, ms) })
	if len(got) != 2 || got[0] != 2 || got[1] != 0.5 {
		t.Errorf("ICLs = %v", got)
	}
}

// Cutting time into windows neither loses nor doubles a token.
func TestTokensWithinIsAdditive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Request{SentUS: rapid.Int64Range(0, 1000).Draw(t, "sent")}
		at := int64(0)
		for range rapid.IntRange(1, 20).Draw(t, "chunks") {
			at += rapid.Int64Range(0, 500).Draw(t, "gap")
			r.ChunkUS = append(r.ChunkUS, at)
		}
		r.OutputTokens = tokens(rapid.IntRange(len(r.ChunkUS), 100).Draw(t, "tokens"))
		end := r.SentUS + at + 1
		cut := rapid.Int64Range(0, end).Draw(t, "cut")
		sum := r.TokensWithin(0, cut) + r.TokensWithin(cut, end)
		if math.Abs(sum-float64(*r.OutputTokens)) > 1e-6 {
			t.Fatalf("%v tokens in the parts, %d in all", sum, *r.OutputTokens)
		}
	})
}
