package plan

import (
	"testing"
)

// BenchmarkCatalogue looks at every layout of every instance; the bound is a
// second on one core.
func BenchmarkCatalogue(b *testing.B) {
	for b.Loop() {
		if _, err := Serve(request(nil)); err != nil {
			b.Fatal(err)
		}
	}
}
