package price

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"assay/internal/facts"
)

// TestSpotRangesJoinInAnyOrder: files may be given as they come.
func TestSpotRangesJoinInAnyOrder(t *testing.T) {
	k := key{"g5.xlarge", "us-east-1"}
	rapid.Check(t, func(t *rapid.T) {
		var parts []*Book
		for range rapid.IntRange(2, 5).Draw(t, "files") {
			low := rapid.Float64Range(0.1, 5).Draw(t, "low")
			day := rapid.IntRange(1, 28).Draw(t, "day")
			s := spot{SpotRange: SpotRange{Low: low, High: low + rapid.Float64Range(0, 5).Draw(t, "more"), Region: k.region,
				From: fmt.Sprintf("2026-11-%02d", day), AsOf: fmt.Sprintf("2026-11-%02d", rapid.IntRange(day, 28).Draw(t, "last")), Zones: 1},
				zones: map[string]bool{rapid.SampledFrom([]string{"us-east-1a", "us-east-1b", "us-east-1c"}).Draw(t, "zone"): true}}
			if rapid.Bool().Draw(t, "our own") {
				s.From, s.Zones, s.zones = "", 0, nil
			}
			b := &Book{}
			b.open()
			b.addSpot(k, s)
			parts = append(parts, b)
		}
		join := func(order []*Book) SpotRange {
			all := &Book{}
			for _, b := range order {
				all.Merge(b)
			}
			r, _ := all.Spot(k.instance, k.region)
			r.Source = facts.Source{} // of files of one date the first one's stands
			return r
		}
		want := join(parts)
		if diff := cmp.Diff(want, join(rapid.Permutation(parts).Draw(t, "order"))); diff != "" {
			t.Fatalf("in another order (-want +got):\n%s", diff)
		}
		for _, b := range parts {
			if one, _ := b.Spot(k.instance, k.region); one.Low < want.Low || one.High > want.High || one.AsOf > want.AsOf {
				t.Fatalf("%+v is outside of %+v", one, want)
			}
		}
	})
}
