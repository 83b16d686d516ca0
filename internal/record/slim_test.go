package record

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// measured are the measures of one request; nil: undefined.
func measured(r Request) map[string]*float64 {
	out := map[string]*float64{}
	for name, f := range map[string]func() (float64, bool){"ttft": r.TTFT, "ttfo": r.TTFO, "itl": r.ITL, "e2e": r.E2E, "tps": r.TPS} {
		if v, ok := f(); ok {
			out[name] = &v
		} else {
			out[name] = nil
		}
	}
	return out
}

func TestASlimRequestMeasuresTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Request{SentUS: 1000, EndUS: 9_000_000}
		r.ChunkUS = rapid.SliceOfN(rapid.Int64Range(1, 8_000_000), 0, 12).Draw(t, "chunks")
		slices.Sort(r.ChunkUS)
		if rapid.Bool().Draw(t, "counted") {
			for range r.ChunkUS {
				r.ChunkTokens = append(r.ChunkTokens, rapid.IntRange(0, 4).Draw(t, "tokens"))
			}
		}
		if rapid.Bool().Draw(t, "usage") {
			n := rapid.IntRange(0, 30).Draw(t, "output")
			r.OutputTokens = &n
		}
		r.AnswerAt = rapid.IntRange(-1, len(r.ChunkUS)+1).Draw(t, "answer at")
		slim := r
		slim.Slim()
		if len(slim.ChunkUS) > 3 {
			t.Fatalf("%d chunks were kept", len(slim.ChunkUS))
		}
		if diff := cmp.Diff(measured(r), measured(slim)); diff != "" {
			t.Fatalf("(-whole +slim):\n%s", diff)
		}
	})
}
