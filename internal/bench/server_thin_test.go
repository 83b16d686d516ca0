package bench

import (
	"testing"

	"assay/internal/record"
)

func TestScrapesOfALongLevelAreThinned(t *testing.T) {
	const seconds = 5*mostSamples + 7
	var kept thinned
	kept.add(record.MetricsSample{Edge: "start"})
	for s := range seconds {
		kept.add(record.MetricsSample{AtUS: int64(s)})
	}
	kept.add(record.MetricsSample{Edge: "end"})
	n := len(kept.kept)
	if n > mostSamples+1 || n < mostSamples/2 {
		t.Fatalf("%d scrapes are kept", n)
	}
	if kept.kept[0].Edge != "start" || kept.kept[n-1].Edge != "end" {
		t.Error("an edge was left out")
	}
	step := kept.kept[2].AtUS - kept.kept[1].AtUS
	for i := 2; i < n-1; i++ {
		if d := kept.kept[i].AtUS - kept.kept[i-1].AtUS; d != step {
			t.Fatalf("scrape %d comes %d s after the one before, others %d", i, d, step)
		}
	}
	if last := kept.kept[n-2].AtUS; last < seconds-step {
		t.Errorf("the last scrape is of second %d of %d", last, seconds)
	}
}
