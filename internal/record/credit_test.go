package record

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEach(t *testing.T) {
	tokens := 3
	r := Request{SentUS: 1000, EndUS: 51000, ChunkUS: []int64{10000, 20000, 40000}, AnswerAt: 1, OutputTokens: &tokens}
	for key, want := range map[string][]float64{
		"ttft": {10}, "ttfo": {20}, "itl": {15}, "e2e": {50}, "icl": {10, 20}, "other": nil,
	} {
		var got []float64
		r.Each(key, func(ms float64) { got = append(got, ms) })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", key, diff)
		}
	}
}

func TestWhatCountsInTheWindow(t *testing.T) {
	closed, open := Load{Kind: ByConcurrency}, Load{Kind: ByRate}
	warm, failed, good := &Request{Phase: Warmup}, &Request{Error: "reset"}, &Request{Phase: Measured}
	for _, c := range []struct {
		load Load
		r    *Request
		want bool
	}{{closed, warm, false}, {open, warm, true}, {closed, failed, false}, {open, failed, false}, {closed, good, true}, {open, good, true}} {
		if got := c.load.Credits(c.r); got != c.want {
			t.Errorf("%s credits %+v: %t", c.load.Kind, *c.r, got)
		}
	}
	w := Window{StartUS: 10, EndUS: 20}
	for at, want := range map[int64]bool{10: false, 11: true, 20: true, 21: false} {
		if got := w.Ended(&Request{EndUS: at}); got != want {
			t.Errorf("an end at %d: %t", at, got)
		}
	}
}
