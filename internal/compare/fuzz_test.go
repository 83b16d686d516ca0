package compare

import (
	"encoding/json"
	"testing"

	"assay/internal/record"
	"assay/internal/spec"
)

// FuzzRuns: whatever two run files hold, the comparison is made and is JSON,
// without a number that JSON has no word for.
func FuzzRuns(f *testing.F) {
	base, next := pairOf(1, server{ttft: 80, gap: 10, chunks: 3}, plainServer, 12)
	add := func(s Side) (run, lines []byte) {
		run, _ = json.Marshal(s.Run)
		var all []record.Request
		_ = s.Requests(func(r record.Request) error { all = append(all, r); return nil })
		lines, _ = json.Marshal(all)
		return run, lines
	}
	b, bl := add(base)
	n, nl := add(next)
	f.Add(b, bl, n, nl)
	again := []byte(`{"levels":[{"id":"a-rep1","repeat":1,"load":{"kind":"concurrency","value":1},"icl_ms":{"n":9,"mean":0,"p50":0},"ttft_ms":{"n":20,"mean":5,"p50":4}},` +
		`{"id":"a-rep2","repeat":2,"load":{"kind":"concurrency","value":1},"icl_ms":{"n":9,"mean":1,"p50":0},"ttft_ms":{"n":20,"mean":6,"p50":4}},` +
		`{"id":"a-rep3","repeat":3,"load":{"kind":"concurrency","value":1},"icl_ms":{"n":9,"mean":2,"p50":1},"ttft_ms":{"n":20,"mean":7,"p50":4}}]}`)
	f.Add(again, []byte(`[]`), again, []byte(`[]`))
	f.Add([]byte(`{"levels":[{"id":"a","load":{"kind":"rate","value":1},"icl_ms":{"n":-300000},"requests":{"completed":90},"window":{"start_us":-9,"end_us":9}}]}`), []byte(`[{"level":"a","chunk_us":[1,2],"answer_at":0}]`), b, bl)
	f.Fuzz(func(t *testing.T, base, baseLines, next, nextLines []byte) {
		side := func(run, lines []byte) (Side, bool) {
			var s Side
			var all []record.Request
			if json.Unmarshal(run, &s.Run) != nil || json.Unmarshal(lines, &all) != nil || len(s.Run.Levels) > 8 {
				return s, false
			}
			s.Requests = func(f func(record.Request) error) error {
				for _, r := range all {
					if err := f(r); err != nil {
						return err
					}
				}
				return nil
			}
			return s, true
		}
		x, ok1 := side(base, baseLines)
		y, ok2 := side(next, nextLines)
		if !ok1 || !ok2 {
			return
		}
		c, err := Runs(x, y, Options{Gates: []spec.Gate{{Metric: "ttft.p95", Above: true, Limit: 10, Change: true}, {Metric: spec.ErrorShare, Limit: 0.1}}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(c); err != nil {
			t.Fatal(err)
		}
	})
}
