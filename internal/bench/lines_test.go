package bench

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/record"
	"assay/internal/spec"
)

// uneven is closedLoop with gaps and thoughts of random length, and failures.
func uneven(t *testing.T) Recorded {
	t.Helper()
	rec := closedLoop(10, 300)
	slo, err := spec.ParseConditions([]string{"ttft.p95<110ms,icl.p99<19.5ms,icl.p50<19.9ms"})
	if err != nil {
		t.Fatal(err)
	}
	rec.SLO = slo
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range rec.Requests {
		r := &rec.Requests[i]
		for k := 1; k < len(r.ChunkUS); k++ {
			r.ChunkUS[k] = r.ChunkUS[k-1] + rng.Int64N(20_000)
		}
		r.AnswerAt = rng.IntN(len(r.ChunkUS)+1) - 1
		if i%17 == 16 {
			r.Error = "truncated"
		}
	}
	return rec
}

// spilled is a level whose requests were too many to be kept in memory.
func spilled(t *testing.T, whole Recorded) Recorded {
	t.Helper()
	w, err := record.Create(t.TempDir(), &record.Run{Schema: record.Schema, Start: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	kept := lines{most: 1000}
	other := answer(0, false)
	other.Level = "another"
	w.Request(other)
	for _, q := range whole.Requests {
		w.Request(q)
		kept.add(q)
	}
	if !kept.spilled || kept.requests != nil {
		t.Fatalf("%d requests are kept in memory", len(kept.requests))
	}
	slim := whole
	slim.Requests = nil
	if err := kept.into(&slim, w.EachRequest); err != nil {
		t.Fatal(err)
	}
	return slim
}

func TestALevelTooLargeForMemoryFoldsToTheSame(t *testing.T) {
	whole := uneven(t)
	want := Fold(whole)

	slim := spilled(t, whole)
	for _, r := range slim.Requests {
		if len(r.ChunkUS) > 3 {
			t.Fatalf("a request keeps %d chunks", len(r.ChunkUS))
		}
	}
	got := Fold(slim)
	// The lines stand in the order of their ends: for the gaps' bounds alone.
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-9, 0), cmp.FilterPath(func(p cmp.Path) bool {
		return p.String() == "ICL.Bounds"
	}, cmp.Ignore())); diff != "" {
		t.Errorf("(-from memory +from the folder):\n%s", diff)
	}
	if want.ICL.N == 0 || want.Goodput == nil || *want.Goodput == 0 {
		t.Errorf("the test sees nothing: %+v", want.ICL)
	}
}

func TestASmallLevelStaysInMemory(t *testing.T) {
	k := newLines()
	rec := closedLoop(10, 200)
	for _, q := range rec.Requests {
		k.add(q)
	}
	var in Recorded
	if err := k.into(&in, nil); err != nil || len(in.Requests) != len(rec.Requests) || in.chunks != nil {
		t.Errorf("%d requests, %v", len(in.Requests), err)
	}
}

func TestABufferedStreamIsSeenInALevelTooLargeForMemory(t *testing.T) {
	rec := closedLoop(10, 200)
	for i := range rec.Requests {
		for k := range rec.Requests[i].ChunkUS {
			rec.Requests[i].ChunkUS[k] = 150_000 + int64(k)
		}
	}
	for name, in := range map[string]Recorded{"in memory": rec, "from the folder": spilled(t, rec)} {
		if v := Fold(in).Validity; v.Verdict != record.Invalid || !strings.Contains(strings.Join(v.Reasons, " "), "buffers the stream") {
			t.Errorf("%s: %+v", name, v)
		}
	}
}
