package schema_test

import (
	"testing"

	"assay/internal/lint/schema"
)

// One operation checks each object of good.yaml once; ns/object is the time of one. What
// is compiled at first use is not counted.
func BenchmarkCheck(b *testing.B) {
	docs := documents(b, "good.yaml")
	for _, doc := range docs {
		check(doc)
	}
	for _, only := range []struct {
		name string
		of   func(api string) bool
	}{
		{"all", func(string) bool { return true }},
		{"built-in", func(api string) bool { return api == "v1" || api == "apps/v1" || api == "batch/v1" }},
		{"karpenter", func(api string) bool { return api == "karpenter.sh/v1" || api == "karpenter.k8s.aws/v1" }},
	} {
		b.Run(only.name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				for _, doc := range docs {
					if api := doc.Root.Get("apiVersion").Text(); only.of(api) {
						schema.Check(api, doc.Root.Get("kind").Text(), doc.Root)
						n++
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/object")
		})
	}
}
